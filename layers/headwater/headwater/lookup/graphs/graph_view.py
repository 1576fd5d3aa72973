"""The answer of GET /lineage: a walk's graph in Marquez's shape, in pages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.graph.identity import NodeId, node_id
from headwater.graph.job import Edges, LatestRun
from headwater.lookup import marquez_schema
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.lineage import LineageGraph

MAX_BYTES = 20_000_000
"""Of a page, by estimate: gzip makes less than a tenth of it, and 6 MB leave a Lambda."""


@dataclass(frozen=True)
class GraphView:
    """Nodes in the order in which a walk came to them, and the edges between them, by nodeId."""

    nodes: Mapping[str, JsonObject]
    edges: frozenset[tuple[str, str]]

    def page(self, offset: int, limit: int) -> tuple[list[JsonObject], int]:
        """Some of the nodes, and how many those are: fewer than asked for if they are long. An edge to a node of a
        later page is shown there, on both ends."""
        shown = list(self.nodes)[: offset + limit]
        size = 0
        for at, node in enumerate(shown[offset:], start=offset):
            size += _size(self.nodes[node])
            if size > MAX_BYTES and at > offset:
                shown = shown[:at]
                break
        into, out_of = self._edges(set(shown))
        page = shown[offset:]
        nodes = [{"inEdges": into[node], "outEdges": out_of[node], **self.nodes[node]} for node in sorted(page)]
        return nodes, len(page)

    def _edges(self, shown: set[str]) -> tuple[dict[str, list[JsonObject]], dict[str, list[JsonObject]]]:
        into: dict[str, list[JsonObject]] = defaultdict(list)
        out_of: dict[str, list[JsonObject]] = defaultdict(list)
        for origin, destination in sorted(self.edges):
            if origin in shown and destination in shown:
                edge = {"origin": origin, "destination": destination}
                into[destination].append(edge)
                out_of[origin].append(edge)
        return into, out_of


def serialise(reader: Reader, graph: LineageGraph, *, as_of: Instant | None = None) -> GraphView:
    """A walk's graph as it is shown. What makes a dataset without a job is shown as edges between datasets."""
    latest = _runs_at(reader, graph) if as_of else {job: head.latest for job, head in graph.jobs.items()}
    used = _last_used(graph)
    nodes: dict[NodeId, tuple[str, JsonObject]] = {}
    for node in graph.order:
        if head := graph.jobs.get(node):
            if not head.facts.is_derivation:
                used_by_it = _with_names(graph.edges_of[node], graph)
                data = marquez_schema.job_node(head, used_by_it, latest.get(node))
                nodes[node] = (node_id("job", head.facts.name), {"type": "JOB", "data": data})
        elif dataset := graph.datasets.get(node):
            data = marquez_schema.dataset_node(dataset, used.get(node))
            nodes[node] = (node_id("dataset", dataset.facts.name), {"type": "DATASET", "data": data})
    names = {node: name for node, (name, _) in nodes.items()}
    edges = {(names[a], names[b]) for a, b in _without_derivations(graph) if a in names and b in names}
    return GraphView({name: {"id": name, **document} for name, document in nodes.values()}, frozenset(edges))


def _without_derivations(graph: LineageGraph) -> Iterable[tuple[NodeId, NodeId]]:
    between = {job for job, head in graph.jobs.items() if head.facts.is_derivation}
    for origin, destination in graph.edges:
        if origin not in between and destination not in between:
            yield origin, destination
        elif destination in between:
            yield from ((origin, target) for job, target in graph.edges if job == destination)


def _with_names(edges: Edges, graph: LineageGraph) -> Edges:
    """Edges whose datasets are called what they are shown as."""

    def shown(used: Iterable[Any]) -> tuple[Any, ...]:
        heads = [(each, graph.datasets.get(graph.one(each.id))) for each in used]
        return tuple(each._replace(name=head.facts.name) if head else each for each, head in heads)

    return edges._replace(inputs=shown(edges.inputs), outputs=shown(edges.outputs))


def _last_used(graph: LineageGraph) -> dict[NodeId, Instant]:
    """When one of the graph's jobs that use a dataset was last heard of."""
    used: dict[NodeId, Instant] = {}
    for job, head in graph.jobs.items():
        for each in graph.edges_of[job].input_ids | graph.edges_of[job].output_ids:
            one = graph.one(each)
            used[one] = max(head.facts.updated, used.get(one, head.facts.updated))
    return used


def _runs_at(reader: Reader, graph: LineageGraph) -> dict[NodeId, LatestRun | None]:
    """The run by which each job has its edges."""
    wanted = {job: edges.run_id for job, edges in graph.edges_of.items() if job in graph.jobs and edges.run_id}
    return {job: LatestRun.of(run) for job, run in reader.runs_of(wanted).items()}


def _size(node: JsonObject) -> int:
    data = node["data"]
    members = ("inputs", "outputs", "inputFields")
    used = sum(len(data.get(member, ())) for member in members)
    return 2_000 + 150 * len(data.get("fields", ())) + 600 * used + 8 * len(node["id"])
