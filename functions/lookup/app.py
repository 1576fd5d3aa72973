"""Lookups of the graph: GET /api/v1/..., in the form of Marquez's API. Other paths and methods are answered 404 or
405."""

import gc
from collections.abc import Mapping
from functools import partial
from typing import Any

import headwater.start
from headwater.access.principal import Scope, principal_of
from headwater.bootstrap import Root
from headwater.config import LookupSettings, from_environment
from headwater.http.gateway import accepts_gzip, answer
from headwater.http.private_api import as_http_api
from headwater.lookup.routes import Lookups, respond

root = Root(from_environment(LookupSettings))
lookups = Lookups(root.graph(), root.naming(), root.log())
authenticate = partial(principal_of, iam_scopes=tuple(Scope), person=root.people().principal)

headwater.start.end()
gc.set_threshold(50_000)
"""Garbage collection during a long lookup took a quarter of its time. A response is freed by its reference count."""


@root.log().handler
def handler(request: Mapping[str, Any], context: Any) -> dict[str, Any]:
    request = as_http_api(request)
    response = answer(request, partial(respond, lookups), root.log(), audit=root.audit(), authenticate=authenticate)
    return response.to_gateway(accepts_gzip=accepts_gzip(request))
