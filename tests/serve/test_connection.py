"""A client that is slow, sends nothing or reads nothing is cut off, and keeps nobody else from being answered."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from headwater.http.response import ApiResponse
from headwater.openlineage.body import MAX_WIRE_BYTES
from headwater.serve import api, connection
from headwater.serve.connection import MAX_HEADER_BYTES, UnofferedHead
from headwater.serve.server import Start, in_background
from tests import factory
from tests.serve.process import SECONDS

SHORT = 0.5
CONNECTIONS = 4
HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An open server with short deadlines and few connections."""
    monkeypatch.setattr(connection, "REQUEST_SECONDS", SHORT)
    monkeypatch.setattr(connection, "RESPONSE_SECONDS", SHORT)
    monkeypatch.setattr(connection, "MAX_CONNECTIONS", CONNECTIONS)
    with in_background(Start(tmp_path / "lineage.db", "127.0.0.1", 0, is_open=True)) as served:
        yield served.url


def connected(url: str) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname, address.port), timeout=SECONDS)


def wait_until_cut_off(client: socket.socket, send: Callable[[], object]) -> None:
    """Sends again and again, until the server has closed the connection."""
    end = time.monotonic() + SECONDS
    client.settimeout(SHORT / 10)
    while time.monotonic() < end:
        try:
            send()
            if not client.recv(1_000):
                return
        except TimeoutError:
            continue
        except ConnectionError:
            return
    raise AssertionError("the client was not cut off")


def is_cut_off(client: socket.socket) -> bool:
    try:
        return not client.recv(1)
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def is_answered(url: str) -> bool:
    with urlopen(f"{url}/health", timeout=SECONDS) as answer:  # noqa: S310
        return bool(answer.status == 200)


def answer_of(client: socket.socket) -> tuple[int, str]:
    content = b""
    while part := client.recv(65_536):
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["message"]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"", b""),
        (b"", b"\r\n"),
        (b"GET /health HTTP/1.1\r\nX-Slow: ", b"a"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b"a"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea", b""),
    ],
    ids=["silence", "empty lines", "header", "body", "chunks", "empty lines after a request", "half a second request"],
)
def test_a_client_that_does_not_finish_its_request_is_cut_off(url: str, first: bytes, again: bytes) -> None:
    with connected(url) as client:
        client.sendall(first)
        assert is_answered(url)
        wait_until_cut_off(client, lambda: client.sendall(again))


def test_a_client_that_does_not_read_its_response_is_cut_off(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "file_of_page", lambda *_: ApiResponse(200, "x" * 30_000_000))
    closed, connection_lost = threading.Event(), connection.Connection.connection_lost

    def lost(self: connection.Connection, exc: Exception | None) -> None:
        connection_lost(self, exc)
        closed.set()

    monkeypatch.setattr(connection.Connection, "connection_lost", lost)
    with connected(url) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert closed.wait(SECONDS)


def test_a_request_that_takes_its_time_within_the_deadline_is_answered(url: str) -> None:
    with connected(url) as client:
        for part in (b"GET /health HTTP/1.1\r\n", b"Host: localhost\r\n", b"Connection: close\r\n\r\n"):
            client.sendall(part)
            time.sleep(SHORT / 10)
        assert client.recv(1_000).startswith(b"HTTP/1.1 200")


def test_requests_that_come_at_once_are_answered_though_together_they_are_long(url: str) -> None:
    request, count = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 3_000
    assert len(request) * count > MAX_HEADER_BYTES
    with connected(url) as client:
        client.sendall(request * count)
        answers, content = 0, b""
        while answers < count:
            content += client.recv(65_536)
            *whole, content = content.split(b'{"status":"ok"}')
            answers += len(whole)


def test_connections_that_wait_make_place_for_a_new_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 2 * SECONDS)
    with ExitStack() as stack:
        silent = [stack.enter_context(connected(url)) for _ in range(5 * CONNECTIONS)]
        assert is_answered(url)
        for client in silent:
            client.settimeout(SHORT / 10)
        end = time.monotonic() + SECONDS
        while sum(map(is_cut_off, silent)) < 4 * CONNECTIONS:
            assert time.monotonic() < end


