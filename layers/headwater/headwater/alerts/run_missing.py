"""`Run Missing`: a run that was due has not begun.

No event reports that nothing happened. So a schedule examines the jobs that are due, which have an index of their own:
it has each job by the time at which its next run is late, until another of its runs ends, or for a week. A missing run
has one alert.

There is no alert for a job that waits for another one, which has its own, nor for a job that was replaced. Nor is there
one for a run that should have begun long before it is examined: its events came late, as those of a backfill do.

If no event at all came since a run was due, a holiday or a network fault is likelier than a fault of the job: then only
the first missing run raises an alert. The others raise theirs once an event comes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, short_name
from headwater.alerts.announce import Bus
from headwater.alerts.downstream import downstream
from headwater.graph.expectations.timetable import HOUR, Slot, span
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, node_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.rhythm import LATE, DueRun, Moment, at, moment
from headwater.graph.states.stored_states import Severity
from headwater.log import FaultLog
from headwater.openlineage.instant import NEVER, Instant, instant_of, moved_back, shown
from headwater.read.reader import Reader
from headwater.store.errors import Conflict, CorruptItem, StorageError
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.snapshot import ReadRequest
from headwater.traversal.expectations import Expected, ExpectedState, by_rhythms, outputs_of, replaced, with_causes

if TYPE_CHECKING:
    from headwater.alerts.said import SaidAlerts
    from headwater.traversal.deadlines import SaidExpectation

Entry = TypeVar("Entry")
AT_A_TIME = 500
"""Jobs that are examined together."""
IN_SILENCE = 20
"""Jobs whose cause is asked together while nothing is heard: the first has mostly none."""
MAX_OUTPUTS = 5
"""Outputs whose readers are looked up."""
OTHERS = "this alert stands for all runs that are missing."
FORGOTTEN = int(timedelta(days=7).total_seconds())
"""A job later than this is not examined again until another of its runs ends."""


@dataclass(frozen=True)
class DueJobs:
    """Finds the jobs whose runs are missing."""

    store: GraphStore
    bus: Bus
    naming: Naming
    log: FaultLog
    has_time: Callable[[], bool] = lambda: True
    waits: "dict[JobId, _Waits]" = field(default_factory=dict)
    """What earlier sweeps of this process found to wait: as long as neither job has run, nobody asks again."""

    def sweep(self, now: Instant) -> int:
        """Puts an alert on the bus for each missing run, and returns their number. Raises StorageError."""
        said, due = self._said(now), self.store.due_jobs_latest_first(now)  # a job waits for one that was due before
        heard = self._last_heard(now) if due or said else 0
        all_due = {*due}
        for gone in self.waits.keys() - all_due:
            del self.waits[gone]
        left, ahead = dict.fromkeys(due), dict[JobId, Expected]()

        def report(each: _Late, silent_since: Moment | None = None) -> bool:
            return self.has_time() and self._report(each, now, silent_since, said.below(each.job) if said else ())

        late: list[_Late] = []
        told = 0
        while left and self.has_time():
            chunk = list(dict.fromkeys((*ahead, *islice(left, AT_A_TIME))))[:AT_A_TIME]
            for job in chunk:
                del left[job]
            found = self._late(self._not_waiting(chunk, all_due, moment(now)), now, heard, ahead)
            ahead = dict(islice(((job, each) for job, each in ahead.items() if job in left), AT_A_TIME))
            told += sum(report(each) for each in sorted(found) if not each.is_told and each.due <= heard)
            late += found
        first = self._first_in_silence(late, now, heard)
        told += sum(report(each, heard) for each in first)
        missing = {each.job: each.alert for each in late if each.is_told or each.due <= heard}
        missing |= {each.job: each.alert for each in first}
        return told + (said.report(missing, heard) if said else 0)

    def _said(self, now: Instant) -> "SaidAlerts | None":
        """What people said, if they said anything. A fault in it must not hide a missing run."""
        log = lambda fault: self.log("what was said cannot be read", fault)  # noqa: E731
        reader = Reader(self.store.for_one_request(log), self.naming)
        if reader.said is None:
            return None
        from headwater.alerts.said import SaidAlerts  # noqa: PLC0415 - most graphs have no settings

        settings = reader.store.settings() or {}
        since = moment(Instant(settings.get("at", NEVER)))
        try:
            return SaidAlerts(reader, self.bus, self.log, moment(now), since, self.has_time)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault in what is said must not hide the missing runs
            self.log("what was said could not be examined", error)
            return None

    def _first_in_silence(self, late: Sequence["_Late"], now: Instant, heard: Moment) -> list["_Late"]:
        """Of the late jobs that were due since the last event, the first that no other job explains, unless one was
        told: it stands for all, however many there are."""
        silent = sorted(each for each in late if each.due > heard)
        if any(each.is_told for each in silent):
            return []
        jobs = [each.job for each in silent]
        chunks = (chunk for chunk in _chunks(jobs, IN_SILENCE) if self.has_time())
        found = (sorted(self._late(chunk, now, moment(now), {})) for chunk in chunks)
        return next(filter(None, found), [])[:1]

    def _not_waiting(self, jobs: Sequence[JobId], all_due: set[JobId], now: Moment) -> list[JobId]:
        """Some due jobs, without those that still wait as a sweep of the last hour found: the other job may have been
        deleted since, or have a holiday."""
        waiting = {job: waits for job in jobs if (waits := self.waits.get(job)) and now - waits.found < HOUR}
        known = {job: waits for job, waits in waiting.items() if waits.cause in all_due}
        due = self.store.due_runs({*known, *(waits.cause for waits in known.values())}) if known else {}
        is_waiting = {
            job for job, each in known.items() if (due.get(job), due.get(each.cause)) == (each.own, each.late)
        }
        return [job for job in jobs if job not in is_waiting]

    def _late(self, jobs: Sequence[JobId], now: Instant, heard: Moment, known: dict[JobId, Expected]) -> list["_Late"]:
        """The late jobs, of some that are due. A job whose item is damaged is left out. What is `known` of jobs is not
        read again, and what is read of those above is added."""
        log = lambda fault: self.log("a due job cannot be read", fault)  # noqa: E731
        try:
            return self._examined(jobs, now, heard, known, self.store.for_one_pass(log))
        except StorageError:
            raise
        except Exception:  # noqa: BLE001 - a fault in one job must not hide the other jobs
            if len(jobs) > 1:
                return [each for job in jobs for each in self._late([job], now, heard, known)]
        try:  # it may be in a job above, which the checks leave out
            return self._examined(jobs, now, heard, {}, self.store.for_one_request(log))
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001
            self.log("a due job could not be examined", error)
            return []

    def _examined(
        self, jobs: Sequence[JobId], now: Instant, heard: Moment, known: dict[JobId, Expected], store: GraphReader
    ) -> list["_Late"]:
        """Late jobs that no other job explains. Of those that were told, or due since the last event, nobody asks
        whether they have begun, nor for the cause: they may be many, and at most one of them is told."""
        reader, time = Reader(store, self.naming), moment(now)
        read = {job: each for job in jobs if (each := known.get(job)) and _is_due(each, time)}
        due = {job: each.due for job, each in read.items() if each.due}
        due |= reader.store.due_runs(job for job in jobs if job not in due)
        by_index = _late_by_index(reader, due, time)
        late = {job: each for job, each in by_index.items() if each.is_settled(time, heard)}
        found = {job: each for job, each in read.items() if job not in late}
        found |= by_rhythms(reader, [job for job in jobs if job not in late and job not in read], time, due=due)
        over = {job for job in jobs if job not in late and job not in found}
        over |= {job for job, each in found.items() if each.state is ExpectedState.UNKNOWN}
        of_rhythms = _late_of(
            reader,
            {job: each.slot for job, each in found.items() if each.slot and each.state is ExpectedState.LATE},
            by_index,
        )
        unsettled = [found[job] for job, each in of_rhythms.items() if not each.is_settled(time, heard)]
        late |= of_rhythms
        over |= {job for job, each in late.items() if time - each.slot.latest >= FORGOTTEN}
        causes = with_causes(reader, unsettled, time, known)
        waiting = {job: each.waits_for for job, each in causes.items() if each.waits_for}
        self.waits.update(
            (job, _Waits(due[job], above.id, above.due, time))
            for job, above in waiting.items()
            if job in due and above.due
        )
        missing = {each.id: each.last_run for each in unsettled if each.id not in over | waiting.keys()}
        over |= replaced(reader, missing, time)
        for job in sorted(over):
            self._expect_no_more(job)
        untold = (each for job, each in late.items() if job not in over and job not in waiting)
        return [each for each in untold if time - each.slot.latest <= LATE]

    def _report(self, late: "_Late", now: Instant, heard: Moment | None, below: Sequence["SaidExpectation"]) -> bool:
        try:
            log = lambda fault: self.log("a reader of what is missing cannot be read", fault)  # noqa: E731
            reader = Reader(self.store.for_one_request(log), self.naming)
            found = by_rhythms(reader, [late.job], moment(now))
            each = found.get(late.job)
            if each is None or each.state is not ExpectedState.LATE or each.slot != late.slot:
                return False  # it was deleted, or has begun
            alert = _alert(reader, each, late.slot, None if heard is None else instant_of(at(heard)))
            if below:
                from headwater.alerts.said import with_deadlines  # noqa: PLC0415

                alert = with_deadlines(reader, alert, below)
            self.bus.put([alert])
        except CorruptItem as error:
            self.log("a missing run is left for the next sweep, since an item cannot be read", error)
            return False
        return True

    def _last_heard(self, now: Instant) -> Moment:
        """The time of the newest event of the last two days; if there is none, the beginning of the two days."""
        yesterday = moved_back(now, timedelta(days=1))
        for day in (now[:10], yesterday[:10]):
            newest = self.store.events_on(day).entries(before=now, newest_first=True, limit=1)
            if entry := next(newest, None):
                return moment(entry.time)
        return moment(Instant(f"{yesterday[:10]}T00:00:00.000000000Z"))

    def _expect_no_more(self, job: JobId) -> None:
        try:
            self.store.expect_no_more(job, self.store.read(ReadRequest(rhythms=[job])))
        except Conflict:
            return  # another run of the job has just ended


class _Late(NamedTuple):
    """A job whose run is late, and whether it had its alert. It is small: a hundred thousand may be late at once."""

    due: Moment
    job: JobId
    slot: Slot
    is_told: bool = False

    @property
    def alert(self) -> str:
        return id_of_missing(self.job, self.slot)

    def is_settled(self, now: Moment, heard: Moment) -> bool:
        """Whether it has no alert of its own to come, whatever explains it."""
        return self.is_told or self.due > heard or now - self.slot.latest > LATE


class _Waits(NamedTuple):
    """A late job that waits for another late one, by when both were due, and when a sweep found this."""

    own: DueRun
    cause: JobId
    late: DueRun
    found: Moment


def _late_by_index(reader: Reader, due: Mapping[JobId, DueRun], now: Moment) -> dict[JobId, _Late]:
    """Those of some due jobs that are late unless a run has begun since, without their heads and rhythms. Holidays may
    move what is due."""
    if reader.said and any(reader.said.holidays.values()):
        return {}
    return _late_of(reader, {job: Slot(run.due, run.latest) for job, run in due.items() if run.latest < now}, {})


def _late_of(reader: Reader, slots: Mapping[JobId, Slot], known: Mapping[JobId, _Late]) -> dict[JobId, _Late]:
    """Late jobs by their slots, with whether they had their alerts. What is `known` of a slot is not read again."""
    same = {job: known[job]._replace(slot=slot) for job, slot in slots.items() if _due(known.get(job)) == slot.due}
    ids = {job: id_of_missing(job, slot) for job, slot in slots.items() if job not in same}
    stored = reader.store.stored_alerts(ids.values())
    return same | {job: _Late(slots[job].due, job, slots[job], alert in stored) for job, alert in ids.items()}


def _is_due(each: Expected, now: Moment) -> bool:
    """Whether what was read of a job before is enough: who tells its run looks again, who expects no more does not."""
    return each.due is not None and each.slot is not None and now - each.slot.latest < FORGOTTEN


def _due(late: _Late | None) -> Moment | None:
    return late.due if late else None


def _chunks(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    return (entries[start : start + size] for start in range(0, len(entries), size))


def id_of_missing(job: JobId, slot: Slot) -> str:
    """The id of the alert about a run that was due."""
    return id_of(DetailType.RUN_MISSING, job, str(slot.due))


def _alert(reader: Reader, late: Expected, slot: Slot, heard: Instant | None) -> Alert:
    """The alert about a missing run; with `heard`, no event of any job came after that."""
    head, begun, name = late.head, late.begun or slot.due, late.head.facts.name
    due, latest, last = (shown(instant_of(at(time))) for time in (slot.due, slot.latest, begun))
    known = late.timetable
    words = known.words if known else ""
    ended = instant_of(at(late.last.end if late.last else begun))
    outputs = outputs_of(reader, late)
    suffering = [downstream(reader, [used.id], None, ended, ended) for used in outputs[:MAX_OUTPUTS]]
    lines = [
        f"Job {name.name} in {name.namespace} runs {words}. The run of {due} has not begun.",
        f"A delay of {span(slot.latest - slot.due)} is usual. The last run began at {last}.",
        *([f"No event of any job came after {shown(heard)}: {OTHERS}"] if heard else []),
        *(line for each in suffering if each for line in each.lines("The delay", "affects", "affect")),
    ]
    return Alert(
        type=DetailType.RUN_MISSING,
        id=id_of_missing(head.facts.id, slot),
        time=instant_of(at(slot.latest)),
        severity=Severity.WARNING,
        kind=NodeKind.JOB,
        name=name,
        owners=distinct_owners(owners_of(values(head.facts.facets)), *(each.owners for each in suffering)),
        title=f"{short_name(name.name)} has not run: it was due at {due}",
        lines=tuple(lines),
        group=head.facts.id,
        details={
            "job": name.as_json(),
            "dueAt": due,
            "latestAt": latest,
            "timetable": words,
            "lastStartedAt": last,
            "outputs": [node_id(NodeKind.DATASET, used.name) for used in outputs],
            "suffers": [each.as_json() for each in suffering],
        },
    )
