"""An OpenLineage event as the rest of Headwater sees it: checked, its times parsed, its facets untouched."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.openlineage.instant import Instant

Facets = Mapping[str, Any]
"""Facet name -> the facet exactly as it was sent, mostly an object."""

MAX_NAME_LENGTH = 16_384


class Name(NamedTuple):
    """What producers call a job or a dataset; kept exactly as sent."""

    namespace: str
    name: str

    def as_json(self, member: str = "name") -> dict[str, str]:
        """The two members of an object that names a node; beside a column, the dataset's name is `dataset`."""
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


@dataclass(frozen=True, slots=True)
class DatasetReference:
    """A dataset as one event names it: its facets, and those of this input or output alone."""

    name: Name
    facets: Facets
    io_facets: Facets


@dataclass(frozen=True, slots=True)
class JobReference:
    """A job as one event names it."""

    name: Name
    facets: Facets


@dataclass(frozen=True, slots=True)
class Event:
    """What the three kinds of event share. `digest` is that of the canonical event: equal events, equal digests."""

    time: Instant
    producer: str
    digest: str


@dataclass(frozen=True, slots=True)
class RunEvent(Event):
    """A run of a job told of itself. An event without a type counts as OTHER (spec: `eventType` is optional)."""

    type: EventType
    run_id: str
    run_facets: Facets
    job: JobReference
    inputs: tuple[DatasetReference, ...]
    outputs: tuple[DatasetReference, ...]


@dataclass(frozen=True, slots=True)
class JobEvent(Event):
    """A job described outside any run (design time: a catalogue, a scheduler's definition)."""

    job: JobReference
    inputs: tuple[DatasetReference, ...]
    outputs: tuple[DatasetReference, ...]


@dataclass(frozen=True, slots=True)
class DatasetEvent(Event):
    """A dataset described outside any job."""

    dataset: DatasetReference


AnyEvent = RunEvent | JobEvent | DatasetEvent


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID in its one usual spelling, whatever its letters' case."""
    if len(text) != 36:
        return False
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
