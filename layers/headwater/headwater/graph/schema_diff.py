"""What is different between two schemas of a dataset, column by column, and who can live with it.

A nested column is `address.zip`; the elements of an array are `items[]`, what a map holds is `map.key` and `map.value`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.graph.column_type import Retyping, retyping

METADATA = frozenset(
    {"_file", "_pos", "_spec_id", "_partition", "_deleted", "_row_id", "_last_updated_sequence_number"}
)
"""Columns that Iceberg has beside those of a table, which the Spark listener shows among the input's of a MERGE."""

_NESTING = {("array", "_element"): "[]", ("map", "_key"): ".key", ("map", "_value"): ".value"}
"""How the Spark listener calls what arrays and maps hold."""
_HOLDING = frozenset({"struct", "array", "map", "record", "row"})
"""Types that say nothing of what is inside."""


class Verdict(StrEnum):
    """Who can read what, in the words of schema registries.

    A column that was added is null in older data, and who does not know it passes it over. A column that is wider can
    be read from older data too, one that is narrower by whoever has not heard of it yet. What is gone, or means
    something else, breaks its readers: a lineage event knows no defaults that would stand in for it.
    """

    FULL = "FULL"
    BACKWARD = "BACKWARD"
    FORWARD = "FORWARD"
    BREAKING = "BREAKING"


class Retyped(NamedTuple):
    """A column whose type is another now; the types as the producer sent them."""

    name: str
    before: Any
    after: Any
    change: Retyping = Retyping.INCOMPATIBLE


class Renamed(NamedTuple):
    """A column that seems to have another name now: nobody said so, `evidence` does."""

    before: str
    after: str
    type: Any
    evidence: str


class SchemaDiff(NamedTuple):
    """Columns by name. What has another order or description alone is no difference."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    retyped: tuple[Retyped, ...]
    renamed: tuple[Renamed, ...] = ()

    def __bool__(self) -> bool:
        return any(map(len, self))

    @property
    def verdict(self) -> Verdict:
        """Who can live with it. Of nothing, everybody."""
        changes = {each.change for each in self.retyped}
        if self.removed or self.renamed or Retyping.INCOMPATIBLE in changes or len(changes) > 1:
            return Verdict.BREAKING
        if Retyping.NARROWED in changes:
            return Verdict.FORWARD
        return Verdict.BACKWARD if Retyping.WIDENED in changes else Verdict.FULL

    @property
    def touched(self) -> tuple[str, ...]:
        """The columns, by the names they had, that are not what their readers know."""
        return (*self.removed, *(each.before for each in self.renamed), *(each.name for each in self.retyped))


Columns = Mapping[str, Any]
"""The types of columns by name, nested ones too, in their order."""
MadeOf = Mapping[str, frozenset[tuple[Any, Any]]]
"""What columns are made of: whence, and how."""


def schema_diff(before: Any, after: Any) -> SchemaDiff:
    """The difference between two schema facets; what is no field in them is passed over."""
    return columns_diff(columns_of(before), columns_of(after))


def columns_diff(old: Columns, new: Columns) -> SchemaDiff:
    """The difference between the columns of two schemas.

    Of a column that came, went or became something else as a whole, the nested ones are not told as well.
    """
    retyped = [
        Retyped(name, old[name], kind, change)
        for name, kind in new.items()
        if name in old and (change := retyping(old[name], kind)) is not Retyping.NONE
    ]
    as_a_whole = {each.name for each in retyped}
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    return SchemaDiff(
        added=_outermost(added, {*added, *as_a_whole}),
        removed=_outermost(removed, {*removed, *as_a_whole}),
        retyped=tuple(each for each in retyped if not any(above in as_a_whole for above in holders_of(each.name))),
    )


def columns_of(schema: Any) -> dict[str, Any]:
    """The columns of a schema facet."""
    return dict(_types(schema))


def without_metadata(columns: Columns) -> dict[str, Any]:
    """Columns as a reader may name them, but for those that Iceberg has beside a table's own."""
    return {name: kind for name, kind in columns.items() if name not in METADATA}


