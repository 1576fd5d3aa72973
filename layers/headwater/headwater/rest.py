"""Calls the REST API of another server, and distinguishes an answer of that API from no answer at all.

Unreachable     nobody answered in time, 401, 5xx, half a JSON: nothing is known
HttpError       the API itself answered with an error, such as 404 for what does not exist
BadAnswer       the answer is JSON, but lacks part of what was asked for
"""

import base64
import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException, IncompleteRead
from io import BytesIO
from typing import Any, ClassVar, NamedTuple, Self, TypeVar
from urllib.parse import unquote, urlsplit

ANSWER_SECONDS = 15
MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_ERROR_BYTES = 10_000
POST_SECONDS = 5

Answer = TypeVar("Answer")


class Unreachable(Exception):
    """No complete answer came: nothing is known. The text has no credentials."""


class BadAnswer(Exception):
    """An answer that lacks part of what was asked for. The text names the fault."""


class HttpError(Exception):
    """The API answered with an error: the status, and `error_code` of the JSON body (0 for a body without one)."""

    def __init__(self, text: str, status: int, code: int) -> None:
        super().__init__(text)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class RestUrl:
    """The address of an API. Credentials in a URL become a header, and appear nowhere else."""

    expected: ClassVar[str] = "expected a URL such as http://host:8080"
    server: ClassVar[str] = "server"

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, text: str, authorization: str = "") -> Self:
        """The address in a URL. Raises ValueError, which does not repeat the credentials."""
        parts = urlsplit(text.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(cls.expected)
        host = parts.netloc.rpartition("@")[2]
        if parts.username is not None and not authorization:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
        headers = {"Authorization": authorization} if authorization else {}
        return cls(f"{parts.scheme}://{host}{parts.path.rstrip('/')}", headers)

    @classmethod
    def all_of(cls, member: str, texts: Sequence[str], authorization: str) -> list[Self]:
        """The addresses in a member of the settings. Raises ValueError, which names the member."""
        try:
            return [cls.of(text, authorization) for text in texts]
        except ValueError as error:
            raise ValueError(f"{member}: {error}") from None

    def ask(self, path: str, body: Any = None, *, seconds: float = ANSWER_SECONDS) -> Any:
        """The JSON of the answer to a GET, or with a body to a POST. Raises Unreachable or HttpError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", **({"Content-Type": "application/json"} if data else {})}
        request = urllib.request.Request(self.url + path, data, {**headers, **self.headers})  # noqa: S310 - `of` has checked the scheme
        place = f"{self.url}{path.partition('?')[0]}"
        try:
            with opened(request, seconds) as answer:
                return json.loads(answer.read(MAX_ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            raise self._error(place, error) from None
        except (OSError, HTTPException, ValueError) as error:
            why = no_answer(error)
            raise Unreachable(f"{place}: {why.reason}; next: {why.step}") from None

    def _error(self, place: str, error: urllib.error.HTTPError) -> Exception:
        """404 with a JSON body comes from the API; a server that is starting answers 404 with a page of its web
        server."""
        text = f"{place}: the {self.server} answered {error.code}"
        text += f": {error.reason}" if error.code in range(300, 400) else ""
        try:
            body = json.loads(error.read(MAX_ERROR_BYTES))
        except (OSError, HTTPException, ValueError):
            return Unreachable(text)
        code = body.get("error_code") if isinstance(body, dict) else None
        return HttpError(text, error.code, code) if isinstance(code, int) else Unreachable(text)


class _OfSameServer(urllib.request.HTTPRedirectHandler):
    """Lets a proxy send on to HTTPS. Another server would get the credentials in the headers."""

    def redirect_request(self, req: urllib.request.Request, *answer: Any) -> urllib.request.Request | None:
        to = urlsplit(answer[-1])
        before, after = _server(req.full_url), _server(answer[-1])
        is_secured = (before[0], before[2], *after) == ("http", 80, "https", before[1], 443)
        if is_secured or (after[1:] == before[1:] and after[0] in (before[0], "https")):
            return super().redirect_request(req, *answer)
        said = f"it sends on to {to.scheme}://{to.netloc.rpartition('@')[2]}{to.path}"
        body = BytesIO(json.dumps({"message": said}).encode())
        raise urllib.error.HTTPError(req.full_url, answer[1], said, Message(), body)


def _server(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port. Raises ValueError for an impossible port."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def opened(request: urllib.request.Request, seconds: float) -> Any:
    """The answer to a request, also by a redirect to the same server. Raises HTTPError for another redirect, or another
    OSError."""
    return urllib.request.build_opener(_OfSameServer).open(request, timeout=seconds)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET without its body, and take its credentials to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def post(url: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    """Posts JSON. Raises HTTPError for an answer that is no success, a redirect among them, or another OSError."""
    sent = {"Content-Type": "application/json; charset=UTF-8", **(headers or {})}
    request = urllib.request.Request(url, body, sent)  # noqa: S310 - the user's own
    try:
        with _opener.open(request, timeout=POST_SECONDS):
            pass
    except HTTPException as error:
        raise OSError(f"no HTTP: {error}") from error


Url = TypeVar("Url", bound=RestUrl)


def first_answer(urls: Sequence[Url], ask: Callable[[Url], Answer]) -> Answer:
    """The answer of the first server that responds; all of them would give the same one. Raises Unreachable, with the
    reason of each."""
    reasons = []
    for url in urls:
        try:
            return ask(url)
        except Unreachable as error:
            reasons.append(str(error))
        except BadAnswer as error:
            reasons.append(f"{url.url}: {error}")
    raise Unreachable("; ".join(reasons) or "no URL is named")


class NoAnswer(NamedTuple):
    """Why no answer came, as a person says it, and the question to ask next."""

    reason: str
    step: str
    is_late: bool


def no_answer(error: Exception) -> NoAnswer:
    """What kept an answer away, by the error that urllib raised."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    reason, step = "its answer cannot be read", "is it the URL of another server?"
    match cause:
        case TimeoutError():
            reason, step = "no answer in time", "is a server running there?"
        case socket.gaierror():
            reason, step = "no host of that name is known", "is the name right, and known to this machine?"
        case ConnectionRefusedError():
            reason, step = "nothing listens there", "is a server running there?"
        case ssl.SSLCertVerificationError():
            reason = f"its certificate is not accepted ({cause.verify_message.rstrip('.')})"
            step = "does SSL_CERT_FILE name the authority that signed it?"
        case ConnectionError() | IncompleteRead() | ssl.SSLEOFError():
            reason, step = "it closed the connection", "is it another server, or https:// and not http://?"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            reason, step = "it does not speak TLS", "is it http:// and not https://, as on this machine?"
        case OSError(strerror=str(words)):
            reason, step = words[:1].lower() + words[1:], "is a server running there?"
        case OSError() | str():  # such as a proxy that wants a password
            reason, step = str(cause), "is the URL right, and a server running there?"
    return NoAnswer(reason, step, isinstance(cause, TimeoutError))
