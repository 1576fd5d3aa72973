"""What runs found out about a dataset's data, one after the other: assertions that held or did not, and measures."""

from headwater.graph.identity import NodeKind
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.nodes import dataset_history
from headwater.lookup.request_nodes import node_from_path
from headwater.read.reader import Reader


def quality(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    """The newest that was found out, and a page of what was found out before, newest first."""
    node = node_from_path(reader, request, NodeKind.DATASET, path)
    page = request.page()
    _, ids = dataset_history.known_as(reader, node)
    part = dataset_history.part(reader, ids, dataset_history.CHECKS, page)
    is_first = page.after is None and page.offset == 0 and part.entries
    last = part.entries[0] if is_first else dataset_history.newest(reader, ids, dataset_history.CHECKS)
    found = within_size_limit(marquez_schema.quality(item) for item in part.entries)
    answer = {"last": marquez_schema.quality(last) if last else None, "history": found, "totalCount": part.total}
    return ApiResponse(200, answer | part.cursor(page, len(found)))
