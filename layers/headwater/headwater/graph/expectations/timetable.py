"""When the next run of a job is due, learnt from its rhythm, without any configuration.

    0 7 * * 1-5 Europe/Berlin       what Airflow says of the DAG, with the usual time until the job begins
    every hour                      the gap between two runs, on the days of the week that have runs
    at 07:00 on weekdays            times of the day, on the days of the week on which they were seen three times
    at 02:00 on the last day        the day by which three months agree
    every 10 days                   gaps of days that are alike

If none of them fits, nothing is claimed. Clocks change: a job seen only in summer may follow any of the clocks in
`ZONES`, so it is late only when it is late by all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple, Protocol

from headwater.graph.states.rhythm import DAY, Moment, Observation, Rhythm, at, median

HOUR, MINUTE = 3_600, 60
UTC = "UTC"
ZONES = (UTC, "Europe/Berlin", "America/New_York", "Australia/Sydney")
"""Zones whose clocks change on different days. Any other clock that changes on the same days behaves alike."""
LATEST = 220_000_000_000
"""A moment in the year 8941: clocks end with the calendar, and no job runs that late."""
LEAST_SEEN = 3
"""A weekday, a time of day or a day of the month is claimed once it was seen this often."""
LEAST_GAPS = 6
LONGEST_INTERVAL = 3 * HOUR
"""Runs further apart than this are expected at times of the day."""
MOST_TIMES = 6
"""Times of a day."""
MOST_SCHEDULED = 300
"""Times of a day of a schedule."""
LEAST_TOLERANCE = 15 * MINUTE
EARLY = 6 * HOUR
"""A run that began at most this long before one was due counts as that run."""
RECENT = 15
"""Days by which a time of the day, and how much it varies, are known: a schedule may change."""
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Slot(NamedTuple):
    """When a run is due, and the latest usual start. `earlier` is by how many seconds it may be due before, by another
    zone's clock."""

    due: Moment
    latest: Moment
    earlier: int = 0


class Timetable(Protocol):
    """When the runs of a job are due."""

    @property
    def words(self) -> str: ...

    @property
    def zone(self) -> str:
        """The zone by whose days the runs are due."""

    def next_after(self, start: Moment) -> Slot | None:
        """The first due time that a run which began at `start` does not meet."""


def timetable(rhythm: Rhythm) -> Timetable | None:
    """The timetable of a job; None if its runs follow none, or there are too few to know."""
    generations = rhythm.generations
    if not generations or not 0 <= rhythm.observations[0].start <= rhythm.observations[-1].start < LATEST:
        return None
    if rhythm.schedule.text and (said := _scheduled(rhythm.schedule.text, generations)):
        return said
    if len(generations) < LEAST_SEEN:
        return None
    gaps = [later.start - earlier.start for earlier, later in pairwise(generations)]
    of_day = _all_day(generations, gaps, rhythm.observations) if median(gaps) < LONGEST_INTERVAL else None
    return of_day or _daily(rhythm) or _monthly(rhythm) or _every_few_days(gaps)


