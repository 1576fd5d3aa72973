"""`headwater registry` polls a registry once, or again and again, and says what kept it from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.registry import main
from tests.serve.process import ServeProcess, wait_for
from tests.sources.registry.conftest import record
from tests.sources.registry.fake_registry import AUTHORIZATION, FakeRegistry, run_registry

TOPICS = "/api/v1/namespaces/kafka:%2F%2Fbroker-1:9092/datasets"


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with run_registry() as registry:
        registry.register("orders-value", record("id:long", "email:string?"))
        yield registry


def once(registry: FakeRegistry, server: ServeProcess, *more: str) -> int:
    status = main([registry.url, "--once", "--url", server.url, "--kafka", "broker-1:9092", *more])
    server.wait_until_folded()
    return status


def columns(server: ServeProcess, topic: str) -> list[Any]:
    return [field["name"] for field in server.get(f"{TOPICS}/{topic}")["fields"]]


def test_a_poll_sends_what_is_new(
    registry: FakeRegistry, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert once(registry, server) == 0
    assert capsys.readouterr().out == "subjects: 1, events sent: 1\n"
    assert columns(server, "orders") == ["id", "email"]
    assert once(registry, server) == 0
    assert capsys.readouterr().out == ""
    registry.register("orders-value", record("id:long"))
    assert once(registry, server) == 0
    assert columns(server, "orders") == ["id"]


def test_a_breach_is_an_alert(registry: FakeRegistry, server: ServeProcess) -> None:
    once(registry, server)
    registry.incompatible["orders-value"] = ["reader type STRING is not compatible with writer type LONG"]
    registry.register("orders-value", record("id:string", "email:string?"))
    once(registry, server)
    wait_for(lambda: bool(server.get("/api/v1/alerts")["alerts"]))
    (alert,) = server.get("/api/v1/alerts")["alerts"]
    assert (alert["type"], alert["name"]) == ("Compatibility Broken", "orders")


def test_a_topic_of_a_subject_is_named_by_an_option(
    registry: FakeRegistry, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.register("com.acme.Order", record("total:double"))
    assert once(registry, server) == 0
    assert "no topic is known for com.acme.Order: name it with --topic" in capsys.readouterr().err
    assert once(registry, server, "--topic", "com.acme.Order=returns") == 0
    assert columns(server, "returns") == ["total"]


@pytest.mark.parametrize("status", [401, 503])
def test_a_registry_that_is_away_is_told_and_fails_the_command(
    registry: FakeRegistry, server: ServeProcess, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    registry.faults["/subjects"] = (status, b"")
    assert once(registry, server) == 1
    error = capsys.readouterr().err
    assert error.startswith("nothing was sent: ")
    assert f"the registry answered {status}" in error


def test_a_subject_that_is_read_in_part_is_named(
    registry: FakeRegistry, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.faults["/subjects/orders-value/versions/latest"] = (500, b"")
    assert once(registry, server) == 1
    assert capsys.readouterr().err.startswith("skipped: orders-value: ")


def test_a_server_that_is_away_is_told(registry: FakeRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([registry.url, "--kafka", "b:9092", "--once", "--url", "http://127.0.0.1:1"]) == 1
    assert "nothing was sent: http://127.0.0.1:1 cannot be reached" in capsys.readouterr().err


def test_credentials_of_the_registry_come_from_a_file(
    registry: FakeRegistry, server: ServeProcess, tmp_path: Path
) -> None:
    file = tmp_path / "authorization"
    file.write_text(f"{AUTHORIZATION}\n")
    assert once(registry, server, "--authorization-file", str(file)) == 0
    assert set(registry.headers) == {AUTHORIZATION}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["user:hunter2@registry"], "a registry has a URL such as https://registry:8081"),
        ([], "name the URL of a registry, or --glue NAME"),
        (["http://registry:8081", "--glue", "shop"], "name the URL of a registry, or --glue NAME"),
        (["http://registry:8081", "--topic", "orders"], "--topic has the form SUBJECT=TOPIC"),
    ],
)
def test_a_wrong_command_line_is_named(arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--kafka", "broker-1:9092", "--once"])
    error = capsys.readouterr().err
    assert (ended.value.code, fault in error, "hunter2" in error) == (2, True, False)
