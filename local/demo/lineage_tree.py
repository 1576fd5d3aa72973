"""The answers of the lookup API as text: trees from a dataset or column to its sources."""

import os.path
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

Graph = list[dict[str, Any]]
Label = Callable[[str], str]


LINE = 100


@dataclass(frozen=True)
class Tree:
    text: str
    upstream: "list[Tree]"

    def lines(self, indent: str = "", mark: str = "", below: str = "") -> Iterator[str]:
        """Yield the lines of the tree. A single source stays on its target's line while it fits: `total <- a.total`."""
        text, rest = self.text, self.upstream
        while len(rest) == 1 and len(chain := f"{text} <- {rest[0].text}") <= LINE:
            text, rest = chain, rest[0].upstream
        yield f"{indent}{mark}{text}"
        for number, tree in enumerate(rest, start=1):
            is_last = number == len(rest)
            yield from tree.lines(indent + below, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")


def short_names(names: Iterable[str]) -> Label:
    """Return a function that shortens a name by the folder that all of these names share."""
    folders = {str(PurePosixPath(name).parent) for name in names}
    common = f"{os.path.commonpath(folders)}/" if folders and all(map(os.path.isabs, folders)) else ""
    return lambda name: name.removeprefix(common)


def table_tree(graph: Graph, root: str, label: Label) -> Tree:
    """Return the upstream of a node of `/api/v1/lineage`: datasets, and the jobs that write them."""
    nodes = {node["id"]: node for node in graph}

    def tree(node_id: str, path: frozenset[str]) -> Tree:
        node, name = nodes[node_id], nodes[node_id]["data"]["name"]
        origins = sorted({edge["origin"] for edge in node["inEdges"]} & nodes.keys() - path)
        return Tree(
            f"job {name}" if node["type"] == "JOB" else label(name),
            [tree(origin, path | {origin}) for origin in origins],
        )

    return tree(root, frozenset({root}))


def column_trees(graph: Graph, dataset: str, label: Label) -> Iterator[Tree]:
    """Yield the upstream of each column of a dataset, from `/api/v1/column-lineage`."""
    fields = {field_id(node["data"]): node["data"] for node in graph}

    def tree(text: str, node_id: str, path: frozenset[str]) -> Tree:
        inputs = [(entry, field_id(entry)) for entry in fields.get(node_id, {}).get("inputFields", [])]
        new = [(source(entry, label), source_id) for entry, source_id in inputs if source_id not in path]
        return Tree(text, [tree(source_text, source_id, path | {source_id}) for source_text, source_id in new])

    for node_id, data in fields.items():
        if data["dataset"] == dataset:
            yield tree(data["field"], node_id, frozenset({node_id}))


def indirect_trees(indirect: list[dict[str, Any]], label: Label) -> Iterator[Tree]:
    """Yield for each dataset the columns that its filters, joins and groupings use."""
    by_dataset: dict[str, list[str]] = {}
    for entry in indirect:
        by_dataset.setdefault(label(entry["dataset"]), []).append(source(entry["inputField"], label))
    for dataset, sources in by_dataset.items():
        yield Tree(f"{dataset} <- {', '.join(sources)}", [])


def field_id(data: dict[str, Any]) -> str:
    return f"{data['namespace']}:{data['dataset']}:{data['field']}"


def source(entry: dict[str, Any], label: Label) -> str:
    """Return an input field with its transformations: `orders_clean.order_total (AGGREGATION)`."""
    kinds = [kind(step) for step in entry.get("transformations") or []]
    return f"{label(entry['dataset'])}.{entry['field']}" + (f" ({', '.join(kinds)})" if kinds else "")


def kind(step: dict[str, Any]) -> str:
    name = step["subtype"] or step["type"]
    return f"{name}, masked" if step.get("masking") else str(name)
