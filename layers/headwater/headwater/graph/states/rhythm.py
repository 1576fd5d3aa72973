"""The rhythm of a job: when its runs began, how long they took, and what they wrote.

A job has one rhythm, however many runs. It keeps, of all runs that ended,

    the newest run of each of the newest 30 generations     an hourly job: the last 30 hours
    the last run of each day for ten weeks                  ten Mondays show what Mondays are like
    the last run of each month for a year                   twelve month ends

Each is a maximum by start and run id, so runs may come in any order. An observation follows from its run, and is
replaced when more is known about it. The newest runs of a backfill are kept apart: that a run is one of a backfill may
be known before or after its end.
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import add
from typing import NamedTuple

from headwater.graph.facets.dataset_reference import OUTPUT_STATISTICS
from headwater.graph.facets.register import stamp_of_end, values
from headwater.graph.names.identity import JobId, job_id
from headwater.graph.states.generation import RunOfGeneration
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant, instant_of, parse_instant, shown, to_datetime

GENERATIONS, DAYS, MONTHS, BACKFILLS = 30, 70, 12, 32
DAY = 86_400
"""Seconds."""
LATE = DAY // 2
"""A run first reported more than this after it was due or ended came with a backfill or from an archive."""
ID_DIGITS = 8
"""Hex digits of a run's id by which a rhythm knows the run: the last ones, since the first ones may be a time."""
MOST = 2**63
"""Rows and bytes beyond this are not believed."""
Moment = int
"""A time in whole seconds since 1970."""


class Observation(NamedTuple):
    """A run that ended: its start, the end of its id, that of its generation, its seconds, whether it went well, the
    rows and bytes that it wrote, as far as it reported them, whether its next run is expected by itself, and how many
    datasets it wrote, not counting those to which it said that it wrote nothing."""

    start: Moment
    run: str
    generation: str
    seconds: int
    is_good: bool
    rows: int | None = None
    size: int | None = None
    is_due: bool = True
    datasets: int | None = None

    @property
    def end(self) -> Moment:
        return self.start + self.seconds


class BackfillRun(NamedTuple):
    """A run of a backfill: its last event, and the end of its id."""

    last: Moment
    run: str


class Schedule(NamedTuple):
    """What the newest run, by its last event, says of its job's schedule: a cron expression and a zone, or nothing."""

    time: Instant
    run: str
    text: str


NO_SCHEDULE = Schedule(NEVER, "", "")


class DueRun(NamedTuple):
    """When the next run of a job is due, when it is late, and by how many seconds it may be due before, by what was
    known when a run ended that began at `begun`. Not every item tells `earlier`."""

    begun: Moment
    due: Moment
    latest: Moment
    earlier: int | None = None


class TimedRun(NamedTuple):
    """A run that ended: its start, its seconds, and whether it went well."""

    start: Moment
    seconds: int
    is_good: bool

    @property
    def end(self) -> Moment:
        return self.start + self.seconds


