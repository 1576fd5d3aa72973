"""Selects the events that count for the emission latency, and stores the beginning and the end of a job's breach.

A replayed or repeated event does not count: the stored run has an event of that time or a later one. A backfill does
not count either.
"""

from collections.abc import Iterator, Sequence

from headwater.fold.batch import Batch
from headwater.graph.identity import JobRunId, job_id
from headwater.graph.latency import BACKFILL_MILLIS, Latency, measured, next_breach_state
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import milliseconds_between
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot


def timely(batch: Batch, read: Snapshot) -> tuple[NormalisedEvent, ...]:
    """The events that are neither repeated nor backfilled, in the order in which they were received."""
    return tuple(sorted((event for event in batch.events if _is_timely(event, read)), key=lambda event: event.at))


def put_latency(events: Sequence[NormalisedEvent], store: GraphStore, read: Snapshot, thresholds: Thresholds) -> None:
    """Stores each beginning and end of a breach by itself: a reader of the table's stream sees every one."""
    for measure in _measured(events, thresholds):
        after = next_breach_state(read.latencies.get(job_id(measure.job)), measure)
        if after:
            read = store.save([after], read)


def _is_timely(normalised: NormalisedEvent, read: Snapshot) -> bool:
    event = normalised.event
    if not normalised.at or milliseconds_between(event.time, normalised.at) >= BACKFILL_MILLIS:
        return False
    if not isinstance(event, RunEvent):
        return True
    known = read.runs.get(JobRunId(job_id(event.job.name), event.run_id))
    return known is None or known.last < event.time


def _measured(events: Sequence[NormalisedEvent], thresholds: Thresholds) -> Iterator[Latency]:
    for normalised in events:
        event = normalised.event
        if isinstance(event, RunEvent):
            millis = milliseconds_between(event.time, normalised.at)
            name = event.job.name
            yield measured(name, event.run_id, normalised.at, millis, thresholds.of(name.namespace))
