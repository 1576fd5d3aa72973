"""GET /lineage, /column-lineage and /export."""

import time as clock
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import islice
from typing import Any

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import NodeId, NodeKind
from headwater.http.marquez.datasets import display_names
from headwater.http.request import ApiRequest, PageRequest
from headwater.http.response import ApiResponse
from headwater.http.subjects import require_kind, time_from_query
from headwater.lookup.export import FORMATS, Format
from headwater.lookup.graphs.column_lineage_view import (
    of_versions,
    serialise_columns,
    serialise_indirect,
    serialise_unknown,
)
from headwater.lookup.graphs.graph_view import GraphView, serialise
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.column_lineage import walk_column_lineage
from headwater.traversal.lineage import Direction, View, Walk, walk_lineage
from headwater.traversal.lineage_graph import LineageGraph, reached
from headwater.traversal.rollup import Rollup, jobs_started_by, roll_up, without_query_jobs
from headwater.traversal.unknown_origins import unknown_origins

NODES = frozenset({NodeKind.JOB, NodeKind.DATASET})
DEFAULT_NODES = 5_000
MAX_NODES = 20_000
ROLLUP_FACTOR, ROLLUP_SECONDS = 4, 5
"""Roll-up merges nodes. If too few are left, the walk is repeated with a bound `ROLLUP_FACTOR` times as large, unless
more than `ROLLUP_SECONDS` have passed."""


