"""The columns of records after a chain of transformations.

    ReplaceField     email -> contact (renames), ssn dropped (exclude)
    MaskField        phone -> phone, masked

After a transformation that is not known here, the columns are unknown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from headwater.sources.connect.transform import ROUTERS, ROUTERS_BY_RECORD, Transform


class ColumnSource(NamedTuple):
    """A column that an output column is made of."""

    column: str
    is_changed: bool = False
    is_masked: bool = False


@dataclass(frozen=True)
class Columns:
    """The columns of a record on its way: output columns, each with its sources.

    `value` are the sources of a record that is a single value without columns, such as a line of a file.
    """

    sources: Mapping[str, frozenset[ColumnSource]]
    value: frozenset[ColumnSource] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> "Columns":
        return cls({name: frozenset([ColumnSource(name)]) for name in names})

    @classmethod
    def of_line(cls, names: Iterable[str]) -> "Columns":
        """A line that holds all columns of a file as one text."""
        return cls({}, frozenset(ColumnSource(name, is_changed=True) for name in names))


def columns_through(transforms: Sequence[Transform], columns: Columns) -> Columns | None:
    """The columns after the chain. None if a transformation changes columns in a way that is not known."""
    for transform in transforms:
        if transform.target == "Key" or transform.kind in _WITHOUT_COLUMNS:
            continue
        change = _COLUMNS.get(transform.kind)
        if change is None:
            return None
        after = change(transform, columns)
        columns = _either(columns, after) if transform.is_conditional else after
    return columns


def named_columns(transforms: Sequence[Transform]) -> set[str]:
    """The columns that the chain expects in a record, as far as its settings name them."""
    first = next((transform for transform in transforms if transform.kind in ("ReplaceField", "MaskField")), None)
    if first is None or first.target == "Key":
        return set()
    return {*_renames(first), *first.listed("include", "whitelist")} | set(
        first.listed("fields") if first.kind == "MaskField" else ()
    )


def columns_before(transforms: Sequence[Transform], after: Sequence[str]) -> Columns | None:
    """The columns after the chain, if they are known and those before it are not: a column that the chain does not
    rename has had its name before."""
    named = columns_through(transforms, Columns.of(sorted(named_columns(transforms))))
    if named is None:
        return None
    made = {name for name, sources in named.sources.items() if any(source.column != name for source in sources)}
    columns = columns_through(transforms, Columns.of(sorted(({*after} - made) | named_columns(transforms))))
    if columns is None:
        return None
    return replace(columns, sources={name: of for name, of in columns.sources.items() if name in after})


def _replace_field(transform: Transform, columns: Columns) -> Columns:
    renames = _renames(transform)
    excluded, included = set(transform.listed("exclude", "blacklist")), transform.listed("include", "whitelist")
    kept = {
        name: sources
        for name, sources in columns.sources.items()
        if name not in excluded and (not included or name in included)
    }
    return Columns({renames.get(name, name): sources for name, sources in kept.items()})


def _renames(transform: Transform) -> dict[str, str]:
    pairs = (pair.partition(":") for pair in transform.listed("renames"))
    return {before.strip(): after.strip() for before, colon, after in pairs if colon}


def _mask_field(transform: Transform, columns: Columns) -> Columns:
    masked = set(transform.listed("fields"))
    return replace(columns, sources=_changed(columns, masked, is_masked=True))


def _cast(transform: Transform, columns: Columns) -> Columns:
    cast = {spec.partition(":")[0] for spec in transform.listed("spec", "field")}
    return replace(columns, sources=_changed(columns, cast))


def _hoist_field(transform: Transform, columns: Columns) -> Columns:
    field = transform.settings.get("field", "")
    sources = columns.value | frozenset[ColumnSource]().union(*columns.sources.values())
    return Columns({field: frozenset(source._replace(is_changed=True) for source in sources)} if sources else {})


def _extract_field(transform: Transform, columns: Columns) -> Columns:
    field = transform.settings.get("field", "")
    return Columns({}, value=columns.sources.get(field, frozenset()))


def _insert_field(transform: Transform, columns: Columns) -> Columns:
    """An inserted column comes from no column; one of the same name is replaced."""
    keys = ("static.field", "topic.field", "partition.field", "offset.field", "timestamp.field")
    inserted = {transform.settings.get(key, "").rstrip("!?") for key in keys}
    return replace(columns, sources={name: of for name, of in columns.sources.items() if name not in inserted})


def _header_from(transform: Transform, columns: Columns) -> Columns:
    moved = set(transform.listed("fields")) if transform.settings.get("operation") == "move" else set[str]()
    return replace(columns, sources={name: of for name, of in columns.sources.items() if name not in moved})


def _changed(columns: Columns, names: set[str], *, is_masked: bool = False) -> dict[str, frozenset[ColumnSource]]:
    def change(source: ColumnSource) -> ColumnSource:
        return source._replace(is_changed=True, is_masked=source.is_masked or is_masked)

    return {
        name: frozenset(map(change, sources)) if name in names else sources for name, sources in columns.sources.items()
    }


def _either(one: Columns, other: Columns) -> Columns:
    """The columns of a record to which a transformation was applied, or not."""
    names = [*one.sources, *(name for name in other.sources if name not in one.sources)]
    nothing = frozenset[ColumnSource]()
    sources = {name: one.sources.get(name, nothing) | other.sources.get(name, nothing) for name in names}
    return Columns(sources, one.value | other.value)


_WITHOUT_COLUMNS = {
    *ROUTERS,
    *ROUTERS_BY_RECORD - {"EventRouter"},
    *("Filter", "ValueToKey", "SetSchemaMetadata", "InsertHeader", "DropHeaders", "ExtractNewRecordState"),
    *("Flatten", "TombstoneHandler", "PartitionRouting"),
}
"""Transformations that leave the names of the value's columns. Flatten only names nested columns."""
_COLUMNS: Mapping[str, Callable[[Transform, Columns], Columns]] = {
    "ReplaceField": _replace_field,
    "MaskField": _mask_field,
    "Cast": _cast,
    "TimestampConverter": _cast,
    "HoistField": _hoist_field,
    "ExtractField": _extract_field,
    "InsertField": _insert_field,
    "HeaderFrom": _header_from,
}
