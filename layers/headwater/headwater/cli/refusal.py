"""What a server responded, and the failure if it is not an answer: one sentence a fault, with the next step."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.cli.failure import UNKNOWN, UNREACHABLE, WRONG_COMMAND, CommandFailure

KEYS = "docs/operating.md, Keys"
_SHOWN = 300
"""Characters of a message."""


class Given(NamedTuple):
    """How the user names the URL of an API, what to do for a valid key, and where keys come from."""

    url: str = "HEADWATER_URL or --url"
    valid_key: str = "set HEADWATER_API_KEY to a valid key, or name a file that has one with --key-file"
    keys: str = KEYS


BY_OPTIONS = Given()


@dataclass(frozen=True)
class Response:
    """A response. If there was none, `status` is 0, `text` is the reason, `is_late` says that it took too long, and
    `step` is what to ask next. A busy server says `retry_after` how many seconds to send the request again."""

    status: int
    text: str
    seconds: float
    is_late: bool = False
    retry_after: float = 0
    step: str = ""

    @property
    def body(self) -> Any:
        """The JSON, or the beginning of what is not JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            return self.text[:200]

    @property
    def message(self) -> str | None:
        """The message of an error of Headwater's, or of API Gateway."""
        body = self.body
        message = body.get("message") if isinstance(body, dict) else None
        return None if message is None else str(message)[:_SHOWN]


class RefusedRequest(CommandFailure):
    """The server refused the request with this `http_status`."""

    def __init__(self, what: str, *steps: str, status: int, http_status: int) -> None:
        super().__init__(what, *steps, status=status)
        self.http_status = http_status


class NotFoundFailure(RefusedRequest):
    """The API knows no such node."""

    def __init__(self, what: str) -> None:
        step = "`headwater doctor` says why a graph lacks something"
        super().__init__(what, step, status=UNKNOWN, http_status=404)


def failure_of(response: Response, url: str, seconds: float, given: Given, *, has_key: bool) -> CommandFailure:
    """The failure of a response that is not an answer."""
    if response.is_late:
        what = f"{url} did not answer within {seconds:g} s"
        return CommandFailure(what, "try again; a lookup with a smaller --depth asks for less", status=UNREACHABLE)
    if not response.status:
        what = f"{url} cannot be reached: {response.text}"
        return CommandFailure(what, f"{response.step} {given.url} names another", status=UNREACHABLE)
    return _refused(response, url, given, has_key)


def no_api(url: str, given: Given) -> CommandFailure:
    return CommandFailure(f"there is no Headwater API at {url}", _check(given), status=UNREACHABLE)


def _refused(response: Response, url: str, given: Given, has_key: bool) -> CommandFailure:
    status, message = response.status, response.message
    said = f": {message}" if message else ""
    match status:
        case 401:
            what = f"{url} did not accept the key (401){said}" if has_key else f"{url} needs a key, and none was given"
            step = f"{given.valid_key} ({given.keys})"
        case 403:
            what = f"the key does not permit this{said}"
            lacking = (message or "").partition("lacks the scope ")[2].partition(";")[0]
            scope = lacking or "read, or ingest to send events,"
            step = f"use a key with the scope {scope} for that namespace ({given.keys})"
        case 404 if message:
            return NotFoundFailure(message)
        case 404:
            return no_api(url, given)
        case 400:
            return RefusedRequest(f"the request was refused{said}", status=WRONG_COMMAND, http_status=status)
        case 413 if message and message.startswith("body"):
            return RefusedRequest(f"the request body is too long{said}", status=WRONG_COMMAND, http_status=status)
        case 413:
            what, step = f"the request or the answer is too long{said}", "a lookup with a smaller --depth asks for less"
        case 429 | 500 | 502 | 503 | 504:
            what, step = f"{url} cannot answer now ({status}){said}", "try again in a moment"
        case _:
            what, step = f"{url} answered {status}{said}", _check(given)
    return RefusedRequest(what, step, status=UNREACHABLE, http_status=status)


def _check(given: Given) -> str:
    return f"check {given.url}: it is the output ApiUrl, or what `headwater serve` prints"
