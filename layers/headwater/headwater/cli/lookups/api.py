"""GET requests to the API. What keeps an answer away becomes a LookupFailure with the next step."""

import gzip
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from headwater.cli.doctor.client import PREFIX, as_header, is_address
from headwater.cli.doctor.finding import Diagnosis
from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE, endpoint_of_make_up
from headwater.cli.lookups.failure import UNKNOWN, UNREACHABLE, WRONG_COMMAND, LookupFailure
from headwater.lookup.text.inert import inert

ANSWER_SECONDS = 30
_KEYS = "docs/operating.md, Keys"
_SHOWN = 300
"""Characters of an error body that is not Headwater's."""


class Answer(NamedTuple):
    """An answer: its JSON as it was sent, and parsed."""

    text: str
    document: dict[str, Any]


class NotFoundFailure(LookupFailure):
    """The API knows no such node."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "`headwater doctor` says why a graph lacks something", status=UNKNOWN)


@dataclass(frozen=True)
class Api:
    """The API at `url`; `seconds` is how long an answer may take."""

    url: str
    key: str = field(repr=False)
    seconds: float = ANSWER_SECONDS

    def ask(self, *parts: str, **query: str | int | None) -> Answer:
        """The answer to GET /api/v1/PARTS. Raises LookupFailure."""
        path = "/".join([PREFIX, *(quote(part, safe="") for part in parts)])
        given = {name: value for name, value in query.items() if value is not None}
        text = self._sent(f"{self.url}{path}?{urlencode(given)}")
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise _no_api(self.url)
        return Answer(text, document)

    def _sent(self, url: str) -> str:
        headers = {"Accept-Encoding": "gzip"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            request = urllib.request.Request(url, headers=headers)  # noqa: S310 - is_address has checked the scheme
            with urllib.request.urlopen(request, timeout=self.seconds) as answer:  # noqa: S310
                return _decoded(answer.read(), answer.headers)
        except urllib.error.HTTPError as error:
            raise _refusal(self.url, error.code, _message(error)) from None
        except TimeoutError:
            raise self._too_late() from None
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise self._too_late() from None
            what = f"{self.url} cannot be reached: {inert(str(reason))}"
            step = f"is the stack up? `make up` starts one here; {URL_VARIABLE} or --url names another"
            raise LookupFailure(what, step, status=UNREACHABLE) from None

    def _too_late(self) -> LookupFailure:
        what = f"{self.url} did not answer within {self.seconds:g} s"
        return LookupFailure(what, "ask for less, with a smaller --depth, or try again", status=UNREACHABLE)


def api_of(url: str | None, environment: Mapping[str, str] = os.environ) -> Api:
    """The API of `--url` or HEADWATER_URL, else that of the stack that `make up` runs. Raises LookupFailure.

    The key is never an argument, since `ps` shows arguments.
    """
    running = endpoint_of_make_up()
    address = url or environment.get(URL_VARIABLE)
    if not address:
        if running is None:
            steps = ("run `make up` in another shell", f"or set {URL_VARIABLE} and {KEY_VARIABLE}")
            raise LookupFailure("no API is named, and no stack is up", *steps, status=UNREACHABLE)
        return Api(running.url.rstrip("/"), environment.get(KEY_VARIABLE) or running.key)
    if not is_address(address):
        raise LookupFailure(
            f"{inert(address)} is no URL of http or https", "it is the output ApiUrl", status=WRONG_COMMAND
        )
    address = address.rstrip("/").removesuffix(PREFIX)
    key = environment.get(KEY_VARIABLE, "").strip()
    if not key and running and running.url.rstrip("/") == address:
        key = running.key
    try:
        return Api(address, as_header(key))
    except Diagnosis as diagnosis:
        raise LookupFailure(diagnosis.finding.what, diagnosis.finding.fix, status=UNREACHABLE) from None


def _refusal(url: str, status: int, message: str | None) -> LookupFailure:
    """The failure of an answer other than 200. `message` is None if the answer is not one of Headwater's."""
    said = f": {message}" if message else ""
    match status:
        case 401:
            what, step = f"{url} did not accept the key{said}", f"set {KEY_VARIABLE} to a valid key ({_KEYS})"
        case 403:
            what = f"the key may not ask this{said}"
            step = f"set {KEY_VARIABLE} to a key with the scope read, for that namespace ({_KEYS})"
        case 404 if message:
            return NotFoundFailure(message)
        case 404:
            return _no_api(url)
        case 400:
            return LookupFailure(f"the question was refused{said}", status=WRONG_COMMAND)
        case 413:
            what, step = f"the answer is too long{said}", "ask for less, with a smaller --depth"
        case 429 | 500 | 502 | 503 | 504:
            what, step = f"{url} cannot answer now ({status}){said}", "try again in a moment"
        case _:
            what, step = f"{url} answered {status}{said}", f"check {URL_VARIABLE} or --url: it is the output ApiUrl"
    return LookupFailure(what, step, status=UNREACHABLE)


def _no_api(url: str) -> LookupFailure:
    what = f"at {url} there is no API of Headwater"
    return LookupFailure(what, f"check {URL_VARIABLE} or --url: it is the output ApiUrl", status=UNREACHABLE)


def _decoded(body: bytes, headers: Message) -> str:
    is_gzipped = headers.get("Content-Encoding") == "gzip"
    return (gzip.decompress(body) if is_gzipped else body).decode(errors="replace")


def _message(error: urllib.error.HTTPError) -> str | None:
    """The message in an error of Headwater, or of API Gateway."""
    try:
        message = json.loads(_decoded(error.read(), error.headers))["message"]
    except (OSError, HTTPException, ValueError, LookupError, TypeError):
        return None
    return inert(str(message))[:_SHOWN]
