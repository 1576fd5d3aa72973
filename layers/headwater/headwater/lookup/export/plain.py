"""The graph as plain JSON, for tools without OpenLineage: nodes, and edges between the ids of nodes."""

from typing import Any

from headwater.lookup.export.graph import ExportEdge, ExportNode, graph_of


def render(answer: dict[str, Any]) -> dict[str, Any]:
    """Nodes and edges, each once and sorted. An edge has the direction of the data flow."""
    graph = graph_of(answer)
    return {
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
        "truncated": graph.truncated,
    }


def _node(node: ExportNode) -> dict[str, Any]:
    document = {"id": node.id, "kind": node.kind.value, "namespace": node.namespace, "name": node.name}
    return document if node.field is None else document | {"field": node.field}


def _edge(edge: ExportEdge) -> dict[str, Any]:
    ends = {"from": edge.origin.id, "to": edge.target.id}
    return ends if edge.steps is None else ends | {"transformations": [dict(step) for step in edge.steps]}
