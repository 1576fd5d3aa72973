"""Namespaces, one by one and in lists."""

from collections.abc import Mapping
from itertools import islice

from headwater.graph.curation import NAMESPACES
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.request_nodes import known_namespace, permit
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store import keys


def namespaces(reader: Reader, request: ApiRequest) -> ApiResponse:
    page = request.page()
    found = [each for each in reader.namespaces() if request.principal.may_use(each[0])]
    part = found[page.offset : page.offset + page.limit]
    described = reader.datasets([dataset_id(Name(NAMESPACES, name)) for name, _ in part], deleted=True)
    return ApiResponse(
        200, {"namespaces": [_namespace(reader, *each, described) for each in part], "totalCount": len(found)}
    )


def namespace(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    name = known_namespace(reader, path)
    permit(request, name)
    item = reader.table.read([keys.namespace(name)])[keys.namespace(name)]
    described = reader.datasets([dataset_id(Name(NAMESPACES, name))], deleted=True)
    return ApiResponse(200, _namespace(reader, name, item.labels["first"], described))


def _namespace(reader: Reader, name: str, first: str, described: Mapping[NodeId, DatasetHead]) -> JsonObject:
    head = described.get(dataset_id(Name(NAMESPACES, name)))
    is_hidden = head is not None and head.is_deleted and _is_empty(reader, name)
    return marquez_schema.namespace(name, first, head, is_hidden=is_hidden)


def _is_empty(reader: Reader, name: str) -> bool:
    lists = (keys.jobs_of(name), keys.datasets_of(name))
    return not any(True for each in lists for _ in islice(reader.table.list_entries(each, limit=1), 1))
