"""GET /rootcause: failures and changes upstream since the last good run."""

from collections.abc import Iterable

from headwater.graph.names.identity import DatasetId, JobId, NodeId, NodeKind, node_id
from headwater.graph.states.run import Run
from headwater.http.marquez import runs as marquez
from headwater.http.marquez.datasets import display_names
from headwater.http.marquez.runs import judgement_of
from headwater.http.paging import within_size_limit
from headwater.http.request import DEFAULT_LIMIT, MAX_LIMIT, ApiRequest
from headwater.http.subjects import no_column, time_from_query
from headwater.lookup.graphs.graph_view import heads_of, known_writers
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.good_writes import cautions
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.run_details import read_run_details
from headwater.traversal.findings import Finding
from headwater.traversal.lineage import View, Walk
from headwater.traversal.lineage_graph import LineageEdge, LineageGraph
from headwater.traversal.root_cause import COMPARED_WRITES, Amount, AmountWritten, RootCause, root_cause

MOST_EARLIER = 10
"""How many earlier changes an answer has, the newest first."""


def rootcause(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The suspect, the last good run, and at most `limit` findings since then, newest first; of a column, the likeliest
    first. Raises NotFound for an unknown column."""
    as_of, limit = time_from_query(reader, request, node), request.number("limit", DEFAULT_LIMIT, MAX_LIMIT)
    walk = Walk(request.depth(), view=request.choice("view", View) or View.CURRENT, as_of=as_of)
    cause = root_cause(reader, node, walk, instant_of(request.received_at))
    if not cause.knows_column:
        raise no_column(reader, node)
    findings = within_size_limit(map(_finding, cause.findings[:limit]))
    answer: JsonObject = {
        "nodeId": node_id(node.kind, node.name) + (f":{node.field}" if node.field is not None else ""),
        "asOf": shown(as_of) if as_of else None,
        "suspect": _run(reader, cause.suspect),
        "lastGood": _last_good(reader, cause),
        "findings": findings,
        "affected": _affected(cause),
        "earlier": _earlier(cause) if cause.earlier else None,
        "amount": _amount(cause.amount) if cause.amount else None,
        "successfulRuns": [{"nodeId": node.node_id, "count": count} for node, count in cause.went_well],
    }
    if doubts := _cautions(reader, cause.graph, as_of):
        answer["cautions"] = doubts
    if foreign := cause.graph.foreign_edges:
        answer["foreignEdges"] = _edges(cause.graph, foreign)
    if candidates := cause.graph.candidate_edges:
        answer["candidateEdges"] = _edges(cause.graph, candidates)
    if cause.is_truncated or len(cause.findings) > len(findings):
        answer["truncated"] = True
    return {**answer, **display_names(cause.graph.datasets.values()), "frontier": cause.frontier.as_json()}


def _cautions(reader: Reader, graph: LineageGraph, as_of: Instant | None) -> list[JsonObject]:
    """The datasets upstream none of whose writes went well, the nearest first."""
    found = cautions(reader, known_writers(graph, heads_of(reader, graph, as_of)), as_of)
    return [
        {"nodeId": _node_id(graph, node), "caution": found[node]}
        for node in map(DatasetId, graph.order)
        if node in found
    ]


def _edges(graph: LineageGraph, edges: Iterable[LineageEdge]) -> list[JsonObject]:
    """The edges between nodes of the graph, by their nodeIds."""
    heads = {*graph.jobs, *graph.datasets}
    named = [(_node_id(graph, origin), _node_id(graph, end)) for origin, end in edges if {origin, end} <= heads]
    return [{"origin": origin, "destination": destination} for origin, destination in sorted(named)]


def _node_id(graph: LineageGraph, node: NodeId) -> str:
    if job := graph.jobs.get(JobId(node)):
        return node_id(NodeKind.JOB, job.facts.name)
    return node_id(NodeKind.DATASET, graph.datasets[DatasetId(node)].facts.name)


def _run(reader: Reader, run: Run | None) -> JsonObject | None:
    return marquez.run_of_job(*read_run_details(reader, [run])) if run else None


def _last_good(reader: Reader, cause: RootCause) -> JsonObject | None:
    good = cause.last_good
    if good is None:
        return None
    answer = {**marquez.run_of_job(*read_run_details(reader, [good])), "confirmed": cause.is_confirmed}
    if cause.is_confirmed and not good.is_judged_good:
        above = reader.runs(sorted(parent.id for parent in good.parents))
        called = ({"runId": run.run_id, "job": run.job.as_json(), "judgement": judgement_of(run)} for run in above)
        answer["calledGood"] = next((run for run in called if run["judgement"]), None)
    return answer


def _affected(cause: RootCause) -> str | None:
    """The node whose impact is that of the first finding, or of the change that it follows from."""
    first = cause.affecting
    return first.affected(cause.outputs_of(first) if first.node.kind is NodeKind.JOB else ()) if first else None


def _earlier(cause: RootCause) -> JsonObject:
    """The changes that count no more: their number, the newest of them, and a sentence."""
    count, since = len(cause.earlier), cause.earlier[-1].at
    told = "1 earlier change" if count == 1 else f"{count:,} earlier changes"
    reason = "undone, met by other code of its readers, or followed by a run that completed"
    sentence = f"{told}, since {since[:10]} {since[11:16]}Z, no longer counted: {reason}."
    changes = list(map(_finding, cause.earlier[:MOST_EARLIER]))
    return {"count": count, "since": shown(since), "sentence": sentence, "changes": changes}


def _amount(amount: Amount) -> JsonObject:
    """How much the suspect wrote beside the median of the writes before, and a sentence."""
    rows, size = amount
    sentences = [_amount_sentence(each, unit) for each, unit in ((rows, "rows"), (size, "bytes"))]
    return {
        "rows": rows.value,
        "medianRows": rows.median,
        "bytes": size.value,
        "medianBytes": size.median,
        "sentence": " ".join(filter(None, sentences)),
    }


def _amount_sentence(measured: AmountWritten, unit: str) -> str | None:
    value, median, compared = measured
    if value is None or median is None:
        return None if value is None else f"It wrote {value:,} {unit}."
    if compared == 1:
        return f"It wrote {value:,} {unit}; the write before, {median:,}."
    which = "last ten" if compared == COMPARED_WRITES else f"{compared} writes before"
    return f"It wrote {value:,} {unit}; the median of its {which} is {median:,}."


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
