"""HTTP answers, in the form that API Gateway takes from a Lambda. Errors are `{code, message, details[]}`."""

import base64
import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import simplejson

from headwater.http.request import ApiRequest
from headwater.openlineage.faults import InvalidRequest

RETRY_AFTER_SECONDS = 1
GZIP_FROM_BYTES = 4 * 1024
MAX_PLAIN_BYTES = 5_800_000
"""Lambda hands over 6 MB."""


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A status and a body: a JSON document, or a text of the content type that the headers name. Never an empty one:
    the OpenLineage Java client takes that for a failure."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_gateway(self, *, accepts_gzip: bool = False) -> dict[str, Any]:
        """The answer as payload format 2.0, gzipped if that is welcome and worth it, or the only way out."""
        headers = {"content-type": "application/json", **self.headers}
        is_text = isinstance(self.body, str) and "content-type" in self.headers
        text = self.body if is_text else _json(self.body)
        content = text.encode()
        is_worth_it = accepts_gzip and len(content) >= GZIP_FROM_BYTES
        if not is_worth_it and len(content) <= MAX_PLAIN_BYTES:
            return {"statusCode": self.status, "headers": headers, "body": text}
        packed = base64.b64encode(gzip.compress(content, 6, mtime=0)).decode()
        if len(packed) > MAX_PLAIN_BYTES:
            return error_response(413, "the answer is too long; ask for less, with `limit` or `depth`").to_gateway()
        headers["content-encoding"] = "gzip"
        return {"statusCode": self.status, "headers": headers, "body": packed, "isBase64Encoded": True}


def _json(body: Any) -> str:
    return simplejson.dumps(body, use_decimal=True, ensure_ascii=False, namedtuple_as_object=False)


def ok(_request: ApiRequest, value: object) -> ApiResponse:
    """The answer of a use case whose value is a JSON document."""
    return ApiResponse(200, value)


def error_response(status: int, message: str, details: list[str] | None = None) -> ApiResponse:
    """An error that its reader can act on."""
    headers = {"retry-after": str(RETRY_AFTER_SECONDS)} if status == 503 else {}
    return ApiResponse(status, {"code": status, "message": message, "details": details or []}, headers)


class RequestError(Exception):
    """A use case cannot do what is asked, for a reason that is not in the request alone: a conflict (409), or work that
    is not finished (503)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def response_or_error(handle: Callable[[], ApiResponse], log: Callable[[str, BaseException], None]) -> ApiResponse:
    """The request's answer, or its error as one: the client's fault as 4xx, ours as 503, which all clients retry."""
    try:
        return handle()
    except InvalidRequest as refused:
        return error_response(refused.status, str(refused), [str(fault) for fault in refused.faults])
    except RequestError as failed:
        return error_response(failed.status, str(failed))
    except Exception as error:  # noqa: BLE001 - a fault of ours, whatever it is: the client is to try again
        log("a request failed for a fault of ours", error)
        return error_response(503, "not available for the moment; try again")
