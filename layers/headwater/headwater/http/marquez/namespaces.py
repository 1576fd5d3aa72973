"""Namespaces in the form of Marquez's API."""

from headwater.graph.facets.members import facet_text, owners_of
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, shown
from headwater.read.namespace_details import NamespaceDetails


def namespace(details: NamespaceDetails) -> JsonObject:
    """A namespace, with the facets of the dataset that stands for the namespace."""
    known, description = details.known, details.description
    facets = description.facets if description else {}
    updated = max(known.first, description.facts.described if description else NEVER)
    owners = owners_of(facets)
    return {
        "name": known.name,
        "createdAt": shown(known.first),
        "updatedAt": shown(updated),
        "ownerName": owners[0] if owners else "anonymous",
        "description": facet_text(facets, "documentation", "description"),
        "isHidden": details.is_hidden,
    }
