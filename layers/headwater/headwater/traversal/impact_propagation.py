"""How a change spreads downstream, job hop by job hop, to whatever it gets to on the shortest way.

A dataset is followed by what jobs read and write. Columns are followed by what jobs say of them: into the columns that
are made of them, and, where a filter or a join uses one, into the dataset that it bears on as a whole; what is made of
any column of that is at risk too, though indirectly. A job that reads the dataset and says nothing of the columns of an
output may use them for all that is known: the output is at risk as a whole, and so is what comes after it, by dataset.
"""

import time as clock
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.column_lineage import Steps
from headwater.graph.identity import NodeId, NodeKind
from headwater.traversal.consumers import ColumnLink, Consumers
from headwater.traversal.lineage import MAX_SECONDS


class Granularity(StrEnum):
    """How it is known that something is at risk: by column all the way, or at some hop only by dataset."""

    COLUMN = "column"
    DATASET = "dataset"


class ImpactTarget(NamedTuple):
    """A job, a dataset as a whole, or one of its columns."""

    kind: NodeKind
    id: NodeId
    field: str | None = None


@dataclass(frozen=True, slots=True)
class ImpactedNode:
    """A place that a change gets to, from `origin` through a job; `steps` are the transformations of the whole way."""

    target: ImpactTarget
    distance: int
    granularity: Granularity
    is_indirect: bool = False
    origin: "ImpactedNode | None" = None
    job: NodeId | None = None
    steps: tuple[Steps, ...] = ()

    @property
    def doubt(self) -> tuple[bool, bool]:
        """Of two ways of one length the surer counts: one by values before one by a filter, columns before datasets."""
        return self.is_indirect, self.granularity is Granularity.DATASET

    @property
    def path(self) -> list[ImpactTarget]:
        """The places from the start to this one."""
        before = self.origin.path if self.origin else []
        return [*before, *([ImpactTarget(NodeKind.JOB, self.job)] if self.job else []), self.target]


_Targets = Mapping[NodeId, Mapping[str | None, ImpactedNode]]
"""What was just reached, by dataset and column; the dataset as a whole is at None."""


class ImpactPropagation:
    """What a change got to so far, and whether it went further than was looked: until `most` is found, or for long."""

    def __init__(self, known: Consumers, most: int) -> None:
        self.known = known
        self.most = most
        self.impacted: dict[ImpactTarget, ImpactedNode] = {}
        self.is_truncated = False
        self._deadline = clock.monotonic() + MAX_SECONDS

    def propagate(self, start: Collection[ImpactedNode], depth: int) -> None:
        """Hop by hop: what is reached first was reached on the shortest way."""
        frontier = {each.target: each for each in start}
        self.impacted |= frontier
        for _ in range(depth):
            if not frontier or self._is_over():
                break
            found: dict[ImpactTarget, ImpactedNode] = {}
            for each in sorted(
                self._hop(_by_dataset_and_column(frontier.values())), key=lambda impacted: impacted.doubt
            ):
                if each.target not in self.impacted:
                    found.setdefault(each.target, each)
            self.impacted |= found
            frontier = {target: each for target, each in found.items() if target.kind is not NodeKind.JOB}

    def _is_over(self) -> bool:
        if len(self.impacted) > self.most or clock.monotonic() > self._deadline:
            self.is_truncated = True
        return self.is_truncated

    def _within_room(self, ids: Collection[NodeId]) -> list[NodeId]:
        """As many of these as there is room for, in an order that is always the same."""
        room = max(0, self.most - len(self.impacted)) + 1
        self.is_truncated |= len(ids) > room
        return sorted(ids)[:room]

    def _hop(self, targets: _Targets) -> Iterator[ImpactedNode]:
        known = self.known
        readers = known.readers(targets)
        known.read_jobs(self._within_room(readers - known.jobs.keys()))
        jobs = sorted(readers & known.jobs.keys())
        inputs = {job: [each for each in known.edges[job].input_ids if known.one(each) in targets] for job in jobs}
        made = {output for job in jobs for each in inputs[job] for output in known.edges[job].downstream_of(each)}
        known.read_datasets(self._within_room(made.union(*(known.told.get(job, ()) for job in jobs))))
        known.read_columns(jobs, made)
        for job in jobs:
            yield from self._by_column(job, targets)
            for given in sorted(inputs[job]):
                yield from self._by_dataset(job, given, targets[known.one(given)])

    def _by_column(self, job: NodeId, targets: _Targets) -> Iterator[ImpactedNode]:
        """What a job says that it makes of the columns that were reached, or of any column of a whole dataset."""
        outputs = {*self.known.told.get(job, ()), *self.known.edges[job].output_ids}
        for output in sorted(outputs):
            for link in self.known.links(job, output):
                of_dataset = targets.get(self.known.one(link.source), {})
                for field in (link.field, None):
                    if origin := of_dataset.get(field):
                        yield from self._beyond(origin, job, output, link)

    def _by_dataset(
        self, job: NodeId, given: NodeId, of_dataset: Mapping[str | None, ImpactedNode]
    ) -> Iterator[ImpactedNode]:
        """What is made of an input, of which nothing tells what becomes of its columns."""
        surest = min(of_dataset.values(), key=lambda impacted: impacted.doubt)
        whole = of_dataset.get(None)
        outputs = self.known.edges[job].downstream_of(given)
        if not outputs:
            yield _job_reached(surest, job, Granularity.DATASET)
        for output in sorted(outputs):
            sources = {self.known.one(link.source) for link in self.known.links(job, output)}
            origin = whole if sources else surest
            if origin and self.known.one(given) not in sources:
                yield from self._beyond(origin, job, output)

    def _beyond(
        self, origin: ImpactedNode, job: NodeId, output: NodeId, link: ColumnLink | None = None
    ) -> Iterator[ImpactedNode]:
        """The job, and behind it what the link leads to; without one, all of the output."""
        at_job = _job_reached(origin, job, Granularity.COLUMN if link else Granularity.DATASET)
        yield at_job
        dataset = self.known.one(output)
        if dataset in self.known.heads:
            field = link.output if link else None
            target = ImpactTarget(NodeKind.DATASET if field is None else NodeKind.FIELD, dataset, field)
            is_indirect = origin.is_indirect or (link is not None and field is None)
            steps = (*origin.steps, link.steps) if link else origin.steps
            yield ImpactedNode(target, at_job.distance, at_job.granularity, is_indirect, origin, job, steps)


def _by_dataset_and_column(impacted: Iterable[ImpactedNode]) -> _Targets:
    targets: dict[NodeId, dict[str | None, ImpactedNode]] = {}
    for each in impacted:
        targets.setdefault(each.target.id, {})[each.target.field] = each
    return targets


def _job_reached(origin: ImpactedNode, job: NodeId, granularity: Granularity) -> ImpactedNode:
    weaker = Granularity.DATASET if Granularity.DATASET in (origin.granularity, granularity) else Granularity.COLUMN
    return ImpactedNode(
        ImpactTarget(NodeKind.JOB, job), origin.distance + 1, weaker, origin.is_indirect, origin, None, origin.steps
    )
