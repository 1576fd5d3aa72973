"""The settings of the functions: environment variables, typed, read once at start."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NoReturn, TypeVar, dataclass_transform, get_type_hints


class Forms(int):
    """The forms in which items are written (docs/table.md); `new` are the newest of whichever release runs."""


class SecretRules(tuple[str, ...]):
    """What else in an event is a secret: regular expressions."""

    __slots__ = ()


class BadEnvironment(Exception):
    """A variable is missing or has a wrong value: the function does not start."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Settings:
    """The base of all settings, which are frozen. The field `table_name` is the variable TABLE_NAME.

    Settings are not dataclasses: the decorators of 25 classes took 5 % of a function's start time.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name} is a setting, and settings are frozen")


class KeysSettings(Settings):
    keys_secret: str


class QueueSettings(Settings):
    queue_url: str


class SendingSettings(QueueSettings):
    """The queue, for functions that send events."""

    secret_rules: SecretRules


class BucketSettings(Settings):
    archive_bucket: str


class TableSettings(BucketSettings):
    """The table, and the bucket with documents that are too long for an item."""

    table_name: str


class AuditSettings(TableSettings):
    """Whether requests become audit entries, which are in the table."""

    audit: bool


class RetentionSettings(Settings):
    run_retention_days: timedelta
    event_retention_days: timedelta


class FormSettings(Settings):
    """The forms in which items are written."""

    item_forms: Forms


class StoreSettings(TableSettings, RetentionSettings, FormSettings):
    """The graph store with its retention, for functions that write."""


class NamingSettings(Settings):
    namespace_aliases: Mapping[str, str]


class PeopleSettings(TableSettings):
    """The people who may sign in: access/people.py."""

    people_claim: str
    people_groups: Mapping[str, Mapping[str, Any]]
    people_seal: str


class ArchiveSettings(BucketSettings):
    archive_stream: str


class LinkSettings(Settings):
    """The URL at which links in alerts and tables begin."""

    api_url: str


class BusSettings(LinkSettings):
    alert_bus: str


class GlueSettings(NamingSettings):
    catalog_arn: str


class AuthoriseSettings(KeysSettings):
    """The settings of functions/authorise."""


class IngestSettings(SendingSettings, AuditSettings, NamingSettings):
    max_body_bytes: int


class PickupSettings(KeysSettings, SendingSettings, TableSettings, NamingSettings):
    pickup_bucket: str
    max_body_bytes: int


class ForwardQueueSettings(Settings):
    """The names of the targets that events are forwarded to, with spaces between, and their queue."""

    forward_to: str
    forward_queue: str


class NormaliseSettings(StoreSettings, ArchiveSettings, NamingSettings, QueueSettings, ForwardQueueSettings):
    emission_latency_millis: int
    emission_latency_by_namespace: Mapping[str, int]


class ForwardSettings(BucketSettings):
    """The settings of functions/forward. Each but the bucket is NONE if it is not wanted."""

    forward_url: str
    forward_secret: str
    forward_domain: str


class LookupSettings(AuditSettings, NamingSettings, PeopleSettings):
    """The settings of functions/lookup."""


class CurateSettings(StoreSettings, AuditSettings, SendingSettings, NamingSettings, PeopleSettings):
    """The settings of functions/curate."""


class CatalogSettings(TableSettings, GlueSettings, LinkSettings):
    create_missing_tables: bool
    catalog_database: str


class GlueImportSettings(StoreSettings, SendingSettings, GlueSettings):
    """The settings of functions/glue_import."""


class PollSettings(TableSettings, SendingSettings, NamingSettings):
    """What functions that poll sources share. The secret of each is NONE if no source asks for credentials."""


class ConnectSettings(PollSettings):
    connect_clusters: Mapping[str, Mapping[str, Any]]
    connect_secret: str


class RegistrySettings(PollSettings):
    registries: Mapping[str, Mapping[str, Any]]
    registry_secret: str


class AnnouncingSettings(StoreSettings, BusSettings):
    """The store and the bus, for functions that announce alerts."""


class AlertsSettings(AnnouncingSettings, NamingSettings):
    """The settings of functions/alerts."""


class SweepSettings(AnnouncingSettings):
    abandoned_after_minutes: int
    abandoned_after_by_namespace: Mapping[str, int]


def _days(text: str) -> timedelta:
    return timedelta(days=_positive(text))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError("less than 1")
    return number


def _forms(text: str) -> Forms:
    return Forms(sys.maxsize if text == "new" else _positive(text))


def _switch(text: str) -> bool:
    if text not in ("ON", "OFF"):
        raise ValueError("neither ON nor OFF")
    return text == "ON"


def _rules(text: str) -> SecretRules:
    from headwater.openlineage.redaction import read_rule  # noqa: PLC0415 - for functions that send events

    return SecretRules(() if text == "NONE" else [read_rule(rule).pattern for rule in text.split()])


def _names(text: str) -> Mapping[str, str]:
    document = json.loads(text)
    if not isinstance(document, dict) or not all(isinstance(value, str) and value for value in document.values()):
        raise ValueError("not an object of strings")
    return document


def _objects(text: str) -> Mapping[str, Mapping[str, Any]]:
    document = json.loads(text)
    if not isinstance(document, dict) or not all(isinstance(value, dict) for value in document.values()):
        raise ValueError("not an object of objects")
    return document


def _numbers(text: str) -> Mapping[str, int]:
    document = json.loads(text)
    if not isinstance(document, dict) or not all(isinstance(value, int) and value > 0 for value in document.values()):
        raise ValueError("not an object of whole numbers")
    return document


_READERS: Mapping[Any, tuple[Callable[[str], Any], str]] = {
    str: (str, "a text"),
    int: (_positive, "a whole number above 0"),
    Forms: (_forms, "new, or a whole number above 0"),
    bool: (_switch, "ON or OFF"),
    SecretRules: (
        _rules,
        (
            "NONE, or regular expressions with spaces between, of characters, classes and counts, at most one of them "
            "a range, such as acme_[A-Za-z0-9]{20,60}"
        ),
    ),
    timedelta: (_days, "a whole number above 0"),
    Mapping[str, int]: (_numbers, 'a JSON object of namespaces and whole numbers above 0, such as {"prod-*": 60000}'),
    Mapping[str, Mapping[str, Any]]: (
        _objects,
        'a JSON object of objects, such as {"analysts": {"role": "reader", "namespaces": ["s3://shared-*"]}}',
    ),
    Mapping[str, str]: (_names, 'a JSON object of namespaces, such as {"hive://ip-*": "arn:aws:glue:..."}'),
}

Some = TypeVar("Some", bound=Settings)


def from_environment(
    settings: type[Some],
    environment: Mapping[str, str] = os.environ,
    advice: str = "correct the variables of the function in template.yaml",
) -> Some:
    """The settings of a function. Raises BadEnvironment, which names each missing or wrong variable and its expected
    value, and has the advice."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for field, kind in get_type_hints(settings).items():
        name = field.upper()
        text = environment.get(name, "")
        read, expected = _READERS[kind]
        try:
            values[field] = read(text)
        except ValueError:
            wrong.append(f"{name} is {text!r}, expected {expected}" if text else f"{name} is not set")
        if not text:
            wrong.append(f"{name} is not set")
    if wrong:
        raise BadEnvironment(f"{'; '.join(dict.fromkeys(wrong))}: {advice}")
    return settings(**values)
