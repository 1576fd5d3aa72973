"""How items are written: in which forms, and how long those of runs and events are kept."""

from dataclasses import dataclass
from datetime import timedelta

from headwater.openlineage.instant import Instant, to_datetime

FORMS = 1
"""The newest forms of items, as one number for all kinds. A release that gives a kind a new form raises it by one."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long runs (with their writes, quality results and aliases) and events are kept, counted from event times; and
    the forms in which items are written (docs/table.md): until all functions have a release, it writes the forms of the
    release before, which can be rolled back to."""

    runs: timedelta
    events: timedelta
    forms: int = FORMS

    @property
    def keeps_former_forms(self) -> bool:
        return self.forms < FORMS


def expiry(time: Instant, kept: timedelta) -> int:
    """The expiry in epoch seconds, for DynamoDB's TTL."""
    return int(to_datetime(time).timestamp() + kept.total_seconds())
