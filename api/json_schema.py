"""Types of answers, in JSON Schema."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
TIME: Schema = {"type": "string", "format": "date-time"}
UUID: Schema = {"type": "string", "format": "uuid"}
COUNT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
FREE: Schema = {"type": "object"}
"""An object whose members are those that a producer or a client sent."""
TRUE: Schema = {"const": True}
ANYTHING: Schema = {}


class Optional(dict[str, Any]):
    """The type of a member that an object may lack."""


def maybe(schema: Schema) -> Schema:
    return Optional(schema)


def nullable(schema: Schema) -> Schema:
    if isinstance(schema.get("type"), str) and "enum" not in schema and "properties" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*words: str) -> Schema:
    return {"type": "string", "enum": list(words)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(**members: Schema) -> Schema:
    """An object with these members and no other."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in members.items()},
        "required": [name for name, schema in members.items() if not isinstance(schema, Optional)],
        "additionalProperties": False,
    }


def extended(base: Schema, **members: Schema) -> Schema:
    """An object with further members."""
    more = record(**members)
    return {
        **base,
        "properties": {**base["properties"], **more["properties"]},
        "required": [*base["required"], *more["required"]],
    }


def component(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
