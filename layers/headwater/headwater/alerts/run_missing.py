"""`Run Missing`: a run that was due has not begun.

No event reports that nothing happened. So a schedule examines the jobs that are due, which have an index of their own:
it has each job by the time at which its next run is late, until another of its runs ends, or for a week. A missing run
has one alert.

There is no alert for a job that waits for another one, which has its own, nor for a job that was replaced. Nor is there
one for a run that should have begun long before it is examined: its events came late, as those of a backfill do.

If no event at all came since a run was due, a holiday or a network fault is likelier than a fault of the job: then only
the first missing run raises an alert. The others raise theirs once an event comes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, link_to, short_name
from headwater.alerts.announce import Bus
from headwater.alerts.downstream import downstream
from headwater.graph.expectations.timetable import Slot, span
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, node_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.rhythm import LATE, Moment, at, moment
from headwater.graph.states.stored_states import Severity
from headwater.log import FaultLog
from headwater.openlineage.instant import NEVER, Instant, instant_of, moved_back, shown
from headwater.read.reader import Reader
from headwater.store.errors import Conflict, CorruptItem, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest
from headwater.traversal.expectations import Expected, ExpectedState, expected, outputs_of, replaced_by

if TYPE_CHECKING:
    from headwater.alerts.said import SaidAlerts
    from headwater.traversal.deadlines import SaidExpectation

AT_A_TIME = 100
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

    def sweep(self, now: Instant) -> int:
        """Puts an alert on the bus for each missing run, and returns their number. Raises StorageError."""
        said = self._said(now)
        due, missing = iter(self.store.due_jobs(now)), list[_Missing]()
        while chunk := list(islice(due, AT_A_TIME)):
            missing += self._missing(chunk, now) if self.has_time() else []
        new = sorted((each for each in missing if not each.is_reported), key=lambda each: (each.slot.due, each.job))
        heard = self._last_heard(now) if new or said else 0
        in_silence = [each for each in new if each.slot.due > heard]
        is_reported = any(each.is_reported and each.slot.due > heard for each in missing)
        first = [] if is_reported else in_silence[:1]
        to_report = [*first, *(each for each in new if each.slot.due <= heard)]
        silence = instant_of(at(heard))
        told = [
            each
            for each in to_report
            if self.has_time()
            and self._report(each, silence if each in first else None, said.below(each.job) if said else ())
        ]
        alerts = {each.job: id_of_missing(each.job, each.slot) for each in (*missing, *told)}
        return len(told) + (said.report(alerts, heard) if said else 0)

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

    def _missing(self, jobs: list[JobId], now: Instant) -> list["_Missing"]:
        """The jobs whose run is missing, of some that are due. A job whose item is damaged is left out."""
        log = lambda fault: self.log("a due job cannot be read", fault)  # noqa: E731
        reader, missing = Reader(self.store.for_one_request(log), self.naming), list[_Missing]()
        found = expected(reader, jobs, now)
        reader.store.read(
            ReadRequest(alerts=[id_of_missing(job, each.slot) for job, each in found.items() if each.slot])
        )
        for deleted in set(jobs) - found.keys():
            self._expect_no_more(deleted)
        for job, each in found.items():
            try:
                missing += self._checked(reader, job, each, moment(now))
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001 - a fault in one job must not hide the other jobs
                self.log("a due job could not be examined", error)
        return missing

    def _checked(self, reader: Reader, job: JobId, each: Expected, now: Moment) -> Iterator["_Missing"]:
        slot = each.slot
        if each.state in (ExpectedState.RUNNING, ExpectedState.WAITING) or (slot and slot.latest >= now):
            return
        if slot is None or now - slot.latest >= FORGOTTEN or replaced_by(reader, each):
            self._expect_no_more(job)
        elif now - slot.latest <= LATE:
            alert = id_of_missing(job, slot)
            is_reported = reader.store.read(ReadRequest(alerts=[alert])).alerts.get(alert) is not None
            yield _Missing(job, each, slot, is_reported)

    def _report(self, missing: "_Missing", heard: Instant | None, below: Sequence["SaidExpectation"]) -> bool:
        try:
            reader = Reader(self.store.for_one_request(), self.naming)
            alert = _alert(reader, missing.expected, missing.slot, heard)
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


class _Missing(NamedTuple):
    """A run that is missing, and whether it had its alert."""

    job: JobId
    expected: Expected
    slot: Slot
    is_reported: bool


def id_of_missing(job: JobId, slot: Slot) -> str:
    """The id of the alert about a run that was due."""
    return id_of(DetailType.RUN_MISSING, job, str(slot.due))


def _alert(reader: Reader, late: Expected, slot: Slot, heard: Instant | None) -> Alert:
    """The alert about a missing run; with `heard`, no event of any job came after that."""
    head, begun, name = late.head, late.begun or slot.due, late.head.facts.name
    due, latest, last = (shown(instant_of(at(time))) for time in (slot.due, slot.latest, begun))
    words = late.timetable.words if late.timetable else ""
    ended = instant_of(at(late.last.end if late.last else begun))
    outputs = outputs_of(reader, head)
    suffering = [downstream(reader, used.id, None, ended, ended) for used in outputs[:MAX_OUTPUTS]]
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
        link=link_to("lineage", NodeKind.JOB, name),
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
