"""GET /rootcause: failures and changes upstream since the last good run."""

from collections.abc import Iterable

from headwater.graph.names.identity import DatasetId, JobId, NodeId, NodeKind, node_id
from headwater.graph.states.run import Run
from headwater.http.marquez import runs as marquez
from headwater.http.paging import within_size_limit
from headwater.http.request import DEFAULT_LIMIT, MAX_LIMIT, ApiRequest
from headwater.http.subjects import time_from_query
from headwater.lookup.graphs.graph_view import heads_of, known_writers
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.good_writes import cautions
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.run_details import read_run_details
from headwater.traversal.findings import Finding
from headwater.traversal.lineage import View
from headwater.traversal.lineage_graph import LineageEdge, LineageGraph
from headwater.traversal.root_cause import root_cause


def rootcause(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The suspect, the last good run before the suspect, and at most `limit` findings since then, newest first."""
    as_of, limit = time_from_query(reader, request, node), request.number("limit", DEFAULT_LIMIT, MAX_LIMIT)
    cause = root_cause(reader, node, request.depth(), as_of, request.choice("view", View) or View.CURRENT)
    findings = within_size_limit(map(_finding, cause.findings[:limit]))
    answer: JsonObject = {
        "nodeId": node_id(node.kind, node.name),
        "asOf": shown(as_of) if as_of else None,
        "suspect": _run(reader, cause.suspect),
        "lastGood": _run(reader, cause.last_good),
        "findings": findings,
        "successfulRuns": [{"nodeId": node.node_id, "count": count} for node, count in cause.went_well],
    }
    if doubts := _cautions(reader, cause.graph, as_of):
        answer["cautions"] = doubts
    if foreign := cause.graph.foreign_edges:
        answer["foreignEdges"] = _edges(cause.graph, foreign)
    if cause.is_truncated or len(cause.findings) > len(findings):
        answer["truncated"] = True
    return {**answer, "frontier": cause.frontier.as_json()}


def _cautions(reader: Reader, graph: LineageGraph, as_of: Instant | None) -> list[JsonObject]:
    """The datasets upstream none of whose writes went well, the nearest first."""
    found = cautions(reader, known_writers(graph, heads_of(reader, graph, as_of)), as_of)
    return [
        {"nodeId": _node_id(graph, node), "caution": found[node]}
        for node in map(DatasetId, graph.order)
        if node in found
    ]


def _edges(graph: LineageGraph, edges: Iterable[LineageEdge]) -> list[JsonObject]:
    """Edges that producers without the right to write the dataset sent: the dataset's owner has not confirmed them."""
    heads = {*graph.jobs, *graph.datasets}
    named = [(_node_id(graph, origin), _node_id(graph, end)) for origin, end in edges if {origin, end} <= heads]
    return [{"origin": origin, "destination": destination} for origin, destination in sorted(named)]


def _node_id(graph: LineageGraph, node: NodeId) -> str:
    if job := graph.jobs.get(JobId(node)):
        return node_id(NodeKind.JOB, job.facts.name)
    return node_id(NodeKind.DATASET, graph.datasets[DatasetId(node)].facts.name)


def _run(reader: Reader, run: Run | None) -> JsonObject | None:
    return marquez.run_of_job(*read_run_details(reader, [run])) if run else None


def _finding(finding: Finding) -> JsonObject:
    return {
        "kind": finding.kind.value,
        "at": shown(finding.at),
        "distance": finding.node.distance,
        "nodeId": finding.node.node_id,
        **({"runId": finding.run_id} if finding.run_id else {}),
        "summary": finding.summary,
        **finding.details,
    }
