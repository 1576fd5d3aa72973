"""The ASGI application: reads a request, answers it in a thread, compresses a long response."""

import asyncio
import gzip
import threading
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from headwater.access.keys import presented_key
from headwater.concurrent import give_way
from headwater.graph.states.audit import READING
from headwater.http.response import GZIP_FROM_BYTES, ApiResponse, error_response
from headwater.openlineage.body import MAX_WIRE_BYTES
from headwater.serve.api import HttpRequest, ServedApi
from headwater.serve.connection import MAX_HEADER_BYTES, headers_too_long
from headwater.serve.precedence import Precedence, Rank
from headwater.serve.shares import Shares, ShareUsed

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
WRITERS, READERS = 8, 2
"""Events, which wait for the disk together, and other requests that are answered at once, beyond the first of each key.
Python computes one response at a time: more would end none sooner, and hold more half-made responses in memory."""
QUIET_SECONDS = 1.0
"""A key has a second lookup answered once no other key has asked for so long: two that compute would take two thirds of
the time of a third."""
KEYS = 32
"""Threads of each kind: so many keys have a request that is answered."""
WAITING_EVENTS, WAITING_REQUESTS = 128, 24
"""Per key, those whose answer pauses among them: three keys that take all they can still leave some connections to
others."""
BEGINNING_BYTES, LARGE_AT_ONCE = 256 * 1024, 8
"""Of each of the 500 connections so much of a body is read, and of so many of each key the rest."""
GZIP_LEVEL = 1
"""A long response is compressed in a tenth of the time that a higher level takes."""
MAX_COMPRESSED_BYTES = 8_000_000

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Compressed:
    """The last long responses, gzipped, by their ETags: one that has not changed is not compressed again."""

    def __init__(self, most: int = MAX_COMPRESSED_BYTES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def of(self, tag: str | None, content: bytes) -> bytes:
        """The gzipped content of a response with this tag, a hash of it."""
        with self._lock:
            if tag and (known := self._contents.get(tag)):
                self._contents.move_to_end(tag)
                return known
        made = gzip.compress(content, GZIP_LEVEL, mtime=0)
        with self._lock:
            if tag and tag not in self._contents:
                self._contents[tag] = made
                self._bytes += len(made)
                while self._bytes > self._most:
                    _, freed = self._contents.popitem(last=False)
                    self._bytes -= len(freed)
        return made


class App:
    """The application. If `is_open`, only requests of this machine are answered, and of no page of another site."""

    def __init__(self, api: ServedApi, precedence: Precedence, *, is_open: bool) -> None:
        self._api = api
        self._is_open = is_open
        self._compressed = Compressed()
        self._large: dict[str | None, asyncio.Semaphore] = {}
        self._paused: Counter[str | None] = Counter()
        writers, readers = (WRITERS, 2 * READERS) if is_open else (KEYS, KEYS)
        self._writers = Shares("event", writers, WRITERS, WAITING_EVENTS, precedence=precedence)
        self._readers = Shares("request", readers, READERS, WAITING_REQUESTS, QUIET_SECONDS, precedence)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        request = _request(scope)
        key = None if self._is_open else presented_key(request.headers)
        async with AsyncExitStack() as turn:
            received = await self._received(receive, request, key, turn)
            if received is None:
                return
            pause, status, headers, content = await self._response(received, key)
            del received  # nothing holds a large body during the pause
        if pause:
            await self._rest(key, pause)
        lines = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": lines})
        await send({"type": "http.response.body", "body": content})

    async def _received(
        self, receive: Receive, request: HttpRequest, key: str | None, turn: AsyncExitStack
    ) -> HttpRequest | None:
        """The request with its body, cut behind its limit: the rest is not waited for. None if the client has gone.

        Large bodies on all connections would fill the memory. So behind its beginning, a body is read only if the key
        is valid, and those of one key in turn, until they are answered.
        """
        body = bytearray()
        is_whole = await _receive(receive, body, BEGINNING_BYTES)
        if is_whole is False:
            if not self._api.is_known(request.headers):
                return replace(request, headers={})  # is answered 401, even if the key becomes known in between
            await turn.enter_async_context(self._large.setdefault(key, asyncio.Semaphore(LARGE_AT_ONCE)))
            is_whole = await _receive(receive, body, MAX_WIRE_BYTES)
        return None if is_whole is None else replace(request, body=bytes(body))

    async def _response(self, request: HttpRequest, key: str | None) -> tuple[float, int, dict[str, str], bytes]:
        """Pause, status, headers and content. What writes waits for the fold, so the fold does not wait for it."""
        shares = self._writers if request.is_for_ingest else self._readers
        least = Rank.SHORT if request.method in READING else Rank.LONG
        if request.is_for_ingest and self._paused[key] >= WAITING_EVENTS:
            return self._sent(_too_many(request))
        try:
            return await shares.run(key, partial(self._answer, request), least)
        except ShareUsed:
            return self._sent(_too_many(request))

    async def _rest(self, key: str | None, seconds: float) -> None:
        self._paused[key] += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._paused[key] -= 1

    def close(self) -> None:
        self._writers.close()
        self._readers.close()

    def _answer(self, request: HttpRequest) -> tuple[float, int, dict[str, str], bytes]:
        response = self._refusal(request) or self._api.answer(request)
        return self._sent(response, request.headers.get("accept-encoding", ""))

    def _sent(self, response: ApiResponse, accepted: str = "") -> tuple[float, int, dict[str, str], bytes]:
        """Pause, status, headers and content, gzipped if that is accepted and worth it."""
        give_way()
        headers, content = response.content()
        give_way()
        if "content-encoding" not in headers and len(content) >= GZIP_FROM_BYTES and "gzip" in accepted:
            content = self._compressed.of(headers.get("etag"), content)
            headers["content-encoding"] = "gzip"
        return response.pause, response.status, headers | {"content-length": str(len(content))}, content

    def _refusal(self, request: HttpRequest) -> ApiResponse | None:
        """The response to a request that the API does not see."""
        headers = sum(len(name) + len(value) for name, value in request.headers.items())
        if len(request.path) + len(request.query) + headers > MAX_HEADER_BYTES:
            return headers_too_long()
        return None if self._may_come(request) else _FOREIGN

    def _may_come(self, request: HttpRequest) -> bool:
        """Without keys, a page of another site must not reach the API through a browser on this machine."""
        origin = request.headers.get("origin")
        hosts = [f"//{request.headers.get('host', '')}", *([origin] if origin else [])]
        return not self._is_open or all(_host(url) in LOCAL_HOSTS for url in hosts)


_FOREIGN: ApiResponse = error_response(
    403, "without keys, only requests of this machine are answered: start without --open"
)


def _too_many(request: HttpRequest) -> ApiResponse:
    """503 for events, which is the one status that all producers send again."""
    status = 503 if request.is_for_ingest else 429
    return error_response(status, "too many requests of this key wait already; send this one again later")


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


async def _receive(receive: Receive, body: bytearray, most: int) -> bool | None:
    """Receives more than so many bytes of a body, or its end. Whether it is whole; None if the client has gone."""
    while len(body) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return True
    return False


def _headers(lines: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by their names in lower case. The values of a repeated header are one list, as in API Gateway."""
    headers: dict[str, str] = {}
    for line in lines:
        name, value = (part.decode("latin-1") for part in line)
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _request(scope: Message) -> HttpRequest:
    headers = _headers(scope["headers"])
    path = scope["raw_path"].decode("latin-1")
    return HttpRequest(scope["method"], path, scope["query_string"].decode("latin-1"), headers)
