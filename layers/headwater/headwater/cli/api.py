"""The client of Headwater's HTTP API, for every command that talks to a server.

get, post, delete    the response, whatever it is, also if none came
ask, text, send      only the answer: what prevents it becomes a CommandFailure (cli/refusal.py)
"""

import gzip
import json
import shlex
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from email.message import Message
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from headwater.cli.failure import CommandFailure
from headwater.cli.refusal import BY_OPTIONS, Given, Response, failure_of, no_api
from headwater.rest import no_answer, opened

PREFIX = "/api/v1"
LINEAGE = f"{PREFIX}/lineage"
ANSWER_SECONDS, PATIENT_SECONDS = 30, 60
PATIENT_TRIES = 8
BUSY = (429, 503)
"""The responses after which the same request may succeed."""


Body = bytes | Iterable[bytes] | None


class Answer(NamedTuple):
    """An answer: its JSON as it was sent, and parsed."""

    text: str
    document: dict[str, Any]


@dataclass(frozen=True)
class Api:
    """The API at `url`.

    seconds    how long a response may take
    tries      how often a request is sent in all while the server is busy
    lineage    the path that single events are posted to
    given      how the user names URL and key, for the next step of a failure
    """

    url: str
    key: str = field(default="", repr=False)
    seconds: float = ANSWER_SECONDS
    tries: int = 1
    lineage: str = LINEAGE
    given: Given = BY_OPTIONS

    def patient(self) -> "Api":
        """The same API for work while nobody waits at a terminal."""
        return replace(self, seconds=PATIENT_SECONDS, tries=PATIENT_TRIES)

    def at_root(self) -> "Api":
        """The API at the same host without the URL's path."""
        parts = urlsplit(self.url)
        return replace(self, url=f"{parts.scheme}://{parts.netloc}", lineage=LINEAGE)

    def get(self, *parts: str, **query: Any) -> Response:
        """The response to GET /api/v1/PARTS; the parts are escaped. A tuple of values repeats the parameter."""
        return self._call("GET", self.address(*parts, **query))

    def delete(self, *parts: str) -> Response:
        return self._call("DELETE", self.address(*parts))

    def post(self, event: dict[str, Any]) -> Response:
        return self._call("POST", self.url + self.lineage, json.dumps(event).encode())

    def post_gzipped(self, event: dict[str, Any]) -> Response:
        """Post an event as a listener with `compression=gzip` does: in chunks, with the headers of both."""
        body = iter([gzip.compress(json.dumps(event).encode())])
        return self._response("POST", self.url + self.lineage, body, "gzip")

    def text(self, *parts: str, **query: Any) -> str:
        """The JSON of the answer to GET /api/v1/PARTS as it was sent: numbers keep their digits. Raises
        CommandFailure."""
        return self._answered(self.get(*parts, **query))

    def ask(self, *parts: str, **query: Any) -> Answer:
        """The answer to GET /api/v1/PARTS. Raises CommandFailure."""
        return self._parsed(self.text(*parts, **query))

    def send(self, method: str, *parts: str, body: str = "") -> Answer:
        """The answer to POST, PUT or DELETE, with a body of JSON, if any. Raises CommandFailure."""
        packed = gzip.compress(body.encode(), 1) if body else None
        return self._parsed(self._answered(self._call(method, self.address(*parts), packed, "gzip" if body else "")))

    def address(self, *parts: str, **query: Any) -> str:
        given = urlencode({name: value for name, value in query.items() if value is not None}, doseq=True)
        path = "/".join([PREFIX, *(quote(part, safe="") for part in parts)])
        return f"{self.url}{path}?{given}" if given else self.url + path

    def curl(self, *parts: str, **query: Any) -> str:
        """A request as a command. It shows the key."""
        header = shlex.quote(f"Authorization: Bearer {self.key}")
        return f"curl -H {header} {shlex.quote(self.address(*parts, **query))}"

    def failure(self, response: Response) -> CommandFailure:
        """The failure of a response that is not an answer."""
        return failure_of(response, self.url, self.seconds, self.given, has_key=bool(self.key))

    def _answered(self, response: Response) -> str:
        if response.status in range(200, 300):
            return response.text
        raise self.failure(response)

    def _parsed(self, text: str) -> Answer:
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise no_api(self.url, self.given)
        return Answer(text, document)

    def _call(self, method: str, url: str, body: bytes | None = None, encoding: str = "") -> Response:
        for pause in _pauses(self.tries):
            response = self._response(method, url, body, encoding)
            if response.status not in BUSY or pause is None:
                break
            time.sleep(max(pause, min(PATIENT_SECONDS, response.retry_after)))
        return response

    def _response(self, method: str, url: str, body: Body, encoding: str) -> Response:
        headers = {"Accept-Encoding": "gzip"}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers |= {"Content-Type": "application/json"} if body else {}
        headers |= {"Content-Encoding": encoding} if encoding else {}
        start = time.monotonic()
        try:
            request = urllib.request.Request(url, body, headers, method=method)  # noqa: S310 - cli/endpoint.py checks it
            with _opened(request, self.seconds) as answer:
                text, seconds = _decoded(answer.read(), answer.headers), time.monotonic() - start
                after = answer.headers.get("Retry-After", "")
                return Response(answer.status, text, seconds, retry_after=int(after) if after.isdecimal() else 0)
        except (OSError, HTTPException, ValueError, EOFError, zlib.error) as error:
            why = no_answer(error)
            return Response(0, why.reason, time.monotonic() - start, why.is_late, step=why.step)


def _pauses(tries: int) -> Iterator[float | None]:
    """The seconds to wait after each try; None after the last."""
    yield from (2**attempt / 10 for attempt in range(tries - 1))
    yield None


def _opened(request: urllib.request.Request, seconds: float) -> Any:
    try:
        return opened(request, seconds)
    except urllib.error.HTTPError as error:
        return error


def _decoded(body: bytes, headers: Message) -> str:
    return (gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body).decode(errors="replace")
