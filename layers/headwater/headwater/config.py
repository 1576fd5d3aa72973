"""The environment of the functions: typed, read once at start, with an error that says what to set."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, TypeVar, get_type_hints


class BadEnvironment(Exception):
    """A variable is missing or cannot be read; the function does not start."""


@dataclass(frozen=True, slots=True)
class AuthoriseSettings:
    keys_secret: str


@dataclass(frozen=True, slots=True)
class IngestSettings:
    queue_url: str
    archive_bucket: str
    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class NormaliseSettings:
    table_name: str
    archive_bucket: str
    archive_stream: str
    run_retention_days: timedelta
    event_retention_days: timedelta
    namespace_aliases: Mapping[str, str]
    emission_latency_millis: int
    emission_latency_by_namespace: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LookupSettings:
    table_name: str
    archive_bucket: str
    namespace_aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CurateSettings:
    table_name: str
    queue_url: str
    archive_bucket: str
    run_retention_days: timedelta
    event_retention_days: timedelta
    namespace_aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    table_name: str
    archive_bucket: str
    namespace_aliases: Mapping[str, str]
    catalog_arn: str
    api_url: str
    create_missing_tables: bool
    catalog_database: str


@dataclass(frozen=True, slots=True)
class GlueImportSettings:
    table_name: str
    queue_url: str
    archive_bucket: str
    namespace_aliases: Mapping[str, str]
    catalog_arn: str


@dataclass(frozen=True, slots=True)
class AlertsSettings:
    table_name: str
    archive_bucket: str
    alert_bus: str
    api_url: str
    namespace_aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SweepSettings:
    table_name: str
    archive_bucket: str
    alert_bus: str
    api_url: str
    abandoned_after_minutes: int
    abandoned_after_by_namespace: Mapping[str, int]


def _days(text: str) -> timedelta:
    return timedelta(days=_positive(text))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError("less than 1")
    return number


def _switch(text: str) -> bool:
    if text not in ("ON", "OFF"):
        raise ValueError("neither ON nor OFF")
    return text == "ON"


def _names(text: str) -> Mapping[str, str]:
    document = json.loads(text)
    if not isinstance(document, dict) or not all(isinstance(value, str) and value for value in document.values()):
        raise ValueError("not an object of strings")
    return document


def _numbers(text: str) -> Mapping[str, int]:
    document = json.loads(text)
    if not isinstance(document, dict) or not all(isinstance(value, int) and value > 0 for value in document.values()):
        raise ValueError("not an object of whole numbers")
    return document


_READERS: Mapping[Any, tuple[Callable[[str], Any], str]] = {
    str: (str, "a text"),
    int: (_positive, "a whole number above 0"),
    bool: (_switch, "ON or OFF"),
    timedelta: (_days, "a whole number above 0"),
    Mapping[str, int]: (_numbers, 'a JSON object of namespaces and whole numbers above 0, such as {"prod-*": 60000}'),
    Mapping[str, str]: (_names, 'a JSON object of namespaces, such as {"hive://ip-*": "arn:aws:glue:..."}'),
}

Settings = TypeVar(
    "Settings",
    AuthoriseSettings,
    IngestSettings,
    NormaliseSettings,
    LookupSettings,
    CurateSettings,
    CatalogSettings,
    GlueImportSettings,
    AlertsSettings,
    SweepSettings,
)


def from_environment(settings: type[Settings], environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a function: field `table_name` is the variable TABLE_NAME. Raises BadEnvironment naming all."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    types = get_type_hints(settings)
    for field in fields(settings):
        name = field.name.upper()
        text = environment.get(name, "")
        read, expected = _READERS[types[field.name]]
        try:
            values[field.name] = read(text)
        except ValueError:
            wrong.append(f"{name} is {text!r}, expected {expected}" if text else f"{name} is not set")
        if not text:
            wrong.append(f"{name} is not set")
    if wrong:
        raise BadEnvironment(f"{'; '.join(dict.fromkeys(wrong))}: template.yaml sets the variables of each function")
    return settings(**values)
