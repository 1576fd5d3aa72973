"""What is expected of jobs: when the next run is due, and whether it is late, by the rhythm of each job.

A job is not late while a job that it waits for is: the one at the top is late, with all that follows from it. It waits
for the job that starts it, and for writers of its inputs that were not finished when it was due. Once those have ended,
it has the time it usually takes to begin after them.

    ingest        report, due 07:00       at 07:40
    ended 06:50   has not begun           report is late
    is late       has not begun           ingest is late, report waits
    ended 07:30   usually 10 min after    report waits until 08:05: twice 10 min, and a quarter of an hour
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from headwater.graph.expectations.timetable import LEAST_SEEN, LEAST_TOLERANCE, Slot, Timetable, timetable
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId, NodeKind, job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.generation import united
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Side
from headwater.graph.states.rhythm import Moment, Observation, Rhythm, median, moment
from headwater.graph.states.run import RunState
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest
from headwater.traversal.rollup import jobs_of_runs

if TYPE_CHECKING:
    from headwater.graph.expectations.said import Said

AT_A_TIME = 100
ABANDONED = 3
"""A run that takes this many times as long as the longest is given up: alerts/abandoned_runs.py reports it."""
MOST_SLOTS = 2_000
"""Slots on holidays, one after the other."""
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
    """What is expected of some jobs that the caller may see: two reads for a hundred of them, and three for those among
    them that are late."""
    found = by_rhythms(reader, jobs, moment(now))
    late = {job: (each, each.slot) for job, each in found.items() if each.state is ExpectedState.LATE}
    _read_ahead(reader, [each.head for each, _ in late.values()])
    return found | {job: _with_cause(reader, each, slot, moment(now)) for job, (each, slot) in late.items() if slot}


def _read_ahead(reader: Reader, late: Sequence[JobHead]) -> None:
    """Reads together what may explain that some jobs are late: the writers of their inputs and outputs, and the jobs
    that start them. The reader has them when each job is looked at."""
    used = {NeighbourPageId(node) for head in late for node in head.current.input_ids | head.current.output_ids}
    pages = reader.store.read(ReadRequest(neighbours=used)).neighbours.all().values() if used else ()
    jobs = {job for page in pages for job in sorted(page.jobs[Side.WRITES])[:MOST_WRITERS]}
    jobs |= {job_id(head.parent_name) for head in late if head.parent_name}
    reader.store.read(ReadRequest(jobs=jobs, rhythms=jobs))


def by_rhythms(reader: Reader, jobs: Collection[JobId], now: Moment) -> dict[JobId, Expected]:
    """What is expected of some jobs, each by its own rhythm."""
    ids = list(jobs)
    found: dict[JobId, Expected] = {}
    for start in range(0, len(ids), AT_A_TIME):
        chunk = ids[start : start + AT_A_TIME]
        heads = reader.jobs(chunk, usages=False)
        rhythms = reader.store.read(ReadRequest(rhythms=chunk)).rhythms
        own = {job: head for job, head in heads.items() if not head.is_foreign}
        found |= {job: _of(reader, head, rhythms.get(job) or Rhythm(head.facts.name), now) for job, head in own.items()}
    return found


def _of(reader: Reader, head: JobHead, rhythm: Rhythm, now: Moment) -> Expected:
    latest = head.latest if head.latest and head.latest.is_reported else None
    starts = [seen.start for seen in rhythm.observations[-1:]] + ([moment(latest.started_at)] if latest else [])
    begun = max(starts, default=None)
    found, said = reader.store.made(timetable, rhythm) if rhythm.is_due else None, reader.said
    slot = found.next_after(begun) if found and begun is not None else None
    if said and said.holidays and found and slot:
        slot = _after_holidays(said, head, found, slot)
    longest = max((seen.seconds for seen in rhythm.observations), default=0)
    is_running = latest is not None and latest.state == RunState.RUNNING
    if is_running and now <= (begun or 0) + ABANDONED * longest + LEAST_TOLERANCE:
        state = ExpectedState.RUNNING
    elif slot is None:
        return Expected(head, rhythm, found, begun, None, ExpectedState.UNKNOWN, _reason(rhythm))
    else:
        state = ExpectedState.LATE if slot.latest < now else ExpectedState.ON_TIME
    return Expected(head, rhythm, found, begun, slot, state, "" if found else _reason(rhythm))


def _after_holidays(said: "Said", head: JobHead, found: Timetable, slot: Slot) -> Slot | None:
    """The next slot that is not on a holiday of the job."""
    from headwater.graph.expectations.said import day_of  # noqa: PLC0415 - most graphs have no holidays

    nodes = [(NodeKind.JOB, head.facts.name), *((NodeKind.DATASET, used.name) for used in head.current.outputs)]
    entries = [entry for kind, name in nodes for entry in said.of_node(kind, *name)]
    zone = next((entry.due.zone for entry in entries if entry.due), found.zone)
    free, ahead = said.free_days(entries), range(MOST_SLOTS)
    next_slot: Slot | None = slot
    for _ in ahead:
        if next_slot is None or day_of(next_slot.due, zone) not in free:
            return next_slot
        next_slot = found.next_after(next_slot.due)
    return None


def _reason(rhythm: Rhythm) -> str:
    number = len(rhythm.generations)
    if not rhythm.is_due:
        return "a query of an application: its runs come with those of the application"
    if number < LEAST_SEEN:
        return f"{number or 'no'} run{'' if number == 1 else 's'} ended so far"
    return f"the newest {number} runs follow no timetable that was seen {LEAST_SEEN} times"


def _with_cause(reader: Reader, late: Expected, slot: Slot, now: Moment) -> Expected:
    """A late job, as waiting if a job above it is late, runs, or ended so late that this one may still begin."""
    parent = late.head.parent_name
    above = writers_of(reader, inputs_of(reader, late.head), {late.head.facts.id}, now)
    if parent:
        above |= by_rhythms(reader, [job_id(parent)], now)
    for job, each in above.items():
        is_parent = parent is not None and job == job_id(parent)
        lag = _lag(late.rhythm, each.rhythm)
        if not is_parent and has_done_its_part(late.rhythm, each, slot.due):
            continue  # it was finished when the run was due
        is_first = each.slot is not None and (each.slot.due, job) < (slot.due, late.head.facts.id)
        ended = each.last.end if each.last and not is_parent else None
        if (
            (each.state is ExpectedState.LATE and (is_parent or is_first))
            or (each.state is ExpectedState.RUNNING and (is_parent or (each.begun or 0) > slot.due - _lead(each)))
            or (ended is not None and slot.due < ended and now < ended + lag)
        ):
            return late._replace(state=ExpectedState.WAITING, waits_for=each.head)
    return late


def outputs_of(reader: Reader, head: JobHead) -> Sequence[DatasetRef]:
    """What a job writes; of an application or a DAG, what the jobs write that its newest run started."""
    return _edges(reader, head).outputs


def inputs_of(reader: Reader, head: JobHead) -> AbstractSet[DatasetId]:
    """What a job reads and does not write, likewise."""
    edges = _edges(reader, head)
    return edges.input_ids - edges.output_ids


def _edges(reader: Reader, head: JobHead) -> Edges:
    current = head.current
    if current.inputs or current.outputs or head.latest is None:
        return current
    started = jobs_of_runs(reader, {head.latest.run_id: head.facts.name.namespace})[head.latest.run_id]
    parts = [part.current for part in reader.jobs(started, usages=False).values()] if started else []
    return united(head.latest.order, parts) if parts else current


def writers_of(
    reader: Reader, inputs: AbstractSet[DatasetId], below: Collection[JobId], now: Moment
) -> dict[JobId, Expected]:
    """The jobs that write some datasets. A query stands for its application, which runs by the clock."""
    heads = reader.jobs(set(_writers(reader, inputs)) - {*below}, usages=False) if inputs else {}
    writing = {job: head for job, head in heads.items() if head.current.output_ids & inputs}
    applications = {
        job_id(head.parent_name)
        for head in writing.values()
        if head.parent_name and is_query_job(values(head.facts.facets))
    }
    return by_rhythms(reader, sorted({*writing, *applications} - {*below}), now)


def _lead(above: Expected) -> int:
    """How long before a job the one above it may begin, to be the one for which it waits: as long as it takes."""
    taken = [seen.seconds for seen in above.rhythm.observations]
    return int(2 * median(taken)) + LEAST_TOLERANCE if taken else LEAST_TOLERANCE


def has_done_its_part(rhythm: Rhythm, above: Expected, due: Moment) -> bool:
    """Whether a run of the job above ended so shortly before one was due that it is the one to wait for."""
    lag = _lag(rhythm, above.rhythm)
    return any(due - lag <= seen.end <= due for seen in above.rhythm.observations)


def _lag(rhythm: Rhythm, above: Rhythm) -> int:
    """How long after a run of the job above a run may begin: twice as long as is usual."""
    lags = _lags(rhythm, above)
    return int(2 * median(lags)) + LEAST_TOLERANCE if lags else LEAST_TOLERANCE


def usual_lag(rhythm: Rhythm, above: Rhythm) -> int:
    """How long after a run of the job above a run begins that waited for it. If more time is usual between the two, the
    run begins by the clock and does not wait for it."""
    lags = _lags(rhythm, above)
    usual = int(median(lags)) if lags else 0
    return usual if usual <= LEAST_TOLERANCE else 0


def _lags(rhythm: Rhythm, above: Rhythm) -> list[int]:
    ends = [seen.end for seen in above.observations]
    return [
        seen.start - max(before)
        for seen in rhythm.generations
        if (before := [end for end in ends if end <= seen.start])
    ]


def replaced_by(reader: Reader, late: Expected) -> JobHead | None:
    """The job that took the place of a late one: it writes the same, and was first heard of after the last run. A job
    that existed before, such as one for corrections, does not replace it."""
    outputs = _edges(reader, late.head).output_ids
    writers = set(_writers(reader, outputs)) - {late.head.facts.id}
    heads = reader.jobs(writers, usages=False) if writers else {}
    newer = (head for head in heads.values() if moment(head.facts.first) > (late.begun or 0))
    return next((head for head in newer if head.current.output_ids & outputs), None)


def _writers(reader: Reader, datasets: Collection[DatasetId]) -> Iterable[JobId]:
    """The jobs that ever wrote some datasets, as far as so many are looked at."""
    for dataset in sorted(datasets):
        yield from sorted(reader.store.neighbours(dataset)[Side.WRITES])[:MOST_WRITERS]
