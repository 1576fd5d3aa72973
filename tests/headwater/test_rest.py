"""Requests to the REST APIs of other servers: none of them gets what is for another."""

import socket
import ssl
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from email.message import Message
from http.client import RemoteDisconnected

import pytest

from headwater.cli.api import Api
from headwater.rest import RestUrl, Unreachable, _OfSameServer, no_answer
from tests.upstream import Reply, Seen, web_server


@contextmanager
def server(location: str = "") -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A server's URL, and the path and Authorization of each request. It sends on from /old to a location."""
    seen: list[tuple[str, str | None]] = []

    def answer(request: Seen) -> Reply:
        seen.append((request.path, request.headers.get("authorization")))
        return (302, {"Location": location}, b"{}") if request.path.startswith("/old") else (200, {}, b"{}")

    with web_server(answer) as url:
        yield url, seen


def test_credentials_do_not_follow_a_redirect_to_another_server() -> None:
    with server() as (other, seen), server(f"{other}/latest/meta-data?token=x") as (url, asked):
        with pytest.raises(Unreachable, match=f"the server answered 302: it sends on to {other}/latest/meta-data$"):
            RestUrl.of(url.replace("//", "//u:hunter2@")).ask("/old")
        assert (answer := Api(f"{url}/old", "a-key").get("jobs")).status == 302
        assert answer.message == f"it sends on to {other}/latest/meta-data"
        assert [authorization for _, authorization in asked] == ["Basic dTpodW50ZXIy", "Bearer a-key"]
        assert seen == []


def test_a_redirect_to_the_same_server_is_followed() -> None:
    with server("/new") as (url, seen):
        assert RestUrl.of(url).ask("/old") == {}
        assert [path for path, _ in seen] == ["/old", "/new"]


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("http://H.corp/a", "https://h.corp:443/a", True),
        ("https://h:443/a", "https://h/a/", True),
        ("http://h:8080/a", "https://h:8080/a", True),
        ("http://h:8080/a", "https://h/a", False),
        ("https://h/a", "http://h/a", False),
        ("https://h/a", "https://h.other/a", False),
    ],
)
def test_a_server_is_its_host_and_port_and_may_send_on_to_https(before: str, after: str, is_same: bool) -> None:
    request = urllib.request.Request(before)  # noqa: S310 - not opened
    with nullcontext() if is_same else pytest.raises(urllib.error.HTTPError):
        assert _OfSameServer().redirect_request(request, None, 301, "", Message(), after)


UNTRUSTED = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed (_ssl.c:1000)")
UNTRUSTED.verify_message = "self-signed certificate"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), "nothing listens there"),
        (urllib.error.URLError(socket.gaierror(-2, "Name or service not known")), "no host of that name is known"),
        (urllib.error.URLError(UNTRUSTED), "its certificate is not accepted (self-signed certificate)"),
        (urllib.error.URLError(OSError(113, "No route to host")), "no route to host"),
        (TimeoutError("The read operation timed out"), "no answer in time"),
        (RemoteDisconnected("Remote end closed connection without response"), "it closed the connection"),
        (zlib.error("Error -3 while decompressing data"), "its answer cannot be read"),
    ],
)
def test_what_kept_an_answer_away_is_said_as_a_person_says_it(error: Exception, reason: str) -> None:
    why = no_answer(error)
    assert (why.reason, why.step[-1], why.is_late) == (reason, "?", isinstance(error, TimeoutError))


def test_commands_and_polls_say_the_same_of_a_server_without_tls_and_what_to_ask_next() -> None:
    with server() as (url, _):
        api, reason = Api(url.replace("http", "https")), "it does not speak TLS"
        failure = api.failure(api.get("jobs"))
        assert failure.what == f"{api.url} cannot be reached: {reason}"
        assert failure.steps[0].endswith("? HEADWATER_URL or --url names another")
        with pytest.raises(Unreachable, match=f"^{api.url}/: {reason}; next: is it http:// "):
            RestUrl.of(api.url).ask("/")
