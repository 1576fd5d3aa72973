"""The lineage graph around a node.

Without a direction, the graph is that of Marquez: two jobs are adjacent if they use a common dataset, and the graph has
the jobs up to `depth` such hops away, with all their inputs and outputs.

With a direction, the graph has only the nodes from which data flows into the start (upstream), or into which data flows
from the start (downstream). A job has only the inputs and outputs that this flow goes through.

A hop costs two reads: the datasets with their neighbours, then the jobs. So the cost of a lookup depends on the size of
its graph, not of the table. In the current view, the datasets with several writers cost a read of these writers, and a
read of the runs of each writer that another job may have replaced (retired_writers).
"""

import time as clock
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import StrEnum
from itertools import product
from typing import NamedTuple

from headwater.concurrent import give_way
from headwater.graph.names.identity import DatasetId, JobId, NodeId, NodeKind
from headwater.graph.states.edges import Edges, RenamedAway
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Neighbours, Side
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.application_queries import with_application_reads
from headwater.traversal.lineage_graph import LineageGraph, reached
from headwater.traversal.retired_writers import KnownJobs, retired_writes

DEFAULT_DEPTH = 20
MAX_SECONDS = 15
"""A walk that takes longer ends early, with a truncated graph. A Lambda behind an API has 29 seconds."""

MAX_FIRST = 200
"""How many jobs of a dataset are candidates for the first job of a walk without direction."""


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"


class View(StrEnum):
    """Whether a job has the edges of its newest run, or all edges that it ever had. The current view has no retired
    writers."""

    CURRENT = "current"
    EVER = "ever"


class Walk(NamedTuple):
    """The reach of a walk: hops, direction (None: as in Marquez), view, time (None: now), and nodes.

    `of_applications`   whether a query has the edges between what its application only reads and what it writes
    `is_settled`        for a comparison of times: a job whose run was open or had failed has the edges of its runs
                        before, too
    `with_usages`       whether the heads of the jobs have their usages, in the current view, too
    """

    depth: int
    direction: Direction | None = None
    view: View = View.CURRENT
    as_of: Instant | None = None
    most: int = 5_000
    of_applications: bool = False
    is_settled: bool = False
    with_usages: bool = False


