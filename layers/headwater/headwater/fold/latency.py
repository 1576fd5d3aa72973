"""Selects the events that count for the emission latency, and stores the beginning and the end of a job's breach.

Replays and repetitions do not count: the stored run already has an event of that time or later. Nor do backfills.
"""

from collections.abc import Iterator, Sequence

from headwater.fold.batch import Batch
from headwater.graph.facets.curation import is_curation
from headwater.graph.names.identity import JobRunId, job_id
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.states.latency import Latency, is_timely, next_breach_state
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import NEVER, Instant, milliseconds_between
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot


def timely(batch: Batch, read: Snapshot) -> tuple[NormalisedEvent, ...]:
    """The events that are neither repeated nor backfilled nor curation, in the order in which they were received. How
    the events were batched makes no difference."""
    last: dict[JobRunId, Instant] = {}
    events: list[NormalisedEvent] = []
    for normalised in sorted(batch.events, key=lambda event: (event.at, event.event.time, event.event.digest)):
        event = normalised.event
        known = NEVER
        if is_curation(event):
            continue
        if isinstance(event, RunEvent):
            run_id = JobRunId(job_id(event.job.name), event.run_id)
            stored = read.runs.get(run_id)
            known = last.get(run_id, stored.last if stored else NEVER)
            last[run_id] = max(known, event.time)
        if normalised.at and is_timely(event.time, normalised.at, known):
            events.append(normalised)
    return tuple(events)


def put_latency(events: Sequence[NormalisedEvent], store: GraphStore, read: Snapshot, thresholds: Thresholds) -> None:
    """Stores each latency by itself, so that the table's stream shows every beginning and end of a breach."""
    for measure in _measured(events, thresholds):
        after = next_breach_state(read.latencies.get(job_id(measure.job)), measure)
        if after:
            read = store.save([after], read)


def _measured(events: Sequence[NormalisedEvent], thresholds: Thresholds) -> Iterator[Latency]:
    for normalised in events:
        event = normalised.event
        if isinstance(event, RunEvent):
            millis = milliseconds_between(event.time, normalised.at)
            name = event.job.name
            yield Latency(name, event.run_id, normalised.at, millis, thresholds.of(name.namespace))
