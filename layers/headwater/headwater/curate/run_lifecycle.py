"""Runs announced and moved on outright, as Marquez's clients did before there was OpenLineage."""

import uuid
from datetime import UTC

from headwater.curate import body
from headwater.curate.body import RunBody
from headwater.curate.curation_events import Document, facet, moment, of_run, own_facet
from headwater.curate.curator import Curator
from headwater.graph.run import CREATED, Run
from headwater.http.marquez import runs as marquez
from headwater.http.paths import PREFIX
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, RequestError
from headwater.http.subjects import known_run
from headwater.openlineage.event import EventType
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of
from headwater.openlineage.wire import FURTHEST_AHEAD
from headwater.read.name_resolution import NamedNode

_TRANSITIONS = {
    "start": EventType.START,
    "complete": EventType.COMPLETE,
    "fail": EventType.FAIL,
    "abort": EventType.ABORT,
}


def create_run(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    """Announces a run of a job, in state NEW until something is heard of it. Who repeats it gets the run as it is.

    Raises RequestError (409) if the run is another job's.
    """
    announced = body.read(RunBody, request, may_be_empty=True)
    run_id = announced.id or str(uuid.uuid4())
    known = curator.before.run(run_id) if announced.id else None
    if known and known.job != job.name:
        raise RequestError(409, f"Run '{run_id}' already exists, of another job.")
    if known is None:
        at = moment(request.received_at)
        curator.apply(request.received_at, [of_run(EventType.OTHER, run_id, job.name, at, _facets(announced))])
    return _as_json(curator, run_id)


def created(_request: ApiRequest, run: JsonObject) -> ApiResponse:
    """The answer with which a run is created, which says where it is."""
    return ApiResponse(201, run, {"location": f"{PREFIX}/jobs/runs/{run['id']}"})


def mark_run(curator: Curator, request: ApiRequest, run: Run) -> JsonObject:
    """Says that a run started or ended, now or at the time that the query names."""
    transition = _TRANSITIONS[request.parameters["transition"]]
    curator.apply(request.received_at, [of_run(transition, run.run_id, run.job, _time(request, run))])
    return _as_json(curator, run.run_id)


def _facets(announced: RunBody) -> dict[str, Document]:
    nominal = {"nominalStartTime": announced.nominalStartTime, "nominalEndTime": announced.nominalEndTime}
    present = {name: time for name, time in nominal.items() if time is not None}
    facets = {CREATED: own_facet(args=announced.args or {})}
    return facets | ({"nominalTime": facet("1-0-1/NominalTimeRunFacet", **present)} if present else {})


def _time(request: ApiRequest, run: Run) -> Instant:
    at = request.time("at")
    if at is None:
        return moment(request.received_at, run.updated)
    if at > instant_of(request.received_at.astimezone(UTC) + FURTHEST_AHEAD):
        raise InvalidRequest(Fault("at", f"more than {FURTHEST_AHEAD.days} days ahead of the clock"))
    return at


def _as_json(curator: Curator, run_id: str) -> JsonObject:
    return marquez.run(known_run(curator.reader(), run_id))
