"""The intervals of statistics, as in Marquez: the last 24 hours, or the last seven days of a time zone."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, shown

HOURS, DAYS = 24, 7
_MIDNIGHT = "T00:00:00.000000000Z"


class Period(StrEnum):
    DAY = "day"
    WEEK = "week"


class Interval(NamedTuple):
    """An interval of time, and its bounds as the response shows them."""

    start: Instant
    end: Instant
    shown_start: str
    shown_end: str

    @property
    def days(self) -> list[str]:
        """The days of UTC that the interval overlaps."""
        last = {self.end[:10]} if self.end[10:] > _MIDNIGHT else set()
        return sorted({self.start[:10]} | last)

    def as_json(self, **counts: int) -> JsonObject:
        return {"startInterval": self.shown_start, "endInterval": self.shown_end, **counts}


def intervals(request: ApiRequest) -> list[Interval]:
    """The requested intervals; the last is the interval of the present time. Raises InvalidRequest."""
    period, zone = request.choice("period", Period), _zone(request)
    if period is None:
        raise InvalidRequest(Fault("period", f"missing; expected one of {', '.join(Period)}"))
    if period is Period.DAY:
        return list(_hours(request.received_at))
    if zone is None:
        raise InvalidRequest(Fault("timezone", "missing; expected the time zone of the days, such as Europe/Berlin"))
    return list(_days(request.received_at, zone))


def _hours(now: datetime) -> Iterator[Interval]:
    last = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    for ago in reversed(range(HOURS)):
        bounds = [instant_of(last + timedelta(hours=hour)) for hour in (-ago, 1 - ago)]
        yield Interval(bounds[0], bounds[1], *map(shown, bounds))


def _days(now: datetime, zone: tzinfo) -> Iterator[Interval]:
    """The days of the zone. Each is shown as midnight of UTC, as in Marquez: the web UI takes the date from there."""
    today = now.astimezone(zone).date()
    for ago in reversed(range(DAYS)):
        days = [today + timedelta(days=day) for day in (-ago, 1 - ago)]
        bounds = [instant_of(datetime.combine(day, time(), zone)) for day in days]
        yield Interval(bounds[0], bounds[1], *(f"{day}T00:00:00Z" for day in days))


def _zone(request: ApiRequest) -> tzinfo | None:
    """The time zone in the query. A `+`, as in `Etc/GMT+3`, may arrive as a space."""
    name = request.query.get("timezone", "").replace(" ", "+")
    if name.upper() in ("", "UTC", "Z"):
        return UTC if name else None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InvalidRequest(Fault("timezone", "expected the name of a time zone, such as Europe/Berlin")) from None
