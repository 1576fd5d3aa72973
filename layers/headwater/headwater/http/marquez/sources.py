"""Data sources in the form of Marquez's API."""

import re

from headwater.graph.facets.dataset_reference import DATA_SOURCE
from headwater.graph.facets.members import facet_text
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown

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