class _Walker:
    """A walk in progress: its graph so far, and the neighbours of the datasets from which it may go on."""

    def __init__(self, reader: Reader, walk: Walk, renamed_away: RenamedAway) -> None:
        self.renamed_away = {**renamed_away}
        self.reader = reader
        self.walk = walk
        self.graph = LineageGraph()
        self.users: dict[DatasetId, Neighbours] = {}
        self.unread: dict[DatasetId, dict[Side, int]] = {}
        self.followed: list[tuple[Collection[DatasetId], Collection[Side]]] = []
        self.used: set[JobId] = set()
        self.asked: set[JobId] = set()
        self.heads: dict[JobId, JobHead] = {}
        self.deadline = clock.monotonic() + MAX_SECONDS

    def read_jobs(self, ids: Collection[JobId]) -> dict[JobId, JobHead]:
        """Reads the jobs that are not in the graph yet, and their edges in the walk's view."""
        wanted = sorted(set(ids) - self.graph.jobs.keys())
        if len(wanted) > self.room():
            self.graph.is_truncated = True
            wanted = wanted[: self.room()]
        self.asked |= set(wanted)
        heads = self.reader.jobs(wanted, usages=self.walk.with_usages or self.walk.view is View.EVER)
        if self.walk.as_of:
            heads = self.reader.in_the_past(heads, self.walk.as_of)
        self.heads |= heads
        if self.walk.of_applications:
            edges = with_application_reads(self.reader, heads, self.edges, self.walk.as_of)
        else:
            edges = self.edges(heads)
        self.graph.edges_of |= edges
        self.graph.ends_of |= self.reader.ends(edges)
        return heads

    def edges(self, heads: Mapping[JobId, JobHead]) -> dict[JobId, Edges]:
        """The edges of jobs in the walk's view."""
        if self.walk.is_settled and self.walk.as_of:
            # imported by the first request for it: few cold starts need it
            from headwater.read.edges_of_runs import settled_edges  # noqa: PLC0415

            return settled_edges(self.reader, heads, self.walk.as_of, self.renamed_away)
        is_ever = self.walk.view is View.EVER
        return self.reader.edges(heads, self.walk.as_of, self.renamed_away, ever=is_ever)

    def add_jobs(self, heads: Mapping[JobId, JobHead]) -> None:
        self.graph.jobs |= heads
        self.graph.order |= dict.fromkeys(sorted(heads))

    def add_datasets(self, ids: Collection[DatasetId], sides: Collection[Side]) -> set[DatasetId]:
        """Reads the datasets that are not in the graph yet, with their neighbours. Returns the new datasets."""
        others = self.graph.representatives
        unread = {each for each in ids if others.get(each, each) not in self.graph.datasets}
        give_way()
        neighbourhood = self.reader.neighbourhood(unread, {*sides, Side.WRITES}, self.room(), self.walk.as_of)
        self.graph.is_truncated |= neighbourhood.is_cut
        others = neighbourhood.representatives
        self.graph.deleted |= {each for each in unread if others.get(each, each) not in neighbourhood.heads}
        heads = (
            self.reader.datasets_at(neighbourhood.heads, self.walk.as_of) if self.walk.as_of else neighbourhood.heads
        )
        new = heads.keys() - self.graph.datasets.keys()
        give_way()
        self.graph.representatives |= neighbourhood.representatives
        self.graph.renamed |= neighbourhood.renamed
        self.renamed_away |= neighbourhood.renamed_away
        self.users |= neighbourhood.users
        self.unread |= neighbourhood.unread
        self.graph.datasets |= heads
        self.graph.order |= dict.fromkeys(sorted(new))
        return set(new)

    def room(self) -> int:
        """The number of nodes that may still be read: one more than wanted, which shows whether there are more."""
        return max(0, self.walk.most - len(self.graph.order)) + 1

    def is_over(self) -> bool:
        is_over = len(self.graph.order) >= self.walk.most or clock.monotonic() > self.deadline
        self.graph.is_truncated |= is_over
        return is_over

    def used_by(self, datasets: Collection[DatasetId], sides: Collection[Side]) -> set[JobId]:
        """The jobs that ever used any of these datasets, on some sides, as far as they were read."""
        self.followed.append((datasets, sides))
        known = [self.users.get(dataset, NO_NEIGHBOURS) for dataset in datasets]
        used = set[JobId]().union(*[users[side] for users in known for side in sides])
        self.used |= used
        return used

    def part_read(self) -> dict[tuple[DatasetId, Side], float]:
        """The part of the jobs that were read, of each side that the walk followed but did not read to its end."""
        parts: dict[tuple[DatasetId, Side], float] = {}
        if self.used <= self.asked and not self.unread:
            return parts
        for dataset, side in {each for followed in self.followed for each in product(*followed)}:
            known = self.users.get(dataset, NO_NEIGHBOURS)[side]
            give_way()
            read, unread = known & self.asked, self.unread.get(dataset, {}).get(side, 0)
            if 0 < len(read) < len(known) + unread:
                parts[dataset, side] = len(read) / (len(known) + unread)
        return parts


def walk_lineage(reader: Reader, start: NamedNode, walk: Walk, query_jobs: Collection[JobId] = ()) -> LineageGraph:
    """The graph around a node, and around the jobs that the node started (`query_jobs`).

    The size of the graph is bounded; `is_truncated` says that there are more nodes.

    A walk that meets a name which another dataset has by now starts over, knowing whose edges are whose.
    """
    renamed_away: RenamedAway = {}
    while (walker := _walked(reader, start, walk, query_jobs, renamed_away)).renamed_away.keys() > renamed_away.keys():
        renamed_away = walker.renamed_away
    give_way()
    graph = replace(
        walker.graph.between_its_nodes(),
        part_read=walker.part_read(),
        writers={dataset: users[Side.WRITES] for dataset, users in walker.users.items()},
        job_heads=walker.heads,
    )
    give_way()
    return graph if walk.view is View.EVER else _without_retired_writers(walker, graph, start, query_jobs)


