"""Data sources: those that datasets name in their dataSource facets, and those that somebody put."""

import re

from headwater.graph.curation import SOURCES
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import DATA_SOURCE
from headwater.graph.facets import facet_text
from headwater.http.paging import part_of
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup.request_nodes import namespace_names, permit
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.name_resolution import NotFound
from headwater.read.reader import Reader
from headwater.read.reserved_namespaces import heads_in, names_in

_SCHEME = re.compile(r"(?:jdbc:|arn:aws[^:]*:)?([A-Za-z][A-Za-z0-9.-]{0,30})(?:\+[^:]*)?(?::(?!\d)|\Z)")
UNKNOWN_TYPE = "UNKNOWN"


def sources(reader: Reader, request: ApiRequest) -> ApiResponse:
    """The sources by name. A key sees those that are named like a namespace of its own, as the spec asks for."""
    page = request.page()
    names = [name for name in names_in(reader, SOURCES) if request.principal.may_use(name)]
    part = part_of(names, page, str)
    heads = heads_in(reader, SOURCES, part.entries)
    found = [_as_json(name, heads[name]) for name in part.entries if name in heads]
    return ApiResponse(200, {"sources": found, "totalCount": part.total, **part.cursor(page)})


def source(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    """One source, by its name."""
    names = namespace_names(path)
    heads = heads_in(reader, SOURCES, names)
    for name in names:
        if name in heads:
            permit(request, name)
            return ApiResponse(200, _as_json(name, heads[name]))
    raise NotFound(f"Source '{names[0]}' not found.")


def _as_json(name: str, head: DatasetHead) -> JsonObject:
    created = head.facts.created
    uri = facet_text(head.facets, DATA_SOURCE, "uri") or ""
    return {
        "type": facet_text(head.facets, DATA_SOURCE, "type") or type_of(uri),
        "name": name,
        "createdAt": shown(created),
        "updatedAt": shown(max(created, head.facts.said)),
        "connectionUrl": uri,
        "description": facet_text(head.facets, "documentation", "description"),
    }


def type_of(uri: str) -> str:
    """A source's kind by the scheme of its URI, in capitals. Marquez calls every source POSTGRESQL."""
    match = _SCHEME.match(uri)
    scheme = match[1].upper() if match else UNKNOWN_TYPE
    return "POSTGRESQL" if scheme.startswith("POSTGRES") else scheme
