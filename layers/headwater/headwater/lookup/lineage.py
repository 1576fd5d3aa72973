"""GET /lineage: the graph around a node, in Marquez's semantics.

Two jobs are neighbours if one reads or writes what the other reads or writes, as things are now; `depth` counts such
hops. The answer has those jobs and all their inputs and outputs. A hop costs two reads: the datasets with their
neighbours, then the jobs; what it costs depends on the answer, not on what else the table holds.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead
from headwater.lookup import shapes
from headwater.lookup.names import Kind, Node
from headwater.lookup.reader import Reader
from headwater.openlineage.instant import Instant

MAX_NODES = 5_000
"""An answer leaves a Lambda with at most 6 MB; the graph is cut here, and says so."""


@dataclass
class _Graph:
    jobs: dict[NodeId, JobHead] = field(default_factory=dict)
    datasets: dict[NodeId, DatasetHead] = field(default_factory=dict)
    truncated: bool = False


def lineage(reader: Reader, start: Node, depth: int) -> dict[str, Any]:
    """The graph up to `depth` job hops from a job, or from one of a dataset's jobs: a writer if it has one."""
    graph = _Graph()
    if start.kind is Kind.JOB:
        jobs = reader.jobs([start.id])
    else:
        graph.datasets, neighbours = reader.datasets_with_neighbours([start.id])
        around = neighbours[start.id]
        users = _using(reader.jobs(around.readers | around.writers), start.id)
        jobs = _first(users, start.id)
    for hop in range(depth + 1):
        graph.jobs |= jobs
        datasets = {each for head in jobs.values() for each in head.current.inputs + head.current.outputs}
        unseen = datasets - graph.datasets.keys() if hop or start.kind is Kind.JOB else datasets
        if not unseen:
            break
        heads, neighbours = reader.datasets_with_neighbours(unseen)
        graph.datasets |= heads
        if hop == depth:
            break
        if len(graph.jobs) + len(graph.datasets) > MAX_NODES:
            graph.truncated = True
            break
        around_ids = {job for each in neighbours.values() for job in each.readers | each.writers}
        found = reader.jobs(around_ids - graph.jobs.keys())
        jobs = {job: head for job, head in found.items() if unseen & {*head.current.inputs, *head.current.outputs}}
        if not jobs:
            break
    return _answer(reader, graph)


def last_used(heads: Iterable[JobHead]) -> dict[NodeId, Instant]:
    """When each dataset was last named by an event of any of these jobs."""
    used: dict[NodeId, Instant] = {}
    for head in heads:
        for dataset, seen in head.facts.seen.items():
            used[dataset] = max(seen.last, used.get(dataset, seen.last))
    return used


def _using(heads: dict[NodeId, JobHead], dataset: NodeId) -> dict[NodeId, JobHead]:
    return {
        job: head for job, head in heads.items() if dataset in head.current.inputs or dataset in head.current.outputs
    }


def _first(users: dict[NodeId, JobHead], dataset: NodeId) -> dict[NodeId, JobHead]:
    """The job to start from: the writer that ran last, else the reader that did."""
    ranked = sorted(
        users, key=lambda job: (dataset in users[job].current.outputs, users[job].current.said_at, job), reverse=True
    )
    return {job: users[job] for job in ranked[:1]}


def _answer(reader: Reader, graph: _Graph) -> dict[str, Any]:
    latest = reader.latest_runs(graph.jobs.items())
    names = {dataset: head.facts.name for dataset, head in graph.datasets.items()}
    into: dict[str, list[dict[str, str]]] = defaultdict(list)
    out_of: dict[str, list[dict[str, str]]] = defaultdict(list)
    nodes: dict[str, tuple[str, dict[str, Any]]] = {}
    used = last_used(graph.jobs.values())
    for dataset, found in graph.datasets.items():
        shape = shapes.dataset_node(found, used.get(dataset))
        nodes[shapes.node_id("dataset", found.facts.name)] = ("DATASET", shape)
    for job, head in graph.jobs.items():
        node = shapes.node_id("job", head.facts.name)
        nodes[node] = ("JOB", shapes.job_node(head, names, latest.get(job)))
        edges = [(shapes.node_id("dataset", names[each]), node) for each in head.current.inputs if each in names]
        edges += [(node, shapes.node_id("dataset", names[each])) for each in head.current.outputs if each in names]
        for origin, destination in edges:
            edge = {"origin": origin, "destination": destination}
            out_of[origin].append(edge)
            into[destination].append(edge)
    answer: dict[str, Any] = {
        "graph": [
            {
                "id": node,
                "type": kind,
                "data": data,
                "inEdges": sorted(into[node], key=lambda edge: edge["origin"]),
                "outEdges": sorted(out_of[node], key=lambda edge: edge["destination"]),
            }
            for node, (kind, data) in sorted(nodes.items())
        ]
    }
    return answer | {"truncated": True} if graph.truncated else answer
