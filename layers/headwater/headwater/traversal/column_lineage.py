"""The column lineage of a column: the columns upstream, and the columns downstream; and how likely a finding explains a
wrong column, by the columns that flow into it or filter it."""

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId, NodeKind, dataset_id, job_id
from headwater.graph.states.edges import RenamedAway
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.findings import Finding
from headwater.traversal.lineage import Direction, View, Walk
from headwater.traversal.lineage_graph import LineageGraph


class ColumnLineage(NamedTuple):
    """The result of a walk through a column graph: the columns with lineage, nearest first, all columns that the walk
    came to, their datasets, and the datasets from which it began."""

    graph: ColumnGraph
    columns: list[ColumnId]
    datasets: set[DatasetId]
    walked: frozenset[ColumnId]
    begin: frozenset[DatasetId]


def walk_column_lineage(reader: Reader, start: NamedNode, walk: Walk) -> ColumnLineage:
    """The columns up to `depth` hops from a column, from a dataset's columns, or from the columns of a job's outputs.

    Upstream and downstream are separate walks: other sources of a downstream column are not part of the result. The
    current view has no flows of retired writers, except in a walk from the writer itself.

    A walk that meets a name which another dataset has by now starts over, knowing whose flows are whose.
    """
    renamed_away: RenamedAway = {}
    while (lineage := _walked(reader, start, walk, renamed_away)).graph.renamed_away.keys() > renamed_away.keys():
        renamed_away = lineage.graph.renamed_away
    return lineage


def _walked(reader: Reader, start: NamedNode, walk: Walk, renamed_away: RenamedAway) -> ColumnLineage:
    begin_job = start.job if start.kind is NodeKind.JOB else None
    graph = ColumnGraph(reader, walk.as_of, walk.view, begin_job, renamed_away)
    datasets = _datasets(reader, start, walk.as_of)
    graph.read_upstream(datasets)
    if walk.direction is not Direction.UPSTREAM:
        graph.read_downstream(datasets)
    begin = (
        {ColumnId(graph.representative(start.dataset), start.field)}
        if start.field is not None
        else graph.columns_of(datasets)
    )
    distances: dict[ColumnId, int] = {}
    if walk.direction is not Direction.DOWNSTREAM:
        distances |= graph.reached(begin, walk.depth, upstream=True)
    if walk.direction is not Direction.UPSTREAM:
        distances |= {**graph.reached(begin, walk.depth, upstream=False), **distances}
    lone = {column for column in begin if not graph.into.get(column) and not graph.out_of.get(column)}
    shown = sorted(distances.keys() - lone, key=lambda column: (distances[column], column))
    graph.read_heads(column.dataset for column in shown)
    walked = frozenset(distances)
    start_datasets = frozenset(map(graph.representative, datasets))
    return ColumnLineage(graph, shown, {column.dataset for column in walked}, walked, start_datasets)


def _datasets(reader: Reader, start: NamedNode, as_of: Instant | None) -> list[DatasetId]:
    if start.kind is not NodeKind.JOB:
        return [start.dataset]
    heads = reader.jobs([start.job], usages=False)
    return sorted(reader.edges(heads, as_of, {})[start.job].output_ids)


class Relevance(StrEnum):
    """What a finding is to the column, the likeliest first."""

    FLOWS_IN = "FLOWS_IN"
    FILTERS = "FILTERS"
    UNKNOWN = "UNKNOWN"
    OTHER = "OTHER"


_ORDER = list(Relevance)


class ColumnRelevance:
    """The relevance of findings to one column. The walk along the column takes two reads a hop."""

    def __init__(self, reader: Reader, column: NamedNode, depth: int, as_of: Instant | None, view: View) -> None:
        walk = Walk(depth, Direction.UPSTREAM, view, as_of)
        self._lineage: ColumnLineage = walk_column_lineage(reader, column, walk)
        columns = self._lineage.graph
        self._into = {_key(each) for each in self._lineage.walked}
        self.datasets = {each.dataset for each in self._lineage.walked}
        self._filters = {_key(each) for dataset in self.datasets for each in columns.indirect.get(dataset, ())}
        self._told = self.datasets | {dataset for dataset, _ in self._filters}

    @property
    def is_known(self) -> bool:
        """Whether column lineage knows the column."""
        return bool(self._lineage.columns)

    def ranked(self, findings: Collection[Finding], graph: LineageGraph) -> list[Finding]:
        """The findings with their relevance, the likeliest first, otherwise in the given order."""
        is_whole = self._is_whole(graph)
        found = [(self._of(finding, graph, is_whole=is_whole), finding) for finding in findings]
        ranked = sorted(found, key=lambda entry: _ORDER.index(entry[0]))
        return [
            replace(finding, details={**finding.details, "relevance": relevance.value}) for relevance, finding in ranked
        ]

    def _of(self, finding: Finding, graph: LineageGraph, *, is_whole: bool) -> Relevance:
        unreached = Relevance.OTHER if is_whole else Relevance.UNKNOWN
        if finding.node.kind is NodeKind.JOB:
            edges = graph.edges_of.get(job_id(finding.node.name))
            outputs = {self._lineage.graph.representative(output) for output in edges.output_ids} if edges else set()
            return Relevance.UNKNOWN if outputs & self.datasets else unreached
        dataset = self._lineage.graph.representative(dataset_id(finding.node.name))
        touched = {(dataset, column.lower()) for column in finding.columns}
        if touched & self._into:
            return Relevance.FLOWS_IN
        if touched & self._filters:
            return Relevance.FILTERS
        if dataset in self._told and finding.columns and not finding.has_removed:
            return Relevance.OTHER
        return Relevance.UNKNOWN if dataset in self._told else unreached

    def _is_whole(self, graph: LineageGraph) -> bool:
        """Whether each job that makes a dataset on the way reports its columns. If not, more may flow in."""

        def tells(job: JobId, dataset: DatasetId) -> bool:
            head = graph.jobs.get(job)
            return head is None or head.facts.is_derivation or bool(self._lineage.graph.told.get(dataset))

        of_way = [
            (job, self._lineage.graph.representative(dataset))
            for job, dataset in graph.writes
            if self._lineage.graph.representative(dataset) in self.datasets
        ]
        return all(tells(job, dataset) for job, dataset in of_way) and not self._lineage.graph.is_truncated


def _key(column: ColumnId) -> tuple[DatasetId, str]:
    return column.dataset, column.field.lower()