def export(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The response to export: of /column-lineage for a column or with `of=column-lineage`, else of /lineage."""
    _format(request)
    graph = request.query.get("of", "column-lineage" if node.kind is NodeKind.FIELD else "lineage")
    if graph not in _GRAPHS:
        raise InvalidRequest(Fault("of", f"expected one of {', '.join(_GRAPHS)}"))
    return _GRAPHS[graph](reader, request, node)


def exported(request: ApiRequest, graph: JsonObject) -> ApiResponse:
    export_format = _format(request)
    return ApiResponse(200, export_format.render(graph), {"content-type": export_format.content_type})


def _format(request: ApiRequest) -> Format:
    name = request.query.get("format", "json")
    if name not in FORMATS:
        raise InvalidRequest(Fault("format", f"expected one of {', '.join(FORMATS)}"))
    return FORMATS[name]


def lineage_as_sent(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The graph of `lineage`, whose nodes are JSON already."""
    return lineage(reader, request, node, as_texts=True)


def lineage(reader: Reader, request: ApiRequest, node: NamedNode, *, as_texts: bool = False) -> JsonObject:
    """The graph around a job or dataset, a page of at most `limit` nodes, the nearest first."""
    require_kind(node, NODES)
    page, rollup = _page(request), request.choice("rollup", Rollup)
    walk = Walk(
        depth=request.depth(),
        direction=request.choice("direction", Direction),
        view=request.choice("view", View) or View.CURRENT,
        as_of=time_from_query(reader, request, node),
        most=page.offset + page.limit,
        with_usages=True,
    )
    graph = walked(reader, node, walk, rollup)
    exposed = _exposed(graph, node, walk.direction)
    view = serialise(reader, graph, as_of=walk.as_of, exposed=exposed, as_texts=as_texts)
    answer = _paged(view, page, is_truncated=graph.is_truncated)
    if graph.deleted:
        used = [each for edges in graph.edges_of.values() for each in edges.inputs + edges.outputs]
        deleted = {each.name for each in used if each.id in graph.deleted}
        answer |= {"deleted": [name.as_json() for name in sorted(deleted)]} if deleted else {}
    return answer


def _exposed(graph: LineageGraph, node: NamedNode, direction: Direction | None) -> Collection[NodeId]:
    """The nodes of a graph whose exposures it has: those downstream of a node, of a graph without direction all."""
    if direction is Direction.UPSTREAM:
        return ()
    start = node.job if node.kind is NodeKind.JOB else graph.representative(node.dataset)
    return reached(graph.edges, [start], len(graph.order)) if direction else graph.order


def walked(reader: Reader, node: NamedNode, walk: Walk, rollup: Rollup | None) -> LineageGraph:
    """The graph after roll-up, with as many nodes as requested if there are so many."""
    job = node.job if node.kind is NodeKind.JOB else None
    started = jobs_started_by(reader, job) if rollup is Rollup.PARENT and job else []
    end = clock.monotonic() + ROLLUP_SECONDS
    walk = walk._replace(of_applications=rollup is Rollup.PARENT)
    wanted = walk.most
    while True:
        found = _first(walk_lineage(reader, node, walk, started), walk.most)
        if rollup is Rollup.NONE:
            return found
        graph = (
            roll_up(reader, found, node.job, started)
            if rollup is Rollup.PARENT
            else without_query_jobs(reader, found, job)
        )
        is_enough = not graph.is_truncated or len(graph.order) >= wanted or len(graph.order) == len(found.order)
        if is_enough or walk.most >= MAX_NODES or clock.monotonic() > end:
            return graph
        walk = walk._replace(most=min(MAX_NODES, ROLLUP_FACTOR * walk.most))


def _first(graph: LineageGraph, most: int) -> LineageGraph:
    """A truncated graph without the nodes beyond `most`: a longer walk might reach others before these."""
    return replace(graph, order=dict.fromkeys(islice(graph.order, most))) if graph.is_truncated else graph


def column_lineage(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The columns upstream or downstream of a column, of a dataset's columns, or of the columns of a job's outputs."""
    page = _page(request)
    with_downstream = Direction.BOTH if request.flag("withDownstream") else Direction.UPSTREAM
    direction = request.choice("direction", Direction) or with_downstream
    as_of = time_from_query(reader, request, node)
    walk = Walk(request.depth(), direction, request.choice("view", View) or View.CURRENT, as_of)
    lineage = walk_column_lineage(reader, node, walk)
    nodes = serialise_columns(lineage)
    if node.field is not None and not nodes and not _is_column(reader, lineage.graph, node):
        raise NotFound("Could not find node")
    if node.version:
        start = [lineage.graph.representative(node.dataset)] if nodes and node.kind is not NodeKind.JOB else []
        nodes = of_versions(nodes, next(map(lineage.graph.name, start), None), node.version)
    shown = GraphView({document["id"]: document for document in nodes}, frozenset())
    answer = {**_paged(shown, page, is_truncated=lineage.graph.is_truncated), "indirect": serialise_indirect(lineage)}
    whole = lineage.graph.representative(node.dataset) if node.kind is NodeKind.DATASET else None
    unknown, frontier = unknown_origins(reader, lineage, whole, walk)
    if unknown:
        answer["unknown"] = serialise_unknown(unknown)
    heads = lineage.graph.heads
    named = {*lineage.datasets, *(source.dataset for of in lineage.graph.indirect.values() for source in of)}
    named |= {column.dataset for column in lineage.columns}
    called = display_names(heads[dataset] for dataset in named if dataset in heads)
    return {**answer, **called, "frontier": frontier.as_json()}


_GRAPHS: dict[str, Callable[[Reader, ApiRequest, NamedNode], JsonObject]] = {
    "lineage": lineage,
    "column-lineage": column_lineage,
}


def _page(request: ApiRequest) -> PageRequest:
    page = request.page(DEFAULT_NODES, DEFAULT_NODES)
    if page.after is not None:
        if not page.after.isdigit():
            raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier response"))
        page = page._replace(offset=int(page.after))
    if page.offset + page.limit > MAX_NODES:
        page = page._replace(limit=max(0, MAX_NODES - page.offset))
    return page


def _paged(view: GraphView, page: PageRequest, *, is_truncated: bool) -> JsonObject:
    """A page of a graph. A truncated graph has a cursor, too: the next request walks further."""
    nodes, count = view.page(page.offset, page.limit)
    answer: dict[str, Any] = {"graph": nodes}
    end = page.offset + count
    if is_truncated or end < len(view.nodes):
        answer["truncated"] = True
        if count and end < MAX_NODES:
            answer["cursor"] = page.cursor(str(end), len(view.nodes))
    return answer


def _is_column(reader: Reader, graph: ColumnGraph, node: NamedNode) -> bool:
    """Whether a column is in the schema of now or of the time of the graph, or has a flow: a source column may only be
    known from its readers' column lineage."""
    head = reader.datasets([node.dataset])[node.dataset]
    then = reader.datasets_at({node.dataset: head}, graph.as_of).values() if graph.as_of else ()
    if any(field["name"] == node.field for each in (head, *then) for field in fields_of(each.schema)):
        return True
    graph.read_downstream([node.dataset])
    column = ColumnId(graph.representative(node.dataset), node.field or "")
    return column in graph.into or column in graph.out_of or column in graph.bears_on
