"""Parents in place of their jobs: a Spark application instead of its actions, a DAG instead of its tasks."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import islice

from headwater.concurrent import concurrent_map
from headwater.graph.application import is_query_job
from headwater.graph.facets import parent_name
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import Edges, JobHead
from headwater.graph.register import values
from headwater.read.reader import Reader
from headwater.store import keys
from headwater.store.keys import Key
from headwater.traversal.lineage import LineageGraph

MAX_STARTED_JOBS = 1_000
MAX_LEVELS = 4
"""A DAG, its tasks, their applications, the actions of those."""


class Rollup(StrEnum):
    PARENT = "parent"
    NONE = "none"


def jobs_started_by(reader: Reader, job: NodeId) -> list[NodeId]:
    """The jobs that the newest run of a job started, those that their runs started, and so on. Actions start none."""
    head = reader.jobs([job], usages=False).get(job)
    runs = [head.latest.run_id] if head and head.latest else []
    found: dict[NodeId, str] = {}
    for _ in range(MAX_LEVELS):
        listed = concurrent_map(lambda run: list(islice(_children(reader, run), MAX_STARTED_JOBS)), runs)
        runs_of = {keys.node_of(key.pk): keys.run_id_of(key.sk) for of_run in listed for key in of_run}
        new = sorted(runs_of.keys() - found.keys() - {job})[: MAX_STARTED_JOBS - len(found)]
        found |= {each: runs_of[each] for each in new}
        heads = reader.jobs(new, usages=False) if new else {}
        runs = [runs_of[each] for each, head in heads.items() if not _is_query_job(head)]
    return sorted(found)


def _children(reader: Reader, run_id: str) -> Iterator[Key]:
    return (child.key for child in reader.table.list_entries(keys.children_of(run_id)))


def roll_up(reader: Reader, graph: LineageGraph, start: NodeId, started: Collection[NodeId]) -> LineageGraph:
    """The graph with each job's parent in its place, as far as it has one, but for parents of jobs of the graph.

    A job that was asked for, and started others, is that of all of them: a DAG is one node if it was asked for, its
    tasks or their applications are if it was not.
    """
    above = _parents(graph)
    of_others = set(above.values())
    above = {job: parent for job, parent in above.items() if job not in of_others}
    above |= dict.fromkeys(graph.jobs.keys() & set(started), start)
    parents = reader.jobs(set(above.values()), usages=False)
    return _merged_into(graph, {job: parent for job, parent in above.items() if parent in parents}, parents)


def without_query_jobs(reader: Reader, graph: LineageGraph, start: NodeId) -> LineageGraph:
    """The graph with applications in place of their actions, if they say themselves what they read and write.

    They say it of their actions, too: a stream is one job, and its micro-batches are none beside it. If it is an action
    that was asked for, those of its application are drawn.
    """
    above = _parents(graph)
    asked = above.get(start)
    into = {
        job: above[job]
        for job, head in graph.jobs.items()
        if _is_query_job(head) and above.get(job) not in (None, asked)
    }
    applications = reader.jobs(set(into.values()), usages=False) if into else {}
    telling = {job: head for job, head in applications.items() if head.current}
    return _merged_into(graph, {job: parent for job, parent in into.items() if parent in telling}, telling)


def _is_query_job(head: JobHead) -> bool:
    return is_query_job(values(head.facts.facets))


def _parents(graph: LineageGraph) -> dict[NodeId, NodeId]:
    named = {job: parent_name(head) for job, head in graph.jobs.items()}
    return {job: job_id(name) for job, name in named.items() if name}


def _merged_into(graph: LineageGraph, into: Mapping[NodeId, NodeId], parents: Mapping[NodeId, JobHead]) -> LineageGraph:
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
