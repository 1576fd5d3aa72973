"""GET /column-lineage: which columns a column comes from, and with `withDownstream`, which come from it."""

from typing import Any

from headwater.graph.column_lineage import Steps, transformation
from headwater.graph.facets import fields_of
from headwater.graph.identity import NodeId, NodeKind, node_id, version_of_schema
from headwater.lookup import marquez_schema
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.lineage import Direction


def column_lineage(
    reader: Reader, start: NamedNode, depth: int, direction: Direction, as_of: Instant | None = None
) -> tuple[list[JsonObject], list[JsonObject], bool]:
    """The columns up to `depth` steps from a column, from a dataset's columns, or from those of a job's outputs: as
    nodes, nearest first; the inputs that bear on whole datasets; and whether there is more.

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
    return _nodes(graph, shown), _indirect(graph, {column.dataset for column in found}), graph.is_truncated


def _datasets(reader: Reader, start: NamedNode, as_of: Instant | None) -> list[NodeId]:
    if start.kind is not NodeKind.JOB:
        return [start.id]
    heads = reader.jobs([start.id], usages=False)
    edges = reader.edges_at(heads, as_of)[start.id] if as_of else heads[start.id].current
    return sorted(edges.output_ids)


def _nodes(graph: ColumnGraph, shown: list[ColumnId]) -> list[JsonObject]:
    among = set(shown)
    types = {
        ColumnId(dataset, field["name"]): field.get("type")
        for dataset in {column.dataset for column in shown} & graph.heads.keys()
        for field in fields_of(graph.heads[dataset].schema)
    }
    return [_node(graph, column, among, types.get(column)) for column in shown]


def _node(graph: ColumnGraph, column: ColumnId, among: set[ColumnId], kind: Any) -> JsonObject:
    sources = {source: steps for source, steps in graph.into.get(column, {}).items() if source in among}
    targets = graph.out_of.get(column, set()) & among
    node = _node_id(graph, column)
    data = {
        **_place(graph, column.dataset),
        "field": column.field,
        "fieldType": kind if isinstance(kind, str) else "",
        **transformation([step for steps in sources.values() for step in steps]),
        "inputFields": [_source(graph, source, steps) for source, steps in _by_name(graph, sources)],
    }
    into = [{"origin": node, "destination": _node_id(graph, source)} for source, _ in _by_name(graph, sources)]
    out_of = [{"origin": node, "destination": other} for other in sorted(_node_id(graph, each) for each in targets)]
    return {"id": node, "type": "DATASET_FIELD", "data": data, "inEdges": into, "outEdges": out_of}


def _by_name(graph: ColumnGraph, sources: dict[ColumnId, Steps]) -> list[tuple[ColumnId, Steps]]:
    return sorted(sources.items(), key=lambda each: (graph.name(each[0].dataset), each[0].field))


def _source(graph: ColumnGraph, source: ColumnId, steps: Steps) -> JsonObject:
    return {
        **_place(graph, source.dataset),
        "field": source.field,
        **transformation(steps),
        "transformations": steps,
    }


def _place(graph: ColumnGraph, dataset: NodeId) -> JsonObject:
    name, head = graph.name(dataset), graph.heads.get(dataset)
    version = version_of_schema(head.schema_digest) if head and head.schema_digest else None
    return {"namespace": name.namespace, "dataset": name.name, "datasetVersion": version}


def _node_id(graph: ColumnGraph, column: ColumnId) -> str:
    return f"{node_id('datasetField', graph.name(column.dataset))}:{column.field}"


def _indirect(graph: ColumnGraph, datasets: set[NodeId]) -> list[JsonObject]:
    """The inputs that bear on whole datasets, each once: apart from the columns, not multiplied by them."""
    found = [(dataset, source) for dataset in datasets for source in graph.indirect.get(dataset, ())]
    named = sorted(found, key=lambda e: (graph.name(e[0]), graph.name(e[1].dataset), e[1].field))
    return [
        {
            **marquez_schema.name(graph.name(dataset), "dataset"),
            "inputField": {
                **marquez_schema.name(graph.name(source.dataset), "dataset"),
                "field": source.field,
                "transformations": graph.indirect[dataset][source],
            },
        }
        for dataset, source in named
    ]
