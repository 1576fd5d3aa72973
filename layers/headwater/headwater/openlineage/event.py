"""OpenLineage events: checked, with parsed times, and with facets as sent."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.openlineage.instant import Instant

Facets = Mapping[str, Any]
"""Facets by name, exactly as sent; usually objects."""

MAX_NAME_LENGTH = 16_384


class Name(NamedTuple):
    """The name of a job or dataset, exactly as sent."""

    namespace: str
    name: str

    def as_json(self, member: str = "name") -> dict[str, str]:
        """The two members of an object that names a node. In an object with a column, the dataset's name is
        `dataset`."""
        return {"namespace": self.namespace, member: self.name}


class EventType(StrEnum):
    """The transition that a RunEvent reports (spec: `RunEvent.eventType`)."""

    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    ABORT = "ABORT"
    FAIL = "FAIL"
    OTHER = "OTHER"

    @property
    def is_terminal(self) -> bool:
        return self in (EventType.COMPLETE, EventType.ABORT, EventType.FAIL)


class EventKind(StrEnum):
    """The kinds of events, named as in the spec."""

    RUN_EVENT = "RunEvent"
    JOB_EVENT = "JobEvent"
    DATASET_EVENT = "DatasetEvent"


@dataclass(frozen=True, slots=True)
class DatasetReference:
    """A dataset in an event, with its facets and its input or output facets."""

    name: Name
    facets: Facets
    io_facets: Facets


@dataclass(frozen=True, slots=True)
class JobReference:
    name: Name
    facets: Facets


@dataclass(frozen=True, slots=True)
class Event:
    """The members that all events have. `digest` is the hash of the canonical event: equal events have equal
    digests."""

    time: Instant
    producer: str
    digest: str


@dataclass(frozen=True, slots=True)
class RunEvent(Event):
    """An event about a run of a job. An event without a type counts as OTHER (spec: `eventType` is optional)."""

    type: EventType
    run_id: str
    run_facets: Facets
    job: JobReference
    inputs: tuple[DatasetReference, ...]
    outputs: tuple[DatasetReference, ...]


@dataclass(frozen=True, slots=True)
class JobEvent(Event):
    """An event about a job without a run, such as a scheduler's definition."""

    job: JobReference
    inputs: tuple[DatasetReference, ...]
    outputs: tuple[DatasetReference, ...]


@dataclass(frozen=True, slots=True)
class DatasetEvent(Event):
    """An event about a dataset without a job, such as a catalogue's."""

    dataset: DatasetReference


AnyEvent = RunEvent | JobEvent | DatasetEvent


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID with hyphens, in lower or upper case."""
    if len(text) != 36:
        return False
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
