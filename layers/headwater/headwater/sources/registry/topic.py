"""The schema of a topic: the facet that says what a registry has of it, as events send it and as the graph has it.

The events are DatasetEvents, like those of the Glue import (decision 13).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.graph.facets.schema import REGISTRY
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.openlineage.own_events import OwnProducer
from headwater.sources.poller import Document, ReportedDataset
from headwater.sources.registry.columns import RecordColumn, merged
from headwater.sources.registry.compatibility import strictest
from headwater.sources.registry.subject import SubjectRole, SubjectVersion

PRODUCER = OwnProducer("registry", "producers/schema-registry.md")
KEY = "_key"
"""The column for the key of a topic's records."""
MAX_VERSIONS, MAX_REASONS = 100, 20
"""Versions of a subject, and reasons, that a facet lists."""


@dataclass(frozen=True)
class TopicSubject:
    """A subject of a topic, as an event has it.

    versions        the versions that the registry has, as far as they were read: the history
    compatibility   the level that holds for the next version
    promised        the strictest level since this version is the newest: what its readers may rely on
    is_deleted      whether the registry no longer has the subject. Its schema stays: records of it are in the topic
    """

    subject: str
    role: SubjectRole
    format: str
    record: str
    version: int
    id: int | str
    versions: tuple[int, ...]
    compatibility: str
    promised: str
    is_deleted: bool = False

    @classmethod
    def of(cls, version: SubjectVersion, role: SubjectRole, versions: Sequence[int], level: str) -> "TopicSubject":
        """A subject with a version that is reported for the first time."""
        record, promise = version.record_name(), strictest([level])
        numbers = tuple(number for number in versions if number <= version.version)
        return cls(version.subject, role, version.format, record, version.version, version.id, numbers, level, promise)

    def as_json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "role": self.role.value,
            "format": self.format,
            "record": self.record,
            "version": self.version,
            "id": self.id,
            "versions": list(self.versions),
            "compatibility": self.compatibility,
            "promised": self.promised,
            **({"deleted": True} if self.is_deleted else {}),
        }


class StoredTopic(NamedTuple):
    """What was last reported of a topic: the name of its registry, and its subjects."""

    registry: str = ""
    subjects: Sequence[TopicSubject] = ()


def stored_topics(datasets: Iterable[ReportedDataset]) -> dict[str, StoredTopic]:
    """The topics with subjects by name. Entries that are not ours are skipped."""
    topics: dict[str, StoredTopic] = {}
    for name, facets in datasets:
        match facets.get(REGISTRY):
            case {"registry": str(registry), "subjects": [_, *_] as entries}:
                topics[name] = StoredTopic(registry, [subject for entry in entries if (subject := _subject(entry))])
    return topics


def _subject(entry: Any) -> TopicSubject | None:
    match entry:
        case {
            "subject": str(subject),
            "role": "key" | "value" as role,
            "format": str(format_),
            "record": str(record),
            "version": int(version),
            "id": int() | str() as id_,
            "versions": list(versions),
            "compatibility": str(level),
            "promised": str(promised),
        }:
            numbers = tuple(number for number in versions if isinstance(number, int))
            is_deleted = entry.get("deleted") is True
            return TopicSubject(
                subject, SubjectRole(role), format_, record, version, id_, numbers, level, promised, is_deleted
            )
    return None


class BrokenPromise(NamedTuple):
    """What a new version broke of the compatibility of its subject: `level` is the one that it broke, `against` the
    version before."""

    subject: str
    version: int
    against: int
    level: str
    reasons: Sequence[str]

    def as_json(self) -> Document:
        return {**self._asdict(), "reasons": list(self.reasons[:MAX_REASONS])}


class ReadSubject(NamedTuple):
    """A part of a topic's records with its columns."""

    role: SubjectRole
    columns: Sequence[RecordColumn]
    value: RecordColumn


def topic_columns(read: Iterable[ReadSubject]) -> tuple[RecordColumn, ...]:
    """The columns of a topic: those of its values, and the key as `_key`. None without a subject of values."""
    subjects = list(read)
    values = merged(column for of in subjects if of.role is SubjectRole.VALUE for column in of.columns)
    keys = merged(of.value.named(KEY) for of in subjects if of.role is SubjectRole.KEY)
    return (*keys, *values) if values else ()


def registry_facet(registry: str, subjects: Sequence[TopicSubject], broken: BrokenPromise | None) -> Document:
    """The facet that says what the registry has of a topic."""
    told = [{**subject.as_json(), "versions": list(subject.versions[-MAX_VERSIONS:])} for subject in subjects]
    return PRODUCER.own_facet(registry=registry, subjects=told, **({"broken": broken.as_json()} if broken else {}))


def topic_event(topic: Name, registry: Document, columns: Sequence[RecordColumn], at: Instant) -> Document:
    """The event of a topic, with the facet of its registry. Without columns, the schema stays as it is."""
    facets = {REGISTRY: registry}
    if columns:
        fields = [column.as_field() for column in columns]
        facets["schema"] = PRODUCER.facet("1-1-1/SchemaDatasetFacet", fields=fields)
    dataset = {"namespace": topic.namespace, "name": topic.name, "facets": facets}
    return {**PRODUCER.event("DatasetEvent", at), "dataset": dataset}
