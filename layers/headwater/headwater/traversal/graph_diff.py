"""What differs between two graphs: of one node, such as the lineage of Monday and that of Friday, or of two folders of
events. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.graph.facets.schema_diff import (
    ColumnSources,
    SchemaDiff,
    columns_diff,
    with_renames,
    with_renames_by_lineage,
)

GraphEdge = tuple[str, str]
"""The nodeIds of the origin and the destination, in the direction of the data."""
Columns = Mapping[str, Any]
"""The types of columns by name."""


class LineageFlow(NamedTuple):
    """A flow from a column into another, or into all rows of a dataset as a filter or join does, by nodeIds; and its
    kind, such as `DIRECT AGGREGATION`."""

    origin: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class GraphAtTime:
    """A graph by nodeIds. A dataset has columns if its schema at that time is known; `is_ordered` if these are in the
    order of the schema."""

    columns: Mapping[str, Columns | None]
    edges: frozenset[GraphEdge]
    flows: frozenset[LineageFlow] = frozenset()
    is_ordered: bool = True


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """The nodes, edges and flows that one of two graphs lacks, and the schema diffs of the datasets in both: with
    renamed columns, if the graphs have flows."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, SchemaDiff]
    edges_added: tuple[GraphEdge, ...]
    edges_removed: tuple[GraphEdge, ...]
    flows_added: tuple[LineageFlow, ...] = ()
    flows_removed: tuple[LineageFlow, ...] = ()


def graph_diff(before: GraphAtTime, after: GraphAtTime) -> GraphDiff:
    """The diff of two graphs. A schema unknown at one of the times is not a change."""
    old, new = before.columns, after.columns
    sources = (_sources(before.flows), _sources(after.flows)) if before.flows or after.flows else None
    renames = with_renames if before.is_ordered and after.is_ordered else with_renames_by_lineage
    nodes = sorted(old.keys() & new.keys())
    diffs = {node: _diff(node, old[node], new[node], sources, renames) for node in nodes}
    return GraphDiff(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed={node: diff for node, diff in diffs.items() if diff},
        edges_added=tuple(sorted(after.edges - before.edges)),
        edges_removed=tuple(sorted(before.edges - after.edges)),
        flows_added=tuple(sorted(after.flows - before.flows)),
        flows_removed=tuple(sorted(before.flows - after.flows)),
    )


def _diff(
    node: str,
    old: Columns | None,
    new: Columns | None,
    sources: tuple[ColumnSources, ColumnSources] | None,
    renames: Callable[..., SchemaDiff],
) -> SchemaDiff | None:
    if not old or not new:
        return None
    diff = columns_diff(dict(old), dict(new))
    if sources:
        of_column = node.replace("dataset:", "datasetField:", 1)
        named = [
            {name: of[f"{of_column}:{name}"] for name in columns}
            for columns, of in zip((old, new), sources, strict=True)
        ]
        diff = renames(diff, old, new, *named)
    return diff if any(diff) else None


def _sources(flows: Iterable[LineageFlow]) -> ColumnSources:
    """Of each column, what it is made of and how."""
    sources: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for flow in flows:
        sources[flow.target].add((flow.origin, flow.kind))
    return defaultdict(frozenset, {target: frozenset(of) for target, of in sources.items()})