def test_if_no_connection_waits_a_new_one_is_refused_in_words(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answered, release = threading.Barrier(CONNECTIONS + 1), threading.Event()

    def page() -> str:
        answered.wait(SECONDS)
        release.wait(SECONDS)
        return "page"

    monkeypatch.setattr(api, "file_of_page", lambda *_: ApiResponse(200, page(), {"content-type": "text/plain"}))
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(connected(url)).sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answered.wait(SECONDS)
        with connected(url) as one_more:
            assert answer_of(one_more) == (503, "too many connections; try again")
        release.set()


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * MAX_HEADER_BYTES,
        b"GET /health HTTP/1.1\r\nX-Long: " + b"a" * MAX_HEADER_BYTES,
        b"GET /health HTTP/1.1\r\n" + b"X-Many: a\r\n" * (MAX_HEADER_BYTES // 11),
        b"GET /health?" + b"a" * (MAX_HEADER_BYTES - 15) + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
    ids=["a line without end", "a header without end", "headers without end", "a whole line"],
)
def test_too_long_headers_are_refused_in_words(url: str, head: bytes) -> None:
    with connected(url) as client:
        client.sendall(head)
        assert answer_of(client) == (431, f"the request's line and headers have more than {MAX_HEADER_BYTES} bytes")


def test_a_body_without_end_is_refused_as_soon_as_it_is_too_long(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 2 * SECONDS)
    with connected(url) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(MAX_WIRE_BYTES // 0x100000 + 1):
            client.sendall(b"100000\r\n" + b"a" * 0x100000 + b"\r\n")
        assert client.recv(1_000).startswith(b"HTTP/1.1 413")


EVENT = json.dumps(factory.run_event()).encode()
CHUNKED = b"%x\r\n%b\r\n0\r\n" % (len(EVENT), EVENT)


@pytest.mark.parametrize(
    ("headers", "trailer", "status"),
    [
        (b"Host: localhost", b"", 201),
        (b"Host: localhost", b"Host: evil.example\r\n", 201),
        (b"Host: evil.example", b"Host: localhost\r\n", 403),
        (b"Host: localhost\r\nOrigin: http://evil.example", b"Origin: http://localhost\r\n", 403),
        (b"Host: evil.example\r\nHost: localhost", b"", 403),
        (b"Host: localhost\r\nOrigin: http://evil.example\r\nOrigin: http://localhost", b"", 403),
    ],
)
def test_a_trailer_or_a_second_header_does_not_stand_for_the_first(
    url: str, headers: bytes, trailer: bytes, status: int
) -> None:
    head = b"POST /api/v1/lineage HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + headers + b"\r\n\r\n"
    with connected(url) as client:
        client.sendall(head + CHUNKED + trailer + b"\r\n")
        assert int(client.recv(1_000).split()[1]) == status


OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\n"
"""What Java's HttpClient sends with each request, unless it is told not to."""


@pytest.mark.parametrize("is_chunked", [False, True])
def test_an_event_behind_an_offer_of_http_2_is_taken_by_http_1(url: str, *, is_chunked: bool) -> None:
    """Its text looks like an offer, too, and stays as it is; the connection serves the next request."""
    events = [factory.run_event(run=number, job="a\r\nUpgrade: h2c") for number in (1, 2)]
    with connected(url) as client:
        for event in events:
            body = json.dumps(event, ensure_ascii=False).encode()
            length, content = (b"Content-Length: %d\r\n" % len(body), body)
            if is_chunked:
                length, content = b"Transfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            client.sendall(HEAD + OFFER + length + b"\r\n" + content)
            answer = b""
            while not answer.endswith(b"}"):
                answer += client.recv(10_000)
            assert answer.startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("size", range(1, 12))
def test_an_offer_is_left_out_wherever_the_pieces_of_a_head_end(size: int) -> None:
    """The body has the text of an offer, and of the end of a head."""
    body = b'{"a": "\r\nUpgrade: h2c\r\n\r\nupgrade: x\r\n\r"}\r'
    sent = HEAD + OFFER + b"Up: 1\r\nX-Upgrade: 2\r\n\r\n"
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    got = b"".join(map(UnofferedHead().next, [*pieces[:-1], pieces[-1] + body]))
    assert got == sent.replace(b"\r\nUpgrade:", b"\r\nx-offer:") + body
