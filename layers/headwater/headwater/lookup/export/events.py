"""The graph as OpenLineage events, which another instance can import.

A job becomes a JobEvent with its inputs and outputs. A dataset that no job uses becomes a DatasetEvent. Both describe a
state, and need no run. An exposure becomes nothing: OpenLineage has no event of it. Column lineage is in DatasetEvents,
since the response does not say which job made a column.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from headwater.lookup.export import facets
from headwater.lookup.export.graph import Document, ExportEdge, ExportGraph, ExportKind, ExportNode, graph_of
from headwater.openlineage.exact_json import JsonObject

_BEFORE_ALL = "1970-01-01T00:00:00Z"
"""The event time of a node without a time in the response. Every known facet is newer, so it stays."""


def render(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The events, for POST /api/v1/lineage/batch: JobEvents, then DatasetEvents, by name."""
    graph = graph_of(answer)
    into, out_of = _edges_by_end(graph)
    jobs = [node for node in graph.nodes if node.kind is ExportKind.JOB]
    used = {end for job in jobs for end in [*(e.origin for e in into[job]), *(e.target for e in out_of[job])]}
    datasets: dict[ExportNode, list[ExportEdge]] = {}
    for node in graph.nodes:
        if node.kind not in (ExportKind.JOB, ExportKind.EXPOSURE):
            flows = [edge for edge in into[node] if edge.origin.kind is not ExportKind.JOB]
            datasets.setdefault(node.dataset, []).extend(flows)
    declared = [_job_event(graph, job, into[job], out_of[job]) for job in jobs]
    return declared + [
        _dataset_event(graph, dataset, edges)
        for dataset, edges in sorted(datasets.items(), key=lambda entry: entry[0])
        if edges or dataset not in used
    ]


def _edges_by_end(graph: ExportGraph) -> tuple[dict[ExportNode, list[ExportEdge]], dict[ExportNode, list[ExportEdge]]]:
    into: dict[ExportNode, list[ExportEdge]] = defaultdict(list)
    out_of: dict[ExportNode, list[ExportEdge]] = defaultdict(list)
    for edge in graph.edges:
        into[edge.target].append(edge)
        out_of[edge.origin].append(edge)
    return into, out_of


def _job_event(
    graph: ExportGraph, job: ExportNode, into: Iterable[ExportEdge], out_of: Iterable[ExportEdge]
) -> JsonObject:
    data = graph.data[job]
    return _event("JobEvent", data) | {
        "job": {"namespace": job.namespace, "name": job.name, "facets": facets.of_job(data)},
        "inputs": [_dataset(graph, edge.origin) for edge in into],
        "outputs": [_dataset(graph, edge.target) for edge in out_of],
    }


def _dataset_event(graph: ExportGraph, dataset: ExportNode, edges: list[ExportEdge]) -> JsonObject:
    document = _dataset(graph, dataset)
    document["facets"] |= facets.of_flows(edges)
    return _event("DatasetEvent", graph.data.get(dataset, {})) | {"dataset": document}


def _dataset(graph: ExportGraph, dataset: ExportNode) -> JsonObject:
    own = facets.of_dataset(graph.data.get(dataset, {}))
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": own}


def _event(kind: str, data: Document) -> JsonObject:
    return facets.PRODUCER.event(kind, data.get("updatedAt") or _BEFORE_ALL)
