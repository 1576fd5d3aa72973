"""Runs that are created, started and ended through the API, as Marquez's clients did before OpenLineage; runs that end
because AWS says so; and the judgement of a person that a run was good."""

import uuid
from datetime import UTC, datetime
from typing import Any

from headwater.curate import body
from headwater.curate.answers import run_answer
from headwater.curate.body import NoteBody, RunBody
from headwater.curate.curation_events import Document, facet, naming, of_run, own_facet, time_after, times_of
from headwater.curate.curator import Curator
from headwater.graph.facets.curation import JUDGEMENT
from headwater.graph.facets.members import query_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId
from headwater.graph.states.edges import NO_EDGES, Edges
from headwater.graph.states.run import CREATED, Run, RunState
from headwater.graph.states.search_terms import query_list, run_of
from headwater.http.paths import PREFIX
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, RequestError
from headwater.openlineage.event import EventType, Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, parse_instant, to_datetime
from headwater.openlineage.wire import FURTHEST_AHEAD
from headwater.read.name_resolution import NamedNode
from headwater.store.snapshot import ReadRequest

_TRANSITIONS = {
    "start": EventType.START,
    "complete": EventType.COMPLETE,
    "fail": EventType.FAIL,
    "abort": EventType.ABORT,
}
ENDS = {
    "COMPLETED": EventType.COMPLETE,  # EMR
    "SUCCESS": EventType.COMPLETE,  # EMR Serverless
    "SUCCEEDED": EventType.COMPLETE,  # Glue
    "FAILED": EventType.FAIL,
    "TIMEOUT": EventType.FAIL,
    "CANCELLED": EventType.ABORT,
    "STOPPED": EventType.ABORT,
}
"""The states in which a step of EMR, or a job run of EMR Serverless or Glue, has ended."""
MOST_RUNS = 200
"""Runs of one step that are read: a step may start several applications, one after the other."""


