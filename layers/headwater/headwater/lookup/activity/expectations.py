"""GET /expectations: what is expected of jobs, the most urgent first: which runs are late, and which are due next; and
GET /settings, where people state it.

For a job, or the writers of a dataset, the answer has all that is known, with their newest runs beside what was usual.
Without a nodeId, it has the jobs that are due within a day, or late by less than a week.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from itertools import islice

from headwater.access.principal import Principal
from headwater.graph.expectations.timetable import slot_of, timetable
from headwater.graph.expectations.usual import BYTES, ROWS, SECONDS, Amount, amounts, band, rows_or_bytes
from headwater.graph.facets.curation import settings_as_json
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind, job_id, node_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.neighbours import Side
from headwater.graph.states.rhythm import Moment, Rhythm, at, moment
from headwater.http.paging import page_of, within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import instant_of, moved_back, shown
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.expectations import Expected, ExpectedState, expected

AHEAD = timedelta(days=1)
MOST_SAID = 200
MOST_JOBS = 2_000
"""Jobs that are looked at without a nodeId."""
MOST_RUNS = 60
"""Runs of a job that are listed beside what was usual."""
_URGENT = (
    ExpectedState.LATE,
    ExpectedState.WAITING,
    ExpectedState.RUNNING,
    ExpectedState.ON_TIME,
    ExpectedState.UNKNOWN,
)


def expectations(reader: Reader, request: ApiRequest, subject: NamedNode | Sequence[str] | None) -> JsonObject:
    """The expectations of a node, of the jobs of some namespaces, or of all that the caller reads (None)."""
    now = instant_of(request.received_at)
    if isinstance(subject, NamedNode):
        jobs: Collection[JobId] = [subject.job] if subject.kind is NodeKind.JOB else _writers(reader, subject)
        jobs, is_cut = _with_applications(reader, jobs), False
    else:
        due = reader.store.due_jobs(moved_back(now, -AHEAD))
        jobs, is_cut = due[:MOST_JOBS], len(due) > MOST_JOBS
    found = sorted(expected(reader, jobs, now).values(), key=_position)
    if not isinstance(subject, NamedNode) and subject is not None:
        found = [each for each in found if each.head.facts.name.namespace in subject]
    page_request = request.page()
    page = page_of(found, page_request, _position)
    with_history = isinstance(subject, NamedNode)
    listed = within_size_limit(
        _as_json(reader, each) | ({"history": [*_history(each.rhythm)]} if with_history else {})
        for each in page.entries
    )
    return {
        "expectations": listed,
        "totalCount": page.total,
        **page.cursor(page_request, len(listed)),
        **({"said": said} if (said := _said(reader, subject, found, moment(now))) else {}),
        **({"truncated": True} if is_cut else {}),
    }


def settings(reader: Reader, _request: ApiRequest, _caller: Principal) -> JsonObject:
    """The newest headwater.yml. For administrators of all namespaces."""
    return settings_as_json(reader.store.settings())


def _said(
    reader: Reader, subject: NamedNode | Sequence[str] | None, found: Sequence[Expected], now: Moment
) -> list[JsonObject]:
    """What people said, and how it stands: of a node, and of what a job writes; else all that is said."""
    if reader.said is None:
        return []
    from headwater.traversal.deadlines import as_json, deadlines, subjects  # noqa: PLC0415 - most have no settings

    nodes: list[tuple[NodeKind, Name]] | None = None
    if isinstance(subject, NamedNode):
        outputs = [used.name for each in found for used in each.head.current.outputs]
        is_job = subject.kind is NodeKind.JOB
        nodes = [(subject.kind, subject.name), *((NodeKind.DATASET, name) for name in outputs if is_job)]
    told = [
        each
        for each in subjects(reader, reader.said, now, nodes)
        if subject is None or isinstance(subject, NamedNode) or each.name.namespace in subject
    ]
    return [as_json(each) for each in islice(deadlines(reader, reader.said, told, now), MOST_SAID)]


def _writers(reader: Reader, dataset: NamedNode) -> Collection[JobId]:
    return sorted(reader.store.neighbours(dataset.dataset)[Side.WRITES])


def _with_applications(reader: Reader, jobs: Collection[JobId]) -> Collection[JobId]:
    """Jobs, and the applications whose queries some of them are: those run by the clock, and their queries write."""
    heads = [head for head in reader.jobs(jobs, usages=False).values() if is_query_job(values(head.facts.facets))]
    return list(dict.fromkeys([*jobs, *(job_id(head.parent_name) for head in heads if head.parent_name)]))


def _position(each: Expected) -> str:
    due = each.slot.due if each.slot else 0
    return f"{_URGENT.index(each.state)} {due:012} {each.head.facts.id}"


def _as_json(reader: Reader, each: Expected) -> JsonObject:
    observations, name = each.rhythm.observations, each.head.facts.name
    known = reader.store.made(timetable, each.rhythm) if each.rhythm.is_due else None
    unit, written = rows_or_bytes(observations)
    return {
        "nodeId": node_id(NodeKind.JOB, name),
        "job": name.as_json(),
        "state": each.state.value,
        "timetable": known.words if known else None,
        "reason": each.reason or None,
        "dueAt": _time(each.slot.due if each.slot else None),
        "latestAt": _time(each.slot.latest if each.slot else None),
        "lastStartedAt": _time(each.begun),
        "waitsFor": node_id(NodeKind.JOB, each.waits_for.head.facts.name) if each.waits_for else None,
        "seconds": _usual(amounts(observations, SECONDS)),
        "amount": {"unit": unit, **usual} if (usual := _usual(written)) else None,
    }


def _history(rhythm: Rhythm) -> Iterator[JsonObject]:
    """The newest runs of a job, the oldest first, each beside what was usual when it began."""
    observations = rhythm.observations
    for number in range(max(0, len(observations) - MOST_RUNS), len(observations)):
        run, slot = observations[number], slot_of(rhythm, observations[number])
        earlier = [seen for seen in observations[:number] if seen.generation != run.generation]
        yield {
            "run": run.run,
            "startedAt": _time(run.start),
            "endedAt": _time(run.end),
            "failed": not run.is_good,
            "dueAt": _time(slot.due if slot else None),
            "latestAt": _time(slot.latest if slot else None),
            **{
                name: {"amount": of(run), **_band(amounts(earlier, of), run.start)}
                for name, of in (("seconds", SECONDS), ("rows", ROWS), ("bytes", BYTES))
            },
        }


def _usual(told: Sequence[Amount]) -> JsonObject | None:
    """The newest of some amounts, and the band of those before it."""
    if not told:
        return None
    *earlier, (start, newest) = told
    return {"newest": newest, **_band(earlier, start)}


def _band(earlier: Sequence[Amount], time: Moment) -> JsonObject:
    usual = band(earlier, time)
    return {"low": usual.low, "usual": usual.usual, "high": usual.high} if usual else {}


def _time(time: Moment | None) -> str | None:
    return None if time is None else shown(instant_of(at(time)))
