"""Parents in place of their jobs: a Spark application instead of its actions, a DAG instead of its tasks."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import islice

from headwater.graph.application import is_action
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import Edges, JobHead
from headwater.graph.register import values
from headwater.lookup import shapes
from headwater.lookup.lineage import Graph
from headwater.lookup.reader import Reader
from headwater.store import keys

MAX_ACTIONS = 1_000


class Rollup(StrEnum):
    PARENT = "parent"
    NONE = "none"


def actions(reader: Reader, job: NodeId) -> list[NodeId]:
    """The jobs that the newest run of a job started."""
    head = reader.jobs([job], seen=False).get(job)
    if head is None or head.latest is None:
        return []
    children = islice(reader.table.listed(keys.children_of(head.latest.run_id)), MAX_ACTIONS)
    return sorted({keys.node_of(child.key.pk) for child in children})


def rolled_up(reader: Reader, graph: Graph) -> Graph:
    """The graph with each job's parent in its place, as far as it has one."""
    above = _parents(graph)
    parents = reader.jobs(set(above.values()), seen=False)
    return _drawn_in(graph, {job: parent for job, parent in above.items() if parent in parents}, parents)


def without_actions(graph: Graph, start: NodeId) -> Graph:
    """The graph without the actions of applications that are in it themselves.

    An application that says what it reads and writes says it of them, too: a stream is one job, and its micro-batches
    are none beside it. If it is an action that was asked for, those of its application are drawn.
    """
    above = _parents(graph)
    asked = above.get(start)
    into = {job: parent for job, parent in above.items() if parent in graph.jobs and parent != asked}
    told = {job: parent for job, parent in into.items() if is_action(values(graph.jobs[job].facts.facets))}
    return _drawn_in(graph, told, graph.jobs) if told else graph


def _parents(graph: Graph) -> dict[NodeId, NodeId]:
    named = {job: shapes.parent_name(head) for job, head in graph.jobs.items()}
    return {job: job_id(name) for job, name in named.items() if name}


def _drawn_in(graph: Graph, into: Mapping[NodeId, NodeId], parents: Mapping[NodeId, JobHead]) -> Graph:
    """The graph with jobs drawn as a part of others, which take over what they read and write."""
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