def slot_of(rhythm: Rhythm, run: Observation) -> Slot | None:
    """When a run of the newest generations was due, judged by the runs before it, so that a late run does not make
    itself usual. For a job with several runs a day all other runs count if need be, since a rhythm keeps only the last
    of an earlier day. None if it is not known, or if the run came at another time, as a rerun does."""
    generations, others = (
        rhythm.generations,
        [seen for seen in rhythm.observations if seen.generation != run.generation],
    )
    before = [seen.start for seen in generations if seen.start < run.start and seen.generation != run.generation]
    if not before or not rhythm.is_due or run not in generations:
        return None
    known = [[seen for seen in others if seen.start < run.start]]
    if len({seen.start // DAY for seen in generations}) < len(generations):
        known.append(others)
    found = (_met(timetable(replace(rhythm, observations=tuple(seen))), before[-1], run.start) for seen in known)
    return next(filter(None, found), None)


def _met(found: Timetable | None, before: Moment, start: Moment) -> Slot | None:
    """The due time that a run met which began at `start`, the one before at `before`; runs in between may be
    missing."""
    slot = found.next_after(before) if found else None
    if found is None or slot is None:
        return None
    while later := found.next_after(slot.due):
        early = min(LEAST_TOLERANCE, (later.due - slot.due) // 4)
        if not slot.due < later.due <= start + early:
            break
        slot = later
    is_odd = 2 * (slot.due - start) >= slot.due - before or found.next_after(start) == slot
    return None if is_odd else slot


@dataclass(frozen=True)
class Every:
    """A run each `period`, on some days of the week (UTC). `rest` is the second of the day after which there is none;
    the first run after a rest is expected when the last of the day would be."""

    period: int
    tolerance: int
    is_on: Mapping[int, bool]
    rest: int = DAY
    zone: str = UTC

    @property
    def words(self) -> str:
        return f"every {span(self.period)}{_on(self.is_on)}"

    def next_after(self, start: Moment) -> Slot | None:
        due = start + self.period
        day = due // DAY
        if not self.is_on[_weekday(day)] or due % DAY > self.rest:
            later = (day + ahead for ahead in range(due % DAY > self.rest, 8))
            day = next((day for day in later if self.is_on[_weekday(day)]), day)
            due = day * DAY + (self.rest if self.rest < DAY else self.period)
        return Slot(due, due + self.tolerance)


@dataclass(frozen=True)
class Calendar:
    """Runs at some seconds of some days, by the first of some zones' clocks. All zones agreed at `since`, a day before
    the newest run (a job may run several times a day)."""

    zones: Sequence[str]
    times: Sequence[int]
    is_day: Callable[[int], bool] = field(compare=False)  # a function equals only itself; the other members tell
    days: str
    tolerance: int
    since: Moment
    schedule: str = ""

    @property
    def zone(self) -> str:
        return self.zones[0]

    @property
    def words(self) -> str:
        if self.schedule:
            return f"by its scheduler, {self.schedule}"
        clock = self.zones[0] if len(self.zones) == 1 else UTC
        moved = 0 if clock == self.zones[0] else _offset(self.zones[0], self.since)
        times = sorted((time - moved) % DAY for time in self.times)
        return f"at {', '.join(f'{time // HOUR:02}:{time % HOUR // MINUTE:02}' for time in times)} {clock}{self.days}"

    def next_after(self, start: Moment) -> Slot | None:
        before: Moment | None = None
        for due in self._dues(start - 2 * DAY):
            early = min(EARLY, (due - before) // 2) if before else EARLY
            if start < due - early:
                moved = self._moved(due)
                return Slot(due, due + self.tolerance + max(moved), -min(moved))
            before = due
        return None

    def last_before(self, start: Moment) -> Moment | None:
        """The last due time until `start`, within the month before."""
        for days in (2, 32):
            dues = takewhile(lambda due: due <= start, self._dues(start - days * DAY))
            if (found := max(dues, default=None)) is not None:
                return found
        return None

    def _dues(self, after: Moment) -> Iterator[Moment]:
        zone = self.zones[0]
        first = (after + _offset(zone, after)) // DAY
        for day in range(first, first + 400):
            if self.is_day(day):
                for time in self.times:
                    yield _utc(zone, day * DAY + time)

    def _moved(self, due: Moment) -> list[int]:
        """How much later the run may be by each zone's clock, one of which changed since the newest run."""
        first, *others = (_offset(zone, self.since) - _offset(zone, due) for zone in self.zones)
        return [0, *(other - first for other in others)]


def _scheduled(schedule: str, generations: Sequence[Observation]) -> Calendar | None:
    """The timetable of a job of a DAG that Airflow starts by the clock: it begins some time after each time of the
    schedule. None if the schedule cannot be read, or has very many times."""
    from headwater.graph.expectations.cron import cron  # noqa: PLC0415 - no function needs it to start

    expression, _, zone = schedule.rpartition(" ")
    found = cron(expression)
    if found is None or len(found.times) > MOST_SCHEDULED or not _is_zone(zone):
        return None
    is_day = lambda day: found.is_on(_date(day))  # noqa: E731
    ticks = Calendar((zone,), found.times, is_day, "", 0, 0)
    newest = [seen.start for seen in generations[-RECENT:]]
    lags = [start - tick for start in newest if (tick := ticks.last_before(start)) is not None]
    if not lags:
        return None
    usual = int(min(median(lags), lags[-1]))  # the schedule may have changed: before, the lags were others
    off = sorted(lag - usual for lag in lags)
    tolerance = LEAST_TOLERANCE + max(
        0, 2 * (off[-2] if len(off) > 3 else off[-1]), *[lag - usual for lag in lags[-3:]]
    )
    return Calendar((zone,), [time + usual for time in found.times], is_day, "", tolerance, newest[-1] - DAY, schedule)


def _utc(zone: str, local: int) -> Moment:
    """The moment of a time of a zone's clock, as Airflow has it: of two the second; one in a gap is that much later."""
    both = [local - _offset(zone, local + around) for around in (-DAY, DAY)]
    return max([at for at in both if at + _offset(zone, at) == local] or both)


def _is_zone(zone: str) -> bool:
    try:
        _offset(zone, 0)
    except (ValueError, OSError, KeyError):
        return False
    return True


def _all_day(generations: Sequence[Observation], gaps: Sequence[int], all_kept: Sequence[Observation]) -> Every | None:
    """The timetable of a job that runs all day, or a part of it."""
    period = int(median(gaps))
    near = [gap for gap in gaps if 0.5 * period <= gap <= 1.5 * period]
    if len(gaps) < LEAST_GAPS or period < MINUTE or len(near) < 0.7 * len(gaps):
        return None
    if min(gaps[-2:]) > 3 * period:
        return None  # it began to run less often: of a rest, one gap is long
    last = {seen.start // DAY: seen.start % DAY for seen in all_kept}
    ends = sorted([*last.values()][-RECENT - 1 : -1])
    rests = bool(ends) and median(ends) < DAY - 2 * period
    if (rests or not ends) and (len(ends) < LEAST_SEEN or generations[-1].start - generations[0].start < DAY):
        return None  # nothing is known of the night, or the last thirty runs are a backfill
    rest = int(ends[len(ends) // 10] - period / 2) if rests else DAY
    tolerance = max(LEAST_TOLERANCE + 2 * (sorted(near)[-2] - period), period // 2)  # one delay is not usual
    return Every(period, tolerance, _weekdays({*last}, least=1), rest)


def _daily(rhythm: Rhythm) -> Calendar | None:
    """The timetable of a job that runs at one or some times of the day. Where days differ, those since the
    job has moved may agree."""
    starts = [seen.start for seen in rhythm.generations]
    for number in range(round(median(_per_day(starts))), 1, -1):  # some runs of a day may have been reruns
        if found := _by_clock(starts, number, rhythm, LONGEST_INTERVAL // 2):
            return found
    days = _last_of_days(rhythm)
    return (
        _by_clock(days, 1, rhythm, HOUR)
        or _by_clock(_since_it_moved(days), 1, rhythm, HOUR)
        or _by_clock(days, 1, rhythm, LONGEST_INTERVAL)
    )


def _since_it_moved(days: Sequence[Moment]) -> Sequence[Moment]:
    """The starts from the first one near the time of the newest fifteen: an earlier one there shows that the job varies
    and has not moved. Without fifteen of them, none."""
    new = _clock(UTC, days[-RECENT:], 1).times
    near = [abs(_off(start % DAY, new)) <= LONGEST_INTERVAL // 2 for start in days]
    since = days[near.index(True) :] if True in near else []
    return since if len(since) >= RECENT else []


def _by_clock(starts: Sequence[Moment], number: int, rhythm: Rhythm, most: int) -> Calendar | None:
    if not len(starts) >= LEAST_SEEN or number > MOST_TIMES:
        return None
    changed = [zone for zone in ZONES if len({_offset(zone, start) for start in starts}) > 1]
    clocks = [_clock(zone, starts, number) for zone in (UTC, *changed)]
    if min(clocks[0].seen) < max(LEAST_SEEN, len(starts) / number / 2):
        return None
    best = min(clock.deviation for clock in clocks)
    fitting = [clock for clock in clocks if clock.deviation <= best + 20 * MINUTE]
    # the first days after a clock change settle it: by the other clocks, the newest runs are off
    fitting.sort(key=lambda clock: clock.recent > clock.deviation + 20 * MINUTE)
    first = fitting[0]
    if first.deviation > most:
        return None
    is_on = _weekdays({first.day(seen.start) for seen in rhythm.observations})
    if not any(is_on.values()):
        return None
    is_utc = any(clock.zone == UTC for clock in fitting)
    alike = [zone for zone in ZONES if zone not in (UTC, *changed)] if is_utc else []  # as UTC until now
    zones = (*(clock.zone for clock in fitting), *alike)
    is_day = lambda day: is_on[_weekday(day)]  # noqa: E731
    return Calendar(zones, first.times, is_day, _on(is_on), first.tolerance, starts[-1] - DAY)


class _Clock(NamedTuple):
    """Starts by the clock of a zone: the usual times of day, on how many days each was seen, how far nine of ten starts
    are from them, how late a start may be, and how far off one of the newest three is."""

    zone: str
    times: tuple[int, ...]
    seen: tuple[int, ...]
    deviation: int = 0
    tolerance: int = 0
    recent: int = 0

    def day(self, start: Moment) -> int:
        """The day of the usual time that is nearest to a start, or its own if none is near."""
        local = start + _offset(self.zone, start)
        off = _off(local, self.times)
        return (local - off if abs(off) <= LONGEST_INTERVAL else local) // DAY


def _off(local: int, times: Sequence[int]) -> int:
    """How far a time by a clock is from the nearest of some times of the day."""
    return min([(local - time + DAY // 2) % DAY - DAY // 2 for time in times], key=abs)


def _clock(zone: str, starts: Sequence[Moment], number: int) -> _Clock:
    local = [(start + _offset(zone, start)) % DAY for start in starts]
    cut = _cut(local, number)
    of_day = [(time - cut) % DAY for time in local]
    groups = _groups(of_day, number)
    times = sorted((int(median(of_day[run] for run in group[-RECENT:])) + cut) % DAY for group in groups)
    clock = _Clock(zone, tuple(times), tuple(len({starts[run] // DAY for run in group}) for group in groups))
    off = [_off(time, times) for time in local]
    deviation = sorted(map(abs, off))[max(0, len(off) * 9 // 10 - 1)]
    recent = sorted(off[-RECENT * number :])
    usual = recent[-2] if len(recent) > 3 else recent[-1]
    tolerance = LEAST_TOLERANCE + max(0, 2 * usual, *off[-3:])
    return clock._replace(deviation=deviation, tolerance=tolerance, recent=max(map(abs, off[-3:])))


def _cut(times: Sequence[int], number: int) -> int:
    """The second of the day in the middle of the longest time without a start."""
    ordered: Sequence[int] = sorted(times)
    if number == 1 and len(ordered) > LEAST_SEEN:  # a start at an odd time does not count
        ordered = _without_odd(ordered)
    gap, start = max((later - earlier, earlier) for earlier, later in pairwise([*ordered, ordered[0] + DAY]))
    return (start + gap // 2) % DAY


def _without_odd(ordered: Sequence[int]) -> Sequence[int]:
    """Times of the day, in order, without the tenth that is furthest from the others."""
    number = len(ordered) - len(ordered) // 10
    around = [*ordered, *(time + DAY for time in ordered)]
    windows = [(around[first + number - 1] - around[first], first) for first in range(len(ordered))]
    _, first = min(windows)
    return sorted(time % DAY for time in around[first : first + number])


def _groups(times: Sequence[int], number: int) -> list[list[int]]:
    """The indexes of times of day in `number` groups, split where they are furthest apart."""
    if number == 1:
        return [[*range(len(times))]]
    ordered = sorted(range(len(times)), key=lambda index: times[index])
    gaps = sorted(range(1, len(ordered)), key=lambda place: times[ordered[place - 1]] - times[ordered[place]])
    ends = [0, *sorted(gaps[: number - 1]), len(ordered)]
    return [sorted(ordered[start:end]) for start, end in pairwise(ends)]


def _monthly(rhythm: Rhythm) -> Calendar | None:
    """The timetable of a job that runs on a day of the month."""
    starts = _last_of_days(rhythm)
    months: dict[tuple[int, int], list[Moment]] = {}
    for start in starts:
        months.setdefault((at(start).year, at(start).month), []).append(start)
    if len(months) < LEAST_SEEN or len(starts) > 3 * len(months):
        return None
    clock = _clock("UTC", starts, 1)
    if clock.deviation > LONGEST_INTERVAL / 2:
        return None
    days = [_date(clock.day(start)) for start in starts]
    for words, is_day in _days_of_month(days):
        hits = {(day.year, day.month) for day in days if is_day(day)}
        if len(hits) >= max(LEAST_SEEN, 0.8 * (len(months) - 1)):
            is_on = lambda day, is_day=is_day: is_day(_date(day))  # noqa: E731
            return Calendar(ZONES, clock.times, is_on, words, max(clock.tolerance, HOUR), starts[-1] - DAY)
    return None


def _days_of_month(days: Sequence[date]) -> Iterator[tuple[str, Callable[[date], bool]]]:
    usual = int(median(day.day for day in days))
    yield f" on day {usual} of the month", lambda day: day.day == usual
    yield " on the last day of the month", lambda day: (day + timedelta(days=1)).day == 1
    yield " on the last weekday of the month", lambda day: _is_last_weekday(day, 1)
    yield " on the first weekday of the month", lambda day: _is_last_weekday(day, -1)


def _is_last_weekday(day: date, step: int) -> bool:
    """Whether a day is the last weekday of its month, or with -1 the first."""
    if day.weekday() > 4:
        return False
    other = day + timedelta(days=step)
    while other.weekday() > 4:
        other += timedelta(days=step)
    return other.month != day.month


def _every_few_days(gaps: Sequence[int]) -> Every | None:
    """The timetable of a job whose runs are some days apart."""
    period = int(median(gaps))
    near = [gap for gap in gaps if 0.8 * period <= gap <= 1.2 * period]
    if len(gaps) < LEAST_GAPS or period < 1.5 * DAY or len(near) < 0.8 * len(gaps):
        return None
    return Every(period, max(HOUR, period // 10, 2 * (max(near) - period)), dict.fromkeys(range(7), True))


def _last_of_days(rhythm: Rhythm) -> list[Moment]:
    return [*{seen.start // DAY: seen.start for seen in rhythm.observations}.values()]


def _per_day(starts: Sequence[Moment]) -> list[int]:
    """How many runs each day with runs had, except the oldest: it may have had more."""
    days = [start // DAY for start in starts]
    numbers = [days.count(day) for day in sorted({*days})]
    return numbers[1:] or numbers


def _weekdays(days: set[int], least: int = LEAST_SEEN) -> dict[int, bool]:
    """Which days of the week have runs, by the last ten of each."""
    first, last = min(days), max(days)
    is_on = {}
    for newest in range(last, last - 7, -1):
        of_weekday = range(newest, max(first - 1, newest - 70), -7)
        hits = len(days.intersection(of_weekday))
        is_on[_weekday(newest)] = hits >= least and hits >= 0.7 * len(of_weekday)
    return is_on


def _weekday(day: int) -> int:
    """The weekday of a day since 1970, 0 for Monday; 1 January 1970 was a Thursday."""
    return (day + 3) % 7


def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)


def _offset(zone: str, moment: Moment) -> int:
    """The seconds by which a zone's clock is ahead of UTC."""
    return _offset_of_hour(zone, moment // HOUR)


@lru_cache(maxsize=16_384)
def _offset_of_hour(zone: str, hour: int) -> int:
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - no function needs it to start

    offset = at(hour * HOUR).astimezone(ZoneInfo(zone)).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def span(seconds: int) -> str:
    """A length of time in words: `3 hours`."""
    for unit, size in (("day", DAY), ("hour", HOUR), ("minute", MINUTE)):
        if seconds >= 0.9 * size:
            number = round(seconds / size)
            return unit if number == 1 else f"{number} {unit}s"
    return f"{seconds} seconds"


def length(seconds: int) -> str:
    """A length of time, more exactly: `70 minutes`."""
    number, unit = (seconds, "second") if seconds < MINUTE else (seconds // MINUTE, "minute")
    if seconds >= 3 * HOUR:
        number, unit = (seconds // HOUR, "hour") if seconds < 3 * DAY else (seconds // DAY, "day")
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _on(is_on: Mapping[int, bool]) -> str:
    """The days of the week in words."""
    on = [WEEKDAYS[weekday] for weekday in range(7) if is_on[weekday]]
    if len(on) == 7:
        return ""
    return " on weekdays" if on == [*WEEKDAYS[:5]] else f" on {', '.join(on)}"
