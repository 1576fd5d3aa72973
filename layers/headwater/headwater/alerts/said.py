"""What people expected that does not hold: `Deadline At Risk`, `Dataset Stale`, and amounts outside the band they set.

No event reports that nothing comes. So a sweep looks at datasets and jobs with expectations: at deadlines even before
they pass, by an estimate of when the data will come.

There is one alert for everything that one job holds up. If that job has a `Run Missing`, it lists the deadlines among
its consequences; otherwise the first deadline has the alert, and lists the others. `Deadline Recovered` withdraws it
once the data came or will come in time after all; then it may be raised again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, short_name
from headwater.alerts.announce import Bus
from headwater.alerts.downstream import Downstream, downstream
from headwater.alerts.run_missing import id_of_missing
from headwater.alerts.volume_anomaly import said_anomaly
from headwater.graph.expectations.said import Said, at_clock
from headwater.graph.expectations.timetable import Slot, length
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, dataset_id
from headwater.graph.states.rhythm import LATE, Moment, at, moment, shown_moment
from headwater.graph.states.stored_states import Severity
from headwater.log import FaultLog
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem
from headwater.store.snapshot import ReadRequest
from headwater.traversal.deadlines import (
    LEAST_LATE,
    Coming,
    SaidExpectation,
    SaidState,
    SaidSubject,
    as_json,
    deadlines,
    due_of,
    subjects,
)
from headwater.traversal.expectations import Expected, outputs_of

MOST_TIMES = 3
"""At most this many alerts about one deadline, each withdrawn before the next."""
MOST_OUTPUTS = 5


class _Ids(NamedTuple):
    """The ids of the n-th alert about a deadline, and of its withdrawal."""

    alert: str
    withdrawal: str


@dataclass
class SaidAlerts:
    """The alerts of one sweep. `since` is when the settings were put: earlier deadlines do not count."""

    reader: Reader
    bus: Bus
    log: FaultLog
    now: Moment
    since: Moment
    has_time: Callable[[], bool]
    _stored: dict[str, JsonObject] = field(default_factory=dict)

    def __post_init__(self) -> None:
        said = self.reader.said or Said()
        self._subjects = subjects(self.reader, said, self.now)
        found = deadlines(self.reader, said, self._subjects, self.now)
        self._found = [each for each in found if each.state is SaidState.STALE or each.due >= self.since]
        self._read([alert for each in self._found for ids in _ids(each) for alert in ids])
        self._late = [
            each for each in self._found if each.state in (SaidState.AT_RISK, SaidState.OVERDUE, SaidState.STALE)
        ]
        self._told_elsewhere: set[tuple[str, Moment]] = set()

    def below(self, cause: JobId) -> list[SaidExpectation]:
        """The deadlines that a job holds up, for its own alert. They then have none of their own."""
        found = [each for each in self._late if _cause(each) == cause and not self._is_told(each)]
        self._told_elsewhere |= {(each.subject.node_id, each.due) for each in found}
        return found

    def report(self, missing: Mapping[JobId, str], heard: Moment) -> int:
        """Puts the alerts on the bus, and returns their number. `missing` are the alerts about runs that are missing,
        by job: while nothing is heard, one of them stands for all. `heard` is when the last event came. Raises
        StorageError."""
        new = [
            each for each in self._late if not self._is_told(each) and not (missing and self._is_silence(each, heard))
        ]
        groups = defaultdict[JobId, list[SaidExpectation]](list)
        for each in sorted(new, key=lambda each: (each.coming.end if each.coming else self.now, each.due)):
            groups[_cause(each)].append(each)
        carrying = [_current(each, self._stored).alert for each in self._late]
        was_missing = [alert for each in new if each.coming and (alert := _missing_before(each.coming.cause))]
        self._read([*(missing[job] for job in groups if job in missing), *was_missing, *carrying])
        known = {
            (told["nodeId"], told["dueAt"])
            for document in self._stored.values()
            for told in document.get("details", {}).get("deadlines", ())
        }
        count = 0
        for first, *others in groups.values():
            held = [each for each in (first, *others) if (each.subject.node_id, shown_moment(each.due)) not in known]
            count += self._put(held[0], held[1:]) if held else 0
        return count + sum(map(self._withdraw, self._found)) + self._report_amounts()

    def _put(self, first: SaidExpectation, others: Sequence[SaidExpectation]) -> int:
        ids = _current(first, self._stored)
        return self._told(lambda: _alert(self.reader, first, others, ids.alert, self.now))

    def _told(self, make: Callable[[], Alert]) -> int:
        if not self.has_time():
            return 0
        try:
            self.bus.put([make()])
        except CorruptItem as error:
            self.log("what was said is left for the next sweep, since an item cannot be read", error)
            return 0
        return 1

    def _withdraw(self, found: SaidExpectation) -> int:
        ids = _current(found, self._stored)
        is_well = found.state in (SaidState.MET, SaidState.MISSED) or (
            found.state is SaidState.EXPECTED and found.coming and found.coming.end + LEAST_LATE <= found.due
        )
        if not found.entry.due or not is_well or ids.alert not in self._stored or ids.withdrawal in self._stored:
            return 0
        return self._told(lambda: _withdrawal(self.reader, found, ids.withdrawal, self.now))

    def _is_silence(self, found: SaidExpectation, heard: Moment) -> bool:
        """Whether no event at all came since the job that holds up a deadline was due."""
        slot = found.coming.cause.slot if found.coming else None
        return (
            found.state in (SaidState.AT_RISK, SaidState.OVERDUE) and slot is not None and heard < slot.due <= self.now
        )

    def _is_told(self, found: SaidExpectation) -> bool:
        is_elsewhere = (found.subject.node_id, found.due) in self._told_elsewhere
        return is_elsewhere or _current(found, self._stored).alert in self._stored

    def _report_amounts(self) -> int:
        alerts = [
            alert
            for subject in self._subjects
            for job in subject.writing
            if any(entry.rows or entry.is_never_empty for entry in subject.entries)
            and (subject.kind is NodeKind.JOB or len(job.head.current.outputs) == 1)
            for alert in said_anomaly(self.reader, job.head, job.rhythm)
            if moment(alert.time) >= max(self.now - LATE, self.since)
        ]
        self._read([alert.id for alert in alerts])
        return sum(self._told(partial(_same, alert)) for alert in alerts if alert.id not in self._stored)

    def _read(self, ids: Iterable[str]) -> None:
        wanted = [alert for alert in dict.fromkeys(ids) if alert not in self._stored]
        for start in range(0, len(wanted), 100):
            read = self.reader.store.read(ReadRequest(alerts=wanted[start : start + 100])).alerts.all()
            self._stored |= {alert: stored.document for alert, stored in read.items()}


def _same(alert: Alert) -> Alert:
    return alert


def _ids(found: SaidExpectation) -> Iterator[_Ids]:
    kind = DetailType.DATASET_STALE if found.state is SaidState.STALE or not found.entry.due else DetailType.AT_RISK
    for number in range(MOST_TIMES):
        parts = (found.subject.node_id, str(found.due), str(number))
        yield _Ids(id_of(kind, *parts), id_of(DetailType.DEADLINE_RECOVERED, *parts))


def _current(found: SaidExpectation, stored: dict[str, JsonObject]) -> _Ids:
    """The ids of the first alert about a deadline that was not withdrawn yet."""
    ids = list(_ids(found))
    return next((each for each in ids if each.withdrawal not in stored), ids[-1])


def _cause(found: SaidExpectation) -> JobId:
    """The job that holds up a deadline; the first that writes the dataset if nothing can be estimated."""
    return (found.coming.cause if found.coming else found.subject.jobs[0]).head.facts.id


def _missing_before(cause: Expected) -> str | None:
    """The id of the alert that a run would have had before it began."""
    due = due_of(cause, cause.begun) if cause.begun is not None else None
    return id_of_missing(cause.head.facts.id, Slot(due, due)) if due is not None else None


def with_deadlines(reader: Reader, alert: Alert, held: Sequence[SaidExpectation]) -> Alert:
    """The alert about a job, with the deadlines that it holds up among its consequences."""
    now = moment(alert.time)
    return replace(
        alert,
        lines=(*alert.lines, *(f"{_sentence(each, now)}." for each in held)),
        owners=distinct_owners(alert.owners, owners(reader, held, ())),
        details={**alert.details, "deadlines": [as_json(each) for each in held]},
    )


def _sentence(found: SaidExpectation, now: Moment) -> str:
    name, zone = short_name(found.subject.name.name), found.entry.due.zone if found.entry.due else "UTC"
    due = at_clock(found.due, zone)
    if found.state is SaidState.STALE:
        return f"{name} is older than {length(found.entry.age or 0)}"
    coming = _estimate(found.coming, zone) if found.coming else "has not come"
    return f"{name} {'was' if found.due < now else 'is'} due {due} and {coming}"


def _estimate(coming: Coming, zone: str) -> str:
    if coming.earliest is not None:
        return f"comes {at_clock(coming.earliest, zone)} or later"
    return f"comes about {at_clock(coming.estimated_end, zone)}"


def _alert(reader: Reader, found: SaidExpectation, others: Sequence[SaidExpectation], alert: str, now: Moment) -> Alert:
    subject, coming = found.subject, found.coming
    is_stale = found.state is SaidState.STALE
    because = f"{short_name(coming.cause.head.facts.name.name)} {coming.why}" if coming else "no run is known to come"
    suffering = _suffering(reader, subject, now)
    written = subject.written_at
    lines = [
        f"{subject.name.name} in {subject.name.namespace} is expected: {found.entry.words}.",
        f"The reason: job {because}.",
        *([f"The last run that wrote it and went well ended at {shown_moment(written)}."] if written else []),
        *(f"{_sentence(each, now)}." for each in others),
        *(line for each in suffering if each for line in each.lines("The delay", "affects", "affect")),
    ]
    return Alert(
        type=DetailType.DATASET_STALE if is_stale else DetailType.AT_RISK,
        id=alert,
        time=instant_of(at(now)),
        severity=Severity.WARNING,
        kind=subject.kind,
        name=subject.name,
        owners=owners(reader, [found, *others], suffering),
        title=_sentence(found, now),
        lines=tuple(lines),
        group=subject.node_id,
        details={
            **as_json(found),
            "deadlines": [as_json(each) for each in others],
            "suffers": [each.as_json() for each in suffering],
        },
    )


def _withdrawal(reader: Reader, found: SaidExpectation, alert: str, now: Moment) -> Alert:
    subject, written = found.subject, found.written_at
    zone = found.entry.due.zone if found.entry.due else "UTC"
    name, due = short_name(subject.name.name), at_clock(found.due, zone)
    if written is None:
        told = f"{name} is due {due} and comes in time after all"
    elif written > found.due:
        told = f"{name} came at {at_clock(written, zone)}, {length(written - found.due)} late"
    else:
        told = f"{name} came at {at_clock(written, zone)}, in time"
    return Alert(
        type=DetailType.DEADLINE_RECOVERED,
        id=alert,
        time=instant_of(at(now)),
        severity=Severity.INFO,
        kind=subject.kind,
        name=subject.name,
        owners=owners(reader, [found], ()),
        title=told,
        lines=(f"{subject.name.name} in {subject.name.namespace} is expected: {found.entry.words}.",),
        group=subject.node_id,
        details=as_json(found),
    )


def owners(reader: Reader, found: Sequence[SaidExpectation], suffering: Sequence[Downstream]) -> tuple[str, ...]:
    """The owners of what is late, then those of what depends on it."""
    datasets = [dataset_id(each.subject.name) for each in found if each.subject.kind is NodeKind.DATASET]
    heads = reader.datasets(datasets) if datasets else {}
    of_jobs = [owners_of(values(job.head.facts.facets)) for each in found for job in each.subject.jobs]
    own = [owners_of(heads[dataset].facets) for dataset in datasets if dataset in heads]
    return distinct_owners(*own, *of_jobs, *(each.owners for each in suffering))


def _suffering(reader: Reader, subject: SaidSubject, now: Moment) -> list[Downstream]:
    as_of: Instant = instant_of(at(now))
    datasets = (
        [dataset_id(subject.name)]
        if subject.kind is NodeKind.DATASET
        else [used.id for job in subject.jobs for used in outputs_of(reader, job)][:MOST_OUTPUTS]
    )
    return [downstream(reader, [dataset], None, as_of, as_of) for dataset in datasets]
