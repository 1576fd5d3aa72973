"""GET /caller: what the key of the request may do, so that a page offers nothing that would be refused."""

from headwater.access.principal import Principal, Scope
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader


def caller(_reader: Reader, _request: ApiRequest, principal: Principal) -> JsonObject:
    """The scopes of the caller, with those that they include, and the patterns of its namespaces."""
    return {
        "scopes": sorted(scope for scope in Scope if principal.may(scope)),
        "reads": sorted({*principal.namespaces, *principal.reads}),
        "writes": sorted({*principal.namespaces, *principal.writes}),
    }
