"""Mermaid: jobs are boxes, datasets cylinders, exposures flags, columns rounded boxes in a subgraph for each dataset.

Names are only in labels. There, every character outside words is written as an entity (`#58;`):
- a quote would end the label;
- Mermaid reads labels as Markdown: some versions show `__main__` in bold, and `1. load` as a list;
- before parsing, Mermaid cuts the last `;` off a line that looks like `style a:#fff;`.

Lines of a label are separated by newlines. With `<br/>`, Mermaid first resolves the entities as HTML, then reads the
result as Markdown. A picture with more than 500 edges or 50,000 characters needs `maxEdges` and `maxTextSize`, which
only the page can set.

https://mermaid.js.org/syntax/flowchart.html
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.lookup.export import label
from headwater.lookup.export.graph import ExportEdge, ExportGraph, ExportKind, ExportNode, graph_of

_SHAPES = {
    ExportKind.JOB: ("[", "]"),
    ExportKind.DATASET: ("[(", ")]"),
    ExportKind.COLUMN: ("([", "])"),
    ExportKind.EXPOSURE: (">", "]"),
}
_WORDS = re.compile(r"([^\W_]+(?:[ _/-][^\W_]+)*)|(.)", re.DOTALL)


def render(answer: dict[str, Any]) -> str:
    """The graph of an answer as a flowchart from left to right."""
    return flowchart(graph_of(answer))


def flowchart(graph: ExportGraph) -> str:
    title = ["---", f"title: '{label.TRUNCATED}'", "---"] if graph.truncated else []
    return "\n".join([*title, "flowchart LR", *(f"  {line}" for line in _statements(graph)), ""])


def _statements(graph: ExportGraph) -> Iterator[str]:
    ids = {node: f"n{number}" for number, node in enumerate(graph.nodes)}
    clusters = graph.clusters()
    for number, (dataset, nodes) in enumerate(clusters.items()):
        yield f"subgraph d{number}[{_quoted(label.lines(dataset))}]"
        yield from (f"  {_node(ids[node], node, label.inner_lines(node))}" for node in nodes)
        yield "end"
    if not clusters:
        yield from (_node(ids[node], node, label.lines(node)) for node in graph.nodes)
    yield from (f"{ids[edge.origin]} {_arrow(edge)} {ids[edge.target]}" for edge in graph.edges)


def _node(node_id: str, node: ExportNode, lines: Iterable[str]) -> str:
    opening, closing = _SHAPES[node.kind]
    return f"{node_id}{opening}{_quoted(lines)}{closing}"


def _arrow(edge: ExportEdge) -> str:
    arrow = "-.->" if edge.is_indirect else "-->"
    text = label.of_edge(edge)
    return f"{arrow}|{_quoted([text])}|" if text else arrow


def _quoted(lines: Iterable[str]) -> str:
    return '"' + "\n".join(_WORDS.sub(_escaped, line) for line in lines) + '"'


def _escaped(match: re.Match[str]) -> str:
    words, other = match.groups()
    return words or f"#{ord(other)};"
