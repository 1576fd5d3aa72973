"""What differs between two graphs of one node, such as the lineage of Monday and that of Friday. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.graph.facets.schema_diff import SchemaDiff, columns_diff

GraphEdge = tuple[str, str]
"""The nodeIds of the origin and the destination, in the direction of the data."""
Columns = Mapping[str, Any]
"""The types of columns by name."""


@dataclass(frozen=True, slots=True)
class GraphAtTime:
    """A graph by nodeIds. A dataset has columns if its schema at that time is known."""

    columns: Mapping[str, Columns | None]
    edges: frozenset[GraphEdge]


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """The nodes and edges that one of two graphs lacks, and the schema diffs of the datasets in both."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, SchemaDiff]
    edges_added: tuple[GraphEdge, ...]
    edges_removed: tuple[GraphEdge, ...]


def graph_diff(before: GraphAtTime, after: GraphAtTime) -> GraphDiff:
    """The diff of two graphs. A schema unknown at one of the times is not a change."""
    old, new = before.columns, after.columns
    return GraphDiff(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed={node: diff for node in sorted(old.keys() & new.keys()) if (diff := _diff(old[node], new[node]))},
        edges_added=tuple(sorted(after.edges - before.edges)),
        edges_removed=tuple(sorted(before.edges - after.edges)),
    )


def _diff(old: Columns | None, new: Columns | None) -> SchemaDiff | None:
    if not old or not new:
        return None
    diff = columns_diff(dict(old), dict(new))
    return diff if any(diff) else None
