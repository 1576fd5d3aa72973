"""GET /lineage: the graph around a node.

By default in Marquez's semantics: two jobs are neighbours if one reads or writes what the other reads or writes, and
the answer has the jobs up to `depth` such hops away with all their inputs and outputs. With a direction, only what
flows into the node, or out of it: of a job on the way those inputs and outputs alone that the flow goes through. A hop
costs two reads, the datasets with their neighbours, then the jobs; so what a lookup costs depends on its answer, not on
what else the table holds.
"""

import time as clock
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, NodeKind
from headwater.graph.job import Edges, JobHead
from headwater.graph.neighbours import NOBODY, Side
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader

MAX_SECONDS = 15
"""A Lambda behind an API has 29 seconds; a walk that takes longer than this is cut, and says so."""


MAX_FIRST = 200
"""Jobs of a dataset that are looked at for the one to start from: of very many readers, some."""


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"


class View(StrEnum):
    """Whether a job has the edges of its newest run, or all that it ever had."""

    CURRENT = "current"
    EVER = "ever"


class Walk(NamedTuple):
    """How to go: how many job hops, which way (None: as Marquez does), by which edges, and how many nodes to find."""

    depth: int
    direction: Direction | None = None
    view: View = View.CURRENT
    as_of: Instant | None = None
    most: int = 5_000


LineageEdge = tuple[NodeId, NodeId]
"""From an input to its job, or from a job to its output."""


@dataclass
class LineageGraph:
    """What a walk found: nodes in the order in which it came to them, and its edges. `same` has the other ids of its
    datasets; `edges_of` is what each job reads and writes in the walk's view."""

    order: dict[NodeId, None] = field(default_factory=dict)
    jobs: dict[NodeId, JobHead] = field(default_factory=dict)
    datasets: dict[NodeId, DatasetHead] = field(default_factory=dict)
    edges_of: dict[NodeId, Edges] = field(default_factory=dict)
    edges: set[LineageEdge] = field(default_factory=set)
    same: dict[NodeId, NodeId] = field(default_factory=dict)
    is_truncated: bool = False

    def one(self, dataset: NodeId) -> NodeId:
        """The id that stands for a dataset."""
        return self.same.get(dataset, dataset)


class _Walker:
    def __init__(self, reader: Reader, walk: Walk) -> None:
        self.reader = reader
        self.walk = walk
        self.graph = LineageGraph()
        self.users: dict[NodeId, Mapping[Side, frozenset[NodeId]]] = {}
        self.deadline = clock.monotonic() + MAX_SECONDS

    def read_jobs(self, ids: Collection[NodeId]) -> dict[NodeId, JobHead]:
        """The jobs among these that are not in the graph yet, with the edges that they have in this view."""
        wanted = sorted(set(ids) - self.graph.jobs.keys())
        if len(wanted) > self.room():
            self.graph.is_truncated = True
            wanted = wanted[: self.room()]
        heads = self.reader.jobs(wanted, usages=self.walk.view is View.EVER)
        if self.walk.as_of:
            edges = self.reader.edges_at(heads, self.walk.as_of)
        else:
            edges = {job: head.ever if self.walk.view is View.EVER else head.current for job, head in heads.items()}
        self.graph.edges_of |= edges
        return heads

    def add_jobs(self, heads: Mapping[NodeId, JobHead]) -> None:
        self.graph.jobs |= heads
        self.graph.order |= dict.fromkeys(sorted(heads))

    def add_datasets(self, ids: Collection[NodeId], sides: Collection[Side]) -> set[NodeId]:
        """Reads the datasets that are not in the graph yet, and who uses them. Returns the new ones."""
        unread = {each for each in ids if self.graph.one(each) not in self.graph.order}
        neighbourhood = self.reader.neighbourhood(unread, sides, self.room())
        self.graph.is_truncated |= neighbourhood.is_cut
        heads = (
            self.reader.datasets_at(neighbourhood.heads, self.walk.as_of) if self.walk.as_of else neighbourhood.heads
        )
        new = heads.keys() - self.graph.order.keys()
        self.graph.same |= neighbourhood.same
        self.users |= neighbourhood.users
        self.graph.datasets |= heads
        self.graph.order |= dict.fromkeys(sorted(new))
        return set(new)

    def room(self) -> int:
        """How many more nodes are looked at: one more than are wanted, which tells that there are more."""
        return max(0, self.walk.most - len(self.graph.order)) + 1

    def is_over(self) -> bool:
        is_over = len(self.graph.order) >= self.walk.most or clock.monotonic() > self.deadline
        self.graph.is_truncated |= is_over
        return is_over

    def used_by(self, datasets: Collection[NodeId], sides: Collection[Side]) -> set[NodeId]:
        return {job for each in datasets for side in sides for job in self.users.get(each, NOBODY)[side]}


def walk_lineage(reader: Reader, start: NamedNode, walk: Walk, query_jobs: Collection[NodeId] = ()) -> LineageGraph:
    """The graph around a node, and around the jobs that are parts of it.

    Its size is bounded; `is_truncated` tells that there is more.
    """
    walker = _Walker(reader, walk)
    if walk.direction is None:
        _undirected(walker, start, query_jobs)
    else:
        ways = [each for each in (Direction.UPSTREAM, Direction.DOWNSTREAM) if walk.direction in (each, Direction.BOTH)]
        for way in ways:
            _directed(walker, start, query_jobs, way)
    graph = walker.graph
    graph.edges = {(graph.one(a), graph.one(b)) for a, b in graph.edges}
    graph.edges = {(a, b) for a, b in graph.edges if a in graph.order and b in graph.order}
    return graph


