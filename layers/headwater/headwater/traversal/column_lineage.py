"""The column lineage of a column: the columns upstream, and the columns downstream."""

from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, NodeKind
from headwater.graph.states.edges import RenamedAway
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.lineage import Direction, Walk


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
    current view has no flows of retired writers, but for a walk from the writer itself.

    A walk that comes upon a name which another dataset has by now begins anew, and then knows whose flows are whose.
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
