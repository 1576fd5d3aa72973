"""Roll-up: a graph with parents in place of the jobs that the parents started. A Spark application stands for its
queries, a DAG for its tasks."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId, NodeId, job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.edges import Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import PARENT
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.traversal.lineage_graph import LineageGraph

MAX_STARTED_JOBS = 1_000
MAX_LEVELS = 4
"""The levels of a DAG, its tasks, the tasks' applications, and the applications' queries."""


class Rollup(StrEnum):
    PARENT = "parent"
    NONE = "none"


def jobs_started_by(reader: Reader, job: JobId) -> list[JobId]:
    """The jobs that the newest run of a job started, the jobs that their runs started, and so on.

    A query of an application starts no jobs, so its children are not read.
    """
    head = reader.jobs([job], usages=False).get(job)
    parents = [head.latest] if head and head.latest else []
    runs = {parent.run_id: head.facts.name.namespace for parent in parents if head}
    started: set[JobId] = set()
    for _ in range(MAX_LEVELS):
        parent_of = _children(reader, runs)
        new = sorted(parent_of.keys() - started - {job})[: MAX_STARTED_JOBS - len(started)]
        heads = _readable(reader.jobs(new, usages=False)) if new else {}
        heads = _started(reader, heads, parent_of, runs)
        started |= heads.keys()
        going_on = {child: head for child, head in heads.items() if not _is_query_job(head)}
        runs = {parent_of[child].child: head.facts.name.namespace for child, head in going_on.items()}
    return sorted(started)


def jobs_of_runs(reader: Reader, namespaces: Mapping[str, str]) -> dict[str, list[JobId]]:
    """The jobs that each of these runs started, by the namespace of the run's job."""
    parent_of = _children(reader, namespaces)
    heads = _readable(reader.jobs(sorted(parent_of), usages=False)) if parent_of else {}
    started = _started(reader, heads, parent_of, namespaces)
    return {run: [job for job in started if parent_of[job].parent == run] for run in namespaces}


class _Started(NamedTuple):
    """A run of a job, and the run that the job's run names as its parent."""

    child: str
    parent: str


def _children(reader: Reader, runs: Collection[str]) -> dict[JobId, _Started]:
    """The jobs of the runs that name one of these runs as their parent, under whatever job."""

    def children_of(run_id: str) -> list[JobRunId]:
        return [child.id for child in islice(reader.store.children_of(run_id).entries(), MAX_STARTED_JOBS)]

    children = zip(runs, concurrent_map(children_of, runs), strict=True)
    return {child.job: _Started(child.run_id, run_id) for run_id, of_run in children for child in of_run}


def _started(
    reader: Reader, heads: Mapping[JobId, JobHead], parent_of: Mapping[JobId, _Started], namespaces: Mapping[str, str]
) -> dict[JobId, JobHead]:
    """The jobs whose runs name their parent under the namespace of its job: a team may name the run id of another team
    as that of a job of its own. Usually the newest run of the job shows which; otherwise the run itself is read."""

    def is_expected(job: JobId, parent: Name | None) -> bool:
        return parent is not None and parent.namespace == namespaces[parent_of[job].parent]

    doubtful = [job for job, head in heads.items() if not is_expected(job, head.parent_name)]
    runs = reader.runs([JobRunId(job, parent_of[job].child) for job in doubtful]) if doubtful else []
    named = {run.id.job: run.parent.job for run in runs if run.parent}
    others = {job for job in doubtful if not is_expected(job, named.get(job))}
    return {job: head for job, head in heads.items() if job not in others}


def roll_up(reader: Reader, graph: LineageGraph, start: JobId, started: Collection[JobId]) -> LineageGraph:
    """The graph with parents in place of their jobs. A job that is a parent itself is not replaced.

    The start of the walk replaces all jobs that it started: a DAG as the start is one node. If a DAG is not the start,
    its tasks, or the tasks' applications, are nodes.
    """
    parent_of = _parents(graph)
    parent_jobs = set(parent_of.values())
    into = {job: parent for job, parent in parent_of.items() if job not in parent_jobs}
    into |= dict.fromkeys(graph.jobs.keys() & set(started), start)
    parents = _readable(reader.jobs(set(into.values()), usages=False))
    return _merged_into(graph, {job: parent for job, parent in into.items() if parent in parents}, parents)


def without_query_jobs(reader: Reader, graph: LineageGraph, start: JobId | None) -> LineageGraph:
    """The graph with applications in place of their queries, for applications that have inputs and outputs of their
    own.

    Such an application also reports for its queries: a stream is one node, without nodes for its micro-batches. If the
    start of the walk is a query, the queries of its application are drawn.
    """
    own_application = _parent(graph.jobs[start]) if start in graph.jobs else None
    started = {job: head for job, head in graph.jobs.items() if PARENT in head.facts.run_facets}
    application_of = {job: reader.store.made(_application, head) for job, head in started.items()}
    into = {job: parent for job, parent in application_of.items() if parent and parent != own_application}
    if not into:
        return graph
    applications = _readable(reader.jobs(set(into.values()), usages=False))
    reporting = {job: head for job, head in applications.items() if head.current}
    return _merged_into(graph, {job: parent for job, parent in into.items() if parent in reporting}, reporting)


def _readable(heads: Mapping[JobId, JobHead]) -> dict[JobId, JobHead]:
    """The jobs that the caller may read: no other job takes over edges or remains the start of a walk."""
    return {job: head for job, head in heads.items() if not head.is_foreign}


def _is_query_job(head: JobHead) -> bool:
    return is_query_job(values(head.facts.facets))


def _application(head: JobHead) -> JobId | None:
    """The application of a query."""
    return _parent(head) if _is_query_job(head) else None


def _parent(head: JobHead) -> JobId | None:
    return job_id(name) if (name := head.parent_name) else None


def _parents(graph: LineageGraph) -> dict[JobId, JobId]:
    return {job: parent for job, head in graph.jobs.items() if (parent := _parent(head))}


def _merged_into(graph: LineageGraph, into: Mapping[JobId, JobId], parents: Mapping[JobId, JobHead]) -> LineageGraph:
    """The graph with jobs merged into others: each parent takes over the edges of its jobs, and its own come first."""
    heads: dict[JobId, JobHead] = {}
    edges_of: dict[JobId, Edges] = {}
    for job, head in sorted(graph.jobs.items(), key=lambda each: (each[0] in into, each[0])):
        parent = into.get(job, job)
        heads[parent] = parents.get(parent, head)
        edges_of[parent] = _united(edges_of.get(parent), graph.edges_of[job])
    return replace(
        graph,
        order=dict.fromkeys(_drawn_as(node, into) for node in graph.order),
        jobs=heads,
        edges_of=edges_of,
        reads={(dataset, into.get(job, job)) for dataset, job in graph.reads},
        writes={(into.get(job, job), dataset) for job, dataset in graph.writes},
    )


def _drawn_as(node: NodeId, into: Mapping[JobId, JobId]) -> NodeId:
    """The node that stands for a node in the graph. A dataset stands for itself."""
    return into.get(JobId(node), node)


def _united(edges: Edges | None, other: Edges) -> Edges:
    if edges is None:
        return other._replace(sources=())
    inputs = {dataset.id: dataset for dataset in edges.inputs + other.inputs}
    outputs = {dataset.id: dataset for dataset in edges.outputs + other.outputs}
    foreign = tuple(sorted({*edges.foreign, *other.foreign}))
    return edges._replace(inputs=tuple(inputs.values()), outputs=tuple(outputs.values()), foreign=foreign)
