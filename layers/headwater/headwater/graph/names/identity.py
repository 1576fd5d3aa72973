"""Ids of nodes: 128 bits of a hash of kind, namespace and name. Keys made of ids are short, spread evenly, and need no
escaping.

Jobs and datasets have ids of different types, and mypy keeps the types apart. States of a job or dataset have ids of
several parts: a run has its job and run id, a schema its dataset and digest.
"""

import hashlib
import uuid
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, NewType

from headwater.graph.names.naming import Naming, cached_by_name
from headwater.openlineage.event import AnyEvent, EventKind, JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant

JobId = NewType("JobId", str)
"""32 hex digits."""
DatasetId = NewType("DatasetId", str)
"""32 hex digits; all spellings of the dataset's name have the same id."""
SentNameId = NewType("SentNameId", str)
"""32 hex digits: the hash of a dataset's name exactly as it was sent."""
NamespaceId = NewType("NamespaceId", str)
"""32 hex digits."""
NodeId = JobId | DatasetId
"""A node of the lineage graph."""

NO_JOB = JobId("")
"""The job in the id of a write that has none: the write of a DatasetEvent."""

_PLAIN = Naming(of_ids=True)


class JobRunId(NamedTuple):
    """A run of a job. Events may give one run id under two job names: then each of the two jobs has a run of that
    id."""

    job: JobId
    run_id: str


class WriteId(NamedTuple):
    """A write of a dataset. `version` is the id of the run that wrote the dataset, or that of the event without a
    run."""

    dataset: DatasetId
    version: str
    job: JobId

    @property
    def run(self) -> JobRunId:
        """The run of the write; there is no such run if the version is that of an event without a run."""
        return JobRunId(self.job, self.version)


class QualityId(NamedTuple):
    """The assertions and metrics that a run sent for the data of a dataset."""

    dataset: DatasetId
    run_id: str
    job: JobId

    @property
    def run(self) -> JobRunId:
        return JobRunId(self.job, self.run_id)


class SchemaId(NamedTuple):
    dataset: DatasetId
    digest: str


class ColumnLineageId(NamedTuple):
    dataset: DatasetId
    digest: str


class AliasId(NamedTuple):
    """A name as it was sent, and the dataset that the name means."""

    sent: SentNameId
    dataset: DatasetId


class NeighbourPageId(NamedTuple):
    """A page of a dataset's neighbours: the jobs whose ids begin with `prefix`, which is empty for the first page."""

    dataset: DatasetId
    prefix: str = ""


class EventId(NamedTuple):
    """An event. `subject` is the id of the run, job or dataset that the event is about."""

    kind: EventKind
    subject: str
    time: Instant
    digest: str


@cached_by_name
def job_id(name: Name) -> JobId:
    return JobId(_hash("job", *name))


@cached_by_name
def dataset_id(name: Name) -> DatasetId:
    """The id of a dataset: the same for all spellings of its name (`s3a://lake` and `s3://lake`)."""
    return DatasetId(_hash("dataset", *_PLAIN.identify(name).identity))


def identity_of(dataset: Name) -> Name:
    """The one spelling of a dataset's name that its id is made of."""
    return _PLAIN.identify(dataset).identity


def derivation_id(dataset: Name) -> JobId:
    """The id of a derivation: a view, or a dataset that a catalogue declares to be made of others."""
    return JobId(_hash("derivation", *_PLAIN.identify(dataset).identity))


def sent_id(name: Name) -> SentNameId:
    """The id of a dataset's name exactly as it was sent."""
    return SentNameId(_hash("sent", *name))


def namespace_id(namespace: str) -> NamespaceId:
    return NamespaceId(_hash("namespace", namespace))


def event_id(event: AnyEvent) -> EventId:
    if isinstance(event, RunEvent):
        return EventId(EventKind.RUN_EVENT, event.run_id, event.time, event.digest)
    if isinstance(event, JobEvent):
        return EventId(EventKind.JOB_EVENT, job_id(event.job.name), event.time, event.digest)
    return EventId(EventKind.DATASET_EVENT, dataset_id(event.dataset.name), event.time, event.digest)


def version_of_event(digest: str) -> str:
    """The version of a dataset by an event without a run: a UUID of the event's digest."""
    return str(uuid.UUID(digest[:32]))


def _hash(*parts: str) -> str:
    """Each part is preceded by its length: different lists of parts have different texts."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class NodeKind(StrEnum):
    """The kind of node that a nodeId names. An exposure is named by answers; no lookup begins at one."""

    JOB = "job"
    DATASET = "dataset"
    FIELD = "datasetField"
    EXPOSURE = "exposure"


def node_id(kind: str, name: Name) -> str:
    return f"{kind}:{name.namespace}:{name.name}"


@lru_cache(maxsize=1_000)
def version_of_schema(digest: str) -> str:
    """The version of a dataset that no run is known to have written: a UUID of the digest of its schema."""
    return str(uuid.UUID(digest[:32]))


def version_without_schema(dataset: DatasetId) -> str:
    """The version of a dataset that no run is known to have written, and whose schema is unknown: a UUID of the
    dataset's id."""
    return str(uuid.UUID(dataset))
