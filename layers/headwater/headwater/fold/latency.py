"""Tells which events count for the emission latency, and stores when that of a job turns.

What is replayed does not count, nor what comes again: its run is known to be that far. Nor does what is backfilled.
"""

from collections.abc import Iterator, Sequence

from headwater.fold.batch import Batch
from headwater.graph.identity import NodeId, job_id
from headwater.graph.latency import BACKFILL_MILLIS, Latency, measured, turned
from headwater.graph.received import Received
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import milliseconds_between
from headwater.store import keys, records
from headwater.store.table import Change, Item, Stored, Table


def timely(batch: Batch, stored: Stored) -> tuple[Received, ...]:
    """The events that are news when they come, in the order in which they came."""
    return tuple(sorted((each for each in batch.received if _is_timely(each, stored)), key=lambda each: each.at))


def put_latency(events: Sequence[Received], table: Table, stored: Stored, thresholds: Thresholds) -> None:
    """Stores each turn of a job's latency by itself, so that whoever follows the table sees every one of them."""
    items: dict[NodeId, Item | None] = {}
    for each in _measured(events, thresholds):
        job = job_id(each.job)
        before = items[job] if job in items else stored.get(keys.latency(job))
        after = turned(records.read_latency(before) if before else None, each)
        if after:
            items[job] = records.latency_item(after)
            table.change([Change(records.latency_item(after), before)])


def _is_timely(received: Received, stored: Stored) -> bool:
    event = received.event
    if not received.at or milliseconds_between(event.time, received.at) >= BACKFILL_MILLIS:
        return False
    if not isinstance(event, RunEvent):
        return True
    known = stored.get(keys.run(job_id(event.job.name), event.run_id))
    return known is None or records.read_run(known).last < event.time


def _measured(events: Sequence[Received], thresholds: Thresholds) -> Iterator[Latency]:
    for received in events:
        event = received.event
        if isinstance(event, RunEvent):
            millis = milliseconds_between(event.time, received.at)
            name = event.job.name
            yield measured(name, event.run_id, received.at, millis, thresholds.of(name.namespace))