def create_run(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    """Creates a run of a job. The run is NEW until an event of the run arrives. An existing run is returned as stored.

    Raises RequestError (409) if the run belongs to another job.
    """
    announced = body.read(RunBody, request, may_be_empty=True)
    run_id = announced.id or str(uuid.uuid4())
    known = curator.reader().run(run_id) if announced.id else None
    if known and known.job != job.name:
        raise RequestError(409, f"Run '{run_id}' already exists for another job; send another id.")
    if known is None:
        at = time_after(request.received_at)
        curator.apply(request.received_at, [of_run(EventType.OTHER, run_id, job.name, at, _facets(announced))])
    return run_answer(curator, run_id, job.name)


def created(_request: ApiRequest, run: JsonObject) -> ApiResponse:
    """The response to the creation of a run, with the run's path in the header Location."""
    return ApiResponse(201, run, {"location": f"{PREFIX}/jobs/runs/{run['id']}"})


def mark_run(curator: Curator, request: ApiRequest, run: Run) -> JsonObject:
    """Starts or ends a run, now or at the time `at` in the query."""
    transition = _TRANSITIONS[request.parameters["transition"]]
    edges = _declared_edges(curator, run) if transition is EventType.COMPLETE else NO_EDGES
    event = of_run(transition, run.run_id, run.job, _time(request, run))
    outputs: dict[Name, Facets] = {output.name: {} for output in edges.outputs}
    curator.apply(request.received_at, [naming(event, [each.name for each in edges.inputs], outputs)])
    return run_answer(curator, run.run_id, run.job)


class UnknownRun(Exception):
    """No run has the id of a step or job run. Its START may come yet, unless it is no application with the jar."""


def end_as_reported(curator: Curator, notice: JsonObject, now: datetime) -> str | None:
    """Ends the run of an application whose step of EMR, or whose job run of EMR Serverless or Glue, has ended, as an
    event of EventBridge says. Returns the run's id, or None if nothing had to be ended. Raises UnknownRun.

    Of several runs with the id, only the newest may have ended with it, and only if it is open: the first of two
    applications of a step has not failed with the second.
    """
    detail = notice["detail"]
    service_id, transition = detail.get("stepId") or detail.get("jobRunId"), ENDS.get(detail.get("state"))
    if not service_id or transition is None:
        return None
    runs = _runs_known_as(curator, service_id)
    if not runs:
        raise UnknownRun(service_id)
    run = runs[-1]
    is_open = run.ending is None
    # The listener says COMPLETE of a program that exits with 1, too, and of one that was ended by SIGTERM.
    is_corrected = len(runs) == 1 and transition is not EventType.COMPLETE and run.state is RunState.COMPLETED
    if not (is_open or is_corrected):
        return None
    at = time_after(to_datetime(parse_instant(notice["time"])), run.updated)
    message = detail.get("message") or f"{notice['detail-type']}: {detail['state']}"
    error = facet("1-0-1/ErrorMessageRunFacet", message=message, programmingLanguage="UNKNOWN")
    facets = {} if transition is EventType.COMPLETE or run.failed_children else {"errorMessage": error}
    curator.apply(now, [of_run(transition, run.run_id, run.job, at, facets)])
    return run.run_id


def _runs_known_as(curator: Curator, service_id: str) -> list[Run]:
    """The runs that a service knows by an id, the oldest first."""
    store = curator.before.store
    found = map(run_of, store.places_in(query_list(service_id), limit=MOST_RUNS))
    ids = {JobRunId(JobId(job.node), run_id) for job, run_id in found}
    runs = store.read(ReadRequest(runs=ids)).runs.of(sorted(ids))
    known = (run for run in runs if query_of(values(run.facets)).get("id") == service_id)
    return sorted(known, key=lambda run: run.order)


def judge_good(curator: Curator, request: ApiRequest, run: Run) -> JsonObject:
    """Says that a run was good: what changed before it no longer explains a wrong number. Raises RequestError (409) if
    the run has not begun, or did not go well."""
    note = body.read(NoteBody, request, may_be_empty=True).note
    if not run.may_be_good:
        outcome = RunState.FAILED if run.failed_children else run.outcome
        raise RequestError(409, f"Run '{run.run_id}' is {outcome}; only a run that went well can be called good.")
    return _judge(curator, request, run, good=True, **({"note": note} if note else {}))


def take_back(curator: Curator, request: ApiRequest, run: Run) -> JsonObject:
    """Removes the judgement on a run."""
    return _judge(curator, request, run, good=False)


def _judge(curator: Curator, request: ApiRequest, run: Run, **members: Any) -> JsonObject:
    caller = request.principal.subject or request.principal.key_id
    facets = {JUDGEMENT: own_facet(by=caller, **members)}
    at = time_after(request.received_at, run.updated, *times_of(run.facets, facets))
    curator.apply(request.received_at, [of_run(EventType.OTHER, run.run_id, run.job, at, facets)])
    return run_answer(curator, run.run_id, run.job)


def _declared_edges(curator: Curator, run: Run) -> Edges:
    """What a run read and wrote, by its job's declaration, for each side on which the run names no dataset itself. So
    its outputs get a version from this run."""
    head = curator.before.store.read(ReadRequest(jobs=[run.id.job])).jobs.get(run.id.job)
    declared = head.declared if head else NO_EDGES
    return declared._replace(
        inputs=() if run.inputs else declared.inputs, outputs=() if run.outputs else declared.outputs
    )


def _facets(announced: RunBody) -> dict[str, Document]:
    nominal = {"nominalStartTime": announced.nominalStartTime, "nominalEndTime": announced.nominalEndTime}
    present = {name: time for name, time in nominal.items() if time is not None}
    facets = {CREATED: own_facet(args=announced.args or {})}
    return facets | ({"nominalTime": facet("1-0-1/NominalTimeRunFacet", **present)} if present else {})


def _time(request: ApiRequest, run: Run) -> Instant:
    at = request.time("at")
    if at is None:
        return time_after(request.received_at, run.updated)
    if at > instant_of(request.received_at.astimezone(UTC) + FURTHEST_AHEAD):
        raise InvalidRequest(Fault("at", f"more than {FURTHEST_AHEAD.days} days ahead of the clock; correct the time"))
    return at
