"""Types of columns as producers spell them, and what a change of a column's type means.

Spark says `long` where Trino and Hive say `bigint`; another spelling is not a change. A wider type holds every value of
the narrower type exactly (Avro's promotions and Iceberg's); any other change is incompatible.
"""

import re
from enum import StrEnum
from typing import Any

_ALIASES = {
    "bigint": "long",
    "int8": "long",
    "int64": "long",
    "int": "integer",
    "int4": "integer",
    "int32": "integer",
    "smallint": "short",
    "int2": "short",
    "int16": "short",
    "tinyint": "byte",
    "real": "float",
    "float4": "float",
    "float32": "float",
    "float8": "double",
    "float64": "double",
    "double precision": "double",
    "bool": "boolean",
    "text": "string",
    "character varying": "varchar",
    "numeric": "decimal",
    "number": "decimal",
    "bignumeric": "decimal",
    "nvarchar": "varchar",
    "character": "char",
    "nchar": "char",
    "bytes": "binary",
    "varbinary": "binary",
    "bytea": "binary",
    "record": "struct",
    "dec": "decimal",
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
}
_WIDER = {
    "byte": {"short", "integer", "long", "float", "double"},
    "short": {"integer", "long", "float", "double"},
    "integer": {"long", "double"},
    "float": {"double"},
    "char": {"varchar", "string"},
    "varchar": {"string"},
}
_DECIMAL_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 19}
_SIZED = frozenset({"char", "varchar", "string"})
"""Types whose length counts. The brackets of other types are a display width (`int(11)`) or the digits of a clock."""
_DIGITS = re.compile(r"(timestamp|time)\s*\(\d+\)")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_PARTS = re.compile(r"([a-z][a-z0-9_ ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")


_EQUAL_ACROSS_ENGINES = {
    "text": {"string", "varchar", "char", "uuid", "json", "jsonb"},
    "point in time": {"timestamp", "timestamptz", "timestamp_ntz", "timestamp_ltz", "datetime"},
}
"""Types of one column as several engines see it. Spark's `string` is `varchar` in Trino, and any of Postgres' `text`,
`varchar(20)` and `uuid`; Spark's `timestamp` is Trino's `timestamp(6) with time zone`."""


class Retyping(StrEnum):
    """What a change of a column's type means for the column's readers."""

    NONE = "none"
    WIDENED = "widened"
    NARROWED = "narrowed"
    INCOMPATIBLE = "incompatible"


def retyping(before: Any, after: Any) -> Retyping:
    """How a column's type changed. If either type is unknown, no change is known."""
    if not isinstance(before, str) or not isinstance(after, str):
        return Retyping.NONE
    old, new = _read(before), _read(after)
    if old == new or (old[0] == new[0] == "decimal" and None in (old[1], new[1])):
        return Retyping.NONE  # each engine chooses the digits of a decimal without digits
    if _is_wider(old, new):
        return Retyping.WIDENED
    return Retyping.NARROWED if _is_wider(new, old) else Retyping.INCOMPATIBLE


def is_equal_across_engines(before: Any, after: Any) -> bool:
    """Whether two engines may mean the same type by these names."""
    if retyping(before, after) is Retyping.NONE:
        return True
    old, new = _read(before)[0], _read(after)[0]
    return any({old, new} <= family for family in _EQUAL_ACROSS_ENGINES.values())


def type_name(text: str) -> str:
    """The name of a type without its spelling and its digits: `long` for `BIGINT`, `decimal` for `numeric(12,2)`."""
    return _read(text)[0]


_Type = tuple[str, int | None, int | None]
"""A type's name, and the numbers in its brackets: length, or precision and scale."""


def _read(text: str) -> _Type:
    plain = _DIGITS.sub(r"\1", " ".join(text.lower().split()))
    parts = _PARTS.fullmatch(plain)
    if not parts:
        return _WORD.sub(lambda word: _ALIASES.get(word[0], word[0]), re.sub(r"\s+", "", plain)), None, None
    name = _ALIASES.get(parts[1], parts[1])
    first, second = (int(digits) if digits else None for digits in parts.group(2, 3))
    if name == "decimal":
        return name, first, second or 0
    return (name, first, second) if name in _SIZED else (name, None, None)


def _is_wider(narrow: _Type, wide: _Type) -> bool:
    (name, length, scale), (other, room, other_scale) = narrow, wide
    if other == "decimal" and room is not None:
        digits, fraction = (length or 0, scale or 0) if name == "decimal" else (_DECIMAL_DIGITS.get(name, 99), 0)
        return room - (other_scale or 0) >= digits - fraction and (other_scale or 0) >= fraction
    if name == other:
        return name in ("varchar", "char") and length is not None and (room is None or room > length)
    return other in _WIDER.get(name, ())
