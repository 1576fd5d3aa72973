"""The columns of a schema in JSON Schema (drafts 4 to 2020-12), as the serialisers of Kafka register it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from headwater.sources.registry.columns import MAX_COLUMNS, BadSchema, RecordColumn, RecordSchema, array, map_of, merged

_TYPES = {"integer": "long", "number": "double", "string": "string", "boolean": "boolean", "null": "null"}
_FORMATS = {"date": "date", "date-time": "timestamp", "time": "time"}
_CONNECT_TYPES = {
    "int8": "byte",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "bytes": "bytes",
}
"""What the converter of Kafka Connect adds beside `type`, as `connect.type`."""


def read_json_schema(text: str, references: Mapping[str, str] | None = None) -> RecordSchema:
    """The columns of a schema. `references` are the schemas that it refers to, by the names of the references.
    Raises BadSchema."""
    others = {name: _document(other) for name, other in (references or {}).items()}
    document = _document(text)
    value = _Documents(others).column(document, document, ())
    return RecordSchema(record_name(text), value)


def record_name(text: str) -> str:
    """The title of a schema, which is the full name of its record."""
    document = _document(text)
    title = document.get("title") if isinstance(document, dict) else None
    return title if isinstance(title, str) else ""


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise BadSchema("no JSON") from None


MAX_READ = 3 * MAX_COLUMNS
"""Schemas within a schema that are read, each as often as it is referred to: a choice of types may be one column."""


class _Documents:
    """A schema with those that it refers to. A type that contains itself ends where it is referred to again."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        self._others = others
        self._read = 0

    def column(self, schema: Any, root: Any, inside: tuple[str, ...]) -> RecordColumn:
        """A schema as a column without a name. `inside` are the references that enclose the schema."""
        self._read += 1
        if self._read > MAX_READ:
            raise BadSchema("refers to its types too often")
        if isinstance(schema, bool):
            return RecordColumn("", "any")
        if not isinstance(schema, dict):
            raise BadSchema(f"no type of JSON Schema: {str(schema)[:100]}")
        if isinstance(reference := schema.get("$ref"), str):
            return self._referred(reference, root, inside)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return self._either([{**schema, "type": kind} for kind in kinds], root, inside)
        for word in ("oneOf", "anyOf"):
            if isinstance(branches := schema.get(word), list):
                shared = [schema] if "properties" in schema else []
                without = [{name: of for name, of in own.items() if name != word} for own in shared]
                return self._either([*without, *branches], root, inside)
        if isinstance(parts := schema.get("allOf"), list):
            return self._all([{name: of for name, of in schema.items() if name != "allOf"}, *parts], root, inside)
        return self._plain(schema, root, inside)

    def _referred(self, reference: str, root: Any, inside: tuple[str, ...]) -> RecordColumn:
        document, _, pointer = reference.partition("#")
        target = self._others.get(document) if document else root
        if target is None:
            raise BadSchema(f"the schema {document} is not among the references")
        place = f"{document or id(root)}#{pointer}"
        if place in inside:
            return RecordColumn("", "struct")
        return self.column(_pointed(target, pointer), target, (*inside, place))

    def _either(self, branches: list[Any], root: Any, inside: tuple[str, ...]) -> RecordColumn:
        columns = [self.column(branch, root, inside) for branch in branches]
        others = [column for column in columns if column.type != "null"]
        is_nullable = len(others) < len(columns) or any(column.is_nullable for column in others)
        if not others:
            return RecordColumn("", "null", is_nullable=True)
        (one,) = merged(column.named("") for column in others)
        return replace(one, is_nullable=is_nullable)

    def _all(self, parts: list[Any], root: Any, inside: tuple[str, ...]) -> RecordColumn:
        columns = [self.column(part, root, inside) for part in parts]
        typed = [column for column in columns if column.type != "any"]
        structs = [column for column in typed if column.type == "struct"]
        if structs:
            return RecordColumn("", "struct", merged(field for column in structs for field in column.fields))
        return typed[-1] if typed else RecordColumn("", "any")

    def _plain(self, schema: dict[str, Any], root: Any, inside: tuple[str, ...]) -> RecordColumn:
        kind, items, more = schema.get("type"), schema.get("items"), schema.get("additionalProperties")
        connect = _CONNECT_TYPES.get(str(schema.get("connect.type")))
        if kind == "array" or (kind is None and items is not None):
            first = items[0] if isinstance(items, list) and items else items
            return array(self.column(first if isinstance(first, dict) else True, root, inside))
        if isinstance(properties := schema.get("properties"), dict):
            return RecordColumn("", "struct", tuple(self._properties(properties, schema, root, inside)))
        if kind == "object":
            return map_of(self.column(more, root, inside)) if isinstance(more, dict) else RecordColumn("", "struct")
        formatted = _FORMATS.get(str(schema.get("format"))) if kind == "string" else None
        guessed = "string" if kind is None and "enum" in schema else "any"
        return RecordColumn("", connect or formatted or _TYPES.get(str(kind), guessed))

    def _properties(
        self, properties: dict[str, Any], schema: dict[str, Any], root: Any, inside: tuple[str, ...]
    ) -> list[RecordColumn]:
        required = schema.get("required")
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
        return [self._property(name, of, name in needed, root, inside) for name, of in properties.items()]

    def _property(self, name: str, schema: Any, is_needed: bool, root: Any, inside: tuple[str, ...]) -> RecordColumn:
        column = self.column(schema, root, inside)
        description = schema.get("description") if isinstance(schema, dict) else None
        return replace(
            column,
            name=name,
            description=description if isinstance(description, str) else "",
            has_default=not is_needed,
            is_nullable=column.is_nullable or not is_needed,
        )


def _pointed(document: Any, pointer: str) -> Any:
    """What a JSON pointer such as `/definitions/Address` points to."""
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        document = document.get(key) if isinstance(document, dict) else None
    if document is None:
        raise BadSchema(f"nothing is at #{pointer}")
    return document
