"""What to look at when a number is wrong: what happened upstream since the last good run.

The suspect is the newest run that wrote the dataset, or the newest of the job. The last good run is the newest before
it that completed, and none of whose children failed. Whatever happened since that started, to the node itself and to
anything upstream, may be the cause; without a last good run, whatever is known.

The walk upstream costs two reads a hop. Then a job costs up to two queries and a dataset three, or four if nobody is
seen to write it, many at a time; so the walk is bounded in nodes, and what is looked at of each node is bounded too.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from headwater.graph.identity import NodeId, NodeKind, job_id
from headwater.graph.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.activity import Activity, read_activity
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import RUNS_AT_A_TIME, Reader
from headwater.read.schema_changes import run_of_write
from headwater.read.window import Window
from headwater.store import keys
from headwater.traversal.findings import Finding, UpstreamNode, of_quality_results, of_schemas
from headwater.traversal.lineage import Direction, LineageGraph, Walk, walk_lineage
from headwater.traversal.run_findings import of_runs, went_well

MAX_NODES = 200
MAX_RUNS = 100
"""Versions of the dataset, or runs of the job, among which the suspect and the last good run are looked for."""


@dataclass(frozen=True, slots=True)
class RootCause:
    """What may be the cause, newest first, ties nearest first; and of each job how many runs went well."""

    suspect: Run | None
    last_good: Run | None
    findings: tuple[Finding, ...]
    went_well: tuple[tuple[UpstreamNode, int], ...]
    is_truncated: bool


def root_cause(reader: Reader, node: NamedNode, depth: int, as_of: Instant | None = None) -> RootCause:
    """What happened to a job or dataset and upstream of it, up to now or to a time."""
    graph = walk_lineage(reader, node, Walk(depth, Direction.UPSTREAM, as_of=as_of, most=MAX_NODES))
    start = graph.one(node.id)
    ids, until = _ids(reader, graph), Window(NEVER, as_of)
    suspect = _newest_writer(reader, ids[start], until) if start in ids else _newest_run(reader, start, until)
    last_good = _last_good(reader, suspect, until) if suspect else None
    window = until._replace(since=last_good.started_at) if last_good else until
    upstream_nodes = _upstream_nodes(graph, start)
    jobs = [each for each in upstream_nodes if each in graph.jobs and not graph.jobs[each].facts.is_derivation]
    activity = read_activity(reader, window, jobs, {each: ids[each] for each in upstream_nodes if each in ids})
    findings = sorted(
        _findings(graph, upstream_nodes, activity, window), key=lambda each: (each.node.distance, each.node)
    )
    newest_first = sorted(findings, key=lambda each: each.at, reverse=True)
    well = _went_well(upstream_nodes, activity, window)
    is_truncated = graph.is_truncated or activity.is_truncated
    return RootCause(suspect, last_good, tuple(newest_first), tuple(well), is_truncated)


def _newest_run(reader: Reader, job: NodeId, window: Window) -> Run | None:
    newest = islice(reader.table.newest(keys.job_head(job).pk, before=window.end, limit=1), 1)
    return next(iter(reader.read_runs(list(newest))), None)


def _newest_writer(reader: Reader, ids: Collection[NodeId], window: Window) -> Run | None:
    """The newest run that wrote a dataset, under any of its ids; a version may also come of an event without one."""
    found: list[Run] = []
    for each in sorted(ids):
        newest = islice(reader.table.newest(keys.dataset_head(each).pk, before=window.end, limit=MAX_RUNS), MAX_RUNS)
        while some := list(islice(newest, RUNS_AT_A_TIME)):
            if runs := reader.read_runs([run_of_write(write) for write in some]):
                found.append(runs[0])
                break
    return max(found, key=lambda run: run.order, default=None)


def _last_good(reader: Reader, suspect: Run, window: Window) -> Run | None:
    pk, before = keys.job_head(job_id(suspect.job)).pk, keys.time_key(*suspect.order)
    earlier = islice(reader.table.newest(pk, before=before, limit=MAX_RUNS), MAX_RUNS)
    while some := list(islice(earlier, RUNS_AT_A_TIME)):
        if good := next((run for run in reader.read_runs(some) if went_well(run, window)), None):
            return good
    return None


def _upstream_nodes(graph: LineageGraph, start: NodeId) -> dict[NodeId, UpstreamNode]:
    """The nodes upstream, each so many job hops away as the shortest way has, by what jobs say is made of what."""
    found: dict[NodeId, UpstreamNode] = {}
    if start in graph.jobs:
        found[start] = UpstreamNode(NodeKind.JOB, graph.jobs[start].facts.name, 0)
        datasets = {graph.one(each) for each in graph.edges_of[start].input_ids}
    else:
        datasets = {start}
    distance = 0
    while datasets := {each for each in datasets if each in graph.datasets and each not in found}:
        found |= {each: UpstreamNode(NodeKind.DATASET, graph.datasets[each].facts.name, distance) for each in datasets}
        distance += 1
        made = [
            (job, each) for job in graph.jobs for each in graph.edges_of[job].output_ids if graph.one(each) in datasets
        ]
        found = {job: UpstreamNode(NodeKind.JOB, graph.jobs[job].facts.name, distance) for job, _ in made} | found
        datasets = {graph.one(behind) for job, each in made for behind in graph.edges_of[job].upstream_of(each)}
    return found


def _ids(reader: Reader, graph: LineageGraph) -> dict[NodeId, set[NodeId]]:
    """The ids under which anything may be stored of each dataset: its own, and those of other names that are used."""
    ids = {each: {each} for each in graph.datasets}
    for other in reader.datasets(graph.same.keys() - ids.keys()):
        if graph.one(other) in ids:
            ids[graph.one(other)].add(other)
    return ids


def _findings(
    graph: LineageGraph, upstream_nodes: Mapping[NodeId, UpstreamNode], activity: Activity, window: Window
) -> Iterator[Finding]:
    for node, upstream_node in upstream_nodes.items():
        yield from of_runs(upstream_node, activity.runs.get(node, ()), window, graph.one)
        yield from of_schemas(upstream_node, activity.schema_changes.get(node, ()))
        yield from of_quality_results(upstream_node, activity.checks.get(node, ()))


def _went_well(
    upstream_nodes: Mapping[NodeId, UpstreamNode], activity: Activity, window: Window
) -> Iterator[tuple[UpstreamNode, int]]:
    for node, upstream_node in sorted(upstream_nodes.items(), key=lambda each: (each[1].distance, each[1])):
        good = [run for run in activity.runs.get(node, ()) if went_well(run, window)]
        count = sum(window.has(run.ended_at or run.started_at) for run in good)
        if count:
            yield upstream_node, count
