"""What events may have changed since a time: the jobs that ran, the datasets that they named, and what events without a
run said about either.

No list has datasets by the time of their last event. So they come from the jobs that ran, whose list is by time, from
the events without a run (a registry, a declaration, a deletion), and from the alerts. The cost is that of what happened
since, and bounded.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from heapq import merge
from itertools import chain, islice
from typing import TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import DatasetId, JobId, dataset_id, namespace_id
from headwater.graph.states.job import JobHead
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import EventKind, Name
from headwater.openlineage.instant import moved_back
from headwater.read.reader import Reader
from headwater.read.window import Window
from headwater.store.ranges import Entry, Listing, namespace_of
from headwater.store.snapshot import ReadRequest

MAX_JOBS = 2_000
MAX_EVENTS = 50_000
"""Events among which those without a run are looked for: the list of a day has all, and is read newest first."""
MAX_ALERTS = 1_000
LONGEST_RUN = timedelta(days=1)
"""The list has a job by the start of its newest run, which may have ended much later."""

Id = TypeVar("Id")


@dataclass
class Touched:
    """The jobs and datasets that may differ.

    jobs             heads of jobs with an event since the time
    deleted_jobs     heads of jobs that an event without a run deleted
    datasets         datasets that a job, an event without a run, or an alert named since
    alerts           the numbers of alerts about a schema change, by dataset
    is_cut           whether there was more
    """

    jobs: dict[JobId, JobHead] = field(default_factory=dict)
    deleted_jobs: dict[JobId, JobHead] = field(default_factory=dict)
    datasets: set[DatasetId] = field(default_factory=set)
    alerts: dict[DatasetId, int] = field(default_factory=dict)
    is_cut: bool = False


def touched(reader: Reader, namespaces: Collection[str], window: Window) -> Touched:
    """What events of a window may have changed, by jobs of these namespaces, and by events without a run."""
    found = Touched()
    told = _without_run(reader, window, found)
    ran = _ran(reader, namespaces, window, found)
    named = [JobId(subject) for kind, subject in told if kind is EventKind.JOB_EVENT]
    found.datasets |= {DatasetId(subject) for kind, subject in told if kind is EventKind.DATASET_EVENT}
    heads = reader.store.read(ReadRequest(jobs={*ran, *named})).jobs.all()
    found.deleted_jobs = {job: head for job, head in heads.items() if head.facts.is_deleted}
    present = reader.jobs([job for job in heads if job not in found.deleted_jobs])
    found.jobs = {job: head for job, head in present.items() if _is_of(head, window)}
    for head in found.jobs.values():
        found.datasets |= {node for node, usage in head.facts.usages.items() if usage.last >= window.since}
    found.alerts = _alerts(reader, namespaces, window, found)
    found.datasets |= found.alerts.keys()
    return found


def _is_of(head: JobHead, window: Window) -> bool:
    is_shown = not head.is_foreign and not head.facts.is_derivation
    return is_shown and head.facts.updated >= window.since and window.has(max(head.facts.first, window.since))


def _ran(reader: Reader, namespaces: Iterable[str], window: Window, found: Touched) -> list[JobId]:
    since = moved_back(window.since, LONGEST_RUN)
    lists = [reader.store.jobs_in(namespace) for namespace in namespaces]
    return [entry.id for entry in _newest(lists, since, None, MAX_JOBS, found)]


def _without_run(reader: Reader, window: Window, found: Touched) -> set[tuple[EventKind, str]]:
    """The subjects of events without a run."""
    days = [day for day in reader.store.event_days() if window.since[:10] <= day <= (window.until or "~")[:10]]
    lists = [reader.store.events_on(day) for day in days]
    events = _newest(lists, window.since, window.until, MAX_EVENTS, found)
    return {(entry.id.kind, entry.id.subject) for entry in events if entry.id.kind is not EventKind.RUN_EVENT}


def _alerts(reader: Reader, namespaces: Collection[str], window: Window, found: Touched) -> dict[DatasetId, int]:
    ids = set(map(namespace_id, namespaces))
    lists = [listing for severity in Severity for listing in reader.store.alerts(severity)]
    entries = _newest(lists, window.since, window.until, MAX_ALERTS, found)
    own = [entry.id for entry in entries if namespace_of(entry.position) in ids]
    numbers: dict[DatasetId, int] = {}
    for alert in reader.store.read(ReadRequest(alerts=own)).alerts.all().values():
        if alert.document.get("details", {}).get("change"):
            dataset = dataset_id(Name(alert.namespace, alert.document["name"]))
            numbers[dataset] = numbers.get(dataset, 0) + 1
    return numbers


def _newest(lists: Iterable[Listing[Id]], since: str, until: str | None, most: int, found: Touched) -> list[Entry[Id]]:
    """The entries of some lists since a time, newest first, at most so many."""
    before = f"{until}~" if until else None

    def begun(listing: Listing[Id]) -> Iterable[Entry[Id]]:
        rest = listing.entries(after=since, before=before, newest_first=True)
        return chain(list(islice(rest, 1)), rest)

    merged = merge(*concurrent_map(begun, lists), key=lambda entry: entry.position, reverse=True)
    entries = list(islice(merged, most + 1))
    found.is_cut |= len(entries) > most
    return entries[:most]
