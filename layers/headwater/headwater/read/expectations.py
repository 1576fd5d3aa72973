"""What is expected of jobs: when the next run is due, and whether it is late, by the rhythm of each job.

A job is not late while a job that it waits for is: the one at the top is late, with all that follows from it. It waits
for the writers of what it reads, and for the job that starts it. After those have ended it has the time that it usually
takes to begin after them.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.expectations.timetable import LEAST_SEEN, LEAST_TOLERANCE, Slot, Timetable, timetable
from headwater.graph.names.identity import DatasetId, JobId, job_id
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Side
from headwater.graph.states.rhythm import Moment, Observation, Rhythm, median, moment
from headwater.graph.states.run import RunState
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

AT_A_TIME = 100
ABANDONED = 3
"""A run that took so many times as long as the longest is given up: alerts/abandoned_runs.py tells it."""
MOST_WRITERS = 20
"""Writers of one input that are looked at."""


class ExpectedState(StrEnum):
    """The state of what is expected of a job."""

    UNKNOWN = "UNKNOWN"
    ON_TIME = "ON_TIME"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    LATE = "LATE"


class Expected(NamedTuple):
    """What is expected of a job. `begun` is the start of its newest run, `slot` the next due after that; `waits_for`
    the job for which it waits. Without a timetable, `reason` says why nothing is claimed."""

    head: JobHead
    rhythm: Rhythm
    timetable: Timetable | None
    begun: Moment | None
    slot: Slot | None
    state: ExpectedState
    reason: str = ""
    waits_for: JobHead | None = None

    @property
    def last(self) -> Observation | None:
        return self.rhythm.observations[-1] if self.rhythm.observations else None


def expected(reader: Reader, jobs: Collection[JobId], now: Instant) -> dict[JobId, Expected]:
    """What is expected of some jobs that the caller may see: two reads for a hundred of them, and some for each that is
    late."""
    found = _by_rhythms(reader, jobs, moment(now))
    late = [job for job, each in found.items() if each.state is ExpectedState.LATE]
    return found | {job: _with_cause(reader, found[job], moment(now)) for job in late}


def _by_rhythms(reader: Reader, jobs: Collection[JobId], now: Moment) -> dict[JobId, Expected]:
    ids = list(jobs)
    found: dict[JobId, Expected] = {}
    for start in range(0, len(ids), AT_A_TIME):
        chunk = ids[start : start + AT_A_TIME]
        heads = reader.jobs(chunk, usages=False)
        rhythms = reader.store.read(ReadRequest(rhythms=chunk)).rhythms
        own = {job: head for job, head in heads.items() if not head.is_foreign}
        found |= {job: _of(head, rhythms.get(job) or Rhythm(head.facts.name), now) for job, head in own.items()}
    return found


def _of(head: JobHead, rhythm: Rhythm, now: Moment) -> Expected:
    latest = head.latest if head.latest and head.latest.is_reported else None
    starts = [seen.start for seen in rhythm.observations[-1:]] + ([moment(latest.started_at)] if latest else [])
    begun = max(starts, default=None)
    found = timetable(rhythm) if rhythm.is_due else None
    slot = found.next_after(begun) if found and begun is not None else None
    longest = max((seen.seconds for seen in rhythm.observations), default=0)
    is_running = latest is not None and latest.state == RunState.RUNNING
    if is_running and now <= (begun or 0) + ABANDONED * longest + LEAST_TOLERANCE:
        state = ExpectedState.RUNNING
    elif slot is None:
        return Expected(head, rhythm, found, begun, None, ExpectedState.UNKNOWN, _reason(rhythm))
    else:
        state = ExpectedState.LATE if slot.latest < now else ExpectedState.ON_TIME
    return Expected(head, rhythm, found, begun, slot, state, "" if found else _reason(rhythm))


def _reason(rhythm: Rhythm) -> str:
    number = len(rhythm.generations)
    if not rhythm.is_due:
        return "a query of an application: its runs come with those of the application"
    if number < LEAST_SEEN:
        return f"{number or 'no'} run{'' if number == 1 else 's'} ended so far"
    return f"the newest {number} runs follow no timetable that was seen {LEAST_SEEN} times"


def _with_cause(reader: Reader, late: Expected, now: Moment) -> Expected:
    """A late job, as waiting if a job above it is late, runs, or ended so late that this one may still begin."""
    for above in _above(reader, late.head, now):
        if above.state in (ExpectedState.LATE, ExpectedState.WAITING):
            return late._replace(state=ExpectedState.WAITING, waits_for=above.head)
        if late.slot and above.state is ExpectedState.RUNNING and (above.begun or 0) > late.slot.due - _lead(above):
            return late._replace(state=ExpectedState.WAITING, waits_for=above.head)
        if late.slot and above.last and above.last.end + _lag(late.rhythm, above.rhythm) > now:
            return late._replace(state=ExpectedState.WAITING, waits_for=above.head)
    return late


def _above(reader: Reader, head: JobHead, now: Moment) -> Iterable[Expected]:
    """The jobs for which a job waits: the one that starts it, and the writers of what it reads."""
    inputs = head.current.input_ids - head.current.output_ids
    parent = [job_id(head.parent_name)] if head.parent_name else []
    jobs = dict.fromkeys(job for job in (*parent, *_writers(reader, inputs)) if job != head.facts.id)
    above = _by_rhythms(reader, jobs, now)
    return [each for job, each in above.items() if job in parent or each.head.current.output_ids & inputs]


def _lead(above: Expected) -> int:
    """How long before a job the one above it may begin, to be the one for which it waits: as long as it takes."""
    taken = [seen.seconds for seen in above.rhythm.observations]
    return int(2 * median(taken)) + LEAST_TOLERANCE if taken else LEAST_TOLERANCE


def _lag(rhythm: Rhythm, above: Rhythm) -> int:
    """How long after a run of the job above a run may begin: twice as long as is usual."""
    ends = [seen.end for seen in above.observations]
    lags = [
        seen.start - max(before)
        for seen in rhythm.generations
        if (before := [end for end in ends if end <= seen.start])
    ]
    return int(2 * median(lags)) + LEAST_TOLERANCE if lags else LEAST_TOLERANCE


def replaced_by(reader: Reader, late: Expected) -> JobHead | None:
    """The job that wrote what a late job writes since its last run: it took its place."""
    outputs = late.head.current.output_ids
    writers = set(_writers(reader, outputs)) - {late.head.facts.id}
    heads = reader.jobs(writers, usages=False) if writers else {}
    since = (late.begun or 0) + int(timedelta(hours=1).total_seconds())
    newer = (head for head in heads.values() if head.latest and moment(head.latest.started_at) > since)
    return next((head for head in newer if head.current.output_ids & outputs), None)


def _writers(reader: Reader, datasets: Collection[DatasetId]) -> Iterable[JobId]:
    """The jobs that ever wrote some datasets, as far as so many are looked at."""
    for dataset in sorted(datasets):
        yield from sorted(reader.store.neighbours(dataset)[Side.WRITES])[:MOST_WRITERS]
