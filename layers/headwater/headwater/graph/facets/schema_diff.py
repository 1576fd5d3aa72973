"""The difference between two schemas of a dataset, column by column, and the readers that it breaks.

A nested column is `address.zip`; the elements of an array are `items[]`; a map's keys and values are `map.key` and
`map.value`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.graph.facets.column_type import Retyping, is_equal_across_engines, retyping, type_name

METADATA = frozenset(
    {"_file", "_pos", "_spec_id", "_partition", "_deleted", "_row_id", "_last_updated_sequence_number"}
    | {f"_hoodie_{name}" for name in ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")}
)
"""Columns that Iceberg and Hudi add to those of a table; the Spark listener shows them among those of an input."""

_NESTING = {("array", "_element"): "[]", ("map", "_key"): ".key", ("map", "_value"): ".value"}
"""The Spark listener's names for the elements of arrays and the keys and values of maps."""
MAX_MESSAGE = 20_000
"""Characters of an error message that are looked at."""
_NO_BLAME = re.compile(
    r"(?im)\b(?:did you mean|given input columns|candidate bindings|hint:).*"
    r"|^(?:\s*line \d+:|'[a-z]|[\s:|]*[+:]- ).*|^.*#\d.*$|== (?:sql|dataframe)\b[\s\S]*"
)
"""Parts of an error message that name columns which are fine: suggestions for a missing one, the plan, and the
statement."""
_QUOTED = re.compile(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|(?<!\w)'[^'\n]{1,200}'|\[[^\[\]\n]{1,200}\]")
_UNQUOTED = re.compile(r"(?i)\b(?:column|unrecognized name|invalid identifier):?\s+([\w.]+)")
_HOLDING = frozenset({"struct", "array", "map", "record", "row"})
"""Types whose columns are nested: the type by itself does not name the columns inside."""


class Verdict(StrEnum):
    """The compatibility of a schema change, in the words of schema registries.

    FULL        columns were added: older data has null there, and older readers pass the column over
    BACKWARD    columns were widened: the new schema reads older data, too
    FORWARD     columns were narrowed: the old schema reads newer data, too
    BREAKING    columns were removed, renamed, or changed to another type: their readers break, since a lineage event
                has no default value for a column that is gone
    """

    FULL = "FULL"
    BACKWARD = "BACKWARD"
    FORWARD = "FORWARD"
    BREAKING = "BREAKING"


class Retyped(NamedTuple):
    """A column whose type changed; the types are as the producer sent them."""

    name: str
    before: Any
    after: Any
    change: Retyping = Retyping.INCOMPATIBLE


class Renamed(NamedTuple):
    """A column that seems to be renamed. No producer reports a renaming; `evidence` says why it seems so."""

    before: str
    after: str
    type: Any
    evidence: str


