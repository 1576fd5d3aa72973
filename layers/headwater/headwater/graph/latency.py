"""How late the events of a job come, and when that is told: once a breach, not once an event.

A breach begins with an event that arrives later than the threshold after it happened, and ends with one that arrives
within half of it: in between nothing turns, so that a job at the threshold does not raise an alert at each event.
"""

from dataclasses import dataclass

from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant

BACKFILL_MILLIS = 24 * 60 * 60 * 1000
"""What arrives a day after it happened, or later, is sent after the fact, on purpose: it tells nothing of the way."""
_RECOVERED = 0.5


@dataclass(frozen=True, slots=True)
class Latency:
    """How late a job's events come, as of the one that last turned it: received `at`, so many milliseconds late."""

    job: Name
    run_id: str
    at: Instant
    millis: int
    threshold: int
    is_exceeded: bool


def next_breach_state(before: Latency | None, now: Latency) -> Latency | None:
    """The state that an event turns the one before into; None if it stays as it is. `now` has the event's measures.

    What was received before the state turned, or with the event that turned it, was looked at then.
    """
    if before and now.at <= before.at:
        return None
    was_exceeded = before is not None and before.is_exceeded
    if now.is_exceeded and not was_exceeded:
        return now
    return now if was_exceeded and now.millis <= now.threshold * _RECOVERED else None


def measured(job: Name, run_id: str, at: Instant, millis: int, threshold: int) -> Latency:
    """What one event says by itself."""
    return Latency(job, run_id, at, millis, threshold, is_exceeded=millis > threshold)
