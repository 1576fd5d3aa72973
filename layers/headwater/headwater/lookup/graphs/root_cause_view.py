"""GET /rootcause: what happened upstream since the last good run."""

from headwater.graph.identity import NodeKind, node_id
from headwater.graph.run import Run
from headwater.http.paging import within_size_limit
from headwater.http.request import DEFAULT_LIMIT, MAX_LIMIT, ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.request_nodes import node_from_query, time_from_query
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.traversal.findings import Finding
from headwater.traversal.root_cause import root_cause


def rootcause(reader: Reader, request: ApiRequest) -> ApiResponse:
    """The suspect, the last good run before it, and at most `limit` of what happened since, newest first."""
    node = node_from_query(reader, request, {NodeKind.DATASET, NodeKind.JOB})
    as_of, limit = time_from_query(reader, request, node), request.number("limit", DEFAULT_LIMIT, MAX_LIMIT)
    cause = root_cause(reader, node, request.depth(), as_of)
    findings = within_size_limit(map(_finding, cause.findings[:limit]))
    answer: JsonObject = {
        "nodeId": node_id(node.kind, node.name),
        "asOf": shown(as_of) if as_of else None,
        "suspect": _run(cause.suspect),
        "lastGood": _run(cause.last_good),
        "findings": findings,
        "successfulRuns": [{"nodeId": node.node_id, "count": count} for node, count in cause.went_well],
    }
    if cause.is_truncated or len(cause.findings) > len(findings):
        answer["truncated"] = True
    return ApiResponse(200, answer)


def _run(run: Run | None) -> JsonObject | None:
    return {"job": run.job.as_json(), **marquez_schema.run(run)} if run else None


def _finding(of: Finding) -> JsonObject:
    return {
        "kind": of.kind.value,
        "at": shown(of.at),
        "distance": of.node.distance,
        "nodeId": of.node.node_id,
        **({"runId": of.run_id} if of.run_id else {}),
        "summary": of.summary,
        **of.details,
    }
