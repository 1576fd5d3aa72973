"""The API as its clients reach it: over HTTP, at the front's address, with or without a key."""

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

ANSWER_SECONDS = 35
"""A little more than API Gateway's own limit."""


Body = bytes | Iterator[bytes]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Api:
    """`headers` are sent with every request: mostly an API key."""

    url: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, url: str, key: str) -> "Api":
        return cls(url, {"Authorization": f"Bearer {key}"})

    def post(self, body: bytes, path: str = "/api/v1/lineage", **headers: str) -> Answer:
        """`headers` are named with underscores: Content_Encoding="gzip"."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, body, {"Content-Type": "application/json", **named})

    def post_event(self, document: Any, path: str = "/api/v1/lineage") -> Answer:
        return self.post(json.dumps(document, ensure_ascii=False).encode(), path)

    def get(self, *parts: str, **query: str) -> Answer:
        """Requests a path under /api/v1; its parts are escaped."""
        path = "/".join(["/api/v1", *(quote(part, safe="") for part in parts)])
        text = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        return self.request("GET", f"{path}?{text}" if text else path)

    def request(
        self, method: str, target: str, body: Body | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request on a connection of its own; `target` goes out as it is, and a body in parts in chunks."""
        address = urlsplit(self.url)
        assert address.hostname
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=ANSWER_SECONDS)
        start = time.monotonic()
        try:
            connection.request(method, target, body, {**self.headers, **(headers or {})})
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, named, answer.read(), time.monotonic() - start)
        finally:
            connection.close()
