"""A connection of the server. It ends if its client lets the server wait too long, or if others need its place.

the client sends a request      within `REQUEST_SECONDS` of the connection's beginning, or of the request's; its
                                line and headers have at most `MAX_HEADER_BYTES`
the client offers HTTP/2        and is answered by HTTP/1.1, as a server may (RFC 9110, 7.8)
the client takes a response     within `RESPONSE_SECONDS`, once its beginning fills the buffers
one connection too many         takes the place of the connection that has waited for its client the longest; if
                                each has a request that is being answered, it is refused with 503
"""

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from headwater.http.response import ApiResponse, error_response

MAX_CONNECTIONS = 500
MAX_HEADER_BYTES = 64 * 1024
REQUEST_SECONDS = RESPONSE_SECONDS = 60.0
LAST_SECONDS = 1.0
"""How long a request that has begun may take once the server ends."""


_OFFER = re.compile(rb"(?<=\r\n)upgrade(?=:)", re.IGNORECASE)
_BEGUN = re.compile(rb"(?:\r\n\r|\r(?:\n(?:u(?:p(?:g(?:r(?:a(?:de?)?)?)?)?)?)?)?)\Z", re.IGNORECASE)
"""What may be the beginning of an offer, or of the end of the head, where a piece of a head ends."""


class UnofferedHead:
    """The head of a request without its offer to go on in another protocol, such as h2c, which Java's HttpClient makes
    with each request. The parser would take the body behind an offer for that protocol."""

    def __init__(self) -> None:
        self._begun = b""

    def next(self, data: bytes) -> bytes:
        """A further piece, and what follows the head. The beginning of an offer waits for the next piece."""
        head, end, body = (self._begun + data).partition(b"\r\n\r\n")
        begun = None if end else _BEGUN.search(head)
        self._begun = begun[0] if begun else b""
        return _OFFER.sub(b"x-offer", head.removesuffix(self._begun)) + end + body


class Timeout:
    """Calls a function, unless it is stopped in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, missed: Callable[[], object]) -> None:
        self._loop = loop
        self._missed = missed
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Starts it, if it does not run yet."""
        self._timer = self._timer or self._loop.call_later(seconds, self._missed)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


class Connection(HttpToolsProtocol):
    """One connection of uvicorn's server.

    waiting_since   when it began to wait for its client; None while a request is answered
    """

    waiting_since: float | None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._request = Timeout(self.loop, transport.abort)
        self._response = Timeout(self.loop, transport.abort)
        self._received = 0
        self._head = UnofferedHead()
        self._header_since: int | None = 0
        self.waiting_since = None
        self._wait()
        if len(self.connections) > MAX_CONNECTIONS:
            self._make_place()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._request.stop()
        self._response.stop()

    def data_received(self, data: bytes) -> None:
        self._wait()
        self._received += len(data)
        super().data_received(data if self._header_since is None else self._head.next(data))
        if self._header_since is not None and self._received - self._header_since > MAX_HEADER_BYTES:
            self._refuse(headers_too_long())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A chunked body is followed by trailers, which are not headers of the request."""
        if self._header_since is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._header_since = None

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._header_since = self._received
        self._request.stop()
        self.waiting_since = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.waiting_since = self.waiting_since or self.loop.time()

    def shutdown(self) -> None:
        super().shutdown()
        if self.waiting_since is not None:
            self._request.stop()
            self._request.start(LAST_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._response.start(RESPONSE_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._response.stop()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._response.start(RESPONSE_SECONDS)  # the end of a response may still be in the buffer

    def _wait(self) -> None:
        self._request.start(REQUEST_SECONDS)
        self.waiting_since = self.waiting_since or self.loop.time()

    def _make_place(self) -> None:
        others = [other for other in self.connections if isinstance(other, Connection) and other is not self]
        waiting = [(other.waiting_since, other) for other in others if other.waiting_since is not None]
        if waiting:
            _, longest = min(waiting, key=lambda entry: entry[0])
            longest.waiting_since = None
            longest.transport.abort()
        else:
            self._refuse(error_response(503, "too many connections; try again"))

    def _refuse(self, response: ApiResponse) -> None:
        headers, content = response.content()
        headers |= {"content-length": str(len(content)), "connection": "close"}
        line = f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"
        head = "\r\n".join([line, *(f"{name}: {value}" for name, value in headers.items()), "", ""])
        self.transport.write(head.encode() + content)
        self.transport.close()


def headers_too_long() -> ApiResponse:
    return error_response(431, f"the request's line and headers have more than {MAX_HEADER_BYTES} bytes")
