"""The emission latency of a job's events, and its breaches.

A breach begins with an event whose latency is above the threshold, and ends with an event whose latency is at most half
of the threshold. A latency in between changes nothing: a job at the threshold raises one alert, not one an event.

An event that arrives an hour late or more neither begins nor ends a breach: events were replayed, or somebody repaired
what had held them back. A latency that grows passes the threshold long before, and is told then.

    received after    in the metrics    begins a breach (threshold 5 minutes)
    10 minutes        yes               yes
    3 hours           yes               no: a replay
    a day             no                no: a backfill
"""

from dataclasses import dataclass

from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, milliseconds_between

BACKFILL_MILLIS = 24 * 60 * 60 * 1000
"""An event that arrives a day or more after it happened is a backfill, and no measure of latency."""
REPLAY_MILLIS = 60 * 60 * 1000
"""An event that arrives an hour or more after it happened is replayed."""
_RECOVERED = 0.5


@dataclass(frozen=True, slots=True)
class Latency:
    """The latency of a job: in or out of a breach since the event that was received `at`, `millis` after it
    happened."""

    job: Name
    run_id: str
    at: Instant
    millis: int
    threshold: int
    is_exceeded: bool

    @property
    def is_replayed(self) -> bool:
        """Whether the event came so late that it was sent again. With a threshold as long, the threshold counts."""
        return self.millis >= max(REPLAY_MILLIS, 2 * self.threshold)


def is_timely(time: Instant, at: Instant, last: Instant) -> bool:
    """Whether an event of this time, received `at`, is neither repeated nor a backfill. `last` is the latest time of
    the events of its run that were received before; empty for none, and for an event without a run."""
    return milliseconds_between(time, at) < BACKFILL_MILLIS and last < time


def next_breach_state(before: Latency | None, now: Latency) -> Latency | None:
    """The latency after an event that begins or ends a breach; None if the event does neither. `now` is the event's.

    An event that was received no later than the event of `before` does not count: it was measured already.
    """
    if (before and now.at <= before.at) or now.is_replayed:
        return None
    was_exceeded = before is not None and before.is_exceeded
    if now.is_exceeded and not was_exceeded:
        return now
    return now if was_exceeded and now.millis <= now.threshold * _RECOVERED else None


def measured(job: Name, run_id: str, at: Instant, millis: int, threshold: int) -> Latency:
    """The latency of a job by one event."""
    return Latency(job, run_id, at, millis, threshold, is_exceeded=millis > threshold)
