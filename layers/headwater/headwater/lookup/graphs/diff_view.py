"""GET /diff: the lineage of a node at two times, and what differs. The cost is that of two requests for /lineage."""

from typing import Any

from headwater.graph.facets.schema_diff import SchemaDiff, columns_of
from headwater.http.request import ApiRequest
from headwater.lookup.graphs.graph_view import GraphView, serialise
from headwater.lookup.graphs.lineage import DEFAULT_NODES, walked
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.graph_diff import Columns, GraphAtTime, GraphEdge, graph_diff
from headwater.traversal.lineage import Direction, View, Walk


def diff(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The nodes, edges and columns that were added, removed or changed between two times."""
    begin, end = request.time("from"), request.time("to") or instant_of(request.received_at)
    if begin is None:
        raise InvalidRequest(Fault("from", "missing; expected a time"))
    if begin >= end:
        raise InvalidRequest(Fault("from", "must be earlier than `to`"))
    view = request.choice("view", View) or View.CURRENT
    walk = Walk(request.depth(), request.choice("direction", Direction), view, most=DEFAULT_NODES)
    graphs = [(time, walked(reader, node, walk._replace(as_of=time), None)) for time in (begin, end)]
    views = [(serialise(reader, graph, as_of=time), graph.is_truncated) for time, graph in graphs]
    difference = graph_diff(*(_at_time(view) for view, _ in views))
    (before, _), (after, _) = views
    answer: JsonObject = {
        "from": _time(begin),
        "to": _time(end),
        "nodes": {
            "added": [_named(after, node_id) for node_id in difference.added],
            "removed": [_named(before, node_id) for node_id in difference.removed],
            "changed": [
                {**_named(after, node_id), "columns": _columns(schema, before, after, node_id)}
                for node_id, schema in difference.changed.items()
            ],
        },
        "edges": {"added": _edges(difference.edges_added), "removed": _edges(difference.edges_removed)},
    }
    return answer | ({"truncated": True} if any(is_truncated for _, is_truncated in views) else {})


def _time(time: Instant) -> str:
    return shown(time)


def _at_time(view: GraphView) -> GraphAtTime:
    return GraphAtTime({node: _columns_of(document) for node, document in view.nodes.items()}, frozenset(view.edges))


def _columns_of(document: JsonObject) -> Columns | None:
    return columns_of(document["data"]) if document["type"] == "DATASET" else None


def _named(view: GraphView, node_id: str) -> JsonObject:
    document = view.nodes[node_id]
    return {"nodeId": node_id, "type": document["type"], **document["data"]["id"]}


def _columns(diff: SchemaDiff, before: GraphView, after: GraphView, node_id: str) -> JsonObject:
    old, new = (columns_of(view.nodes[node_id]["data"]) for view in (before, after))
    return {
        "added": [{"field": name, "type": _text(new.get(name))} for name in diff.added],
        "removed": [{"field": name, "type": _text(old.get(name))} for name in diff.removed],
        "retyped": [
            {"field": each.name, "before": _text(each.before), "after": _text(each.after), "change": each.change.value}
            for each in diff.retyped
        ],
    }


def _text(kind: Any) -> str | None:
    return kind if isinstance(kind, str) else None


def _edges(edges: tuple[GraphEdge, ...]) -> list[JsonObject]:
    return [{"origin": origin, "destination": destination} for origin, destination in edges]
