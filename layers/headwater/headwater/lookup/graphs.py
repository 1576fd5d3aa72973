"""Graphs: lineage, column lineage, and either in another format."""

import time as clock
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

from headwater.answers import Answer
from headwater.lookup.asking import asked_node, asked_time
from headwater.lookup.column_lineage import column_lineage as column_walk
from headwater.lookup.export import FORMATS
from headwater.lookup.lineage import Direction, Graph, View, Walk, walked
from headwater.lookup.lineage_answer import Drawing, drawn
from headwater.lookup.names import Kind, Node, NotFound
from headwater.lookup.question import Page, Question
from headwater.lookup.reader import Reader
from headwater.lookup.rollup import Rollup, rolled_up, started_by, without_actions
from headwater.lookup.shapes import Shape, fields_of
from headwater.openlineage.faults import Fault, Refused

DEFAULT_NODES = 5_000
MAX_NODES = 20_000
FURTHER, ENOUGH_SECONDS = 4, 5
"""How much further a walk goes whose nodes turned out to be fewer, and after how long it does not begin again."""


def lineage(reader: Reader, question: Question) -> Answer:
    """The graph around a job or dataset, a page of at most `limit` nodes, those first that are nearest."""
    return Answer(200, _lineage(reader, question))


def column_lineage(reader: Reader, question: Question) -> Answer:
    """The columns that a column, a dataset's or a job's output's columns come from, or that come from them."""
    return Answer(200, _column_lineage(reader, question))


def export(reader: Reader, question: Question) -> Answer:
    """A lineage answer in another format; that of columns if the node is one, or `of=column-lineage` says so."""
    name = question.query.get("format", "json")
    if name not in FORMATS:
        raise Refused(Fault("format", f"expected one of {', '.join(FORMATS)}"))
    of = question.query.get(
        "of", "column-lineage" if question.query.get("nodeId", "").startswith(Kind.FIELD) else "lineage"
    )
    if of not in _GRAPHS:
        raise Refused(Fault("of", f"expected one of {', '.join(_GRAPHS)}"))
    kind = FORMATS[name]
    return Answer(200, kind.render(_GRAPHS[of](reader, question)), {"content-type": kind.content_type})


def _lineage(reader: Reader, question: Question) -> Shape:
    node = asked_node(reader, question, {Kind.JOB, Kind.DATASET})
    page, rollup = _page(question), question.choice("rollup", Rollup)
    walk = Walk(
        depth=question.depth(),
        direction=question.choice("direction", Direction),
        view=question.choice("view", View) or View.CURRENT,
        as_of=asked_time(reader, question, node),
        most=page.offset + page.limit,
    )
    graph = _rolled_up(reader, node, walk, rollup)
    return _paged(drawn(reader, graph, as_of=walk.as_of), page, is_truncated=graph.is_truncated)


def _rolled_up(reader: Reader, node: Node, walk: Walk, rollup: Rollup | None) -> Graph:
    """The graph of as many nodes as are wanted. Several that are found may be one, so that it takes more of them."""
    started = started_by(reader, node.id) if rollup is Rollup.PARENT and node.kind is Kind.JOB else []
    end = clock.monotonic() + ENOUGH_SECONDS
    wanted = walk.most
    while True:
        found = _first(walked(reader, node, walk, started), walk.most)
        if rollup is Rollup.NONE:
            return found
        graph = (
            rolled_up(reader, found, node.id, started)
            if rollup is Rollup.PARENT
            else without_actions(reader, found, node.id)
        )
        is_enough = not graph.is_truncated or len(graph.order) >= wanted or len(graph.order) == len(found.order)
        if is_enough or walk.most >= MAX_NODES or clock.monotonic() > end:
            return graph
        walk = walk._replace(most=min(MAX_NODES, FURTHER * walk.most))


def _first(graph: Graph, most: int) -> Graph:
    """A graph that was cut, without the nodes beyond those that were wanted: others might come before them."""
    return replace(graph, order=dict.fromkeys(islice(graph.order, most))) if graph.is_truncated else graph


def _column_lineage(reader: Reader, question: Question) -> Shape:
    node = asked_node(reader, question, set(Kind))
    page = _page(question)
    with_downstream = Direction.BOTH if question.flag("withDownstream") else Direction.UPSTREAM
    direction = question.choice("direction", Direction) or with_downstream
    depth = question.depth()
    nodes, indirect, is_truncated = column_walk(reader, node, depth, direction, asked_time(reader, question, node))
    if node.field is not None and not nodes and not _has_field(reader, node):
        raise NotFound("Could not find node")
    drawing = Drawing({each["id"]: each for each in nodes}, frozenset())
    return {**_paged(drawing, page, is_truncated=is_truncated), "indirect": indirect}


_GRAPHS: dict[str, Callable[[Reader, Question], Shape]] = {"lineage": _lineage, "column-lineage": _column_lineage}


def _page(question: Question) -> Page:
    page = question.page(DEFAULT_NODES, DEFAULT_NODES)
    if page.after is not None:
        if not page.after.isdigit():
            raise Refused(Fault("cursor", "expected the cursor of an earlier answer"))
        page = page._replace(offset=int(page.after))
    if page.offset + page.limit > MAX_NODES:
        page = page._replace(limit=max(0, MAX_NODES - page.offset))
    return page


def _paged(drawing: Drawing, page: Page, *, is_truncated: bool) -> Shape:
    """A page of a graph. A walk that ended for its length goes on with the cursor, as long as it finds more."""
    nodes, count = drawing.page(page.offset, page.limit)
    answer: dict[str, Any] = {"graph": nodes}
    end = page.offset + count
    if is_truncated or end < len(drawing.nodes):
        answer["truncated"] = True
        if count and end < MAX_NODES:
            answer["cursor"] = page.cursor(str(end), len(drawing.nodes))
    return answer


def _has_field(reader: Reader, node: Node) -> bool:
    head = reader.datasets([node.id])[node.id]
    return any(field["name"] == node.field for field in fields_of(head.schema))