def _walked(
    reader: Reader, start: NamedNode, walk: Walk, query_jobs: Collection[JobId], renamed_away: RenamedAway
) -> _Walker:
    walker = _Walker(reader, walk, renamed_away)
    if walk.direction is None:
        _walk_undirected(walker, start, query_jobs)
    else:
        for way in (Direction.UPSTREAM, Direction.DOWNSTREAM):
            if walk.direction in (way, Direction.BOTH):
                _walk_directed(walker, start, query_jobs, way)
    return walker


def _walk_undirected(walker: _Walker, start: NamedNode, query_jobs: Collection[JobId]) -> None:
    """Walks from jobs to all their datasets, and from the datasets to all other jobs that use them, as in Marquez."""
    graph, depth, sides = walker.graph, walker.walk.depth, tuple(Side)
    is_of_job = start.kind is NodeKind.JOB
    jobs = walker.read_jobs([start.job, *query_jobs]) if is_of_job else _first_job(walker, start.dataset)
    for hop in range(depth + 1):
        walker.add_jobs(jobs)
        own = [job for job, head in jobs.items() if not head.is_foreign]
        used = set[DatasetId]().union(*[ends for job in own for ends in graph.ends_of[job]])
        is_last = hop == depth or not jobs or walker.is_over()
        new = walker.add_datasets(used, () if is_last else sides)
        if hop == 0 and not is_of_job and not is_last:
            new |= graph.datasets.keys()
        if is_last or not new:
            break
        users = walker.read_jobs(walker.used_by(new, sides))
        jobs = {job: head for job, head in users.items() if _uses(graph, graph.ends_of[job], new)}
    give_way()
    graph.reads = {(dataset, job) for job in graph.jobs for dataset in graph.ends_of[job].inputs}
    graph.writes = {(job, dataset) for job in graph.jobs for dataset in graph.ends_of[job].outputs}


def _first_job(walker: _Walker, dataset: DatasetId) -> dict[JobId, JobHead]:
    """The job from which Marquez starts: the writer that ran last, else the reader that ran last."""
    graph = walker.graph
    datasets = walker.add_datasets([dataset], tuple(Side))
    for side in (Side.WRITES, Side.READS):
        users = walker.read_jobs(sorted(walker.used_by(datasets, (side,)))[:MAX_FIRST])
        now = [
            (graph.edges_of[job].time, job)
            for job in users
            if _uses(graph, [_datasets_on(side, graph.edges_of[job])], datasets)
        ]
        if now:
            _, newest = max(now)
            return {newest: users[newest]}
    return {}


def _datasets_on(side: Side, edges: Edges) -> frozenset[DatasetId]:
    return edges.output_ids if side is Side.WRITES else edges.input_ids


def _uses(graph: LineageGraph, used: Iterable[frozenset[DatasetId]], datasets: AbstractSet[DatasetId]) -> bool:
    if not graph.representatives:
        return not all(map(datasets.isdisjoint, used))
    return any(graph.representative(dataset) in datasets for each in used for dataset in each)


