"""Responses, and their form in API Gateway's payload format 2.0. An error is `{code, message, details, faults[]}`."""

import base64
import gzip
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest

RETRY_AFTER_SECONDS = 1
GZIP_FROM_BYTES = 4 * 1024
MAX_PLAIN_BYTES = 5_800_000
"""A Lambda returns at most 6 MB."""
PRIVATE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
"""An answer is kept by nobody but its client, and is what its content type says."""
CONDITIONAL = {"cache-control": "private, no-cache", "vary": "authorization, x-api-key"}
"""An answer is only for its key, and must be revalidated each time: a client that knows its ETag gets a 304."""


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A status and a body: a JSON document, or a text or bytes of the content type in the headers.

    A body is never empty, except for a 304: the OpenLineage Java client takes an empty body for a failure. `written` is
    the content, if it was made already. `headwater serve` sends it after a `pause`, in seconds.
    """

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    written: bytes | None = None
    pause: float = 0

    def content(self) -> tuple[dict[str, str], bytes]:
        """The headers with the content type, and the content: a document as JSON."""
        headers = {**PRIVATE, **self.headers}
        if self.status == 304:
            return headers, b""
        headers = {"content-type": "application/json", **headers}
        if self.written is not None:
            return headers, self.written
        if isinstance(self.body, bytes):
            return headers, self.body
        is_text = isinstance(self.body, str) and "content-type" in self.headers
        return headers, self.body.encode() if is_text else exact_json.encode(self.body)

    def unless_known(self, request_headers: Mapping[str, str]) -> "ApiResponse":
        """The response to a lookup with its ETag, a hash of what the caller sees; 304 without a body if the client has
        it (If-None-Match). Of an error the error. The tag is weak, since the content may be sent gzipped."""
        if self.status != 200:
            return self
        headers, content = self.content()
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        validators = {**CONDITIONAL, "etag": f"W/{tag}"}
        if {tag, "*"} & set(re.findall(r'"[^"]*"|\*', request_headers.get("if-none-match", ""))):
            return ApiResponse(304, None, validators)
        return ApiResponse(self.status, self.body, {**headers, **validators}, content)

    def to_gateway(self, *, accepts_gzip: bool = False) -> dict[str, Any]:
        """The response in payload format 2.0. It is gzipped if the client accepts gzip and the body is long, or if
        the plain body exceeds the limit of Lambda."""
        headers, content = self.content()
        if isinstance(self.body, bytes):
            packed = base64.b64encode(content).decode()
            return {"statusCode": self.status, "headers": headers, "body": packed, "isBase64Encoded": True}
        is_worth_it = accepts_gzip and len(content) >= GZIP_FROM_BYTES
        if not is_worth_it and len(content) <= MAX_PLAIN_BYTES:
            return {"statusCode": self.status, "headers": headers, "body": content.decode()}
        packed = base64.b64encode(gzip.compress(content, 6, mtime=0)).decode()
        if len(packed) > MAX_PLAIN_BYTES:
            return error_response(413, "the response is too long; reduce `limit` or `depth`").to_gateway()
        headers["content-encoding"] = "gzip"
        return {"statusCode": self.status, "headers": headers, "body": packed, "isBase64Encoded": True}


def error_response(status: int, message: str, faults: Sequence[str] = ()) -> ApiResponse:
    """An error as a response; 429 and 503 ask the client to retry. `details` has the faults as one string, because
    Marquez's clients fail at a list."""
    headers = {"retry-after": str(RETRY_AFTER_SECONDS)} if status in (429, 503) else {}
    return ApiResponse(
        status, {"code": status, "message": message, "details": "; ".join(faults), "faults": [*faults]}, headers
    )


class RequestError(Exception):
    """A use case cannot complete a valid request: a conflict with a stored state (409), or a deletion that needs more
    requests (503)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def response_or_error(handle: Callable[[], ApiResponse], log: Callable[[str, BaseException], None]) -> ApiResponse:
    """The response, or the error as a response: 4xx for a fault of the request, 503 for any other fault. All clients
    retry a 503."""
    try:
        return handle()
    except InvalidRequest as refused:
        return error_response(refused.status, str(refused), [str(fault) for fault in refused.faults])
    except RequestError as failed:
        return error_response(failed.status, str(failed))
    except Exception as error:  # noqa: BLE001 - any other fault is the server's: the client retries
        log("a request failed for a fault of the server", error)
        return error_response(503, "not available for the moment; try again")
