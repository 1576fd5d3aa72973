"""Requests of API Gateway, in payload format 2.0, and the responses to them."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import parse_qsl

from headwater.access.principal import Principal, principal_of
from headwater.graph.states.audit import READING
from headwater.http.paths import Path
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse, RequestError
from headwater.log import FunctionLog
from headwater.openlineage.event import is_uuid

Authenticate = Callable[[Mapping[str, Any]], Principal]
"""Returns the principal of a request of API Gateway, or raises InvalidRequest (401)."""


class RequestAudit(Protocol):
    """What sees each request and its response: the audit, and of ingest the count of refusals."""

    def answer(
        self, request: ApiRequest, authenticate: Callable[[], Principal], respond: Callable[[ApiRequest], ApiResponse]
    ) -> ApiResponse:
        """The response to a request whose principal is not known yet, or its error."""


SHARE, BURST_SECONDS = 0.5, 5.0
"""A key's share of a function copy's time while others are asking, and the seconds it may use beyond that."""
SEEN_SECONDS = 60.0
"""How long a key counts as asking."""


class Buckets:
    """The seconds that each caller has used of this copy of a function, less `SHARE` of those that have passed since. A
    copy answers one request at a time, and knows nothing of other copies."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: dict[str, tuple[float, float]] = {}

    def answer(self, caller: str, request: ApiRequest, respond: Callable[[ApiRequest], ApiResponse]) -> ApiResponse:
        """The response to a request. Raises RequestError (429) for a lookup if the caller has used its share and
        another is asking. Writes are never refused: Spark's listener does not send an event twice."""
        begun = self._clock()
        self._used = {each: used for each, used in self._used.items() if begun - used[1] < SEEN_SECONDS}
        used = self._left(caller, begun)
        if request.method in READING and used > BURST_SECONDS and self._used.keys() - {caller}:
            raise RequestError(429, "this key has used its share of the time; send the request again later")
        try:
            return respond(request)
        finally:
            ended = self._clock()
            self._used[caller] = (used + (1 - SHARE) * (ended - begun), ended)

    def _left(self, caller: str, now: float) -> float:
        used, at = self._used.get(caller, (0.0, now))
        return max(0.0, used - SHARE * (now - at))


OF_PEOPLE = "/people"
"""The prefix of the routes for people who have signed in: API Gateway checks tokens only on these routes."""


_BUCKETS = Buckets()


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
        return _BUCKETS.answer(request.principal.shown, request, respond)

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
    """The id of the run that the path or the query names. No other text of a client gets into the log."""
    match = re.search(Path.RUN, request.path)
    run = match["run"] if match else request.query.get("runId", "")
    return run if is_uuid(run) else None


def accepts_gzip(event: Mapping[str, Any]) -> bool:
    return "gzip" in (event.get("headers") or {}).get("accept-encoding", "")
