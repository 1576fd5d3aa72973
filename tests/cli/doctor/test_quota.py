"""The doctor reads how many copies of functions the account has, where AWS credentials let it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from headwater.cli.doctor.quota import few_copies

STACK = "https://abc123.execute-api.eu-west-1.amazonaws.com"


class Account(HTTPServer):
    """Lambda's GetAccountSettings of an account: its limit, or the status of a refusal."""

    limit, status = 1_000, 200
    asked: list[str]


class Settings(BaseHTTPRequestHandler):
    server: Account

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = json.dumps({"AccountLimit": {"ConcurrentExecutions": self.server.limit}}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing."""


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    server = Account(("127.0.0.1", 0), Settings)
    server.asked = []
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_new_account_has_few_copies(account: Account) -> None:
    account.limit = 10
    (finding,) = few_copies(STACK)
    assert "10 concurrent executions of Lambda in eu-west-1" in finding.what
    assert "--quota-code L-B99A9384 --desired-value 1000" in finding.fix
    assert finding.blame is None
    assert account.asked == ["/2016-08-19/account-settings"]


def test_a_usual_account_has_enough(account: Account) -> None:
    assert not list(few_copies(STACK))
    assert account.asked


def test_credentials_that_may_not_read_it_are_no_finding(account: Account) -> None:
    account.status = 403
    assert not list(few_copies(STACK))
    assert account.asked


@pytest.mark.parametrize("url", ["http://localhost:8765", "https://lineage.example.com", f"{STACK}.example.com"])
def test_nothing_is_asked_about_other_servers(account: Account, url: str) -> None:
    account.limit = 10
    assert not list(few_copies(url))
    assert not account.asked
