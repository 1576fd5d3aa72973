"""Moments as text that sorts: UTC, nine fractional digits, one width.

Producers write `36.09Z`, `36.090+00:00` and `36.09` for one moment (the Spark listener drops trailing zeros),
so times are compared in this form, never as they were sent.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import NewType

Instant = NewType("Instant", str)
"""`2026-11-20T08:00:36.090000000Z`: compares as text as the moments compare."""

NEVER = Instant("")
"""Before every moment: what has not happened."""

_FORM = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|z|[+-]\d{2}(?::?\d{2})?)?(?:\[[^\]]*\])?",
    re.ASCII,
)


def parse_instant(text: str) -> Instant:
    """The moment in an ISO 8601 text; a time without a zone is UTC. Raises ValueError for a date alone or no time."""
    match = _FORM.fullmatch(text)
    if not match:
        raise ValueError("not an ISO 8601 time such as 2026-11-20T08:00:00Z")
    day, minutes, seconds, fraction, zone = match.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{minutes}:{seconds or '00'}").replace(tzinfo=_zone(zone))
        return _spell(local.astimezone(UTC), (fraction or "")[:9])
    except (ValueError, OverflowError):
        raise ValueError("no such moment") from None


def instant_of(moment: datetime) -> Instant:
    """The instant of an aware datetime, to the microsecond."""
    return _spell(moment.astimezone(UTC), f"{moment.microsecond:06d}")


def to_datetime(instant: Instant) -> datetime:
    """An aware datetime, cut to microseconds."""
    return datetime.fromisoformat(instant[:26] + "+00:00")


def milliseconds_between(start: Instant, end: Instant) -> int:
    """Whole milliseconds from `start` to `end`; negative if `end` is earlier."""
    return (to_datetime(end) - to_datetime(start)) // timedelta(milliseconds=1)


def shown(instant: Instant) -> str:
    """As an answer shows it: with no, three, six or nine fractional digits, as few as hold the moment."""
    seconds, fraction = instant[:19], instant[20:29]
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return f"{seconds}.{fraction}Z" if fraction else f"{seconds}Z"


def _zone(zone: str | None) -> timezone:
    if not zone or zone in "Zz":
        return UTC
    hours, minutes = int(zone[1:3]), int(zone[-2:]) if len(zone) > 3 else 0
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if zone[0] == "-" else offset)


def _spell(moment: datetime, fraction: str) -> Instant:
    return Instant(f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{fraction:0<9}Z")
