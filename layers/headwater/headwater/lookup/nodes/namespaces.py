"""Single namespaces and the list of namespaces."""

from collections.abc import Sequence

from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.marquez import descriptions as marquez
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.namespace_details import list_namespace_details, read_namespace_details
from headwater.read.reader import Reader


def namespaces(reader: Reader, request: ApiRequest, visible: Sequence[KnownNamespace]) -> JsonObject:
    page = request.page()
    part = list_namespace_details(reader, visible[page.offset : page.offset + page.limit])
    return {"namespaces": [marquez.namespace(details) for details in part], "totalCount": len(visible)}


def namespace(reader: Reader, _request: ApiRequest, name: str) -> JsonObject:
    return marquez.namespace(read_namespace_details(reader, name))
