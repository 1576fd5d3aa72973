"""Parents in place of their jobs: a Spark application instead of its actions, a DAG instead of its tasks."""

from dataclasses import replace
from enum import StrEnum
from itertools import islice

from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import Edges, JobHead
from headwater.lookup import shapes
from headwater.lookup.lineage import Graph
from headwater.lookup.reader import Reader
from headwater.store import keys

MAX_ACTIONS = 1_000


class Rollup(StrEnum):
    PARENT = "parent"


def actions(reader: Reader, job: NodeId) -> list[NodeId]:
    """The jobs that the newest run of a job started."""
    head = reader.jobs([job], seen=False).get(job)
    if head is None or head.latest is None:
        return []
    children = islice(reader.table.listed(keys.children_of(head.latest.run_id)), MAX_ACTIONS)
    return sorted({keys.node_of(child.key.pk) for child in children})


def rolled_up(reader: Reader, graph: Graph) -> Graph:
    """The graph with each job's parent in its place, as far as it has one."""
    named = {job: shapes.parent_name(head) for job, head in graph.jobs.items()}
    above = {job: job_id(name) for job, name in named.items() if name}
    parents = reader.jobs(set(above.values()), seen=False)
    into = {job: parent for job, parent in above.items() if parent in parents}
    heads: dict[NodeId, JobHead] = {}
    edges_of: dict[NodeId, Edges] = {}
    for job, head in graph.jobs.items():
        one = into.get(job, job)
        heads[one] = parents.get(one, head)
        edges_of[one] = _united(edges_of.get(one), graph.edges_of[job])
    edges = {(into.get(a, a), into.get(b, b)) for a, b in graph.edges}
    order = dict.fromkeys(into.get(node, node) for node in graph.order)
    return replace(graph, order=order, jobs=heads, edges_of=edges_of, edges=edges)


def _united(one: Edges | None, other: Edges) -> Edges:
    if one is None:
        return other._replace(sources=())
    inputs = {each.id: each for each in one.inputs + other.inputs}
    outputs = {each.id: each for each in one.outputs + other.outputs}
    return one._replace(inputs=tuple(inputs.values()), outputs=tuple(outputs.values()))
