"""Requests of API Gateway, in payload format 2.0, and the responses to them."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from headwater.access.principal import Principal, principal_of
from headwater.http.paths import Path
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.log import FunctionLog
from headwater.openlineage.event import is_uuid

Authenticate = Callable[[Mapping[str, Any]], Principal]
"""Returns the principal of a request of API Gateway, or raises InvalidRequest (401)."""
OF_PEOPLE = "/people"
"""The prefix of the routes for people who have signed in: API Gateway checks tokens on these routes alone."""


def answer(
    event: Mapping[str, Any],
    respond: Callable[[ApiRequest], ApiResponse],
    log: FunctionLog,
    *,
    authenticate: Authenticate = principal_of,
    has_time: Callable[[], bool] = lambda: True,
) -> ApiResponse:
    """The response to a request, or its error."""

    def handle() -> ApiResponse:
        request = request_of(event, authenticate, has_time)
        if run := _run(request):
            log.name_run(run)
        return respond(request)

    return response_or_error(handle, log.failure)


def request_of(
    event: Mapping[str, Any],
    authenticate: Authenticate = principal_of,
    has_time: Callable[[], bool] = lambda: True,
) -> ApiRequest:
    """The request and its principal. Raises InvalidRequest (401) without a valid API key, StorageError if the keys
    could not be read."""
    principal = authenticate(event)
    pairs = parse_qsl(event.get("rawQueryString") or "", keep_blank_values=True)
    return ApiRequest(
        principal,
        method=event["requestContext"]["http"]["method"],
        path=event["rawPath"].removeprefix(OF_PEOPLE),
        query=dict(pairs),
        repeated={name: tuple(value for other, value in pairs if other == name) for name, _ in pairs},
        body=event.get("body") or "",
        is_base64=bool(event.get("isBase64Encoded")),
        has_time=has_time,
    )


def _run(request: ApiRequest) -> str | None:
    """The id of the run that the path or the query names. Any other text of a client stays out of the log."""
    match = re.search(Path.RUN, request.path)
    run = match["run"] if match else request.query.get("runId", "")
    return run if is_uuid(run) else None


def accepts_gzip(event: Mapping[str, Any]) -> bool:
    return "gzip" in (event.get("headers") or {}).get("accept-encoding", "")
