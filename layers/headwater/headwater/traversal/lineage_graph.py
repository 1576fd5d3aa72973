"""The graph that a walk finds: jobs, datasets, and the edges between them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain

from headwater.graph.facets.members import INPUTS
from headwater.graph.names.identity import DatasetId, JobId, NodeId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import Edges, Ends
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Side
from headwater.read.neighbourhood import NameSpan

LineageEdge = tuple[NodeId, NodeId]
"""From an input to its job, or from a job to its output."""


@dataclass
class LineageGraph:
    """The graph of a walk.

    order              nodes in the order in which the walk reached them
    edges_of           the edges of each job in the walk's view
    ends_of            their ends
    reads              edges from an input to its job
    writes             edges from a job to its output
    representatives    the representative of each id, for datasets with several ids
    renamed            the ids of renamed datasets, each with its time (`Neighbourhood.renamed`)
    deleted            datasets that the walk came to, and that are deleted: it goes no further there
    writers            the jobs that ever wrote each dataset
    job_heads          the heads of all jobs that were read: also of those that were rolled up, or are beside the graph
    part_read          the part of the jobs on a side of a dataset that the walk read, about, where it is not the whole
    """

    order: dict[NodeId, None] = field(default_factory=dict)
    jobs: dict[JobId, JobHead] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetHead] = field(default_factory=dict)
    edges_of: dict[JobId, Edges] = field(default_factory=dict)
    ends_of: dict[JobId, Ends] = field(default_factory=dict)
    reads: set[tuple[DatasetId, JobId]] = field(default_factory=set)
    writes: set[tuple[JobId, DatasetId]] = field(default_factory=set)
    representatives: dict[DatasetId, DatasetId] = field(default_factory=dict)
    renamed: dict[DatasetId, tuple[NameSpan, ...]] = field(default_factory=dict)
    deleted: set[DatasetId] = field(default_factory=set)
    writers: dict[DatasetId, frozenset[JobId]] = field(default_factory=dict)
    job_heads: dict[JobId, JobHead] = field(default_factory=dict)
    part_read: dict[tuple[DatasetId, Side], float] = field(default_factory=dict)
    is_truncated: bool = False

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    @property
    def edges(self) -> set[LineageEdge]:
        return {*self.reads, *self.writes}

    def add_reads(self, job: JobId, inputs: Iterable[DatasetId]) -> None:
        self.reads.update([(dataset, job) for dataset in inputs])

    def add_writes(self, job: JobId, outputs: Iterable[DatasetId]) -> None:
        self.writes.update([(job, dataset) for dataset in outputs])

    @property
    def foreign_edges(self) -> set[LineageEdge]:
        """The edges to datasets whose namespaces the producer may not write."""
        foreign = {(job, self.representative(node)) for job, edges in self.edges_of.items() for node in edges.foreign}
        if not foreign:
            return set()
        read = {(dataset, job) for dataset, job in self.reads if (job, dataset) in foreign}
        return read | {(job, dataset) for job, dataset in self.writes if (job, dataset) in foreign}

    @property
    def candidate_edges(self) -> set[LineageEdge]:
        """The edges from inputs to jobs that only may use them."""
        doubtful = {job for job, head in self.jobs.items() if INPUTS in head.facts.run_facets and head.reads_candidates}
        return {(dataset, job) for dataset, job in self.reads if job in doubtful} if doubtful else set()

    def without_writes(self, gone: Collection[tuple[JobId, DatasetId]]) -> "LineageGraph":
        """The graph without some edges from jobs to outputs. A job that is left without an output reads nothing."""
        writes = self.writes.difference(gone)
        idle = {job for job, _ in gone} - {job for job, _ in writes}
        return replace(self, writes=writes, reads={(dataset, job) for dataset, job in self.reads if job not in idle})

    def only(self, nodes: Collection[NodeId]) -> "LineageGraph":
        """The graph between some of its nodes."""
        return replace(
            self,
            order=dict.fromkeys(node for node in self.order if node in nodes),
            jobs={job: head for job, head in self.jobs.items() if job in nodes},
            datasets={dataset: head for dataset, head in self.datasets.items() if dataset in nodes},
        ).between_its_nodes()

    def between_its_nodes(self) -> "LineageGraph":
        """The graph without edges to nodes outside of the graph; each dataset is its representative."""
        reads, writes = self.reads, self.writes
        if self.representatives:
            reads = {(self.representative(dataset), job) for dataset, job in reads}
            writes = {(job, self.representative(dataset)) for job, dataset in writes}
        elif {*chain.from_iterable(reads), *chain.from_iterable(writes)} <= self.order.keys():
            return self
        return replace(
            self,
            reads={(dataset, job) for dataset, job in reads if dataset in self.order and job in self.order},
            writes={(job, dataset) for job, dataset in writes if dataset in self.order and job in self.order},
        )


def reached(edges: Iterable[LineageEdge], begin: Collection[NodeId], steps: int) -> set[NodeId]:
    """The nodes up to some steps along edges from where a walk begins."""
    targets: dict[NodeId, set[NodeId]] = {}
    for source, target in edges:
        targets.setdefault(source, set()).add(target)
    found, frontier = set(begin), set(begin)
    for _ in range(steps):
        frontier = {target for node in frontier for target in targets.get(node, ())} - found
        if not frontier:
            break
        found |= frontier
    return found
