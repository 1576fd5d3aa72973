"""The emission latency of a job's events, and its breaches.

A breach begins when the events of a job arrive late, and arrive at the pace at which they happened. A late event by
itself says nothing: somebody may be replaying events. Replayed events come faster than they happened:

    happened    received, late    received, replayed
    10:00       10:06             10:30:00
    10:04       10:10             10:30:01
    10:09       10:15             10:30:02
                a breach begins   no breach
                at 10:10

A breach ends with an event whose latency is at most half of the threshold. A latency in between changes nothing, so a
job at the threshold raises one alert, not one per event. An event that arrives an hour late or more neither begins nor
ends a breach: somebody repaired what had held it back, and a growing latency raises its alert long before that.

    received after    in the metrics    may begin a breach (threshold 5 minutes)
    10 minutes        yes               yes
    3 hours           yes               no
    a day             no                no: a backfill
"""

from dataclasses import dataclass, replace

from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, milliseconds_between

BACKFILL_MILLIS = 24 * 60 * 60 * 1000
"""An event that arrives a day or more after it happened is a backfill, and does not measure latency."""
REPLAY_MILLIS = 60 * 60 * 1000
"""An event that arrives an hour or more after it happened is replayed."""
STEADY_MILLIS = 30 * 1000
"""Late events that are received within this time may be one replay: a short run, posted as fast as it happened."""
_RECOVERED = 0.5
_PACE = 0.9
"""The share of the time between two events that must pass between their arrivals if they come at their own pace."""


@dataclass(frozen=True, slots=True)
class Latency:
    """The latency of a job: the event that was received `at`, `millis` after it happened.

    The event began or ended a breach (`is_exceeded`); or it was late, and is the first of the day without a breach.
    """

    job: Name
    run_id: str
    at: Instant
    millis: int
    threshold: int
    is_exceeded: bool = False

    @property
    def is_late(self) -> bool:
        return self.millis > self.threshold

    @property
    def is_replayed(self) -> bool:
        """Whether the event came so late that it was sent again. If the threshold is that long, it counts instead."""
        return self.millis >= max(REPLAY_MILLIS, 2 * self.threshold)


def is_timely(time: Instant, at: Instant, last: Instant) -> bool:
    """Whether an event of this time, received `at`, is neither repeated nor a backfill. `last` is the latest time of
    the events of its run that were received before; empty for none, and for an event without a run."""
    return milliseconds_between(time, at) < BACKFILL_MILLIS and last < time


def next_breach_state(before: Latency | None, now: Latency) -> Latency | None:
    """The latency to store after an event: the event begins or ends a breach, or is late and may show with a later
    event that a breach begins. None if the stored latency stays. `now` is the event's.

    An event that was received no later than the event of `before` was measured already, or is the first of the day.
    """
    if now.is_replayed:
        return None
    if before and before.is_exceeded:
        return now if now.at > before.at and now.millis <= now.threshold * _RECOVERED else None
    if not now.is_late:
        return None
    if before is None or _is_first(now, before):
        return now
    received = milliseconds_between(before.at, now.at)
    if received < STEADY_MILLIS:
        return None
    happened = received - (now.millis - before.millis)
    return replace(now, is_exceeded=0 < happened * _PACE <= received)


def _is_first(now: Latency, before: Latency) -> bool:
    """Whether a late event is the first of its day without a breach. If several were received at once, the earliest is
    the first, so that the order of folding makes no difference."""
    if before.is_late and before.at[:10] == now.at[:10]:
        return (now.at, -now.millis, now.run_id) < (before.at, -before.millis, before.run_id)
    return now.at > before.at
