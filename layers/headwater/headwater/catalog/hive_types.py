"""Types of Spark, Iceberg and OpenLineage's schema facet as Hive types, in which Glue declares columns."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from headwater.graph.facets.schema import fields_of

_HIVE: Mapping[str, str] = {
    "tinyint": "byte int8",
    "smallint": "short int16",
    "int": "integer int32",
    "bigint": "long int64",
    "float": "real float32",
    "double": "float64",
    "decimal(10,0)": "decimal numeric",
    "boolean": "bool",
    "string": "text uuid time json",
    "binary": "bytes fixed",
    "date": "",
    "timestamp": "timestamp_ntz timestamp_ltz timestamptz datetime",
}
"""Hive's types, each with the names of the type in Spark, Iceberg and OpenLineage."""
_SIMPLE = {name: hive for hive, others in _HIVE.items() for name in (hive, *others.split())}
_SIZED = re.compile(r"(decimal|numeric|varchar|char)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_NESTED = re.compile(r"(array|map|struct)\s*<(.*)>", re.DOTALL)
_FIELD = re.compile(r"\s*(`[^`]+`|[^:\s]+)\s*[:\s]\s*(.+)", re.DOTALL)
_BRACKETS = {"<": 1, "(": 1, ">": -1, ")": -1}
OTHER = "string"
"""The type for types that Hive lacks, such as `void`: every value can be shown as a string."""
MAX_DEPTH = 30


def columns(schema: Any) -> list[dict[str, str]]:
    """The columns of a schema facet as Glue declares them, in order.

    Hive ignores the case of names: of two columns whose names differ only in case, the first counts.
    """
    by_name: dict[str, dict[str, str]] = {}
    for field in fields_of(schema):
        column = {"Name": field["name"].lower()[:255], "Type": hive_type(field)}
        description = field.get("description")
        comment = {"Comment": description[:255]} if isinstance(description, str) else {}
        by_name.setdefault(column["Name"], column | comment)
    return list(by_name.values())


def hive_type(field: Mapping[str, Any], depth: int = 0) -> str:
    """The type of a field of a schema facet. The facet nests `_element` in an array, `_key` and `_value` in a map."""
    sent = field.get("type")
    text = sent.strip().lower() if isinstance(sent, str) else ""
    nested = {member["name"]: member for member in fields_of(field)}
    if depth > MAX_DEPTH:
        return OTHER
    if not nested:
        return of_text(sent if isinstance(sent, str) else "")
    inner = {name: hive_type(member, depth + 1) for name, member in nested.items()}
    if text.startswith(("array", "list")) and "_element" in inner:
        return f"array<{inner['_element']}>"
    if text.startswith("map") and {"_key", "_value"} <= inner.keys():
        return f"map<{inner['_key']},{inner['_value']}>"
    struct = ",".join(f"{name}:{kind}" for name, kind in inner.items())
    return f"array<struct<{struct}>>" if text.startswith(("array", "list")) else f"struct<{struct}>"


def of_text(text: str, depth: int = 0) -> str:
    """The Hive type for a type in text, such as Spark's `struct<id:bigint,tags:array<string>>`."""
    text = text.strip()
    plain = text.lower()
    if sized := _SIZED.fullmatch(plain):
        return _sized(sized)
    if depth > MAX_DEPTH or not (nested := _NESTED.fullmatch(_named_lower(text))):
        return _SIMPLE.get(plain.partition("(")[0].strip(), OTHER)
    kind, parts = nested[1], list(_parts(nested[2]))
    if kind == "struct":
        fields = [_FIELD.fullmatch(part) for part in parts]
        return _struct([(field[1].strip("`"), of_text(field[2], depth + 1)) for field in fields if field])
    if len(parts) != (1 if kind == "array" else 2):
        return OTHER
    return f"{kind}<{','.join(of_text(part, depth + 1) for part in parts)}>"


def _struct(fields: list[tuple[str, str]]) -> str:
    return f"struct<{','.join(f'{name}:{kind}' for name, kind in fields)}>" if fields else OTHER


def _sized(sized: re.Match[str]) -> str:
    kind, size, scale = sized.groups()
    if kind in ("decimal", "numeric"):
        return f"decimal({size},{scale or 0})"
    return f"{kind}({size})"


def _named_lower(text: str) -> str:
    """A nested type with its kind in lower case; the names of its fields stay as they are."""
    kind, bracket, rest = text.partition("<")
    return kind.lower() + bracket + rest


def _parts(text: str) -> Iterator[str]:
    """The parts of a text between commas outside brackets."""
    depth = start = 0
    for index, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        if character == "," and depth == 0:
            yield text[start:index]
            start = index + 1
    yield text[start:]
