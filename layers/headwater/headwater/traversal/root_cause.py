"""Root cause of a wrong number: the failures and changes at a node and upstream of it since the last good run.

The suspect is the newest run that wrote the dataset, or the newest run of the job. The last good run is the newest run
before the suspect that completed and has no failed children. Any failure or change since the start of the last good
run, at the node or upstream, may be the cause. Without a last good run, any stored failure or change may be the cause.

The walk upstream costs two reads a hop. Then a job costs up to two queries, and a dataset three, or four if no write of
the dataset is known. The queries are concurrent. The numbers of nodes, and of runs and versions of a node, are bounded.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId, NodeKind, job_id
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.activity import Activity, read_activity
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import RUNS_AT_A_TIME, Reader
from headwater.read.window import Window
from headwater.store.ranges import run_position
from headwater.traversal.findings import Finding, UpstreamNode, of_quality_results, of_schemas
from headwater.traversal.lineage import Direction, View, Walk, walk_lineage
from headwater.traversal.lineage_graph import LineageGraph
from headwater.traversal.run_findings import of_runs, went_well

MAX_NODES = 200
MAX_RUNS = 100
"""Writes of the dataset, or runs of the job, among which the suspect and the last good run are searched."""


@dataclass(frozen=True, slots=True)
class RootCause:
    """The findings, newest first, and for each job the number of its runs that went well. Of findings with the same
    time, the nearest comes first. `graph` is the graph upstream. `frontier` says what the search cannot see."""

    suspect: Run | None
    last_good: Run | None
    findings: tuple[Finding, ...]
    went_well: tuple[tuple[UpstreamNode, int], ...]
    is_truncated: bool
    graph: LineageGraph
    frontier: Frontier


def root_cause(
    reader: Reader, node: NamedNode, depth: int, as_of: Instant | None = None, view: View = View.CURRENT
) -> RootCause:
    """The findings at a job or dataset and upstream of it, until now or until a time."""
    graph = walk_lineage(reader, node, Walk(depth, Direction.UPSTREAM, view, as_of, MAX_NODES))
    ids, all_time = _ids(reader, graph), Window(NEVER, as_of)
    suspect = _suspect(reader, node, ids.get(graph.representative(node.dataset), ()), all_time)
    last_good = _last_good(reader, suspect, all_time) if suspect else None
    window = all_time._replace(since=last_good.started_at) if last_good else all_time
    upstream = _upstream(graph, node)
    jobs = [job for job in upstream.jobs if not graph.jobs[job].facts.is_derivation and not graph.jobs[job].is_foreign]
    readable = [dataset for dataset in upstream.datasets if not graph.datasets[dataset].is_foreign]
    activity = read_activity(reader, window, jobs, {dataset: ids[dataset] for dataset in readable})
    findings = sorted(_findings(graph, upstream, activity, window), key=_nearest)
    newest_first = sorted(findings, key=lambda finding: finding.at, reverse=True)
    well = _went_well(upstream, activity, window)
    is_truncated = graph.is_truncated or activity.is_truncated
    frontier = _frontier(graph, upstream, activity, window, depth)
    return RootCause(suspect, last_good, tuple(newest_first), tuple(well), is_truncated, graph, frontier)


def _nearest(finding: Finding) -> tuple[int, UpstreamNode]:
    return finding.node.distance, finding.node


def _suspect(reader: Reader, node: NamedNode, ids: Collection[DatasetId], window: Window) -> Run | None:
    """The newest run that wrote the dataset, under any of its ids. For a job, its newest run."""
    if node.kind is NodeKind.JOB:
        newest = islice(reader.store.runs_of(node.job).newest(until=window.until, limit=1), 1)
        return next(iter(reader.runs(list(newest))), None)
    writers = [writer for dataset in sorted(ids) if (writer := _newest_writer(reader, dataset, window))]
    return max(writers, key=lambda run: run.order, default=None)


def _newest_writer(reader: Reader, dataset: DatasetId, window: Window) -> Run | None:
    """The newest run that wrote a dataset. Writes of events without a run do not count."""
    newest = islice(reader.store.writes_of(dataset).newest(until=window.until, limit=MAX_RUNS), MAX_RUNS)
    while writes := list(islice(newest, RUNS_AT_A_TIME)):
        if runs := reader.runs([write.run for write in writes]):
            return runs[0]
    return None


def _last_good(reader: Reader, suspect: Run, window: Window) -> Run | None:
    line = reader.store.runs_of(job_id(suspect.job))
    earlier = islice(line.newest(before=run_position(suspect), limit=MAX_RUNS), MAX_RUNS)
    while runs := list(islice(earlier, RUNS_AT_A_TIME)):
        if good := next((run for run in reader.runs(runs) if went_well(run, window)), None):
            return good
    return None


class _Upstream(NamedTuple):
    """The nodes upstream, each with the distance of the shortest path."""

    jobs: dict[JobId, UpstreamNode]
    datasets: dict[DatasetId, UpstreamNode]


def _upstream(graph: LineageGraph, start: NamedNode) -> _Upstream:
    """The nodes upstream of the start, by the flow through each job."""
    upstream = _Upstream({}, {})
    datasets = {graph.representative(start.dataset)}
    if start.kind is NodeKind.JOB and start.job in graph.jobs:
        upstream.jobs[start.job] = UpstreamNode(NodeKind.JOB, graph.jobs[start.job].facts.name, 0)
        datasets = {graph.representative(dataset) for dataset in graph.edges_of[start.job].input_ids}
    distance = 0
    while datasets := (datasets & graph.datasets.keys()) - upstream.datasets.keys():
        for dataset in datasets:
            upstream.datasets[dataset] = UpstreamNode(NodeKind.DATASET, graph.datasets[dataset].facts.name, distance)
        distance += 1
        sources: set[DatasetId] = set()
        for job, edges in graph.edges_of.items():
            written = [output for output in edges.output_ids if graph.representative(output) in datasets]
            if written and job in graph.jobs:
                upstream.jobs.setdefault(job, UpstreamNode(NodeKind.JOB, graph.jobs[job].facts.name, distance))
                sources |= {graph.representative(source) for output in written for source in edges.upstream_of(output)}
        datasets = sources
    return upstream


def _ids(reader: Reader, graph: LineageGraph) -> dict[DatasetId, set[DatasetId]]:
    """The ids of each dataset under which states may be stored: its own id, and linked ids that events use."""
    ids = {dataset: {dataset} for dataset in graph.datasets}
    for other in reader.datasets(graph.representatives.keys() - ids.keys()):
        if graph.representative(other) in ids:
            ids[graph.representative(other)].add(other)
    return ids


def _frontier(graph: LineageGraph, upstream: _Upstream, activity: Activity, window: Window, depth: int) -> Frontier:
    """What was looked at since the last good run, else since the first event of a node upstream, and what was not."""
    jobs = {job: node for job, node in upstream.jobs.items() if job in activity.runs}
    foreign_jobs = sum(graph.jobs[job].is_foreign for job in upstream.jobs)
    datasets = {node: graph.datasets[node] for node in upstream.datasets if not graph.datasets[node].is_foreign}
    unwritten = datasets.keys() - {written for _, written in graph.writes}
    sources = {dataset for dataset in unwritten if not datasets[dataset].has_writer}
    is_ended_by_depth = any(upstream.datasets[dataset].distance >= depth for dataset in unwritten - sources)

    def ids(nodes: Iterable[UpstreamNode]) -> set[str]:
        return {node.node_id for node in nodes}

    unseen = blind_spots(
        (BlindSpot.JOBS_WITHOUT_RUNS, ids(node for job, node in jobs.items() if not activity.runs[job])),
        (BlindSpot.WRITERS, ids(upstream.datasets[dataset] for dataset in sources)),
        (BlindSpot.SCHEMAS, ids(upstream.datasets[node] for node, head in datasets.items() if head.schema is None)),
        (BlindSpot.HIDDEN, foreign_jobs + len(upstream.datasets) - len(datasets)),
        (BlindSpot.BEYOND, int(is_ended_by_depth or graph.is_truncated or activity.is_truncated)),
    )
    since = min((head.facts.created for head in datasets.values()), default=NEVER)
    return Frontier(window.since or since, len(jobs), len(datasets), unseen)


def _findings(graph: LineageGraph, upstream: _Upstream, activity: Activity, window: Window) -> Iterator[Finding]:
    for job, node in upstream.jobs.items():
        yield from of_runs(node, activity.runs.get(job, ()), window, graph.representative)
    for dataset, node in upstream.datasets.items():
        yield from of_schemas(node, activity.schema_changes.get(dataset, ()))
        yield from of_quality_results(node, activity.checks.get(dataset, ()))


def _went_well(upstream: _Upstream, activity: Activity, window: Window) -> Iterator[tuple[UpstreamNode, int]]:
    """The jobs with runs that went well, nearest first, each with the number of the runs."""
    for job, node in sorted(upstream.jobs.items(), key=lambda entry: (entry[1].distance, entry[1])):
        good = [run for run in activity.runs.get(job, ()) if went_well(run, window)]
        count = sum(window.has(run.ended_at or run.started_at) for run in good)
        if count:
            yield node, count
