"""Namespaces, data sources and tags, which people describe, in the form of Marquez's API."""

import re

from headwater.graph.facets.dataset_reference import DATA_SOURCE
from headwater.graph.facets.members import facet_text, owners_of
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, shown
from headwater.read.namespace_details import NamespaceDetails

_SCHEME = re.compile(r"(?:jdbc:|arn:aws[^:]*:)?([A-Za-z][A-Za-z0-9.-]{0,30})(?:\+[^:]*)?(?::(?!\d)|\Z)")
UNKNOWN_TYPE = "UNKNOWN"


def source(name: str, head: DatasetHead) -> JsonObject:
    created = head.facts.created
    uri = facet_text(head.facets, DATA_SOURCE, "uri") or ""
    return {
        "type": facet_text(head.facets, DATA_SOURCE, "type") or type_of(uri),
        "name": name,
        "createdAt": shown(created),
        "updatedAt": shown(max(created, head.facts.described)),
        "connectionUrl": uri,
        "description": facet_text(head.facets, "documentation", "description"),
    }


def type_of(uri: str) -> str:
    """The type of a data source: the scheme of its URI, in capitals. Marquez calls every source POSTGRESQL."""
    match = _SCHEME.match(uri)
    scheme = match[1].upper() if match else UNKNOWN_TYPE
    return "POSTGRESQL" if scheme.startswith("POSTGRES") else scheme


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


ALWAYS = {"PII": "Personally identifiable information", "SENSITIVE": "Contains sensitive information"}
"""The predefined tags of Marquez, which its web UI offers."""


def tag(name: str, head: DatasetHead | None) -> JsonObject:
    description = facet_text(head.facets, "documentation", "description") if head else None
    return {"name": name, "description": description or ALWAYS.get(name)}
