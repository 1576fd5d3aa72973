"""The columns of a schema in Avro (https://avro.apache.org/docs/1.12.0/specification)."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from headwater.sources.registry.columns import BadSchema, RecordColumn, RecordSchema, array, map_of

_PRIMITIVES = frozenset({"boolean", "int", "long", "float", "double", "bytes", "string"})
_LOGICAL = {
    "date": "date",
    "time-millis": "time",
    "time-micros": "time",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "timestamp-nanos": "timestamp",
    "local-timestamp-millis": "timestamp",
    "local-timestamp-micros": "timestamp",
    "local-timestamp-nanos": "timestamp",
}


def read_avro(text: str, references: Iterable[str] = ()) -> RecordSchema:
    """The columns of a schema. `references` are the schemas whose types it names, the deepest first.
    Raises BadSchema."""
    names = _NamedTypes()
    for reference in references:
        names.column(_document(reference), "")
    document = _document(text)
    return RecordSchema(record_name(text), names.column(document, ""))


def record_name(text: str) -> str:
    """The full name of a schema's record, empty for a schema without a name. Raises BadSchema."""
    document = _document(text)
    name = document.get("name") if isinstance(document, dict) else None
    return _full_name(document, "") if isinstance(name, str) and name else ""


def _document(text: str) -> Any:
    """The JSON of a schema. The schema `string` may be registered without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        if text.strip() in _PRIMITIVES:
            return text.strip()
        raise BadSchema("no JSON") from None


class _NamedTypes:
    """The named types that were read so far. A type that contains itself ends where it is named again."""

    def __init__(self) -> None:
        self._known: dict[str, RecordColumn] = {}

    def column(self, schema: Any, space: str) -> RecordColumn:
        """A schema as a column without a name. `space` is the namespace that encloses the schema."""
        if isinstance(schema, str):
            return self._named(schema, space)
        if isinstance(schema, list):
            return self._union(schema, space)
        if not isinstance(schema, dict) or "type" not in schema:
            raise BadSchema(f"no type of Avro: {str(schema)[:100]}")
        return self._defined(schema, space) if isinstance(schema.get("name"), str) else self._nested(schema, space)

    def _defined(self, schema: dict[str, Any], space: str) -> RecordColumn:
        """A schema that defines a named type."""
        match schema["type"]:
            case "record" | "error":
                return self._record(schema, space)
            case "enum":
                return self._define(schema, space, RecordColumn("", "string"))
            case "fixed":
                return self._define(schema, space, RecordColumn("", _logical(schema) or "bytes"))
        return self._nested(schema, space)

    def _nested(self, schema: dict[str, Any], space: str) -> RecordColumn:
        match schema:
            case {"type": "array", "items": items}:
                return array(self.column(items, space))
            case {"type": "map", "values": values}:
                return map_of(self.column(values, space))
        column, logical = self.column(schema["type"], space), _logical(schema)
        return replace(column, type=logical) if logical else column

    def _named(self, name: str, space: str) -> RecordColumn:
        if name in _PRIMITIVES:
            return RecordColumn("", name)
        if name == "null":
            return RecordColumn("", "null", is_nullable=True)
        known = self._known.get(f"{space}.{name}" if space and "." not in name else name) or self._known.get(name)
        if known is None:
            raise BadSchema(f"the type {name} is not defined")
        return known

    def _define(self, schema: dict[str, Any], space: str, column: RecordColumn) -> RecordColumn:
        self._known[_full_name(schema, space)] = column
        return column

    def _record(self, schema: dict[str, Any], space: str) -> RecordColumn:
        self._define(schema, space, RecordColumn("", "struct"))
        inner = _full_name(schema, space).rpartition(".")[0]
        fields = schema.get("fields")
        named = [field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []
        columns = tuple(self._field(field, inner) for field in named)
        return self._define(schema, space, RecordColumn("", "struct", columns))

    def _field(self, field: dict[str, Any], space: str) -> RecordColumn:
        name, doc = field.get("name"), field.get("doc")
        if not isinstance(name, str):
            raise BadSchema("a field has no name")
        column = self.column(field.get("type"), space)
        description = doc if isinstance(doc, str) else ""
        return replace(column, name=name, description=description, has_default="default" in field)

    def _union(self, branches: list[Any], space: str) -> RecordColumn:
        """`["null", "long"]` is a long that may be null. A union of several types has a nested column for each, by the
        name of its type."""
        others = [branch for branch in branches if branch != "null"]
        columns = [(_branch_name(branch, space), self.column(branch, space)) for branch in others]
        is_nullable = len(others) < len(branches)
        if len(columns) == 1:
            return replace(columns[0][1], is_nullable=is_nullable)
        named = tuple(column.named(name) for name, column in columns)
        return RecordColumn("", "union" if named else "null", named, is_nullable=is_nullable)


def _branch_name(branch: Any, space: str) -> str:
    if isinstance(branch, dict) and isinstance(branch.get("name"), str):
        return _full_name(branch, space).rpartition(".")[2]
    kind = branch.get("type") if isinstance(branch, dict) else branch
    return str(kind).rpartition(".")[2]


def _full_name(schema: dict[str, Any], space: str) -> str:
    name, own = schema["name"], schema.get("namespace")
    if "." in name:
        return str(name)
    space = own if isinstance(own, str) else space
    return f"{space}.{name}" if space else str(name)


def _logical(schema: dict[str, Any]) -> str | None:
    match schema:
        case {"logicalType": "decimal", "precision": int(precision)}:
            return f"decimal({precision},{schema.get('scale') or 0})"
        case {"logicalType": str(logical)}:
            return _LOGICAL.get(logical)
    return None
