"""The columns of a registered schema, whatever its format: Avro, JSON Schema or Protobuf.

The names of types are Avro's, with Spark's words for what is nested (struct, array, map): the words that
graph/facets/column_type.py and graph/facets/schema_diff.py compare.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.rest import BadAnswer

MAX_COLUMNS, MAX_DEPTH = 10_000, 60
"""Columns of a schema, and levels of nesting. A type that is named twice has its columns twice: 30 records that each
name the next twice would have a billion columns."""
_NESTING = {("array", "_element"): "[]", ("map", "_key"): ".key", ("map", "_value"): ".value"}


class BadSchema(BadAnswer):
    """A registered schema that cannot be read. The text names the fault."""


@dataclass(frozen=True)
class RecordColumn:
    """A column of a record.

    type          such as `long`, `decimal(10,2)`, `struct`
    fields        the nested columns; of an array `_element`, of a map `_key` and `_value`, of a union its branches
    has_default   whether a reader with this schema reads records that lack the column
    is_nullable   whether a record may have null there

    Raises BadSchema beyond MAX_COLUMNS or MAX_DEPTH.
    """

    name: str
    type: str
    fields: tuple["RecordColumn", ...] = ()
    description: str = ""
    has_default: bool = False
    is_nullable: bool = False
    count: int = field(init=False, repr=False, compare=False)
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", 1 + sum(nested.count for nested in self.fields))
        object.__setattr__(self, "depth", 1 + max((nested.depth for nested in self.fields), default=0))
        if self.count > MAX_COLUMNS:
            raise BadSchema(f"more than {MAX_COLUMNS} columns")
        if self.depth > MAX_DEPTH:
            raise BadSchema(f"nested more than {MAX_DEPTH} levels deep")

    def named(self, name: str) -> "RecordColumn":
        return replace(self, name=name)

    def as_field(self) -> dict[str, Any]:
        """The column as a field of OpenLineage's schema facet."""
        document: dict[str, Any] = {"name": self.name, "type": self.type}
        if self.description:
            document["description"] = self.description
        return document | ({"fields": [nested.as_field() for nested in self.fields]} if self.fields else {})


@dataclass(frozen=True)
class RecordSchema:
    """A registered schema: the full name of its record, empty if there is none, and its value as a column."""

    name: str
    value: RecordColumn

    @property
    def columns(self) -> tuple[RecordColumn, ...]:
        """The columns of a record; a value that is not a record is the one column `_value`."""
        return self.value.fields if self.value.type == "struct" else (self.value.named("_value"),)


def array(element: RecordColumn) -> RecordColumn:
    return RecordColumn("", "array", (element.named("_element"),))


def map_of(value: RecordColumn) -> RecordColumn:
    return RecordColumn("", "map", (RecordColumn("_key", "string"), value.named("_value")))


def by_path(columns: Iterable[RecordColumn], above: str = "", kind: str = "") -> Iterator[tuple[str, RecordColumn]]:
    """Each column with its path, as graph/facets/schema_diff.py spells paths: `address.zip`, `items[].sku`."""
    for column in columns:
        nesting = _NESTING.get((kind, column.name))
        path = above + nesting if nesting else f"{above}.{column.name}" if above else column.name
        yield path, column
        yield from by_path(column.fields, path, column.type)


def merged(columns: Iterable[RecordColumn]) -> tuple[RecordColumn, ...]:
    """The columns of several records that one topic has, by name. A column of two types has both: `long|string`."""
    by_name: dict[str, RecordColumn] = {}
    for column in columns:
        known = by_name.get(column.name)
        by_name[column.name] = _either(known, column) if known else column
    return tuple(by_name.values())


def _either(one: RecordColumn, other: RecordColumn) -> RecordColumn:
    types = sorted({*one.type.split("|"), *other.type.split("|")})
    fields = merged((*one.fields, *other.fields))
    return replace(one, type="|".join(types), fields=fields, description=one.description or other.description)
