"""The propagation of a change downstream, hop by hop, on the shortest path to each node.

A change of a dataset follows the edges of jobs. A change of a column follows the column lineage of jobs:
- to the columns that are made of the column;
- to the output dataset as a whole, if a filter or a join uses the column. The consumers of the output are then at risk
  indirectly.

A job may read the dataset and send no column lineage for an output. Such a job may use any column: the output is at
risk as a whole, and from there on the change propagates by dataset.
"""

import time as clock
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from headwater.graph.column_lineage import Steps
from headwater.graph.identity import DatasetId, JobId, NodeKind
from headwater.traversal.consumers import ColumnLink, Consumers
from headwater.traversal.lineage import MAX_SECONDS

Id = TypeVar("Id", JobId, DatasetId)


class Granularity(StrEnum):
    """Whether the risk is known by column on the whole path, or only by dataset at one hop or more."""

    COLUMN = "column"
    DATASET = "dataset"


class ImpactedDataset(NamedTuple):
    """A dataset as a whole, or one of its columns."""

    id: DatasetId
    field: str | None = None

    @property
    def kind(self) -> NodeKind:
        return NodeKind.DATASET if self.field is None else NodeKind.FIELD


class ImpactedJob(NamedTuple):
    """A job."""

    id: JobId

    @property
    def kind(self) -> NodeKind:
        return NodeKind.JOB


ImpactTarget = ImpactedJob | ImpactedDataset
"""The target of a propagation: a job, a dataset or a column."""


@dataclass(frozen=True, slots=True)
class ImpactedNode:
    """A target that the change reached from `origin` through `job`; `steps` are the transformations of the whole
    path."""

    target: ImpactTarget
    distance: int
    granularity: Granularity
    is_indirect: bool = False
    origin: "ImpactedNode | None" = None
    job: JobId | None = None
    steps: tuple[Steps, ...] = ()

    @property
    def doubt(self) -> tuple[bool, bool]:
        """The order of paths of the same length: direct flows before indirect flows, columns before datasets."""
        return self.is_indirect, self.granularity is Granularity.DATASET

    @property
    def path(self) -> list[ImpactTarget]:
        """The targets from the start to this target."""
        before = self.origin.path if self.origin else []
        return [*before, *([ImpactedJob(self.job)] if self.job else []), self.target]


_Targets = Mapping[DatasetId, Mapping[str | None, ImpactedNode]]
"""The targets of the last hop, by dataset and column. The column None is the dataset as a whole."""


