"""How long runs and events are kept."""

from dataclasses import dataclass
from datetime import timedelta

from headwater.openlineage.instant import Instant, to_datetime


@dataclass(frozen=True, slots=True)
class Retention:
    """How long runs (with their writes, quality results and aliases) and events are kept, counted from event times."""

    runs: timedelta
    events: timedelta


def expiry(time: Instant, kept: timedelta) -> int:
    """The expiry in epoch seconds, for DynamoDB's TTL."""
    return int(to_datetime(time).timestamp() + kept.total_seconds())
