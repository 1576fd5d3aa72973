"""Times, durations and counts in words."""

import re
from collections.abc import Iterable
from typing import Any

from headwater.lookup.text.inert import inert

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z")


def moment(time: Any) -> str:
    """A time of an answer, to the minute: `2026-11-20 08:00Z`."""
    match = _TIME.fullmatch(time) if isinstance(time, str) else None
    return f"{match[1]} {match[2]}Z" if match else inert(str(time or ""))


def duration(milliseconds: Any) -> str:
    """`850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`; nothing for a run that has not ended."""
    if not isinstance(milliseconds, int):
        return ""
    if abs(milliseconds) < 1_000:
        return f"{milliseconds} ms"
    minutes, seconds = divmod(milliseconds // 1_000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def size(number: float) -> str:
    """Bytes: `512 B`, `1.5 KB`, `41 GB`."""
    unit, *larger = ("B", "KB", "MB", "GB", "TB")
    while number >= 1_000 and larger:
        number, unit, *larger = (number / 1_000, *larger)
    return f"{number:,.0f} {unit}" if number >= 10 or unit == "B" else f"{number:.1f} {unit}"


def count(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def counts(numbers: Iterable[tuple[int, str]]) -> str:
    """`2 jobs, 1 dataset`, without what there is none of."""
    return ", ".join(count(number, noun) for number, noun in numbers if number)
