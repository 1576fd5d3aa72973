"""`Run Missing`: a run that was due has not begun.

No event reports that nothing happened. So a schedule examines the jobs that are due, which have an index of their own:
a job is in it by the time at which its next run is late. It stays there until another of its runs ends, or for a week;
what is missing is told once.

Nothing is told of a job that waits for another one, which is told itself; nor of one whose place another job took. Nor
is it of a run that should have begun long ago, when it is examined: its events were received late, as those of a
backfill are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, link_to, short_name
from headwater.alerts.announce import Bus
from headwater.alerts.downstream import downstream
from headwater.graph.expectations.timetable import Slot, span
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, node_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.rhythm import Moment, at, moment
from headwater.graph.states.stored_states import Severity
from headwater.log import FaultLog
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.reader import Reader
from headwater.store.errors import Conflict, CorruptItem, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest
from headwater.traversal.expectations import Expected, ExpectedState, expected, outputs_of, replaced_by

AT_A_TIME = 100
MAX_OUTPUTS = 5
"""Outputs whose readers are looked up."""
LATE = int(timedelta(hours=12).total_seconds())
"""A run that is late by more, and was not told, was seen by no sweep: the events came late."""
FORGOTTEN = int(timedelta(days=7).total_seconds())
"""A job that is late by more is examined no more, until another of its runs ends."""


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
        due, told = iter(self.store.due_jobs(now)), 0
        while chunk := list(islice(due, AT_A_TIME)):
            told += self._sweep(chunk, now) if self.has_time() else 0
        return told

    def _sweep(self, jobs: list[JobId], now: Instant) -> int:
        told = 0
        reader = Reader(self.store.for_one_request(), self.naming)
        try:
            found = expected(reader, jobs, now)
        except CorruptItem as error:
            self.log("due jobs are left for the next sweep, since an item cannot be read", error)
            return 0
        for deleted in set(jobs) - found.keys():
            self._expect_no_more(deleted)
        for job, each in found.items():
            try:
                told += self._check(reader, job, each, moment(now))
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001 - a fault in one job must not hide the other jobs
                self.log("a due job could not be examined", error)
        return told

    def _check(self, reader: Reader, job: JobId, each: Expected, now: Moment) -> bool:
        """Whether a run is missing, and is told for the first time."""
        slot = each.slot
        if each.state in (ExpectedState.RUNNING, ExpectedState.WAITING) or (slot and slot.latest >= now):
            return False
        late_by = now - slot.latest if slot else FORGOTTEN
        if slot is None or late_by >= FORGOTTEN or replaced_by(reader, each):
            self._expect_no_more(job)
            return False
        known = id_of_missing(job, slot)
        if late_by > LATE or self.store.read(ReadRequest(alerts=[known])).alerts.get(known):
            return False
        self.bus.put([_alert(reader, each, slot)])
        return True

    def _expect_no_more(self, job: JobId) -> None:
        try:
            self.store.expect_no_more(job, self.store.read(ReadRequest(rhythms=[job])))
        except Conflict:
            return  # another run of the job has just ended


def id_of_missing(job: JobId, slot: Slot) -> str:
    """The id of the alert about a run that was due."""
    return id_of(DetailType.RUN_MISSING, job, str(slot.due))


def _alert(reader: Reader, late: Expected, slot: Slot) -> Alert:
    head, begun, name = late.head, late.begun or slot.due, late.head.facts.name
    due, latest, last = (shown(instant_of(at(time))) for time in (slot.due, slot.latest, begun))
    words = late.timetable.words if late.timetable else ""
    ended = instant_of(at(late.last.end if late.last else begun))
    outputs = outputs_of(reader, head)
    suffering = [downstream(reader, used.id, None, ended, ended) for used in outputs[:MAX_OUTPUTS]]
    lines = [
        f"Job {name.name} in {name.namespace} runs {words}. The run of {due} has not begun.",
        f"A delay of {span(slot.latest - slot.due)} is usual. The last run began at {last}.",
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
