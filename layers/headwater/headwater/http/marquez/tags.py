"""Tags in the form of Marquez's API."""

from headwater.graph.facets.members import facet_text
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.exact_json import JsonObject

ALWAYS = {"PII": "Personally identifiable information", "SENSITIVE": "Contains sensitive information"}
"""The predefined tags of Marquez, which its web UI offers."""


def tag(name: str, head: DatasetHead | None) -> JsonObject:
    description = facet_text(head.facets, "documentation", "description") if head else None
    return {"name": name, "description": description or ALWAYS.get(name)}
