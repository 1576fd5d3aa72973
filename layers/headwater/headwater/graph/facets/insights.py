"""Insights: what an analysis of the whole graph found, as facets that ordinary events bring.

The insights of a kind are a facet of the dataset of that name in the reserved namespace `headwater:insights`; a new
analysis replaces them. The criticality of a job or dataset is a facet of the node itself.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from headwater.openlineage.exact_json import JsonObject

INSIGHTS_FACET = "headwater_insights"
"""`{"at": time, "total": number, "insights": [...], "frontier": {...}}`: the first insights of a kind, how many there
are in all, and what the analysis cannot see (`read.frontier.Frontier`)."""
CRITICALITY = "headwater_criticality"
"""`{"at": time, "downstreamDatasets": ..., "downstreamJobs": ..., "owners": ..., "rank": ...}` of a job or dataset."""


class InsightKind(StrEnum):
    """What an insight is about.

    DUPLICATE   jobs that make the same columns of the same sources
    CRITICAL    a node that much depends on, and that nothing stands in for
    WASTE       data that nobody reads, and jobs that make such data
    DRIFT       a run that took another time or wrote another volume than usual
    SKEW        a stage of a query in which one task read more than all others
    SENSITIVE   a column that holds what a tagged column held
    """

    DUPLICATE = "duplicate"
    CRITICAL = "critical"
    WASTE = "waste"
    DRIFT = "drift"
    SKEW = "skew"
    SENSITIVE = "sensitive"


def insights_of(facets: Mapping[str, Any]) -> list[JsonObject]:
    """The insights in the facets of a dataset; entries of another form are skipped."""
    facet = facets.get(INSIGHTS_FACET)
    entries = facet.get("insights") if isinstance(facet, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def frontier_in(facets: Mapping[str, Any]) -> Any:
    """The frontier of the analysis in the facets of a dataset; None for an analysis of an earlier release."""
    facet = facets.get(INSIGHTS_FACET)
    return facet.get("frontier") if isinstance(facet, dict) else None


def criticality_of(facets: Mapping[str, Any]) -> JsonObject | None:
    """How critical a node is, by its facets."""
    facet = facets.get(CRITICALITY)
    if not isinstance(facet, dict):
        return None
    return {name: value for name, value in sorted(facet.items()) if not name.startswith("_")}


def namespaces_in(value: Any) -> Iterator[str]:
    """Every namespace that a part of an insight names."""
    if isinstance(value, dict):
        if isinstance(namespace := value.get("namespace"), str):
            yield namespace
        for member in value.values():
            yield from namespaces_in(member)
    elif isinstance(value, list):
        for entry in value:
            yield from namespaces_in(entry)
