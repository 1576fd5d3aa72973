"""Requests to a server that speaks Marquez's API."""

import gzip
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlencode

SECONDS = 60
TRIES = 8


class Refused(OSError):
    """The server answered with an error. `status` is its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class MarquezApi:
    """The API at `url`. A call is tried again if the server asks for it. Each raises OSError, which says what the
    server answered."""

    url: str
    key: str = field(default="", repr=False)

    def text(self, path: str, **query: Any) -> str:
        """The body of an answer, as it is: its numbers keep their digits."""
        return self._call("GET", f"{path}?{urlencode(query, doseq=True)}").decode()

    def get(self, path: str, **query: Any) -> Any:
        return json.loads(self.text(path, **query))

    def post(self, path: str, body: str = "") -> Any:
        return json.loads(self._call("POST", path, body))

    def put(self, path: str, document: Any) -> Any:
        return json.loads(self._call("PUT", path, json.dumps(document)))

    def _call(self, method: str, path: str, body: str = "") -> bytes:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if body:
            headers |= {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        packed = gzip.compress(body.encode(), 1) if body else None
        url = f"{self.url}/api/v1{path}"
        for attempt in range(TRIES):
            request = urllib.request.Request(url, packed, headers, method=method)  # noqa: S310
            try:
                with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
                    content: bytes = answer.read()
                    return content
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503) or attempt == TRIES - 1:
                    reason = error.read(500).decode(errors="replace")
                    raise Refused(error.code, f"{url} answered {error.code}: {reason}") from error
                time.sleep(2**attempt / 10)
            except urllib.error.URLError as error:
                raise OSError(f"{url}: {error.reason}") from error
            except HTTPException as error:
                raise OSError(f"{url}: the answer was cut off: {error!r}") from error
        raise AssertionError


def path_of(*segments: str) -> str:
    """A path of segments, each with everything in it escaped."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)
