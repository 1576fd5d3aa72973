"""The quality results of a dataset's data, by time: data quality assertions, and metrics."""

from headwater.http.marquez import datasets as marquez
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.lookup.nodes.dataset_history import head_and_spans, quality_history
from headwater.openlineage.exact_json import JsonObject
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def quality(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """The newest quality result, and a page of all results, newest first."""
    page_request = request.page()
    _, spans = head_and_spans(reader, dataset)
    results = quality_history(reader.store, spans)
    page = results.page(page_request)
    is_first = page_request.after is None and page_request.offset == 0 and page.entries
    last = page.entries[0] if is_first else results.newest()
    documents = within_size_limit(map(marquez.quality, page.entries))
    answer = {"last": marquez.quality(last) if last else None, "history": documents, "totalCount": page.total}
    return answer | page.cursor(page_request, len(documents))
