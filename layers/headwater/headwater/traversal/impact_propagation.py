"""The propagation of a change downstream, hop by hop, on the shortest path to each node.

A change of a dataset follows the edges of jobs. A change of a column follows the column lineage of jobs:
- to the columns that are made of the column;
- to the output dataset as a whole, if a filter or a join uses the column. The consumers of the output are then at risk
  indirectly.

A job may read the dataset and send no column lineage for an output. Such a job may use any column: the output is at
risk as a whole, and from there on the change propagates by dataset. A job may also say nothing of some columns of an
output, or nothing of filters and joins: what it leaves open is at risk, and its granularity says so.

A surer path counts, even if it is longer: what certainly breaks is never reported as possible. If a job leaves open
which of several changed columns it uses, the path goes through the dataset, since choosing one of them would be
arbitrary.
"""

import re
import time as clock
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from headwater.graph.names.identity import DatasetId, JobId
from headwater.traversal.consumers import ColumnLink, Consumers
from headwater.traversal.impacted_node import Granularity, ImpactedDataset, ImpactedJob, ImpactedNode, ImpactTarget
from headwater.traversal.lineage import MAX_SECONDS

Id = TypeVar("Id", JobId, DatasetId)


_Targets = Mapping[DatasetId, Mapping[str | None, ImpactedNode]]
"""The targets of the last hop, by dataset and column. The column None is the dataset as a whole."""


class ImpactPropagation:
    """The targets that a change has reached so far. The propagation is bounded: in targets (`most`) and in time; and in
    hops, at whose end are datasets whose readers were not looked at (`beyond`)."""

    def __init__(self, known: Consumers, most: int) -> None:
        self.known = known
        self.most = most
        self.impacted: dict[ImpactTarget, ImpactedNode] = {}
        self.is_truncated = False
        self.beyond: set[DatasetId] = set()
        self._deadline = clock.monotonic() + MAX_SECONDS

    def propagate(self, start: Collection[ImpactedNode], depth: int) -> None:
        """Propagates hop by hop, so the first path to a target is the shortest. A surer path takes its place."""
        frontier = {node.target: node for node in start}
        self.impacted |= frontier
        for _ in range(depth):
            if not frontier or self._is_over():
                break
            nodes = sorted(self._hop(by_dataset_and_column(frontier.values())), key=lambda node: node.doubt)
            new: dict[ImpactTarget, ImpactedNode] = {}
            for node in nodes:
                if node.is_surer_than(self.impacted.get(node.target)):
                    new.setdefault(node.target, node)
            self.impacted |= new
            frontier = {target: node for target, node in new.items() if isinstance(target, ImpactedDataset)}
        self.beyond = {target.id for target in frontier if isinstance(target, ImpactedDataset)}

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
        outputs = {
            output
            for job in jobs
            for source in self._changed_inputs(job, targets)
            for output in known.edges[job].downstream_of(source)
        }
        known.read_datasets(self._within_room(outputs.union(*(known.sent_columns.get(job, ()) for job in jobs))))
        known.drop_writes_without_data(jobs)
        inputs = {job: self._changed_inputs(job, targets) for job in jobs}
        known.read_columns(jobs, outputs)
        for job in jobs:
            yield from self._by_column(job, targets)
            for source in sorted(inputs[job]):
                yield from self._by_dataset(job, source, targets[known.representative(source)])

    def _changed_inputs(self, job: JobId, targets: _Targets) -> list[DatasetId]:
        """The inputs of a job that are among the targets of the last hop."""
        return [source for source in self.known.edges[job].input_ids if self.known.representative(source) in targets]

    def _by_column(self, job: JobId, targets: _Targets) -> Iterator[ImpactedNode]:
        """The targets that the column links of a job lead to.

        Example: `orders.price` changes. The job `report` makes `revenue.total` of `orders.price`, and filters the rows
        of `revenue` by `orders.price`:

            target of the last hop    link of the job              target of this hop
            orders.price              price -> total               revenue.total, directly: other values
            orders.price              price -> all of revenue      revenue as a whole, indirectly: other rows
        """
        outputs = {*self.known.sent_columns.get(job, ()), *self.known.edges[job].output_ids}
        for output in sorted(outputs):
            for link in self.known.links(job, output):
                columns = targets.get(self.known.representative(link.source), {})
                for field in dict.fromkeys((link.field, _aggregated(link.field), None)):
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
        surest = surest_of(columns.values())
        whole = columns.get(None)
        outputs = self.known.edges[job].downstream_of(changed)
        doubt = Granularity.UNKNOWN if self.known.jobs[job].reads_candidates else Granularity.DATASET
        if not outputs:
            yield _job_reached(surest, job, doubt)
        for output in sorted(outputs):
            sources = {self.known.representative(link.source) for link in self.known.links(job, output)}
            is_told = bool(sources) or self.known.names_origins(job, output)
            origin = whole if is_told else surest
            if origin and self.known.representative(changed) not in sources:
                yield from self._beyond(origin, job, output, by=doubt)
            if is_told:
                yield from self._by_unknown(job, changed, output, columns)

    def _by_unknown(
        self, job: JobId, changed: DatasetId, output: DatasetId, columns: Mapping[str | None, ImpactedNode]
    ) -> Iterator[ImpactedNode]:
        """What a job leaves open about an output, although it has column lineage for it.

        Example: `customers.country` changes. The job `score` makes `scores.id` of `customers.id`:

            what `score` does not say                              target of this hop
            what `scores.segment` is made of (a Python UDF)        scores.segment; but not if it may be made of other
                                                                   only columns
            which columns its joins and filters use (dbt never     scores as a whole, indirectly; but not for a column
            says)                                                  that `score` is known to use
        """
        for field, candidates in self.known.untold(job, output).items():
            link = ColumnLink(changed, "", field, [])
            if nodes := [node for column, node in columns.items() if not candidates or _is_among(column, candidates)]:
                yield from self._beyond(surest_of(nodes), job, output, link, Granularity.UNKNOWN)
        if not (self.known.reports_indirect(job) and self.known.links(job, output)):
            used = self._used(job, changed, output)
            unused = [node for field, node in columns.items() if field is not None and _outermost(field) not in used]
            if unused:
                link = ColumnLink(changed, "", None, [])
                yield from self._beyond(surest_of(unused), job, output, link, Granularity.UNKNOWN)

    def _used(self, job: JobId, source: DatasetId, output: DatasetId) -> set[str]:
        """The columns of an input that a job is known to use for an output."""
        same = self.known.representative(source)
        return {
            _outermost(_aggregated(link.field))
            for link in self.known.links(job, output)
            if self.known.representative(link.source) == same
        }

    def _beyond(
        self,
        origin: ImpactedNode,
        job: JobId,
        output: DatasetId,
        link: ColumnLink | None = None,
        by: Granularity = Granularity.COLUMN,
    ) -> Iterator[ImpactedNode]:
        """The job, and the target of the link; without a link, the job and the output as a whole."""
        at_job = _job_reached(origin, job, by)
        yield at_job
        dataset = self.known.representative(output)
        if dataset in self.known.heads:
            is_indirect = origin.is_indirect or (link is not None and link.output is None)
            field = link.output if link and not self.known.heads[dataset].is_foreign else None
            target = ImpactedDataset(dataset, field)
            steps = (*origin.steps, link.steps) if link else origin.steps
            yield replace(at_job, target=target, is_indirect=is_indirect, job=job, steps=steps)


