"""The known tags, with their descriptions."""

from headwater.access.principal import Principal
from headwater.graph.facets.curation import TAGS
from headwater.http.marquez import descriptions as marquez
from headwater.http.paging import page_of
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.namespace_details import heads_in, names_in
from headwater.read.reader import Reader


def tags(reader: Reader, request: ApiRequest, _caller: Principal) -> JsonObject:
    """The tags by name. Tags belong to no namespace, so every key sees all tags."""
    page_request = request.page()
    page = page_of(sorted({*marquez.ALWAYS, *names_in(reader, TAGS)}), page_request, str)
    heads = heads_in(reader, TAGS, page.entries)
    documents = [marquez.tag(name, heads.get(name)) for name in page.entries]
    return {"tags": documents, "totalCount": page.total, **page.cursor(page_request)}
