"""The front is API Gateway where the emulator is not: limits, intact bodies, untouched paths and answers."""

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from local.emulator.front import run_front
from local.emulator.proxy import MAX_BODY_BYTES, ProxyTarget
from tests.upstream import Upstream, serving

EVENT = json.dumps({"eventTime": "2026-01-01T00:00:00Z"}).encode()
JSON = {"Content-Type": "application/json; charset=UTF-8"}


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with serving(Upstream()) as stand_in:
        yield stand_in


@pytest.fixture
def client(upstream: Upstream) -> Iterator[http.client.HTTPConnection]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with run_front(listener, ProxyTarget(f"{upstream.url}/stage", max_seconds=0.5)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            yield connection
            connection.close()


def answer_to(client: http.client.HTTPConnection) -> tuple[int, dict[str, str], bytes]:
    answer = client.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def test_gzip_goes_on_byte_for_byte_with_its_headers(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    zipped = gzip.compress(EVENT)
    client.request("POST", "/api/v1/lineage", zipped, JSON | {"Content-Encoding": "gzip"})
    assert answer_to(client)[0] == 201
    assert upstream.last.headers["content-type"] == JSON["Content-Type"]
    assert (upstream.last.headers["content-encoding"], upstream.last.body) == ("gzip", zipped)


def test_a_body_that_is_no_utf_8_goes_on_byte_for_byte(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    latin = '{"name": "Müller"}'.encode("latin-1")
    client.request("POST", "/api/v1/lineage", latin, JSON)
    answer_to(client)
    assert (upstream.last.body, upstream.last.headers["content-type"]) == (latin, JSON["Content-Type"])


def test_text_keeps_its_content_type(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    client.request("POST", "/api/v1/lineage", '{"name": "Müller"}'.encode(), JSON)
    answer_to(client)
    assert upstream.last.headers["content-type"] == JSON["Content-Type"]


def test_a_body_without_a_content_type_gets_none(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    client.request("POST", "/api/v1/lineage", EVENT)
    answer_to(client)
    assert "content-type" not in upstream.last.headers


def test_a_chunked_body_goes_on_whole(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    client.request("POST", "/api/v1/lineage", iter([EVENT[:5], EVENT[5:]]), JSON, encode_chunked=True)
    answer_to(client)
    assert upstream.last.body == EVENT
    assert upstream.last.headers["content-length"] == str(len(EVENT))
    assert "transfer-encoding" not in upstream.last.headers


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/namespaces/s3%3A%2F%2Flake/datasets/a%252Fb",
        "/api/v1/lineage?nodeId=dataset%3Afile%3A%2Fdata%2Fx&depth=2&q=a+b",
        "/api/v1//x/../%2e%2e/./y",
        "/api/v1/%23hash?and=%3F",
        "/api/v1/%C3%A4/%ff",
        "/",
    ],
)
def test_paths_and_queries_go_on_as_they_came(
    client: http.client.HTTPConnection, upstream: Upstream, target: str
) -> None:
    client.request("GET", target)
    answer_to(client)
    assert upstream.last.path == f"/stage{target}"


def test_answers_come_back_as_they_are(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    zipped = gzip.compress(b'{"graph": []}')
    upstream.status, upstream.body = 418, zipped
    upstream.headers = {"Content-Type": "application/json", "Content-Encoding": "gzip", "Retry-After": "1"}
    client.request("GET", "/api/v1/lineage")
    status, headers, body = answer_to(client)
    assert (status, body) == (418, zipped)
    assert {name: headers[name] for name in upstream.headers} == upstream.headers


def test_a_redirect_is_passed_on_and_not_followed(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    upstream.status, upstream.headers = 301, {"Location": "/elsewhere"}
    client.request("GET", "/api/v1/jobs")
    status, headers, _ = answer_to(client)
    assert (status, headers["Location"], len(upstream.seen)) == (301, "/elsewhere", 1)


def test_the_answer_to_head_has_the_length_of_the_body_it_stands_for(
    client: http.client.HTTPConnection, upstream: Upstream
) -> None:
    upstream.body = b'{"namespaces": []}'
    client.request("HEAD", "/api/v1/namespaces")
    _, headers, body = answer_to(client)
    assert (headers["Content-Length"], body) == (str(len(upstream.body)), b"")


def test_connections_are_kept_alive(client: http.client.HTTPConnection) -> None:
    client.request("GET", "/api/v1/jobs")
    answer_to(client)
    before = client.sock
    client.request("GET", "/api/v1/jobs")
    answer_to(client)
    assert client.sock is before


def test_the_largest_body_passes(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    client.request("POST", "/api/v1/lineage", b"x" * MAX_BODY_BYTES)
    assert answer_to(client)[0] == 201
    assert len(upstream.last.body) == MAX_BODY_BYTES


def test_a_client_that_expects_100_continue_gets_it(client: http.client.HTTPConnection) -> None:
    client.putrequest("POST", "/api/v1/lineage")
    client.putheader("Expect", "100-continue")
    client.putheader("Content-Length", str(len(EVENT)))
    client.endheaders()
    assert client.sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(EVENT)
    assert answer_to(client)[0] == 201


@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_body_is_refused(client: http.client.HTTPConnection, upstream: Upstream, chunked: bool) -> None:
    part = b"x" * (MAX_BODY_BYTES // 8 + 1)
    if chunked:
        client.request("POST", "/api/v1/lineage", iter([part] * 8), encode_chunked=True)
    else:
        client.request("POST", "/api/v1/lineage", part * 8)
    status, headers, body = answer_to(client)
    assert (status, json.loads(body)) == (413, {"message": "Request Entity Too Large"})
    assert headers["Content-Type"].startswith("application/json")
    assert upstream.seen == []


def test_an_answer_that_takes_too_long_is_503(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    upstream.delay = 2
    client.request("GET", "/api/v1/jobs")
    status, _, body = answer_to(client)
    assert (status, json.loads(body)) == (503, {"message": "Service Unavailable"})


def test_no_emulator_is_503() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_server(("127.0.0.1", 0)) as gone:
        gone_port, port = gone.getsockname()[1], listener.getsockname()[1]
        gone.close()
        with run_front(listener, ProxyTarget(f"http://127.0.0.1:{gone_port}")):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/api/v1/jobs")
            assert answer_to(connection)[0] == 503
            connection.close()


@pytest.mark.parametrize(
    ("sent", "gone_on"),
    [
        ({}, {"authorization": "Bearer ours"}),
        ({"Authorization": "Bearer theirs"}, {"authorization": "Bearer theirs"}),
        ({"x-api-key": "theirs"}, {"x-api-key": "theirs"}),
    ],
    ids=["none", "a bearer", "an API key"],
)
def test_an_open_front_adds_its_key_to_requests_without_one(
    upstream: Upstream, sent: dict[str, str], gone_on: dict[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with run_front(listener, ProxyTarget(upstream.url, key="ours")):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            client.request("GET", "/api/v1/namespaces", headers=sent)
            answer_to(client)
            client.close()
    keys = {name: value for name, value in upstream.last.headers.items() if name in ("authorization", "x-api-key")}
    assert keys == gone_on


def test_a_closed_front_adds_no_key(client: http.client.HTTPConnection, upstream: Upstream) -> None:
    client.request("GET", "/api/v1/namespaces")
    answer_to(client)
    assert "authorization" not in upstream.last.headers


def test_no_request_meets_a_connection_that_the_emulator_is_about_to_close() -> None:
    """The emulator closes one after five idle seconds, which may be just when the next POST is under way. Here it is
    always then, and says nothing of it before."""
    answer = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"

    def serve(emulator: socket.socket) -> None:
        while True:
            try:
                connection, _ = emulator.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                connection.sendall(answer)
                connection.recv(65_536)  # a second request has no answer

    with socket.create_server(("127.0.0.1", 0)) as emulator, socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=[emulator], daemon=True).start()
        target = ProxyTarget(f"http://127.0.0.1:{emulator.getsockname()[1]}", max_seconds=5)
        with run_front(listener, target), closing(http.client.HTTPConnection(*listener.getsockname())) as client:
            for _ in range(3):
                client.request("POST", "/api/v1/lineage", EVENT, JSON)
                assert answer_to(client)[0] == 201