class RunTimes(NamedTuple):
    """When the observed runs of a job began and how long they took, the oldest first, and the places of those that
    failed; the starts of the newest run of each generation; and whether the next run is expected by itself. It is the
    part of a rhythm by which a job is late or waits: a sweep needs no other of a hundred thousand jobs."""

    starts: Sequence[Moment] = ()
    seconds: Sequence[int] = ()
    failed: Collection[int] = ()
    generations: Sequence[Moment] = ()
    is_due: bool = False

    @property
    def last(self) -> TimedRun | None:
        place = len(self.starts) - 1
        return TimedRun(self.starts[-1], self.seconds[-1], place not in self.failed) if self.starts else None

    @property
    def ends(self) -> list[Moment]:
        """The ends of the runs, sorted."""
        return sorted(map(add, self.starts, self.seconds))


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The kept observations of a job, the oldest first. The runs of `backfills` tell nothing of the next run. They are
    kept for writers that saw such a run otherwise."""

    job: Name
    observations: tuple[Observation, ...] = ()
    schedule: Schedule = NO_SCHEDULE
    backfills: tuple[BackfillRun, ...] = ()

    @property
    def id(self) -> JobId:
        return job_id(self.job)

    def join(self, other: "Rhythm | None") -> "Rhythm":
        """The rhythm by what both have seen, with what is kept of it. If both saw a run, this one knows more about
        it."""
        if other == self:
            return self
        other = other.without(self.runs) if other else Rhythm(self.job)
        return Rhythm(
            min(self.job, other.job),
            tuple(kept((*self.observations, *other.observations))),
            max(self.schedule, other.schedule),
            tuple(sorted({*self.backfills, *other.backfills})[-BACKFILLS:]),
        )

    @property
    def runs(self) -> set[str]:
        return {seen.run for seen in self.observations} | {seen.run for seen in self.backfills}

    def without(self, runs: AbstractSet[str]) -> "Rhythm":
        """The rhythm without what it has of some runs, save their schedule."""
        left = tuple(seen for seen in self.observations if seen.run not in runs)
        return replace(
            self, observations=left, backfills=tuple(seen for seen in self.backfills if seen.run not in runs)
        )

    def differs_from(self, known: "Rhythm | None") -> bool:
        """Whether a run began at another time than was known of it, is of another generation, or turns out to be of a
        backfill. Then another run may be the newest of a day, of a month or of a generation, which is not kept."""
        own, before = self.places, known.places if known else {}
        is_scheduled_by = known is not None and known.schedule.run in {seen.run for seen in self.backfills}
        return is_scheduled_by or any(own[run] != before[run] for run in own.keys() & before.keys())

    @property
    def places(self) -> dict[str, tuple[Moment, str]]:
        """The start and the generation of each run; those of a backfill have none."""
        places = {seen.run: (seen.start, seen.generation) for seen in self.observations}
        return places | {seen.run: (0, "") for seen in self.backfills}

    @property
    def is_due(self) -> bool:
        """Whether the runs of the job are expected one by one."""
        return bool(self.observations) and self.observations[-1].is_due

    @property
    def generations(self) -> list[Observation]:
        """The newest run of each of the newest generations, the oldest first."""
        found: dict[str, Observation] = {}
        for seen in reversed(self.observations):
            if len(found) == GENERATIONS:
                break
            found.setdefault(seen.generation, seen)
        return list(found.values())[::-1]


def backfill_run(run: Run) -> BackfillRun:
    return BackfillRun(moment(run.last), short_id(run.run_id))


def observation(run: Run) -> Observation:
    """What a rhythm keeps of a run that ended."""
    start, end = moment(run.started_at), moment(run.ended_at or run.last)
    parent = RunOfGeneration.of(run).parent
    told = [output.io_facets.get(OUTPUT_STATISTICS) for output in run.outputs.values()]
    statistics = [register and register.value for register in told]
    return Observation(
        start=start,
        run=short_id(run.run_id),
        generation=short_id(parent.run_id if parent else run.run_id),
        seconds=max(0, end - start),
        is_good=run.state is RunState.COMPLETED and not run.failed_children,
        rows=_sum(statistics, "rowCount"),
        size=_sum(statistics, "size"),
        datasets=sum(not is_empty(each) for each in statistics) if _tells_its_outputs(run) else None,
    )


def _tells_its_outputs(run: Run) -> bool:
    """Whether the START of a run was seen, and its end names outputs, with a facet or for the first time. Otherwise an
    event that comes later may name more."""
    end, outputs = run.ending, run.outputs.values()
    if run.started is None or end is None:
        return False
    stamp = stamp_of_end(end.time, end.digest)
    for output in outputs:
        if output.first == end.time != run.started:
            return True
        for facets in (output.facets, output.io_facets):
            for facet in facets.values():
                if facet.stamp == stamp:
                    return True
    return False


def is_empty(statistics: object) -> bool:
    """Whether a run says of an output that it wrote nothing to it."""
    if not isinstance(statistics, dict):
        return False
    count = statistics.get("rowCount")
    count = count if _is_count(count) else statistics.get("size")
    return _is_count(count) and count == 0


def is_backfill(run: Run) -> bool:
    """Whether the nominal time of a run, by its own words, is over for longer than a day, or than its next interval: a
    backfill. When it runs and what it writes tells nothing of the next run."""
    match values(run.facets).get("nominalTime"):
        case {"nominalStartTime": str(begin), "nominalEndTime": str(end)}:
            try:
                first, last = moment(parse_instant(begin)), moment(parse_instant(end))
            except ValueError:
                return False
            return moment(run.started_at) - last > max(DAY, last - first)
    return False


def kept(observations: Iterable[Observation]) -> list[Observation]:
    """The observations that a rhythm keeps, the oldest first."""
    by_start = sorted(observations)
    if not by_start:
        return []
    newest = by_start[-1].start // DAY
    days = {day: seen for seen in by_start if (day := seen.start // DAY) > newest - DAYS}
    months = {month: seen for seen in by_start if (month := _month(seen.start // DAY)) > _month(newest) - MONTHS}
    return sorted(
        {
            *sorted({seen.generation: seen for seen in by_start}.values())[-GENERATIONS:],
            *days.values(),
            *months.values(),
        }
    )


def median(numbers: Iterable[float]) -> float:
    """The median of one or more numbers. Python's own module imports ten others."""
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def moment(instant: Instant) -> Moment:
    return int(to_datetime(instant).timestamp())


def at(time: Moment) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time)


def shown_moment(time: Moment) -> str:
    """The time as answers and alerts have it."""
    return shown(instant_of(at(time)))


@lru_cache(maxsize=4_096)
def _month(day: int) -> int:
    date = at(day * DAY)
    return date.year * 12 + date.month


def short_id(run_id: str) -> str:
    """The digits by which a rhythm knows a run."""
    return run_id.replace("-", "")[-ID_DIGITS:]


def _sum(statistics: Iterable[object], member: str) -> int | None:
    """The sum of a member over the outputs that have it; None if none does."""
    counts = [facet[member] for facet in statistics if isinstance(facet, dict) and _is_count(facet.get(member))]
    return sum(map(int, counts)) if counts else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST
