"""Cron expressions, as Airflow's events have them: `30 7 * * 1-5`, by the clock of a zone.

Five fields: minute, hour, day of the month, month, day of the week. A field is `*`, a number, a name (`JAN`, `MON`), a
range, a list, or one of these with a step (`*/15`). If both kinds of days are given, one of them is enough. Anything
else, such as `L`, `#` or a field of seconds, is not read.
"""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

_NAMES = {
    name: number
    for names in ("jan feb mar apr may jun jul aug sep oct nov dec", "sun mon tue wed thu fri sat")
    for number, name in enumerate(names.split(), start=names.startswith("jan"))
}
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


class Cron(NamedTuple):
    """The seconds of the day at which a run is due, and on which days."""

    times: tuple[int, ...]
    is_on: Callable[[date], bool]


def cron(expression: str) -> Cron | None:
    """What an expression says; None if it cannot be read."""
    fields = expression.lower().split()
    try:
        minutes, hours, days, months, weekdays = (
            _numbers(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)
        )
    except ValueError:
        return None
    is_either = fields[2] != "*" and fields[4] != "*"  # as Airflow's croniter has it, also for `*/2`

    def is_on(day: date) -> bool:
        fits = (day.day in days, day.isoweekday() in weekdays or (0 in weekdays and day.isoweekday() == 7))
        return day.month in months and (any(fits) if is_either else all(fits))

    return Cron(tuple(sorted(3_600 * hour + 60 * minute for hour in hours for minute in minutes)), is_on)


def _numbers(field: str, least: int, most: int) -> set[int]:
    numbers = set[int]()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        begin = least if first == "*" else _number(first)
        end = _number(last) if last else min(most, 6) if step and most == 7 else most if first == "*" or step else begin
        if not least <= begin <= end <= most or (step and int(step) < 1):
            raise ValueError(field)
        numbers.update(range(begin, end + 1, int(step or 1)))
    return numbers


def _number(text: str) -> int:
    return _NAMES[text] if text in _NAMES else int(text)
