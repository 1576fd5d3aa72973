"""Times as texts of one form, which sort by time: UTC, with nine fractional digits.

Producers write one time in several ways: `36.09Z`, `36.090+00:00`, `36.09` (the Spark listener drops trailing zeros).
So times are compared in this form, never as sent.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import NewType

Instant = NewType("Instant", str)
"""Example: `2026-11-20T08:00:36.090000000Z`. An earlier time is a smaller text."""

NEVER = Instant("")
"""Earlier than every time: the time of an event that never happened."""

FOREVER = Instant("9999-12-31T23:59:59.999999999Z")
"""Later than every time: what is asked for as of it is asked for as of now, whatever the clocks of producers say."""

_FORM = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|z|[+-]\d{2}(?::?\d{2})?)?(?:\[[^\]]*\])?",
    re.ASCII,
)


def parse_instant(text: str) -> Instant:
    """The time in an ISO 8601 text, in UTC if the text lacks a zone. Raises ValueError for another text, or a date
    without a time."""
    match = _FORM.fullmatch(text)
    if not match:
        raise ValueError("not an ISO 8601 time such as 2026-11-20T08:00:00Z")
    day, minutes, seconds, fraction, zone = match.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{minutes}:{seconds or '00'}").replace(tzinfo=_zone(zone))
        return _spell(local.astimezone(UTC), (fraction or "")[:9])
    except (ValueError, OverflowError):
        raise ValueError("no time of the calendar") from None


def instant_of(moment: datetime) -> Instant:
    """The instant of an aware datetime, to the microsecond."""
    return _spell(moment.astimezone(UTC), f"{moment.microsecond:06d}")


def to_datetime(instant: Instant) -> datetime:
    """An aware datetime, cut to microseconds."""
    return datetime.fromisoformat(instant[:26] + "+00:00")


def moved_back(instant: Instant, span: timedelta) -> Instant:
    """The time a span earlier; the first of the calendar if it does not go back so far: an event may be of year 1."""
    try:
        return instant_of(to_datetime(instant) - span)
    except OverflowError:
        return instant_of(datetime.min.replace(tzinfo=UTC))


def milliseconds_between(start: Instant, end: Instant) -> int:
    """Whole milliseconds from `start` to `end`; negative if `end` is earlier."""
    return (to_datetime(end) - to_datetime(start)) // timedelta(milliseconds=1)


def shown(instant: Instant) -> str:
    """The time as in responses: with no, three, six or nine fractional digits, as few as the time needs."""
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
    return Instant(f"{moment.isoformat()[:19]}.{fraction:0<9}Z")
