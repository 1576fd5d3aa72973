"""What is different between two schemas of a dataset, column by column, and who can live with it.

A nested column is `address.zip`; the elements of an array are `items[]`, what a map holds is `map.key` and `map.value`.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import takewhile
from typing import Any, NamedTuple

from headwater.graph.column_type import Retyping, retyping

METADATA = frozenset(
    {"_file", "_pos", "_spec_id", "_partition", "_deleted", "_row_id", "_last_updated_sequence_number"}
)
"""Columns that Iceberg has beside those of a table, which the Spark listener shows among the input's of a MERGE."""

_NESTING = {"_element": "[]", "_key": ".key", "_value": ".value"}
"""How the Spark listener calls what arrays and maps hold."""


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


class Column(NamedTuple):
    """A column and its type, as the producer sent it."""

    name: str
    type: Any


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


MadeOf = Mapping[str, Any]
"""What columns are made of, in any form that can be compared."""


def schema_diff(before: Any, after: Any) -> SchemaDiff:
    """The difference between two schema facets; what is no field in them is passed over.

    Of a column that came, went or became something else as a whole, the nested ones are not told as well.
    """
    old, new = columns_of(before), columns_of(after)
    retyped = [
        Retyped(name, old[name], kind, change)
        for name, kind in new.items()
        if name in old and (change := retyping(old[name], kind)) is not Retyping.NONE
    ]
    as_a_whole = {each.name for each in retyped}
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    return SchemaDiff(
        added=tuple(name for name in added if not _is_inside(name, {*added, *as_a_whole})),
        removed=tuple(name for name in removed if not _is_inside(name, {*removed, *as_a_whole})),
        retyped=tuple(each for each in retyped if not _is_inside(each.name, as_a_whole)),
    )


def columns_of(schema: Any) -> dict[str, Any]:
    """The types of a schema facet's columns by name, nested ones too, in their order."""
    return dict(_types(schema))


def with_renames(diff: SchemaDiff, before: Any, after: Any, was: MadeOf, now: MadeOf) -> SchemaDiff:
    """The difference with those columns told as renamed of which it is evident: one of the same type is made of the
    same as the one that is gone, and no other is; or, if that is not known, there is but one of either, and they stand
    at the same place."""
    old, new = columns_of(before), columns_of(after)
    renamed = [*_by_lineage(diff, old, new, was, now)] or [*_by_place(diff, old, new)]
    gone, come = {each.before for each in renamed}, {each.after for each in renamed}
    return diff._replace(
        added=tuple(name for name in diff.added if name not in come),
        removed=tuple(name for name in diff.removed if name not in gone),
        renamed=tuple(renamed),
    )


def _by_lineage(
    diff: SchemaDiff, old: Mapping[str, Any], new: Mapping[str, Any], was: MadeOf, now: MadeOf
) -> Iterator[Renamed]:
    pairs = [
        (gone, come)
        for gone in diff.removed
        for come in diff.added
        if was.get(gone) and was[gone] == now.get(come) and retyping(old[gone], new[come]) is Retyping.NONE
    ]
    for gone, come in pairs:
        if len([pair for pair in pairs if gone in pair or come in pair]) == 1:
            yield Renamed(gone, come, new[come], "made of the same columns in the same way")


def _by_place(diff: SchemaDiff, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Renamed]:
    match diff.removed, diff.added:
        case [gone], [come]:
            is_same = old[gone] is not None and retyping(old[gone], new[come]) is Retyping.NONE
            if is_same and _place(gone, old) == _place(come, new):
                yield Renamed(
                    gone, come, new[come], "it has the same type at the same place, and nothing else came or went"
                )


def _place(name: str, columns: Mapping[str, Any]) -> tuple[str, int]:
    """What a column is nested in, and how many stand before it there."""
    above = name.rpartition(".")[0]
    before = takewhile(lambda each: each != name, columns)
    return above, len([each for each in before if each.rpartition(".")[0] == above])


def _is_inside(name: str, others: set[str]) -> bool:
    return any(name.startswith((f"{each}.", f"{each}[]")) for each in others if each != name)


def _types(holder: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Each column and its type, in their order."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    for each in fields if isinstance(fields, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str) and (above or each["name"] not in METADATA):
            nesting = _NESTING.get(each["name"]) if above else None
            name = above + nesting if nesting else f"{above}.{each['name']}" if above else each["name"]
            yield name, each.get("type")
            yield from _types(each, name)
