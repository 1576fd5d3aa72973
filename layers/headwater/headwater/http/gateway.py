"""Requests of API Gateway, in payload format 2.0, and the responses to them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import parse_qsl

from headwater.access.principal import Principal, principal_of
from headwater.graph.states.audit import READING
from headwater.http.paths import Path
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse
from headwater.log import FunctionLog
from headwater.openlineage.event import is_uuid

Authenticate = Callable[[Mapping[str, Any]], Principal]
"""Returns the principal of a request of API Gateway, or raises InvalidRequest (401)."""


class RequestAudit(Protocol):
    """What sees each request and its response: the audit, and of ingest the count of refusals."""

    def answer(
        self,
        request: ApiRequest,
        authenticate: Callable[[], Principal],
        respond: Callable[[ApiRequest], ApiResponse],
    ) -> ApiResponse:
        """The response to a request whose principal is not known yet, or its error."""


OF_PEOPLE = "/people"
"""The prefix of the routes for people who have signed in: API Gateway checks tokens on these routes alone."""


def answer(
    event: Mapping[str, Any],
    respond: Callable[[ApiRequest], ApiResponse],
    log: FunctionLog,
    *,
    audit: RequestAudit,
    authenticate: Authenticate = principal_of,
) -> ApiResponse:
    """The response to a request, or its error. `audit` makes the request an audit entry. Lookups are conditional."""

    def respond_with_run(request: ApiRequest) -> ApiResponse:
        if run := _run(request):
            log.name_run(run)
        return respond(request)

    request = _received(event)
    response = audit.answer(request, lambda: authenticate(event), respond_with_run)
    return response.unless_known(event.get("headers") or {}) if request.method in READING else response


def request_of(event: Mapping[str, Any], authenticate: Authenticate = principal_of) -> ApiRequest:
    """The request and its principal. Raises InvalidRequest (401) without a valid API key, StorageError if the keys
    could not be read."""
    return replace(_received(event), principal=authenticate(event))


def _received(event: Mapping[str, Any]) -> ApiRequest:
    """The request, whose principal is not known yet."""
    pairs = parse_qsl(event.get("rawQueryString") or "", keep_blank_values=True)
    return ApiRequest(
        UNIDENTIFIED,
        method=event["requestContext"]["http"]["method"],
        path=event["rawPath"].removeprefix(OF_PEOPLE),
        query=dict(pairs),
        repeated={name: tuple(value for other, value in pairs if other == name) for name, _ in pairs},
        body=event.get("body") or "",
        is_base64=bool(event.get("isBase64Encoded")),
        request_id=event["requestContext"].get("requestId") or "",
    )


def _run(request: ApiRequest) -> str | None:
    """The id of the run that the path or the query names. Any other text of a client stays out of the log."""
    match = re.search(Path.RUN, request.path)
    run = match["run"] if match else request.query.get("runId", "")
    return run if is_uuid(run) else None


def accepts_gzip(event: Mapping[str, Any]) -> bool:
    return "gzip" in (event.get("headers") or {}).get("accept-encoding", "")