class SchemaDiff(NamedTuple):
    """The differing columns by name. A new order or description of columns is not a difference."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    retyped: tuple[Retyped, ...]
    renamed: tuple[Renamed, ...] = ()

    def __bool__(self) -> bool:
        return any(map(len, self))

    @property
    def verdict(self) -> Verdict:
        """The compatibility of the change; FULL if there is no difference."""
        changes = {column.change for column in self.retyped}
        if self.removed or self.renamed or Retyping.INCOMPATIBLE in changes or len(changes) > 1:
            return Verdict.BREAKING
        if Retyping.NARROWED in changes:
            return Verdict.FORWARD
        return Verdict.BACKWARD if Retyping.WIDENED in changes else Verdict.FULL

    def with_renamed(self, renamed: tuple[Renamed, ...]) -> "SchemaDiff":
        """The difference with these in place of pairs of a removed and an added column."""
        before, after = {column.before for column in renamed}, {column.after for column in renamed}
        return self._replace(
            added=tuple(name for name in self.added if name not in after),
            removed=tuple(name for name in self.removed if name not in before),
            renamed=renamed,
        )

    @property
    def touched(self) -> tuple[str, ...]:
        """The columns that were removed, renamed or retyped, by their names before the change."""
        return (*self.removed, *(column.before for column in self.renamed), *(column.name for column in self.retyped))

    @property
    def sentences(self) -> list[str]:
        """The changes of columns, the worst first."""
        return [
            *(f"{name} was removed" for name in self.removed),
            *(f"{rename.before} seems renamed to {rename.after}" for rename in self.renamed),
            *(f"{column.name} is {column.after} now, was {column.before} ({column.change})" for column in self.retyped),
            *(f"{name} was added" for name in self.added),
        ]


def blamed(message: str, diff: SchemaDiff) -> tuple[str, ...]:
    """The columns of a difference that the error message of a failed run blames: it names the column, quoted or after
    the word column, or, quoted, the types before and after: `the type "STRING" cannot be cast to "DOUBLE"`."""
    told = _NO_BLAME.sub("", message[:MAX_MESSAGE])
    quoted = {text[1:-1] for text in _QUOTED.findall(told)}
    parts = {text for text in (*quoted, *_UNQUOTED.findall(told)) if "/" not in text and not text.startswith("spark.")}
    words = {word.lower() for text in parts for word in re.findall(r"\w+", text)}
    types = set(map(type_name, quoted))
    named = {*diff.added, *diff.touched}
    by_type = {
        column.name
        for column in diff.retyped
        if isinstance(column.before, str) and isinstance(column.after, str)
        if {type_name(column.before), type_name(column.after)} <= types
    }
    return tuple(sorted({name for name in named if words.issuperset(re.findall(r"\w+", name.lower()))} | by_type))


Columns = Mapping[str, Any]
"""The types of columns by name, in the order of the schema, with nested columns."""
_Sources = frozenset[tuple[Any, Any]]
ColumnSources = Mapping[str, _Sources]
"""For each column its sources: a pair of the input column and the transformation."""


def schema_diff(before: Any, after: Any) -> SchemaDiff:
    """The difference between two schema facets; entries that are not fields are skipped."""
    return columns_diff(columns_of(before), columns_of(after))


def columns_diff(old: Columns, new: Columns) -> SchemaDiff:
    """The difference between the columns of two schemas.

    The nested columns of a column that was added, removed or retyped as a whole are not listed.
    """
    retyped = [
        Retyped(name, old[name], kind, change)
        for name, kind in new.items()
        if name in old and (change := retyping(old[name], kind)) is not Retyping.NONE
    ]
    as_a_whole = {column.name for column in retyped}
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    return SchemaDiff(
        added=_outermost(added, {*added, *as_a_whole}),
        removed=_outermost(removed, {*removed, *as_a_whole}),
        retyped=tuple(
            column for column in retyped if not any(above in as_a_whole for above in holders_of(column.name))
        ),
    )


def columns_of(schema: Any) -> dict[str, Any]:
    return dict(_types(schema))


def without_metadata(columns: Columns) -> dict[str, Any]:
    """Columns without those that Iceberg or Hudi adds to a table's own."""
    return {name: kind for name, kind in columns.items() if name not in METADATA}


def holders_of(name: str) -> Iterator[str]:
    """The columns that a nested column is inside of, the nearest first: `a[].b` is in `a[]` and in `a`."""
    while True:
        name = name[:-2] if name.endswith("[]") else name.rpartition(".")[0]
        if not name:
            return
        yield name


def across_engines(diff: SchemaDiff) -> SchemaDiff:
    """The difference between the words of two engines, without the columns whose types may be the same."""
    retyped = [column for column in diff.retyped if not is_equal_across_engines(column.before, column.after)]
    return diff._replace(retyped=tuple(retyped))


