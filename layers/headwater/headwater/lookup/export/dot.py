"""Graphviz: jobs are boxes, datasets cylinders, exposures notes, columns rounded boxes in a cluster for each dataset.

Names are only in labels and tooltips; the ids of nodes are numbers. https://graphviz.org/doc/info/lang.html
"""

from collections.abc import Iterable, Iterator
from typing import Any

from headwater.lookup.export import label
from headwater.lookup.export.graph import ExportEdge, ExportGraph, ExportKind, ExportNode, graph_of

_SHAPES = {
    ExportKind.JOB: "shape=box",
    ExportKind.DATASET: "shape=cylinder",
    ExportKind.COLUMN: "shape=box, style=rounded",
    ExportKind.EXPOSURE: "shape=note",
}


def render(answer: dict[str, Any]) -> str:
    """The graph in DOT, from left to right, with full names as tooltips."""
    graph = graph_of(answer)
    return "\n".join(["digraph lineage {", *(f"  {line}" for line in _statements(graph)), "}", ""])


def _statements(graph: ExportGraph) -> Iterator[str]:
    ids = {node: f"n{number}" for number, node in enumerate(graph.nodes)}
    yield "rankdir=LR"
    if graph.truncated:
        yield f"label={_quoted([label.TRUNCATED])}"
    clusters = graph.clusters()
    for number, (dataset, nodes) in enumerate(clusters.items()):
        yield f"subgraph cluster_{number} {{"
        yield f"  label={_quoted(label.lines(dataset))}"
        yield f"  tooltip={_tooltip(dataset)}"
        yield from (f"  {_node(ids[node], node, label.inner_lines(node))}" for node in nodes)
        yield "}"
    if not clusters:
        yield from (_node(ids[node], node, label.lines(node)) for node in graph.nodes)
    yield from (f"{ids[edge.origin]} -> {ids[edge.target]}{_attributes(edge)}" for edge in graph.edges)


def _node(node_id: str, node: ExportNode, lines: Iterable[str]) -> str:
    return f"{node_id} [{_SHAPES[node.kind]}, label={_quoted(lines)}, tooltip={_tooltip(node)}]"


def _attributes(edge: ExportEdge) -> str:
    text = label.of_edge(edge)
    attributes = [f"label={_quoted([text])}"] if text else []
    attributes += ["style=dashed"] if edge.is_indirect else []
    return f" [{', '.join(attributes)}]" if attributes else ""


def _tooltip(node: ExportNode) -> str:
    """The full name. Graphviz resolves escapes twice in tooltips, once everywhere else."""
    return _quoted([label.shown(node.id).replace("\\", r"\\")])


def _quoted(lines: Iterable[str]) -> str:
    r"""A quoted string that Graphviz shows unchanged. Escapes (`\N` is the node's id) and HTML entities are masked."""
    escaped = [line.replace("&", "&amp;").replace("\\", r"\\").replace('"', r"\"") for line in lines]
    return '"' + r"\n".join(escaped) + '"'
