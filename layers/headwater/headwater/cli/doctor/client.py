"""A client of Headwater's API. If a request gets no response, an ApiResponse with the reason is returned."""

import gzip
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from headwater.cli.doctor.finding import Blame, Diagnosis, Finding

PREFIX = "/api/v1"
LINEAGE = f"{PREFIX}/lineage"
ANSWER_SECONDS = 30


@dataclass(frozen=True)
class ApiResponse:
    """A response. If there was none, `status` is 0 and `body` is the reason."""

    status: int
    body: Any
    seconds: float


@dataclass(frozen=True)
class Client:
    """A client of the API at `url`. `lineage` is the path for posting events."""

    url: str
    key: str = field(repr=False)
    lineage: str = LINEAGE

    def post(self, event: dict[str, Any]) -> ApiResponse:
        return self._request(self.lineage, json.dumps(event).encode())

    def post_gzipped(self, event: dict[str, Any]) -> ApiResponse:
        """Post an event as a listener with `compression=gzip` does: in chunks, with the headers of both."""
        return self._request(self.lineage, iter([gzip.compress(json.dumps(event).encode())]), encoding="gzip")

    def get(self, *parts: str, **query: str | int | tuple[str, ...]) -> ApiResponse:
        """Request a path under /api/v1; the parts are escaped. A tuple of values repeats the parameter."""
        path = _path(parts)
        return self._request(f"{path}?{urlencode(query, doseq=True)}" if query else path)

    def delete(self, *parts: str) -> ApiResponse:
        return self._request(_path(parts), method="DELETE")

    def at_root(self) -> "Client":
        """Return a client of the same host without the URL's path."""
        parts = urlsplit(self.url)
        return Client(f"{parts.scheme}://{parts.netloc}", self.key)

    def _request(
        self,
        target: str,
        body: bytes | Iterator[bytes] | None = None,
        method: str | None = None,
        encoding: str | None = None,
    ) -> ApiResponse:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if encoding:
            headers["Content-Encoding"] = encoding
        start = time.monotonic()
        try:
            request = urllib.request.Request(  # noqa: S310 - as the user says
                self.url.rstrip("/") + target, body, headers, method=method
            )
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310
                return ApiResponse(answer.status, _read(answer.read()), time.monotonic() - start)
        except urllib.error.HTTPError as error:
            return ApiResponse(error.code, _read(error.read()), time.monotonic() - start)
        except (OSError, ValueError, HTTPException) as error:
            return ApiResponse(0, str(getattr(error, "reason", error)), time.monotonic() - start)


def _path(parts: Iterable[str]) -> str:
    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def as_header(key: str) -> str:
    """Return the key if an HTTP header can hold it. Raises Diagnosis, which does not show the key."""
    if not re.fullmatch(r"[!-~]*", key):
        what = "the key has a space, a line break or a character beyond ASCII, which no HTTP header can have"
        raise Diagnosis(Finding(what, "copy the key without changes: docs/operating.md, Keys", Blame.KEY))
    return key


def is_address(url: str) -> bool:
    """Whether a text is a URL of http or https."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    return is_web and port != 0 and re.fullmatch(r"[!-~]+", url) is not None


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body[:200].decode(errors="replace")
