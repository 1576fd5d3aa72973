"""What keeps an answer away is told in a line, with the next step, and has a status of its own."""

import errno
import json
import socket
import urllib.error

import pytest

from headwater.cli import endpoint
from headwater.cli.api import Api
from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from headwater.cli.failure import UNREACHABLE, CommandFailure, reason_of
from tests.cli.lookups.conftest import Headwater
from tests.cli.lookups.server import KEY, NARROW, WRITER
from tests.upstream import Upstream, serving


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_no_server(headwater: Headwater) -> None:
    printed = headwater("runs", "--url", f"http://127.0.0.1:{free_port()}")
    assert printed.status == UNREACHABLE
    assert "cannot be reached" in printed.err
    assert "\nnext: is a server running there? HEADWATER_URL or --url" in printed.err


def test_no_url(headwater: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE)
    printed = headwater("runs")
    assert printed.status == UNREACHABLE
    assert printed.err.splitlines()[0] == "no server is named, and none runs here"
    assert "make up" in printed.err


def test_a_url_that_is_none(headwater: Headwater) -> None:
    assert headwater("runs", "--url", "ftp://lineage").status == 2


def test_the_stack_of_make_up_needs_no_url_and_no_key(
    headwater: Headwater, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.FILE.write_text(json.dumps({"url": url, "key": KEY}))
    monkeypatch.delenv(KEY_VARIABLE)
    assert headwater("runs").status == 0
    monkeypatch.delenv(URL_VARIABLE)
    assert headwater("runs").status == 0
    assert headwater("runs", "--url", f"{url}/api/v1/").status == 0


@pytest.mark.parametrize(
    ("key", "arguments", "words"),
    [
        ("", ["runs"], ["needs a key, and none was given", "set HEADWATER_API_KEY to a valid key"]),
        ("wrong", ["runs"], ["did not accept the key"]),
        (WRITER, ["runs"], ["the key does not permit this: key: lacks the scope read", "with the scope read"]),
        (NARROW, ["lineage", "dataset:s3://lake warehouse:orders_daily"], ["is not a namespace of this key"]),
        ("two\nlines", ["runs"], ["which no HTTP header can have"]),
    ],
)
def test_keys(
    headwater: Headwater, monkeypatch: pytest.MonkeyPatch, key: str, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    printed = headwater(*arguments)
    assert printed.status == UNREACHABLE
    assert all(word in printed.err for word in words)
    assert "next: " in printed.err
    assert not key or key not in printed.err


def test_a_server_that_takes_too_long() -> None:
    with serving(Upstream(delay=0.6)) as slow, pytest.raises(CommandFailure) as failed:
        Api(slow.url, KEY, seconds=0.2).ask("jobs")
    assert failed.value.status == UNREACHABLE
    assert failed.value.what.endswith(" did not answer within 0.2 s")
    assert "smaller --depth" in failed.value.steps[0]


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, b"<html>Welcome</html>", "there is no Headwater API at"),
        (200, b"[]", "there is no Headwater API at"),
        (404, b"<html>not here</html>", "there is no Headwater API at"),
        (301, b"", "answered 301"),
        (
            503,
            b'{"code": 503, "message": "not available\\u001b[2J"}',
            "cannot answer now (503): not available\u241b[2J",
        ),
        (429, b'{"message": "Too Many Requests"}', "cannot answer now (429): Too Many Requests"),
        (413, b'{"message": "body: too long"}', "the request body is too long: body: too long"),
        (413, b'{"message": "too long"}', "the answer is too long: too long"),
        (400, b'{"message": "depth: expected a whole number"}', "was refused: depth: expected a whole number"),
        (418, b"short and stout", "answered 418"),
    ],
)
def test_other_answers(headwater: Headwater, status: int, body: bytes, words: str) -> None:
    with serving(Upstream(status=status, body=body)) as other:
        printed = headwater("runs", "--url", other.url)
    assert printed.status == (2 if status == 400 or b"body: " in body else UNREACHABLE)
    assert words in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_a_long_answer_is_asked_for_in_gzip(headwater: Headwater, url: str) -> None:
    with serving(Upstream(status=503)) as other:
        headwater("runs", "--url", other.url)
    assert other.last.headers["accept-encoding"] == "gzip"
    assert len(headwater("runs", "--json").out) > 4096


def test_a_key_is_never_shown(headwater: Headwater) -> None:
    assert "secret" not in repr(Api("http://127.0.0.1", "secret"))


def test_an_error_of_the_system_has_no_number() -> None:
    gone = FileNotFoundError(errno.ENOENT, "No such file or directory", "/nope")
    assert reason_of(gone) == "/nope: No such file or directory"
    assert reason_of(urllib.error.URLError(ConnectionRefusedError(111, "Connection refused"))) == "Connection refused"
    assert reason_of(ValueError("no JSON")) == "no JSON"
