"""The tags that may be put on nodes, with their descriptions."""

from headwater.graph.curation import TAGS
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import facet_text
from headwater.http.paging import part_of
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.read.reserved_namespaces import heads_in, names_in

ALWAYS = {"PII": "Personally identifiable information", "SENSITIVE": "Contains sensitive information"}
"""Tags that Marquez comes with; its web UI offers them."""


def tags(reader: Reader, request: ApiRequest) -> ApiResponse:
    """The tags by name. They belong to no namespace, so every key sees them all."""
    page = request.page()
    part = part_of(sorted({*ALWAYS, *names_in(reader, TAGS)}), page, str)
    heads = heads_in(reader, TAGS, part.entries)
    found = [tag_as_json(name, heads.get(name)) for name in part.entries]
    return ApiResponse(200, {"tags": found, "totalCount": part.total, **part.cursor(page)})


def tag_as_json(name: str, head: DatasetHead | None) -> JsonObject:
    said = facet_text(head.facets, "documentation", "description") if head else None
    return {"name": name, "description": said or ALWAYS.get(name)}