def _walk_directed(walker: _Walker, start: NamedNode, query_jobs: Collection[JobId], way: Direction) -> None:
    """Follows the flow of data hop by hop, upstream or downstream.

    A hop upstream from `orders`; the producer of `clean` says that `orders` is made only of `raw`:

        before                              after
        frontier: {orders}                  frontier: {raw}
        clean reads raw, rates              edges:    raw -> clean -> orders
        clean writes orders, audit          not in the graph: rates and audit,
                                            since no data flows from them to `orders`
    """
    graph = walker.graph
    is_upstream = way is Direction.UPSTREAM
    side = Side.WRITES if is_upstream else Side.READS
    sides = tuple(Side) if walker.walk.direction is Direction.BOTH else (side,)
    used = _begin(walker, [start.job, *query_jobs], way) if start.kind is NodeKind.JOB else {start.dataset}
    walker.add_datasets(used, sides)
    done: set[DatasetId] = set()
    for hop in range(walker.walk.depth):
        frontier = ({graph.representative(dataset) for dataset in used} & graph.datasets.keys()) - done
        done |= frontier
        if not frontier or walker.is_over():
            break
        users = walker.used_by(frontier, (side,))
        heads = walker.read_jobs(users) | {job: graph.jobs[job] for job in users & graph.jobs.keys()}
        flows = {job: flow for job in heads if (flow := _flow(graph, graph.edges_of[job], frontier, way))}
        walker.add_jobs({job: heads[job] for job in flows})
        used = set()
        for job, flow in flows.items():
            far = frozenset().union(*flow.values())
            _add_flow(graph, job, near=flow.keys(), far=far, way=way)
            used |= far
        walker.add_datasets(used, sides if hop < walker.walk.depth - 1 else ())


def _begin(walker: _Walker, jobs: Collection[JobId], way: Direction) -> set[DatasetId]:
    """Adds the jobs to start from. Returns their inputs (upstream) or outputs (downstream)."""
    graph, side = walker.graph, Side.READS if way is Direction.UPSTREAM else Side.WRITES
    walker.add_jobs(walker.read_jobs(jobs))
    ends = {job: _datasets_on(side, graph.edges_of[job]) for job in jobs if job in graph.jobs}
    for job, datasets in ends.items():
        _add_flow(graph, job, near=(), far=datasets, way=way)
    return set().union(*ends.values())


def _flow(
    graph: LineageGraph, edges: Edges, frontier: Collection[DatasetId], way: Direction
) -> dict[DatasetId, frozenset[DatasetId]]:
    """For each dataset of the frontier that a job uses: the datasets on the other side of the job."""
    if way is Direction.UPSTREAM:
        return {
            dataset: edges.upstream_of(dataset)
            for dataset in edges.output_ids
            if graph.representative(dataset) in frontier
        }
    return {
        dataset: edges.downstream_of(dataset)
        for dataset in edges.input_ids
        if graph.representative(dataset) in frontier
    }


def _add_flow(
    graph: LineageGraph, job: JobId, *, near: Iterable[DatasetId], far: Iterable[DatasetId], way: Direction
) -> None:
    """Adds the edges of a job. Upstream, the job writes the datasets near the start and reads the far ones."""
    reads, writes = (far, near) if way is Direction.UPSTREAM else (near, far)
    graph.add_reads(job, reads)
    graph.add_writes(job, writes)


def _without_retired_writers(
    walker: _Walker, graph: LineageGraph, start: NamedNode, query_jobs: Collection[JobId]
) -> LineageGraph:
    """The graph without what only retired writers gave it. A walk from a retired writer shows that writer."""
    of_job, depth, direction = start.kind is NodeKind.JOB, walker.walk.depth, walker.walk.direction
    begin: set[NodeId] = {start.job, *query_jobs} if of_job else {graph.representative(start.dataset)}
    known = KnownJobs(graph.job_heads, graph.edges_of, walker.users, graph.representative, walker.renamed_away)
    written = {dataset for _, dataset in graph.writes}
    retired = retired_writes(walker.reader, written, known, walker.walk.as_of, walker.walk.most)
    gone = {(job, dataset) for job, dataset in retired if job not in begin}
    if not gone:
        return graph
    left = graph.without_writes(gone)
    down = left.edges
    up = {(target, source) for source, target in down}
    ways = {None: [down | up], Direction.UPSTREAM: [up], Direction.DOWNSTREAM: [down], Direction.BOTH: [up, down]}
    steps = 2 * depth + (1 if of_job else 0 if direction else 2)
    return left.only(set().union(*(reached(edges, begin, steps) for edges in ways[direction])))
