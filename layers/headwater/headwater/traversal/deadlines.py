"""What people expect of datasets and jobs against what happens: whether a deadline is met, when the data will come, and
why it will be late.

The estimate walks the graph upstream. A job that runs takes as long as is usual; one that has not begun begins when its
timetable says, or once the jobs that it waits for have ended, by the same estimate:

    raw_orders began 06:10, usually at 05:00, takes 1 h     ends 07:10
    orders     is due 06:10, takes 30 min                   07:10 to 07:40
    revenue    is due 06:45, takes 40 min                   07:40 to 08:20, because raw_orders started 70 min late
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from headwater.graph.expectations.said import Said, SaidDeadline, SaidOf
from headwater.graph.expectations.timetable import LEAST_TOLERANCE, length
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, dataset_id, job_id, node_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.rhythm import DAY, Moment, median, shown_moment
from headwater.graph.states.run import RunState
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.store.ranges import Entry
from headwater.traversal.expectations import Expected, by_rhythms, has_done_its_part, inputs_of, usual_lag, writers_of

AHEAD, BEHIND = DAY // 2, DAY // 2
"""A deadline is looked at from when a run may count for it until half a day after it."""
MOST_SUBJECTS, MOST_LISTED = 1_000, 5_000
"""The most datasets and jobs with expectations, and the most entries of a list that are compared with a pattern."""
MOST_DELAYS = 20
"""The longest chain of jobs that each made the next one late."""
MOST_WALKED = 200
"""How many jobs an estimate looks at."""
LEAST_OVERDUE = 300
"""Seconds after which a run that has not begun is late, for those that wait for it."""
LEAST_LATE = 120
"""An estimate must exceed the deadline by at least this many seconds, and this share of the time until then."""
LATE_SHARE = 0.05


class SaidState(StrEnum):
    """The state of a deadline, or of an age. A deadline that passed is overdue until the data come, then missed."""

    MET = "MET"
    EXPECTED = "EXPECTED"
    AT_RISK = "AT_RISK"
    OVERDUE = "OVERDUE"
    MISSED = "MISSED"
    STALE = "STALE"


class SaidSubject(NamedTuple):
    """A dataset or job with expectations. `jobs` are those that write it by the clock, or itself; `writing` those that
    report how much, such as the queries of an application."""

    kind: NodeKind
    name: Name
    entries: Sequence[SaidOf]
    jobs: Sequence[Expected]
    writing: Sequence[Expected] = ()

    @property
    def node_id(self) -> str:
        return node_id(self.kind, self.name)

    @property
    def written_at(self) -> Moment | None:
        """When the last run that went well ended; None if none is known, or if a stream writes it."""
        if any(_is_stream(job) for job in self.jobs):
            return None
        return max((seen.end for job in self.jobs for seen in job.rhythm.observations if seen.is_good), default=None)


class Coming(NamedTuple):
    """When a job begins and ends at the earliest, and the job that decides it: the one furthest upstream, with why, and
    whether that is late. If it is overdue, nobody knows for how much longer; the estimate says as long again."""

    start: Moment
    end: Moment
    cause: Expected
    why: str
    is_late: bool
    overdue: int = 0

    @property
    def estimated_end(self) -> Moment:
        return self.end + self.overdue

    @property
    def earliest(self) -> Moment | None:
        """When it ends if the job to blame begins now. None once that has begun: then the estimate says more."""
        return self.end if self.overdue and not self.cause.is_open else None


class SaidExpectation(NamedTuple):
    """A deadline or an age that was said, and how it stands. `coming` is None if nothing can be estimated."""

    subject: SaidSubject
    entry: SaidOf
    state: SaidState
    due: Moment
    written_at: Moment | None = None
    coming: Coming | None = None


def subjects(
    reader: Reader, said: Said, now: Moment, nodes: Collection[tuple[NodeKind, Name]] | None = None
) -> list[SaidSubject]:
    """The datasets and jobs with expectations, or those among some nodes."""
    named: dict[tuple[NodeKind, Name], list[SaidOf]] = {}
    for node in nodes or ():
        named[node] = said.of_node(node[0], *node[1])
    if nodes is None:
        for entry in said.entries:
            for name in _names(reader, entry):
                named.setdefault((entry.kind, name), []).append(entry)
    told = [key for key, entries in named.items() if any(entry.words for entry in entries)][:MOST_SUBJECTS]
    jobs = by_rhythms(reader, [job_id(name) for kind, name in told if kind is NodeKind.JOB], now)
    of_key = _jobs_of(reader, [name for kind, name in told if kind is NodeKind.DATASET], now)
    of_key |= {(NodeKind.JOB, each.head.facts.name): ([each], [each]) for each in jobs.values()}
    return [SaidSubject(*key, named[key], *of_key[key]) for key in told if key in of_key]


def deadlines(reader: Reader, said: Said, found: Sequence[SaidSubject], now: Moment) -> Iterator[SaidExpectation]:
    """How ages and near deadlines stand."""
    estimate = Estimate(reader, now)
    for subject in found:
        free = said.free_days(subject.entries)
        for entry in subject.entries:
            for deadline in entry.due.between(now - BEHIND, now + AHEAD, free) if entry.due else ():
                yield _of_deadline(estimate, subject, entry, deadline)
            written = subject.written_at
            if entry.age and written is not None:
                until = written + entry.age
                way = estimate.earliest(subject.jobs, until) if now > until else None
                yield SaidExpectation(
                    subject, entry, SaidState.STALE if now > until else SaidState.MET, until, written, way
                )


def _of_deadline(estimate: "Estimate", subject: SaidSubject, entry: SaidOf, deadline: SaidDeadline) -> SaidExpectation:
    now, (due, since) = estimate.now, deadline
    good = [seen.end for job in subject.jobs for seen in job.rhythm.observations if seen.is_good and seen.end >= since]
    if good or any(_is_stream(job) for job in subject.jobs):
        first = min(good, default=None)
        is_late = first is not None and first > due
        return SaidExpectation(subject, entry, SaidState.MISSED if is_late else SaidState.MET, due, first)
    coming = estimate.earliest(subject.jobs, due)
    late_by = LEAST_LATE + LATE_SHARE * max(0, due - now)
    is_at_risk = coming is not None and coming.is_late and coming.end > due + late_by
    state = SaidState.OVERDUE if now > due else SaidState.AT_RISK if is_at_risk else SaidState.EXPECTED
    return SaidExpectation(subject, entry, state, due, None, coming)


def as_json(found: SaidExpectation) -> JsonObject:
    """What is said of a dataset or job, and how it stands."""
    coming, written = found.coming, found.subject.written_at
    return {
        "nodeId": found.subject.node_id,
        "said": found.entry.words,
        "state": found.state.value,
        "dueAt": shown_moment(found.due),
        "lastWrittenAt": None if written is None else shown_moment(written),
        "earliestAt": shown_moment(coming.earliest) if coming and coming.earliest is not None else None,
        "estimatedAt": shown_moment(coming.estimated_end) if coming else None,
        "cause": {"nodeId": node_id(NodeKind.JOB, coming.cause.head.facts.name), "why": coming.why} if coming else None,
    }


class Estimate:
    """Estimates when jobs end. A job is estimated once, for the first that asks."""

    def __init__(self, reader: Reader, now: Moment) -> None:
        self.now = now
        self._reader = reader
        self._found: dict[JobId, Coming | None] = {}

    def earliest(self, jobs: Sequence[Expected], by: Moment) -> Coming | None:
        """When the first of some jobs ends."""
        ways = [way for job in jobs if (way := self.of(job, by))]
        return min(ways, key=lambda way: way.end, default=None)

    def of(self, each: Expected, by: Moment) -> Coming | None:
        """When a job that has to end by a time will end; None if nothing says."""
        job = each.head.facts.id
        if job not in self._found:
            self._found[job] = None  # a job that waits for itself does not wait
            if len(self._found) <= MOST_WALKED:
                self._found[job] = self._of(each, by)
        return self._found[job]

    def _of(self, each: Expected, by: Moment) -> Coming | None:
        taken = sorted(seen.seconds for seen in each.rhythm.generations if seen.is_good)
        if not taken:
            return None
        usual = int(median(taken))
        if each.is_open and each.begun is not None and each.begun > self.now - BEHIND:
            return self._of_running(each, each.begun, taken, usual)
        slot, failed = each.slot, each.last if each.last and not each.last.is_good else None
        if failed and failed.end > by - DAY // 2 and (slot is None or slot.due > by):
            overdue = self.now - failed.end
            return Coming(self.now, self.now + usual, each, f"failed at {shown_moment(failed.end)}", True, overdue)
        if slot and slot.due - slot.earlier > by:
            return None  # it has run, or runs on other days: nothing says that it will be late
        due = slot.due - slot.earlier if slot else by
        others = [*self._after_others(each, due, usual)]
        held_until = max((way.start for way in others if way.is_late), default=due)
        own = [self._by_timetable(each, due, max(due, held_until), usual)] if slot else []
        return max([*own, *others], key=lambda way: (way.end, way.is_late), default=None)

    def _of_running(self, each: Expected, begun: Moment, taken: Sequence[int], usual: int) -> Coming:
        """A run that already took longer than usual is expected to take as long as those that took longer still."""
        elapsed = max(0, self.now - begun)
        longer = [seconds for seconds in taken if seconds > elapsed]
        takes = usual if elapsed <= usual else int(median(longer)) if longer else int(1.2 * elapsed)
        if elapsed > usual + LEAST_TOLERANCE:
            why = f"has run for {length(elapsed)}, {length(usual)} are usual"
            return Coming(begun, begun + takes, each, why, True, elapsed - usual)
        return Coming(begun, begun + takes, *self._delay(each, begun, usual))

    def _delay(self, each: Expected, begun: Moment, seconds: int, depth: int = 0) -> tuple[Expected, str, bool]:
        """Why a run that began, and takes or took some seconds, is late: the run above for which it waited, if that
        ended after it was due, and it began soon after that."""
        due = due_of(each, begun)
        above = self._above(each) if due is not None and begun > due and depth < MOST_DELAYS else []
        ended = [
            (last.end, last, job)
            for job in above
            if (last := job.last) and due is not None and due < last.end <= begun
            if begun - last.end <= LEAST_TOLERANCE + 2 * usual_lag(each.times, job.times)
        ]
        if ended:
            _, last, job = max(ended, key=lambda entry: entry[0])
            return self._delay(job, last.start, last.seconds, depth + 1)
        late_by = begun - due if due is not None else 0
        usual = int(median(seen.seconds for seen in each.rhythm.generations))
        if late_by > LEAST_TOLERANCE:
            return each, f"started {length(late_by)} late", True
        if seconds > usual + LEAST_TOLERANCE:
            return each, f"took {length(seconds)}, {length(usual)} are usual", True
        return each, f"began at {shown_moment(begun)}, and takes {length(usual)}", False

    def _by_timetable(self, each: Expected, due: Moment, held_until: Moment, usual: int) -> Coming:
        """When the job ends that begins by the clock, or once late jobs above no longer hold it up. They are the cause
        until it has had the time that any job has to follow."""
        start = max(self.now, held_until)
        if overdue := start - held_until:
            least = LEAST_OVERDUE if held_until == due else LEAST_TOLERANCE
            why = f"was due at {shown_moment(due)} and has not begun"
            return Coming(start, start + usual, each, why, overdue > least, overdue)
        why = f"is due at {shown_moment(due)}, and takes {length(usual)}"
        return Coming(start, start + usual, each, why, False)

    def _after_others(self, each: Expected, due: Moment, usual: int) -> Iterator[Coming]:
        """When the job ends that begins after the jobs that it waits for."""
        for above in self._above(each):
            if (last := above.last) and last.is_good and due < last.end <= self.now:
                start = last.end + usual_lag(each.times, above.times)
                yield Coming(start, max(self.now, start) + usual, *self._delay(above, last.start, last.seconds))
                continue
            if has_done_its_part(each.times, above.times, due) or not _comes_before(above, due):
                continue
            if way := self.of(above, due):
                start = max(self.now, way.end + usual_lag(each.times, above.times))
                yield way._replace(start=start, end=start + usual)
        if (parent := each.head.parent_name) and (starter := self._one(parent)) and _comes_before(starter, due):
            before = due_of(starter, starter.begun or self.now) if starter.is_open else None
            before = before or (starter.slot.due if starter.slot else None)
            if before and (way := self.of(starter, due)):
                start = max(self.now, way.start + max(0, due - before))
                yield way._replace(start=start, end=start + usual)

    def _above(self, each: Expected) -> list[Expected]:
        found = writers_of(self._reader, inputs_of(self._reader, [each]), self.now)[each.head.facts.id]
        return [found[job] for job in sorted(found) if not _is_query(found[job])]

    def _one(self, name: Name) -> Expected | None:
        return by_rhythms(self._reader, [job_id(name)], self.now).get(job_id(name))


def _comes_before(above: Expected, due: Moment) -> bool:
    """Whether a job above is running, or due, before one that is due at that time."""
    has_failed = above.last is not None and not above.last.is_good and above.last.end > due - DAY // 2
    return above.is_open or has_failed or (above.slot is not None and above.slot.due <= due)


def due_of(each: Expected, begun: Moment) -> Moment | None:
    """When a run was due that has begun."""
    before = bisect_left(each.times.generations, begun)
    known = each.timetable if before else None
    slot = known.next_after(each.times.generations[before - 1]) if known else None
    return slot.due if slot else None


def _names(reader: Reader, entry: SaidOf) -> Iterator[Name]:
    """The names that an entry is about; for a pattern, the known names that match it."""
    if not entry.is_pattern:
        yield Name(entry.namespace, entry.name)
        return
    listing: Iterator[Entry[Any]] = (
        reader.store.datasets_in(entry.namespace).entries(after=entry.name.partition("*")[0])
        if entry.kind is NodeKind.DATASET
        else reader.store.jobs_in(entry.namespace).entries(newest_first=True)
    )
    names = [found.name for found in islice(listing, MOST_LISTED)]
    yield from (Name(entry.namespace, name) for name in names if entry.fits(name))


def _jobs_of(
    reader: Reader, names: Sequence[Name], now: Moment
) -> dict[tuple[NodeKind, Name], tuple[list[Expected], list[Expected]]]:
    """The jobs that write each of some datasets, under any of its names, by the clock and by themselves. One that
    should have run long ago does not, if there are others."""
    ids = {name: dataset_id(reader.naming.identify(name).shown) for name in names}
    around = reader.neighbourhood(set(ids.values()), ()) if ids else Neighbourhood()
    all_ids = {name: around.ids_of(around.representative(dataset)) for name, dataset in ids.items()}
    found = {}
    for name, jobs in writers_of(reader, all_ids, now).items():
        writing = [each for each in jobs.values() if each.head.current.output_ids & all_ids[name]]
        parents = {job_id(each.head.parent_name) for each in writing if each.head.parent_name} & jobs.keys()
        queries = [each for each in writing if _is_query(each) and parents]
        by_clock = [each for each in writing if each not in queries] + [jobs[parent] for parent in sorted(parents)]
        by_clock = by_clock if queries else writing
        present = [each for each in by_clock if each.slot is None or now - each.slot.latest < BEHIND] or by_clock
        if writing:
            found[NodeKind.DATASET, name] = (present, writing)
    return found


def _is_query(job: Expected) -> bool:
    return is_query_job(values(job.head.facts.facets))


def _is_stream(job: Expected) -> bool:
    is_stream = facet_text(values(job.head.facts.facets), "jobType", "processingType") == "STREAMING"
    return is_stream and job.head.latest is not None and job.head.latest.state == RunState.RUNNING