class ImpactPropagation:
    """The targets that a change has reached so far. The propagation is bounded: in targets (`most`) and in time."""

    def __init__(self, known: Consumers, most: int) -> None:
        self.known = known
        self.most = most
        self.impacted: dict[ImpactTarget, ImpactedNode] = {}
        self.is_truncated = False
        self._deadline = clock.monotonic() + MAX_SECONDS

    def propagate(self, start: Collection[ImpactedNode], depth: int) -> None:
        """Propagates hop by hop, hence the first path to a target is the shortest."""
        frontier = {node.target: node for node in start}
        self.impacted |= frontier
        for _ in range(depth):
            if not frontier or self._is_over():
                break
            nodes = sorted(self._hop(_by_dataset_and_column(frontier.values())), key=lambda node: node.doubt)
            new: dict[ImpactTarget, ImpactedNode] = {}
            for node in nodes:
                if node.target not in self.impacted:
                    new.setdefault(node.target, node)
            self.impacted |= new
            frontier = {target: node for target, node in new.items() if isinstance(target, ImpactedDataset)}

    def _is_over(self) -> bool:
        if len(self.impacted) > self.most or clock.monotonic() > self._deadline:
            self.is_truncated = True
        return self.is_truncated

    def _within_room(self, ids: Collection[Id]) -> list[Id]:
        """The first of these ids in their order, as many as the bound allows."""
        room = max(0, self.most - len(self.impacted)) + 1
        self.is_truncated |= len(ids) > room
        return sorted(ids)[:room]

    def _hop(self, targets: _Targets) -> Iterator[ImpactedNode]:
        known = self.known
        readers = known.readers(targets)
        known.read_jobs(self._within_room(readers - known.jobs.keys()))
        jobs = sorted(readers & known.jobs.keys())
        inputs = {
            job: [source for source in known.edges[job].input_ids if known.representative(source) in targets]
            for job in jobs
        }
        outputs = {
            output for job in jobs for source in inputs[job] for output in known.edges[job].downstream_of(source)
        }
        known.read_datasets(self._within_room(outputs.union(*(known.column_digests.get(job, ()) for job in jobs))))
        known.read_columns(jobs, outputs)
        for job in jobs:
            yield from self._by_column(job, targets)
            for source in sorted(inputs[job]):
                yield from self._by_dataset(job, source, targets[known.representative(source)])

    def _by_column(self, job: JobId, targets: _Targets) -> Iterator[ImpactedNode]:
        """The targets that the column links of a job lead to.

        Example: `orders.price` changes. The job `report` makes `revenue.total` of `orders.price`, and filters the rows
        of `revenue` by `orders.price`:

            target of the last hop    link of the job              target of this hop
            orders.price              price -> total               revenue.total, directly: other values
            orders.price              price -> all of revenue      revenue as a whole, indirectly: other rows
        """
        outputs = {*self.known.column_digests.get(job, ()), *self.known.edges[job].output_ids}
        for output in sorted(outputs):
            for link in self.known.links(job, output):
                columns = targets.get(self.known.representative(link.source), {})
                for field in (link.field, None):
                    if origin := columns.get(field):
                        yield from self._beyond(origin, job, output, link)

    def _by_dataset(
        self, job: JobId, changed: DatasetId, columns: Mapping[str | None, ImpactedNode]
    ) -> Iterator[ImpactedNode]:
        """The outputs of a job for which no column links from an input are known.

        Example: `orders.price` changes. The job `copy` reads `orders` and writes `backup`:

            column lineage of `copy` for `backup`     target of this hop
            none                                      backup as a whole, by dataset
            of other inputs than `orders`             backup as a whole, if `orders` changed as a whole
            of columns of `orders`                    none here: `_by_column` follows the links
        """
        surest = min(columns.values(), key=lambda impacted: impacted.doubt)
        whole = columns.get(None)
        outputs = self.known.edges[job].downstream_of(changed)
        if not outputs:
            yield _job_reached(surest, job, Granularity.DATASET)
        for output in sorted(outputs):
            sources = {self.known.representative(link.source) for link in self.known.links(job, output)}
            origin = whole if sources else surest
            if origin and self.known.representative(changed) not in sources:
                yield from self._beyond(origin, job, output)

    def _beyond(
        self, origin: ImpactedNode, job: JobId, output: DatasetId, link: ColumnLink | None = None
    ) -> Iterator[ImpactedNode]:
        """The job, and the target of the link; without a link, the job and the output as a whole."""
        at_job = _job_reached(origin, job, Granularity.COLUMN if link else Granularity.DATASET)
        yield at_job
        dataset = self.known.representative(output)
        if dataset in self.known.heads:
            is_indirect = origin.is_indirect or (link is not None and link.output is None)
            field = link.output if link and not self.known.heads[dataset].is_foreign else None
            target = ImpactedDataset(dataset, field)
            steps = (*origin.steps, link.steps) if link else origin.steps
            yield ImpactedNode(target, at_job.distance, at_job.granularity, is_indirect, origin, job, steps)


def _by_dataset_and_column(impacted: Iterable[ImpactedNode]) -> _Targets:
    targets: dict[DatasetId, dict[str | None, ImpactedNode]] = {}
    for node in impacted:
        if isinstance(node.target, ImpactedDataset):
            targets.setdefault(node.target.id, {})[node.target.field] = node
    return targets


def _job_reached(origin: ImpactedNode, job: JobId, granularity: Granularity) -> ImpactedNode:
    weaker = Granularity.DATASET if Granularity.DATASET in (origin.granularity, granularity) else Granularity.COLUMN
    return ImpactedNode(ImpactedJob(job), origin.distance + 1, weaker, origin.is_indirect, origin, None, origin.steps)
