"""The columns that a column comes from, and those that come from it."""

from typing import NamedTuple

from headwater.graph.identity import NodeId, NodeKind
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.lineage import Direction


class ColumnLineage(NamedTuple):
    """What a walk found in a graph of columns: the columns with lineage, nearest first, and the datasets of all."""

    graph: ColumnGraph
    columns: list[ColumnId]
    datasets: set[NodeId]


def walk_column_lineage(
    reader: Reader, start: NamedNode, depth: int, direction: Direction, as_of: Instant | None = None
) -> ColumnLineage:
    """The columns up to `depth` steps from a column, from a dataset's columns, or from those of a job's outputs.

    Upstream and downstream are walked apart: what else flows into a downstream column is not part of the answer.
    """
    graph = ColumnGraph(reader, as_of)
    datasets = _datasets(reader, start, as_of)
    graph.read_upstream(datasets)
    if direction is not Direction.UPSTREAM:
        graph.read_downstream(datasets)
    begin = {ColumnId(graph.one(start.id), start.field)} if start.field is not None else graph.columns_of(datasets)
    found: dict[ColumnId, int] = {}
    if direction is not Direction.DOWNSTREAM:
        found |= graph.reached(begin, depth, upstream=True)
    if direction is not Direction.UPSTREAM:
        found |= {**graph.reached(begin, depth, upstream=False), **found}
    lone = {column for column in begin if not graph.into.get(column) and not graph.out_of.get(column)}
    shown = sorted(found.keys() - lone, key=lambda column: (found[column], column))
    graph.read_heads(column.dataset for column in shown)
    return ColumnLineage(graph, shown, {column.dataset for column in found})


def _datasets(reader: Reader, start: NamedNode, as_of: Instant | None) -> list[NodeId]:
    if start.kind is not NodeKind.JOB:
        return [start.id]
    heads = reader.jobs([start.id], usages=False)
    edges = reader.edges_at(heads, as_of)[start.id] if as_of else heads[start.id].current
    return sorted(edges.output_ids)
