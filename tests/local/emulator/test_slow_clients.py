"""A client of the front that is slow, sends nothing or reads nothing is cut off, and keeps nobody else waiting."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from aiohttp import web

from local.emulator import front
from local.emulator.front import run_front
from local.emulator.proxy import ProxyTarget
from tests.upstream import Upstream, serving

SHORT, SECONDS = 0.5, 30
CONNECTIONS = 4
POST = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with serving(Upstream()) as stand_in:
        yield stand_in


def fronted(stack: ExitStack, upstream: Upstream, client_seconds: float) -> int:
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    stack.enter_context(run_front(listener, ProxyTarget(upstream.url, client_seconds=client_seconds)))
    return int(listener.getsockname()[1])


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr(front, "MAX_CONNECTIONS", CONNECTIONS)
    with ExitStack() as stack:
        yield stack


def connected(stack: ExitStack, port: int) -> socket.socket:
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=SECONDS))


def wait_until_cut_off(client: socket.socket, again: bytes) -> bytes:
    """Sends bytes again and again until the front has closed the connection; returns what it answered."""
    end, answer = time.monotonic() + SECONDS, b""
    client.settimeout(SHORT / 10)
    while time.monotonic() < end:
        try:
            client.sendall(again)
            part = client.recv(1_000)
        except TimeoutError:
            continue
        except ConnectionError:
            return answer
        if not part:
            return answer
        answer += part
    raise AssertionError("the client was not cut off")


def is_answered(port: int) -> bool:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    client.request("GET", "/api/v1/jobs")
    status = client.getresponse().status
    client.close()
    return status == 201


@pytest.mark.parametrize(
    ("first", "again", "status"),
    [
        (b"", b"", None),
        (b"", b"\r\n", None),
        (b"GET /api/v1/jobs HTTP/1.1\r\nX-Slow: ", b"a", None),
        (POST + b"Content-Length: 100000\r\n\r\n", b"a", 408),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n", 408),
        (GET, b"\r\n", 201),
        (GET + b"GET /api", b"a", 201),
    ],
    ids=["silence", "empty lines", "header", "body", "chunks", "empty lines after a request", "half a second request"],
)
def test_a_client_that_does_not_finish_its_request_is_cut_off(
    stack: ExitStack, upstream: Upstream, first: bytes, again: bytes, status: int | None
) -> None:
    port = fronted(stack, upstream, SHORT)
    client = connected(stack, port)
    client.sendall(first)
    assert is_answered(port)
    answer = wait_until_cut_off(client, again)
    assert (int(answer.split()[1]) if answer else None) == status


def test_a_client_that_does_not_read_its_response_is_cut_off(
    stack: ExitStack, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, connection_lost = threading.Event(), front.Server.connection_lost

    def lost(self: front.Server, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        connection_lost(self, handler, exc)
        closed.set()

    monkeypatch.setattr(front.Server, "connection_lost", lost)
    upstream.body = b"x" * 30_000_000
    connected(stack, fronted(stack, upstream, SHORT)).sendall(GET)
    assert closed.wait(SECONDS)


def test_connections_without_a_request_make_place_for_a_new_one(stack: ExitStack, upstream: Upstream) -> None:
    port = fronted(stack, upstream, 2 * SECONDS)
    silent = [connected(stack, port) for _ in range(5 * CONNECTIONS)]
    assert is_answered(port)
    assert wait_until_cut_off(silent[0], b"") == b""


def test_if_each_connection_has_a_request_a_new_one_is_refused_in_words(stack: ExitStack, upstream: Upstream) -> None:
    port = fronted(stack, upstream, 2 * SECONDS)
    upstream.delay = 3
    for _ in range(CONNECTIONS):
        connected(stack, port).sendall(GET)
    end = time.monotonic() + SECONDS
    while len(upstream.seen) < CONNECTIONS:
        assert time.monotonic() < end
        time.sleep(0.01)
    refusal = connected(stack, port).recv(1_000)
    assert refusal.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert refusal.endswith(b'\r\n\r\n{"message": "Service Unavailable"}')
