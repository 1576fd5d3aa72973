"""Data sources: those in dataSource facets of datasets, and those that people described through the API."""

from headwater.access.principal import Principal
from headwater.graph.facets.curation import SOURCES
from headwater.http.marquez import descriptions as marquez
from headwater.http.paging import page_of
from headwater.http.request import ApiRequest
from headwater.lookup.subjects import DescribedSource
from headwater.openlineage.exact_json import JsonObject
from headwater.read.namespace_details import heads_in, names_in
from headwater.read.reader import Reader


def sources(reader: Reader, request: ApiRequest, caller: Principal) -> JsonObject:
    """The sources by name. A key sees a source if the source's name is a namespace of the key."""
    page_request = request.page()
    names = [name for name in names_in(reader, SOURCES) if caller.may_read(name)]
    page = page_of(names, page_request, str)
    heads = heads_in(reader, SOURCES, page.entries)
    documents = [marquez.source(name, heads[name]) for name in page.entries if name in heads]
    return {"sources": documents, "totalCount": page.total, **page.cursor(page_request)}


def source(_reader: Reader, _request: ApiRequest, source: DescribedSource) -> JsonObject:
    return marquez.source(source.name, source.head)
