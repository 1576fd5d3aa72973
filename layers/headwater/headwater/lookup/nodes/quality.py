"""The quality results of a dataset's data, by time: data quality assertions, and metrics."""

from headwater.http.marquez import datasets as marquez
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.lookup.nodes.dataset_history import known_as, quality_history
from headwater.openlineage.exact_json import JsonObject
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def quality(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """The newest quality result, and a page of all, newest first."""
    page = request.page()
    _, ids = known_as(reader, dataset)
    results = quality_history(reader.store, ids)
    part = results.part(page)
    is_first = page.after is None and page.offset == 0 and part.entries
    last = part.entries[0] if is_first else results.newest()
    documents = within_size_limit(map(marquez.quality, part.entries))
    answer = {"last": marquez.quality(last) if last else None, "history": documents, "totalCount": part.total}
    return answer | part.cursor(page, len(documents))
