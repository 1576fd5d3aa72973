"""Tells which events count for the emission latency, and stores when that of a job turns.

What is replayed does not count, nor what comes again: its run is known to be that far. Nor does what is backfilled.
"""

from collections.abc import Iterator, Sequence

from headwater.fold.batch import Batch
from headwater.graph.identity import NodeId, job_id
from headwater.graph.latency import BACKFILL_MILLIS, Latency, measured, next_breach_state
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import milliseconds_between
from headwater.store import item_codec, keys
from headwater.store.table import ConditionalPut, Item, Stored, Table


def timely(batch: Batch, stored: Stored) -> tuple[NormalisedEvent, ...]:
    """The events that are news when they come, in the order in which they came."""
    return tuple(sorted((each for each in batch.normalised if _is_timely(each, stored)), key=lambda each: each.at))


def put_latency(events: Sequence[NormalisedEvent], table: Table, stored: Stored, thresholds: Thresholds) -> None:
    """Stores each turn of a job's latency by itself, so that whoever follows the table sees every one of them."""
    items: dict[NodeId, Item | None] = {}
    for each in _measured(events, thresholds):
        job = job_id(each.job)
        before = items[job] if job in items else stored.get(keys.latency(job))
        after = next_breach_state(item_codec.read_latency(before) if before else None, each)
        if after:
            items[job] = item_codec.latency_item(after)
            table.change([ConditionalPut(item_codec.latency_item(after), before)])


def _is_timely(normalised: NormalisedEvent, stored: Stored) -> bool:
    event = normalised.event
    if not normalised.at or milliseconds_between(event.time, normalised.at) >= BACKFILL_MILLIS:
        return False
    if not isinstance(event, RunEvent):
        return True
    known = stored.get(keys.run(job_id(event.job.name), event.run_id))
    return known is None or item_codec.read_run(known).last < event.time


def _measured(events: Sequence[NormalisedEvent], thresholds: Thresholds) -> Iterator[Latency]:
    for normalised in events:
        event = normalised.event
        if isinstance(event, RunEvent):
            millis = milliseconds_between(event.time, normalised.at)
            name = event.job.name
            yield measured(name, event.run_id, normalised.at, millis, thresholds.of(name.namespace))
