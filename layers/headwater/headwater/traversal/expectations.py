"""What is expected of jobs: when the next run is due, and whether it is late, by the rhythm of each job.

A job is not late while a job that it waits for is: the one at the top is late, with all that follows from it. It waits
for the job that starts it, and for writers of its inputs that had not ended well when it was due: a failure has its own
alert. Once those have ended, it has the time it usually takes to begin after them. It waits for no job without whose
late run it has begun before: one that was replaced, or that it never needed.

    ingest        report, due 07:00       at 07:40
    ended 06:50   has not begun           report is late
    is late       has not begun           ingest is late, report waits
    ended 07:30   usually 10 min after    report waits until 08:05: twice 10 min, and a quarter of an hour
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.expectations.timetable import LEAST_SEEN, LEAST_TOLERANCE, Slot, Timetable, timetable
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId, NodeKind, job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.generation import united
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.states.rhythm import DueRun, Moment, Rhythm, RunTimes, TimedRun, median, moment
from headwater.graph.states.run import RunState
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest, Snapshot
from headwater.traversal.rollup import jobs_of_runs

if TYPE_CHECKING:
    from headwater.graph.expectations.said import Said

Node = TypeVar("Node", JobId, Name)
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
    """What is expected of a job, whose rhythm is `stored`. `due` is the next run as its item tells it; `begun` is the
    start of its newest run, `slot` the next due after that, and `waits_for` the job for which it waits."""

    id: JobId
    head: JobHead
    times: RunTimes
    stored: Snapshot
    due: DueRun | None
    begun: Moment | None = None
    slot: Slot | None = None
    state: ExpectedState = ExpectedState.UNKNOWN
    waits_for: "Expected | None" = None

    @property
    def rhythm(self) -> Rhythm:
        """Decoded when it is asked for: whether a job is late or waits follows from `times`."""
        return self.stored.rhythms.get(self.id) or Rhythm(self.head.facts.name)

    @property
    def timetable(self) -> Timetable | None:
        return timetable(self.rhythm) if self.times.is_due else None

    @property
    def reason(self) -> str:
        """Why nothing is claimed; empty if something is."""
        is_claimed = self.slot or (self.state is not ExpectedState.UNKNOWN and self.timetable)
        return "" if is_claimed else _reason(self.rhythm)

    @property
    def last_run(self) -> tuple[JobHead, Moment]:
        """The job and the start of its last run."""
        return self.head, self.begun or 0

    @property
    def is_open(self) -> bool:
        """Whether its newest run was not heard to end, even if it takes so long that it is given up."""
        latest = self.head.latest
        return latest is not None and latest.is_reported and latest.state == RunState.RUNNING

    @property
    def last(self) -> TimedRun | None:
        return self.times.last


def expected(reader: Reader, jobs: Collection[JobId], now: Instant) -> dict[JobId, Expected]:
    """What is expected of some jobs that the caller may see, and for which jobs late ones wait."""
    found = by_rhythms(reader, jobs, moment(now))
    late = [each for each in found.values() if each.state is ExpectedState.LATE]
    return found | with_causes(reader, late, moment(now))


def with_causes(
    reader: Reader, late: Sequence[Expected], now: Moment, known: dict[JobId, Expected] | None = None
) -> dict[JobId, Expected]:
    """Late jobs, those as waiting for which a job above is late, runs, or ended so late that they may still begin. This
    takes a few reads for all of them together. What is `known` of jobs is not read again; what is read is added."""
    known = {} if known is None else known
    known |= {each.id: each for each in late}
    above = writers_of(reader, inputs_of(reader, late), now, known)
    for jobs in above.values():
        known |= jobs
    starting = {job_id(each.head.parent_name) for each in late if each.head.parent_name}
    known |= by_rhythms(reader, starting - known.keys(), now)
    return {each.id: _with_cause(each, above[each.id], known, now) for each in late}


def by_rhythms(
    reader: Reader,
    jobs: Collection[JobId],
    now: Moment,
    read: Mapping[JobId, JobHead] | None = None,
    due: Mapping[JobId, DueRun] = MappingProxyType({}),
) -> dict[JobId, Expected]:
    """What is expected of some jobs, each by its own rhythm: two reads, or one where their heads were `read` before.
    Of what is `due` the item is not asked again."""
    if not jobs:
        return {}
    heads = reader.jobs(jobs, usages=False) if read is None else {job: read[job] for job in jobs if job in read}
    stored = reader.store.read(ReadRequest(rhythms=jobs))
    times = reader.store.run_times(stored)
    due = {**due, **reader.store.due_runs(heads.keys() - due.keys())}
    own = (
        Expected(job, head, times.get(job) or RunTimes(), stored, due.get(job))
        for job, head in heads.items()
        if not head.is_foreign
    )
    return {each.id: _as_of(reader, each, now) for each in own}


def _as_of(reader: Reader, each: Expected, now: Moment) -> Expected:
    """Its timetable is asked only if its next run is not known: it takes longer than all the rest."""
    head, times, due = each.head, each.times, each.due
    latest = head.latest if head.latest and head.latest.is_reported else None
    begun = max([*times.starts[-1:], *([moment(latest.started_at)] if latest else [])], default=None)
    slot, said = None, reader.said
    has_holidays = said is not None and any(said.holidays.values())
    is_told = due is not None and due.begun == begun and times.is_due
    if due and is_told and due.earlier is not None and not has_holidays:
        slot = Slot(due.due, due.latest, due.earlier)
    elif begun is not None and times.is_due and (found := reader.store.made(timetable, each.rhythm)):
        slot = found.next_after(begun)
        if said and has_holidays and slot:
            slot = _after_holidays(said, head, found, slot)
    is_running = latest is not None and latest.state == RunState.RUNNING
    if is_running and now <= (begun or 0) + ABANDONED * max(times.seconds, default=0) + LEAST_TOLERANCE:
        state = ExpectedState.RUNNING
    elif slot is None:
        state = ExpectedState.UNKNOWN
    else:
        state = ExpectedState.LATE if slot.latest < now else ExpectedState.ON_TIME
    return each._replace(begun=begun, slot=slot, state=state)


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


def _with_cause(
    late: Expected, above: Mapping[JobId, Expected], parents: Mapping[JobId, Expected], now: Moment
) -> Expected:
    parent, slot = job_id(late.head.parent_name) if late.head.parent_name else None, late.slot
    if slot is None:
        return late
    starts = {parent: parents[parent]} if parent and parent in parents else {}
    for job, each in {**above, **starts}.items():
        is_parent = job == parent
        is_first = each.slot is not None and (each.slot.due, job) < (slot.due, late.id)
        last = each.last
        ended = last.end if last and not is_parent else None
        if (
            (is_first and not has_run_since(late, each))  # it is overdue, even if it is not late yet by its own spread
            or (each.state is ExpectedState.LATE and is_parent)
            or (each.is_open and (is_parent or (each.begun or 0) > slot.due - _lead(each)))
            or (ended is not None and slot.due < ended and now < ended + _lag(late.times, each.times.ends))
            or (last is not None and not last.is_good and last.start > slot.due - _lead(each))
        ) and (is_parent or not has_done_its_part(late.times, each.times, slot.due)):
            return late._replace(state=ExpectedState.WAITING, waits_for=each)
    return late


def has_run_since(job: Expected, above: Expected) -> bool:
    """Whether the newest run of a job began although a job above it was late: it can do without."""
    return above.state is ExpectedState.LATE and above.slot is not None and (job.begun or 0) > above.slot.latest


def outputs_of(reader: Reader, job: Expected) -> Sequence[DatasetRef]:
    """What a job writes; of an application or a DAG, what the jobs write that its newest run started."""
    return _edges(reader, {job.id: job.head})[job.id].outputs


def inputs_of(reader: Reader, jobs: Collection[Expected]) -> dict[JobId, AbstractSet[DatasetId]]:
    """What jobs read and do not write, likewise."""
    found = _edges(reader, {each.id: each.head for each in jobs})
    return {job: edges.input_ids - edges.output_ids for job, edges in found.items()}


def _edges(reader: Reader, heads: Mapping[JobId, JobHead]) -> dict[JobId, Edges]:
    runs = {
        head.latest.run_id: head.facts.name.namespace
        for head in heads.values()
        if head.latest and not (head.current.inputs or head.current.outputs)
    }
    of_runs = concurrent_map(lambda run: jobs_of_runs(reader, {run: runs[run]}), runs)
    started = {run: jobs for found in of_runs for run, jobs in found.items()}
    parts = reader.jobs(set().union(*started.values()), usages=False) if started else {}

    def edges(head: JobHead) -> Edges:
        of_run = started.get(head.latest.run_id, ()) if head.latest else ()
        found = [parts[job].current for job in of_run if job in parts]
        return united(head.latest.order, found) if head.latest and found else head.current

    return {job: edges(head) for job, head in heads.items()}


def writers_of(
    reader: Reader,
    datasets: Mapping[Node, AbstractSet[DatasetId]],
    now: Moment,
    known: Mapping[JobId, Expected] = MappingProxyType({}),
) -> dict[Node, dict[JobId, Expected]]:
    """The jobs that write some datasets, for each node with some: a job that reads them, which is none of them itself,
    or a dataset with its ids. A query stands for its application, which runs by the clock. What is `known` of a job is
    not read again."""
    writers = _writers(reader, set().union(*datasets.values()))
    heads = {job: each.head for job, each in known.items()}
    if unread := set().union(*writers.values()) - heads.keys():
        heads |= reader.jobs(unread, usages=False)
    above: dict[Node, set[JobId]] = {}
    for node, used in datasets.items():
        named = {writer for dataset in used for writer in writers[dataset]} & heads.keys() - {node}
        writing: dict[JobId, JobHead] = {
            writer: head for writer in named if (head := heads[writer]).current.output_ids & used
        }
        queries = [head for head in writing.values() if is_query_job(values(head.facts.facets))]
        applications: set[JobId] = {job_id(head.parent_name) for head in queries if head.parent_name}
        above[node] = {*writing, *applications} - {node}
    others = set().union(*above.values()) - known.keys()
    found = {**known, **by_rhythms(reader, others & heads.keys(), now, heads)}
    found |= by_rhythms(reader, others - heads.keys(), now)
    return {node: {job: found[job] for job in sorted(jobs & found.keys())} for node, jobs in above.items()}


def _lead(above: Expected) -> int:
    """How long before a job the one above it may begin, to be the one for which it waits: as long as it takes."""
    taken = above.times.seconds
    return int(2 * median(taken)) + LEAST_TOLERANCE if taken else LEAST_TOLERANCE


def has_done_its_part(times: RunTimes, above: RunTimes, due: Moment) -> bool:
    """Whether a run of the job above ended well so shortly before one was due that it is the one to wait for."""
    ends = above.ends
    good = [*ends]
    for place in above.failed:
        good.remove(above.starts[place] + above.seconds[place])
    place = bisect_right(good, due)
    return place > 0 and good[place - 1] >= due - _lag(times, ends)


def _lag(times: RunTimes, ends: Sequence[Moment]) -> int:
    """How long after a run of a job above, by their ends, a run may begin: twice as long as is usual."""
    lags = _lags(times, ends)
    return int(2 * median(lags)) + LEAST_TOLERANCE if lags else LEAST_TOLERANCE


def usual_lag(times: RunTimes, above: RunTimes) -> int:
    """How long after a run of the job above a run begins that waited for it. If more time is usual between the two, the
    run begins by the clock and does not wait for it."""
    lags = _lags(times, above.ends)
    usual = int(median(lags)) if lags else 0
    return usual if usual <= LEAST_TOLERANCE else 0


def _lags(times: RunTimes, ends: Sequence[Moment]) -> list[int]:
    return [start - ends[place - 1] for start in times.generations if (place := bisect_right(ends, start))]


def replaced(reader: Reader, late: Mapping[JobId, tuple[JobHead, Moment]], now: Moment) -> set[JobId]:
    """Those of some late jobs, each with the start of its last run, whose place another job took: it writes the same,
    and was first heard of after that run. A job that existed before, such as one for corrections, does not replace
    them."""
    edges = _edges(reader, {job: head for job, (head, _) in late.items()})
    outputs = {job: of.output_ids for job, of in edges.items()}
    writers = _writers(reader, set().union(*outputs.values()))
    others = {job: {each for used in of for each in writers[used]} - {job} for job, of in outputs.items()}
    heads = reader.jobs(set().union(*others.values()), usages=False) if any(others.values()) else {}

    def is_replaced(job: JobId, begun: Moment) -> bool:
        named = (head for head in map(heads.get, others[job]) if head and head.facts.first)  # a hidden one says nothing
        newer = (head for head in named if begun < moment(head.facts.first) <= now)
        return any(head.current.output_ids & outputs[job] for head in newer)

    return {job for job, (_, begun) in late.items() if is_replaced(job, begun)}


def _writers(reader: Reader, datasets: Collection[DatasetId]) -> dict[DatasetId, list[JobId]]:
    """The jobs that ever wrote each of some datasets, as far as so many are looked at."""
    if not datasets:
        return {}
    pages = reader.store.read(ReadRequest(neighbours=[*map(NeighbourPageId, datasets)])).neighbours.all()
    first = {page.id.dataset: page for page in pages.values()}
    found = reader.store.neighbours_below(first, {Side.WRITES}).by_dataset
    return {dataset: sorted(found.get(dataset, NO_NEIGHBOURS)[Side.WRITES])[:MOST_WRITERS] for dataset in datasets}
