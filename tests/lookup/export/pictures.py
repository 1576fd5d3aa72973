"""Reads pictures back: Graphviz and Mermaid, by the documentation of the formats. Shares no code with the writers."""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.lookup.export.graphs import export


@dataclass
class Drawing:
    """A picture: nodes by id, as (kind, lines of the label, tooltip), edges, and clusters of nodes by label."""

    nodes: dict[str, tuple[str, list[str], str | None]] = field(default_factory=dict)
    edges: list[tuple[str, str, str, bool]] = field(default_factory=list)
    clusters: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    title: str | None = None

    def named_edges(self) -> list[tuple[str, str, str, bool]]:
        """The edges with labels in the place of ids."""
        return sorted((self.nodes[a][1][0], self.nodes[b][1][0], text, dashed) for a, b, text, dashed in self.edges)


def read_dot(text: str) -> Drawing:
    """Reads Graphviz's language as https://graphviz.org/doc/info/lang.html and .../attrs/escString.html have it."""
    tokens = _tokens(r'"(?:[^"\\]|\\.)*"|->|[{}\[\]=,]|\w+', text)
    assert [next(tokens), next(tokens), next(tokens)] == ["digraph", "lineage", "{"]
    drawing = Drawing()
    cluster: list[str] | None = None
    around: dict[str, str] = {}
    for token in tokens:
        if token == "subgraph":
            assert next(tokens).startswith("cluster_")
            assert next(tokens) == "{"
            cluster, around = [], {}
        elif token == "}":
            if cluster is not None:
                drawing.clusters[tuple(_shown(around["label"]))] = cluster
            cluster = None
        elif re.fullmatch(r"n\d+", token):
            _read_statement(token, tokens, drawing, cluster)
        else:
            assert next(tokens) == "="
            around[token] = next(tokens)
            drawing.title = _shown(around[token])[0] if token == "label" and cluster is None else drawing.title
    return drawing


def _read_statement(node: str, tokens: "_Tokens", drawing: Drawing, cluster: list[str] | None) -> None:
    target = None
    if tokens.peek() == "->":
        next(tokens)
        target = next(tokens)
    attributes: dict[str, str] = {}
    if tokens.peek() == "[":
        while next(tokens) != "]":
            name, equals, attributes[name] = next(tokens), next(tokens), next(tokens)
            assert equals == "="
    if target:
        (text,) = _shown(attributes.get("label", '""'))
        drawing.edges.append((node, target, text, attributes.get("style") == "dashed"))
        return
    kinds = {("box", None): "job", ("cylinder", None): "dataset", ("box", "rounded"): "column"}
    kind = kinds[attributes["shape"], attributes.get("style")]
    drawing.nodes[node] = (kind, _shown(attributes["label"]), "\n".join(_shown(attributes["tooltip"], passes=2)))
    if cluster is not None:
        cluster.append(node)


def _shown(quoted: str, passes: int = 1) -> list[str]:
    """What Graphviz shows for a quoted string: the lexer knows `\"` alone, then come entities, then escapes."""
    assert quoted[0] == quoted[-1] == '"'
    text = re.sub(r'\\([\\"])', lambda match: '"' if match[1] == '"' else match[0], quoted[1:-1])
    text = html.unescape(text)
    escapes = {"n": "\n", "\\": "\\"}
    for _ in range(passes):
        text = re.sub(r"\\(.)", lambda match: escapes[match[1]], text)
    return text.split("\n")


def read_mermaid(text: str) -> Drawing:
    """Reads a flowchart as https://mermaid.js.org/syntax/flowchart.html has it."""
    front, _, body = text.rpartition("flowchart LR\n")
    title = re.fullmatch(r"(?:---\ntitle: '([^']*)'\n---\n)?", front)
    assert title
    drawing = Drawing(title=title[1])
    cluster: list[str] | None = None
    shapes = {("[", "]"): "job", ("[(", ")]"): "dataset", ("([", "])"): "column"}
    for statement in _tokens(r'(?:"[^"]*"|[^"\n])+', body):
        if statement == "end":
            cluster = None
        elif match := re.fullmatch(r'subgraph d\d+\["([^"]*)"\]', statement):
            cluster = drawing.clusters.setdefault(tuple(_entities(match[1])), [])
        elif match := re.fullmatch(r'(n\d+)([\[(]+)"([^"]*)"([\])]+)', statement):
            drawing.nodes[match[1]] = (shapes[match[2], match[4]], _entities(match[3]), None)
            if cluster is not None:
                cluster.append(match[1])
        else:
            edge = re.fullmatch(r'(n\d+) (-->|-\.->)(?:\|"([^"]*)"\|)? (n\d+)', statement)
            assert edge, statement
            drawing.edges.append((edge[1], edge[4], _entities(edge[3] or "")[0], edge[2] == "-.->"))
    return drawing


def _entities(label: str) -> list[str]:
    """A label's text. It has to be words and entities alone: the rest may be Markdown, or end the label."""
    assert re.fullmatch(r"(?:[\w /\n-]|#\d+;)*", label)
    assert not re.search(r"(?m)^[ _-]|[ _-]$|[ _-]{2}", label)
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label).split("\n")


class _Tokens(Iterator[str]):
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def __next__(self) -> str:
        if not self.tokens:
            raise StopIteration
        return self.tokens.pop(0)

    def peek(self) -> str:
        return self.tokens[0]


def _tokens(pattern: str, text: str) -> _Tokens:
    """All of a text, which has to be tokens of this pattern with white space in between."""
    matches = re.findall(rf"({pattern})|\s+|(.)", text, re.DOTALL)
    assert not [other for _, other in matches if other]
    return _Tokens([token.strip() for token, _ in matches if token.strip()])


READERS: dict[str, Callable[[str], Drawing]] = {"dot": read_dot, "mermaid": read_mermaid}


def draw(form: str, answer: Any) -> Drawing:
    return READERS[form](export(form, answer))
