"""OpenLineage events about the schema of a topic: DatasetEvents, like those of the Glue import (decision 13)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from headwater.graph.facets.schema import REGISTRY
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.sources.registry.columns import RecordColumn, merged
from headwater.sources.registry.subject import SubjectRole
from headwater.sources.registry.topic import TopicSubject

PRODUCER = "https://github.com/headwater-lineage/headwater/registry"
KEY = "_key"
"""The column for the key of a topic's records."""
MAX_VERSIONS, MAX_REASONS = 100, 20
"""Versions of a subject, and reasons, that a facet lists."""
_SPEC = "https://openlineage.io/spec"
_OURS = "https://github.com/headwater-lineage/headwater/tree/main/docs/producers/schema-registry.md"

Document = dict[str, Any]


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
    return _facet(_OURS, registry=registry, subjects=told, **({"broken": broken.as_json()} if broken else {}))


def topic_event(topic: Name, registry: Document, columns: Sequence[RecordColumn], at: Instant) -> Document:
    """The event of a topic, with the facet of its registry. Without columns, the schema stays as it is."""
    facets = {REGISTRY: registry}
    if columns:
        schema = f"{_SPEC}/facets/1-1-1/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
        facets["schema"] = _facet(schema, fields=[column.as_field() for column in columns])
    schema_url = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
    dataset = {"namespace": topic.namespace, "name": topic.name, "facets": facets}
    return {"eventTime": at, "producer": PRODUCER, "schemaURL": schema_url, "dataset": dataset}


def _facet(schema_url: str, **members: Any) -> Document:
    return {"_producer": PRODUCER, "_schemaURL": schema_url, **members}