def _undirected(walker: _Walker, start: NamedNode, query_jobs: Collection[NodeId]) -> None:
    graph, depth = walker.graph, walker.walk.depth
    sides = tuple(Side)
    jobs = walker.read_jobs([start.id, *query_jobs]) if start.kind is NodeKind.JOB else _first_job(walker, start.id)
    for hop in range(depth + 1):
        walker.add_jobs(jobs)
        used = {each for job in jobs for each in graph.edges_of[job].input_ids | graph.edges_of[job].output_ids}
        is_last = hop == depth or not jobs or walker.is_over()
        new = walker.add_datasets(used, () if is_last else sides)
        if hop == 0 and start.kind is NodeKind.DATASET and not is_last:
            new |= graph.datasets.keys()
        if is_last or not new:
            break
        found = walker.read_jobs(walker.used_by(new, sides))
        jobs = {job: head for job, head in found.items() if _touches(graph, job, new)}
    for job in graph.jobs:
        edges = graph.edges_of[job]
        graph.edges |= {(each, job) for each in edges.input_ids} | {(job, each) for each in edges.output_ids}


def _touches(graph: LineageGraph, job: NodeId, datasets: Collection[NodeId]) -> bool:
    edges = graph.edges_of[job]
    return any(graph.one(each) in datasets for each in edges.input_ids | edges.output_ids)


def _first_job(walker: _Walker, dataset: NodeId) -> dict[NodeId, JobHead]:
    """The job that Marquez starts from: the writer that ran last, else the reader that did."""
    graph = walker.graph
    neighbourhood = walker.add_datasets([dataset], tuple(Side))
    for side in (Side.WRITES, Side.READS):
        users = walker.read_jobs(sorted(walker.used_by(neighbourhood, (side,)))[:MAX_FIRST])
        now = [(graph.edges_of[job].said_at, job) for job in users if _does(graph, job, side, neighbourhood)]
        if now:
            _, newest = max(now)
            return {newest: users[newest]}
    return {}


def _does(graph: LineageGraph, job: NodeId, side: Side, datasets: Collection[NodeId]) -> bool:
    edges = graph.edges_of[job]
    return any(graph.one(each) in datasets for each in (edges.output_ids if side is Side.WRITES else edges.input_ids))


def _directed(walker: _Walker, start: NamedNode, query_jobs: Collection[NodeId], way: Direction) -> None:
    """Follows the flow of data, one job hop at a time: from datasets to the jobs on their one side, and on from there
    through those of the jobs' datasets that are made of them, or that they are made of, by what the jobs say."""
    graph, up = walker.graph, way is Direction.UPSTREAM
    side = Side.WRITES if up else Side.READS
    sides = tuple(Side) if walker.walk.direction is Direction.BOTH else (side,)
    if start.kind is NodeKind.JOB:
        walker.add_jobs(walker.read_jobs([start.id, *query_jobs]))
        begin = {job: graph.edges_of[job] for job in (start.id, *query_jobs) if job in graph.jobs}
        ends = {
            (job, each) for job, of_job in begin.items() for each in (of_job.input_ids if up else of_job.output_ids)
        }
        graph.edges |= {_edge(job, each, up) for job, each in ends}
        used = frozenset(each for _, each in ends)
    else:
        used = frozenset([start.id])
    walker.add_datasets(used, sides)
    done: set[NodeId] = set()
    for hop in range(walker.walk.depth):
        frontier = ({graph.one(each) for each in used} & graph.datasets.keys()) - done
        done |= frontier
        if not frontier or walker.is_over():
            break
        candidates = walker.used_by(frontier, (side,))
        heads = walker.read_jobs(candidates) | {job: graph.jobs[job] for job in candidates & graph.jobs.keys()}
        flows = {job: _flow(graph, graph.edges_of[job], frontier, up) for job in heads}
        walker.add_jobs({job: heads[job] for job, flow in flows.items() if flow})
        graph.edges |= {_edge(job, near, not up) for job, flow in flows.items() for near in flow}
        graph.edges |= {_edge(job, far, up) for job, flow in flows.items() for fars in flow.values() for far in fars}
        used = frozenset(far for flow in flows.values() for fars in flow.values() for far in fars)
        walker.add_datasets(used, sides if hop < walker.walk.depth - 1 else ())


def _flow(graph: LineageGraph, edges: Edges, frontier: Collection[NodeId], up: bool) -> dict[NodeId, frozenset[NodeId]]:
    """The datasets of the frontier that a job is on the way of, and what is behind it for each."""
    near = edges.output_ids if up else edges.input_ids
    behind = edges.upstream_of if up else edges.downstream_of
    return {each: behind(each) for each in near if graph.one(each) in frontier}


def _edge(job: NodeId, dataset: NodeId, is_input: bool) -> LineageEdge:
    return (dataset, job) if is_input else (job, dataset)


DEFAULT_DEPTH = 20
