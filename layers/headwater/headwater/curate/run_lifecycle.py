"""Runs announced and moved on outright, as Marquez's clients did before there was OpenLineage."""

import uuid
from datetime import UTC

from headwater.curate import body
from headwater.curate.body import RunBody
from headwater.curate.curation_events import Document, facet, moment, of_run, own_facet
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import known_node
from headwater.graph.identity import NodeKind
from headwater.graph.run import CREATED, Run
from headwater.http.response import ApiResponse, error_response
from headwater.lookup import marquez_schema
from headwater.lookup.nodes.runs import known_run
from headwater.lookup.routes import PREFIX
from headwater.openlineage.event import EventType
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of
from headwater.openlineage.wire import FURTHEST_AHEAD

_TRANSITIONS = {
    "start": EventType.START,
    "complete": EventType.COMPLETE,
    "fail": EventType.FAIL,
    "abort": EventType.ABORT,
}


def create_run(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Announces a run of a job, in state NEW until something is heard of it. Who repeats it gets the run as it is."""
    said = body.read(RunBody, command.body, may_be_empty=True)
    reader = curator.reader()
    node = known_node(reader, command.request, NodeKind.JOB, path)
    run_id = said.id or str(uuid.uuid4())
    known = reader.run(run_id) if said.id else None
    if known and known.job != node.name:
        return error_response(409, f"Run '{run_id}' already exists, of another job.")
    if known is None:
        at = moment(command.now)
        curator.apply(command.now, [of_run(EventType.OTHER, run_id, node.name, at, _facets(said))])
    return ApiResponse(201, _as_json(curator, command, run_id), {"location": f"{PREFIX}/jobs/runs/{run_id}"})


def mark_run(curator: Curator, command: Command, run_id: str, transition: str) -> ApiResponse:
    """Says that a run started or ended, now or at the time that the query names."""
    run = known_run(curator.reader(), command.request, run_id)
    at = _time(command, run)
    curator.apply(command.now, [of_run(_TRANSITIONS[transition], run.run_id, run.job, at)])
    return ApiResponse(200, _as_json(curator, command, run.run_id))


def _facets(said: RunBody) -> dict[str, Document]:
    nominal = {"nominalStartTime": said.nominalStartTime, "nominalEndTime": said.nominalEndTime}
    present = {name: time for name, time in nominal.items() if time is not None}
    facets = {CREATED: own_facet(args=said.args or {})}
    return facets | ({"nominalTime": facet("1-0-1/NominalTimeRunFacet", **present)} if present else {})


def _time(command: Command, run: Run) -> Instant:
    at = command.request.time("at")
    if at is None:
        return moment(command.now, run.updated)
    if at > instant_of(command.now.astimezone(UTC) + FURTHEST_AHEAD):
        raise InvalidRequest(Fault("at", f"more than {FURTHEST_AHEAD.days} days ahead of the clock"))
    return at


def _as_json(curator: Curator, command: Command, run_id: str) -> dict[str, object]:
    return marquez_schema.run(known_run(curator.reader(), command.request, run_id))
