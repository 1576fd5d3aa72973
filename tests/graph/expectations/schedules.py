"""Starts of jobs by schedules, with all that happens to jobs: delays, reruns, a backfill, runs that never come."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from headwater.graph.expectations.timetable import Slot, timetable
from headwater.graph.states.rhythm import DAY, Moment, Observation, Rhythm, kept
from headwater.openlineage.event import Name

HOUR = 3_600
BEGIN = datetime(2026, 9, 1, tzinfo=UTC)
"""Two months before clocks change in Europe and America."""
Starts = list[Moment]


def every(period: int, days: int, is_on: Callable[[datetime], bool] = lambda _: True) -> Starts:
    first = int(BEGIN.timestamp()) + period // 3
    return [start for start in range(first, first + days * DAY, period) if is_on(datetime.fromtimestamp(start, UTC))]


def daily(hours: list[int], days: int, zone: str = "UTC", is_on: Callable[[date], bool] = lambda _: True) -> Starts:
    dates = (BEGIN.date() + timedelta(days=day) for day in range(days))
    return [
        int(datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone)).timestamp())
        for day in dates
        if is_on(day)
        for hour in hours
    ]


def lived(
    plan: Starts, seed: int, *, delay: int = 300, missing: int = 2, reruns: float = 0.03, has_backfill: bool = True
) -> tuple[Starts, Starts]:
    """The starts of a job that follows a plan, as it goes; and the planned starts of the runs that never came."""
    rng = random.Random(seed)
    gone = set(rng.sample(range(2 * len(plan) // 3, len(plan) - 1, 2), missing))  # never two in a row
    starts = []
    for number, due in enumerate(plan):
        if number in gone:
            continue
        starts.append(due + int(abs(rng.gauss(0, delay))))
        if rng.random() < reruns:
            starts.append(starts[-1] + rng.randrange(300, 4 * HOUR))
    if has_backfill:
        begin = plan[len(plan) // 2] + rng.randrange(DAY)
        starts += [begin + 40 * number for number in range(30)]
    return sorted(starts), sorted(plan[number] for number in gone)


def observed(starts: Starts) -> Iterator[tuple[Rhythm, Moment]]:
    """The rhythm of a job after each of its runs, and when the next run begins."""
    seen: list[Observation] = []
    for number, start in enumerate(starts[:-1]):
        run = f"{number:08x}"
        seen = kept([*seen, Observation(start, run, run, 60, True)])
        yield Rhythm(Name("prod", "job"), tuple(seen)), starts[number + 1]


def told(starts: Starts) -> list[Slot]:
    """The dues whose run had not begun when it was late."""
    slots = []
    for rhythm, following in observed(starts):
        found = timetable(rhythm)
        slot = found.next_after(rhythm.observations[-1].start) if found else None
        if slot and slot.latest < following:
            slots.append(slot)
    return slots