def with_renames(
    diff: SchemaDiff, old: Columns, new: Columns, old_sources: ColumnSources, new_sources: ColumnSources
) -> SchemaDiff:
    """The difference with renamed columns in place of pairs of a removed and an added column, where there is evidence.

    By lineage: the two columns have the same type and are made of the same columns, and no other pair is. By position:
    only one column was removed and only one added, with the same type at the same position, and the two are not known
    to be made of different datasets.
    """
    renamed = with_renames_by_lineage(diff, old, new, old_sources, new_sources)
    if renamed.renamed:
        return renamed
    return diff.with_renamed(tuple(_by_position(diff, old, new, old_sources, new_sources)))


def with_renames_by_lineage(
    diff: SchemaDiff, old: Columns, new: Columns, old_sources: ColumnSources, new_sources: ColumnSources
) -> SchemaDiff:
    """Likewise, only by lineage: for columns whose order in the schema is not known."""
    return diff.with_renamed(tuple(_by_lineage(diff, old, new, old_sources, new_sources)))


def _by_lineage(
    diff: SchemaDiff, old: Columns, new: Columns, old_sources: ColumnSources, new_sources: ColumnSources
) -> Iterator[Renamed]:
    removed: dict[Any, list[str]] = defaultdict(list)
    added: dict[Any, list[str]] = defaultdict(list)
    for names, sources, by_source in ((diff.removed, old_sources, removed), (diff.added, new_sources, added)):
        for name in names:
            if sources.get(name):
                by_source[sources[name]].append(name)
    for source, before in removed.items():
        match before, added.get(source, []):
            case [removed_column], [added_column] if _is_alike(removed_column, old, added_column, new):
                yield Renamed(
                    removed_column, added_column, new[added_column], "made of the same columns in the same way"
                )


def _by_position(
    diff: SchemaDiff, old: Columns, new: Columns, old_sources: ColumnSources, new_sources: ColumnSources
) -> Iterator[Renamed]:
    match diff.removed, diff.added:
        case [removed], [added] if _may_be_renamed(old_sources.get(removed), new_sources.get(added)):
            if _is_alike(removed, old, added, new) and _position(removed, old) == _position(added, new):
                yield Renamed(
                    removed, added, new[added], "same type and place, and no other column came or went with it"
                )


def _may_be_renamed(before: _Sources | None, after: _Sources | None) -> bool:
    """Whether two columns are made of the same input columns, or one of them has no known sources."""
    return not before or after is None or {column for column, _ in before} == {column for column, _ in after}


def _is_alike(before: str, old: Columns, after: str, new: Columns) -> bool:
    """Whether two columns have the same known type and the same nested columns."""
    if not isinstance(old[before], str) or retyping(old[before], new[after]) is not Retyping.NONE:
        return False
    if old[before].lower() not in _HOLDING:
        return True
    nested_before, nested_after = _inside(before, old), _inside(after, new)
    return nested_before.keys() == nested_after.keys() and not columns_diff(nested_before, nested_after)


def _inside(name: str, columns: Columns) -> dict[str, Any]:
    beginnings = (f"{name}.", f"{name}[]")
    return {column[len(name) :]: kind for column, kind in columns.items() if column.startswith(beginnings)}


def _position(name: str, columns: Columns) -> tuple[str, int]:
    """The column that a column is nested in, and its index there."""
    above = next(holders_of(name), "")
    siblings = [column for column in columns if next(holders_of(column), "") == above]
    return above, siblings.index(name)


def _outermost(names: Collection[str], others: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if not any(above in others for above in holders_of(name)))


def _types(holder: Any, above: str = "", kind: str = "") -> Iterator[tuple[str, Any]]:
    """Each column and its type, in order; of two columns with one name, the last counts."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict) and isinstance(field.get("name"), str):
            nesting = _NESTING.get((kind, field["name"]))
            name = above + nesting if nesting else f"{above}.{field['name']}" if above else field["name"]
            column_type = field.get("type")
            yield name, column_type
            if "fields" in field:
                yield from _types(field, name, column_type.lower() if isinstance(column_type, str) else "")
