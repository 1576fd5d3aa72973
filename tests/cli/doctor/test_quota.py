"""The doctor reads how many copies of functions the account has, where AWS credentials let it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headwater.cli.doctor.quota import few_copies
from tests.upstream import Reply, Seen, web_server

STACK = "https://abc123.execute-api.eu-west-1.amazonaws.com"


@dataclass
class Account:
    """Lambda's GetAccountSettings of an account: its limit, a proxy's page instead, or the status of a refusal."""

    limit: int = 1_000
    status: int = 200
    page: bytes = b""
    asked: list[str] = field(default_factory=list)

    def answer(self, request: Seen) -> Reply:
        self.asked.append(request.path)
        settings = json.dumps({"AccountLimit": {"ConcurrentExecutions": self.limit}})
        return self.status, {}, self.page or settings.encode()


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    account = Account()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with web_server(account.answer) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        yield account


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


def test_who_does_not_answer_is_asked_once(account: Account) -> None:
    account.status = 503
    assert not list(few_copies(STACK))
    assert len(account.asked) == 1


def test_a_page_of_a_proxy_is_no_finding(account: Account) -> None:
    account.page = b"<html>Please sign in</html>"
    assert not list(few_copies(STACK))
    assert account.asked


def test_an_endpoint_that_is_no_url_is_no_finding(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", "localhost")
    assert not list(few_copies(STACK))
    assert not account.asked


def test_a_code_that_nobody_can_type_is_no_finding(account: Account, tmp_path: Path) -> None:
    role = "arn:aws:iam::123456789012:role/admin\nmfa_serial = arn:aws:iam::123456789012:mfa/me"
    (tmp_path / "config").write_text(
        f"[default]\nregion = eu-west-1\nrole_arn = {role}\nsource_profile = me\n"
        "[profile me]\naws_access_key_id = test\naws_secret_access_key = test\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
    }
    asks = f"from headwater.cli.doctor.quota import few_copies; print(list(few_copies({STACK!r})))"
    asked = subprocess.run(  # noqa: S603 - the interpreter of the tests
        [sys.executable, "-c", asks],
        env=environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # without a terminal, also where a person runs the tests
        capture_output=True,
        text=True,
        check=False,
    )
    assert "MFA" in asked.stderr
    assert (asked.returncode, asked.stdout.strip()) == (0, "[]"), asked.stderr


@pytest.mark.parametrize("url", ["http://localhost:8765", "https://lineage.example.com", f"{STACK}.example.com"])
def test_nothing_is_asked_about_other_servers(account: Account, url: str) -> None:
    account.limit = 10
    assert not list(few_copies(url))
    assert not account.asked
