"""The graph that a walk finds: jobs, datasets, and the edges between them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headwater.graph.dataset import DatasetHead
from headwater.graph.edges import Edges
from headwater.graph.identity import DatasetId, JobId, NodeId
from headwater.graph.job import JobHead

LineageEdge = tuple[NodeId, NodeId]
"""From an input to its job, or from a job to its output."""


@dataclass
class LineageGraph:
    """The graph of a walk.

    order              nodes in the order in which the walk reached them
    edges_of           the edges of each job in the walk's view
    reads              edges from an input to its job
    writes             edges from a job to its output
    representatives    the representative of each id, for datasets with several ids
    """

    order: dict[NodeId, None] = field(default_factory=dict)
    jobs: dict[JobId, JobHead] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetHead] = field(default_factory=dict)
    edges_of: dict[JobId, Edges] = field(default_factory=dict)
    reads: set[tuple[DatasetId, JobId]] = field(default_factory=set)
    writes: set[tuple[JobId, DatasetId]] = field(default_factory=set)
    representatives: dict[DatasetId, DatasetId] = field(default_factory=dict)
    is_truncated: bool = False

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    @property
    def edges(self) -> set[LineageEdge]:
        return {*self.reads, *self.writes}

    def add_reads(self, job: JobId, inputs: Iterable[DatasetId]) -> None:
        self.reads |= {(dataset, job) for dataset in inputs}

    def add_writes(self, job: JobId, outputs: Iterable[DatasetId]) -> None:
        self.writes |= {(job, dataset) for dataset in outputs}

    @property
    def foreign_edges(self) -> set[LineageEdge]:
        """The edges to datasets whose namespaces the producer may not write."""
        foreign = {(job, self.representative(node)) for job, edges in self.edges_of.items() for node in edges.foreign}
        read = {(dataset, job) for dataset, job in self.reads if (job, dataset) in foreign}
        return read | {(job, dataset) for job, dataset in self.writes if (job, dataset) in foreign}

    def between_its_nodes(self) -> "LineageGraph":
        """The graph without edges to nodes outside of the graph; each dataset is its representative."""
        reads = {(self.representative(dataset), job) for dataset, job in self.reads}
        writes = {(job, self.representative(dataset)) for job, dataset in self.writes}
        return replace(
            self,
            reads={(dataset, job) for dataset, job in reads if dataset in self.order and job in self.order},
            writes={(job, dataset) for job, dataset in writes if dataset in self.order and job in self.order},
        )