def holders_of(name: str) -> Iterator[str]:
    """The columns that a nested one is inside of, the nearest first: `a[].b` is in `a[]` and in `a`."""
    while True:
        name = name[:-2] if name.endswith("[]") else name.rpartition(".")[0]
        if not name:
            return
        yield name


def with_renames(diff: SchemaDiff, old: Columns, new: Columns, was: MadeOf, now: MadeOf) -> SchemaDiff:
    """The difference with those columns told as renamed of which it is evident: one of the same type is made of the
    same as the one that is gone, and no other is; or there is but one of either, at the same place, and they are not
    known to be made of other datasets."""
    renamed = [*_by_lineage(diff, old, new, was, now)] or [*_by_place(diff, old, new, was, now)]
    gone, come = {each.before for each in renamed}, {each.after for each in renamed}
    return diff._replace(
        added=tuple(name for name in diff.added if name not in come),
        removed=tuple(name for name in diff.removed if name not in gone),
        renamed=tuple(renamed),
    )


def _by_lineage(diff: SchemaDiff, old: Columns, new: Columns, was: MadeOf, now: MadeOf) -> Iterator[Renamed]:
    gone: dict[Any, list[str]] = defaultdict(list)
    come: dict[Any, list[str]] = defaultdict(list)
    for names, made_of, found in ((diff.removed, was, gone), (diff.added, now, come)):
        for name in names:
            if made_of.get(name):
                found[made_of[name]].append(name)
    for source, before in gone.items():
        match before, come.get(source, []):
            case [one], [other] if _is_alike(one, old, other, new):
                yield Renamed(one, other, new[other], "made of the same columns in the same way")


def _by_place(diff: SchemaDiff, old: Columns, new: Columns, was: MadeOf, now: MadeOf) -> Iterator[Renamed]:
    match diff.removed, diff.added:
        case [gone], [come] if _whence(was.get(gone)) in (set(), _whence(now.get(come))) or come not in now:
            if _is_alike(gone, old, come, new) and _place(gone, old) == _place(come, new):
                yield Renamed(gone, come, new[come], "same type, same place, and nothing else came or went")


def _whence(made_of: frozenset[tuple[Any, Any]] | None) -> set[Any]:
    return {whence for whence, _ in made_of or ()}


def _is_alike(one: str, old: Columns, other: str, new: Columns) -> bool:
    """Whether two columns have the same known type, and the same columns inside."""
    if not isinstance(old[one], str) or retyping(old[one], new[other]) is not Retyping.NONE:
        return False
    if old[one].lower() not in _HOLDING:
        return True
    inside, others = _inside(one, old), _inside(other, new)
    return inside.keys() == others.keys() and not columns_diff(inside, others)


def _inside(name: str, columns: Columns) -> dict[str, Any]:
    beginnings = (f"{name}.", f"{name}[]")
    return {each[len(name) :]: kind for each, kind in columns.items() if each.startswith(beginnings)}


def _place(name: str, columns: Columns) -> tuple[str, int]:
    """What a column is nested in, and how many stand before it there."""
    above = next(holders_of(name), "")
    beside = [each for each in columns if next(holders_of(each), "") == above]
    return above, beside.index(name)


def _outermost(names: Collection[str], others: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if not any(above in others for above in holders_of(name)))


def _types(holder: Any, above: str = "", kind: str = "") -> Iterator[tuple[str, Any]]:
    """Each column and its type, in their order; of two that go by one name, the last."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    for each in fields if isinstance(fields, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            nesting = _NESTING.get((kind, each["name"]))
            name = above + nesting if nesting else f"{above}.{each['name']}" if above else each["name"]
            of = each.get("type")
            yield name, of
            yield from _types(each, name, of.lower() if isinstance(of, str) else "")