def by_dataset_and_column(impacted: Iterable[ImpactedNode]) -> _Targets:
    targets: dict[DatasetId, dict[str | None, ImpactedNode]] = {}
    for node in impacted:
        if isinstance(node.target, ImpactedDataset):
            targets.setdefault(node.target.id, {})[node.target.field] = node
    return targets


def surest_of(columns: Collection[ImpactedNode]) -> ImpactedNode:
    """The path to a dataset whose columns change; if there are several, to the dataset as a whole."""
    surest = min(columns, key=lambda impacted: impacted.doubt)
    return surest if len(columns) == 1 else surest.as_table


def _job_reached(origin: ImpactedNode, job: JobId, granularity: Granularity) -> ImpactedNode:
    weaker = max(origin.granularity, granularity, key=lambda each: each.weakness)
    guesses = origin.guesses + (granularity is not Granularity.COLUMN)
    target = ImpactedJob(job)
    return ImpactedNode(target, origin.distance + 1, weaker, origin.is_indirect, origin, None, origin.steps, guesses)


_AGGREGATE = re.compile(r"(?:max|min|count)\((.+)\)")
"""An aggregate that Spark pushes down into an Iceberg scan. The listener reports the aggregate as a column of the
table: `max(id)`."""


def _aggregated(field: str) -> str:
    """The column that a column of a scan is made of: `id` of `max(id)`; of an ordinary column, the column itself."""
    aggregate = _AGGREGATE.fullmatch(field)
    return aggregate[1] if aggregate else field


def _is_among(column: str | None, candidates: Collection[str]) -> bool:
    """Whether a changed column, or a dataset that changed as a whole, is among columns in lower case."""
    return column is None or _outermost(column).lower() in candidates


def _outermost(field: str) -> str:
    """The column that holds a nested column: `address` of `address.zip`, `items` of `items[].sku`."""
    return field.partition(".")[0].removesuffix("[]")
