"""The stand-in for Datadog accepts the events of Datadog's published schema, and names the faults of others."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.alerts.datadog import LOG, PATH, Datadog, run_datadog
from local.alerts.datadog_event import InvalidEvent, parse_event

EVENT: dict[str, Any] = {
    "title": "orders lost a column",
    "text": "%%% \n**unit_price** is gone\n %%%",
    "tags": ["owner:finance", "namespace:s3://lake"],
    "alert_type": "error",
    "aggregation_key": "s3://lake:orders",
    "source_type_name": "my_apps",
}
NOW = 1_800_000_000


@pytest.fixture
def printed() -> list[str]:
    return []


@pytest.fixture
def datadog(tmp_path: Path, printed: list[str]) -> Iterator[Datadog]:
    with run_datadog(tmp_path, printed.append) as running:
        yield running


def send(
    to: Datadog, body: bytes, *, method: str = "POST", path: str = PATH, **headers: str
) -> tuple[int, dict[str, Any]]:
    sent = {"DD-API-KEY": to.key, "Content-Type": "application/json; charset=utf-8"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{to.url}{path}", body, sent, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def test_an_event_is_taken_kept_and_answered_as_datadog_does(datadog: Datadog) -> None:
    status, answer = send(datadog, json.dumps(EVENT).encode())
    assert status == 202
    assert answer["status"] == "ok"
    assert answer["event"].items() >= EVENT.items()
    assert str(answer["event"]["id"]) == answer["event"]["id_str"]
    assert abs(answer["event"]["date_happened"] - time.time()) < 60
    assert datadog.events() == [EVENT]


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        ({"DD_API_KEY": "another"}, 403, "Forbidden"),
        ({"DD_API_KEY": ""}, 403, "Forbidden"),
        ({"Content_Type": "text/plain"}, 415, "not application/json"),
        ({"path": "/api/v2/events"}, 404, "Not found"),
        ({"method": "PUT"}, 405, "PUT is not allowed"),
        ({"body": b'{"title": "a" "b"}'}, 400, "the body is no JSON"),
        ({"body": b"\xff"}, 400, "the body is no JSON"),
        ({"body": b"[]"}, 400, "no JSON object"),
        ({"body": b"{}"}, 400, "title is missing"),
    ],
)
def test_a_wrong_request_is_refused_and_printed_with_its_reason(
    datadog: Datadog, printed: list[str], change: dict[str, Any], status: int, reason: str
) -> None:
    given, answer = send(datadog, **({"body": json.dumps(EVENT).encode()} | change))
    assert given == status
    assert reason in answer["errors"][0]
    assert reason in printed[0]
    assert reason in (datadog.folder / LOG).read_text()
    assert datadog.events() == []


def test_a_key_is_never_written_down(datadog: Datadog, printed: list[str]) -> None:
    send(datadog, b"{}")
    send(datadog, json.dumps(EVENT).encode())
    send(datadog, b"", DD_API_KEY="a-key-of-someone")
    written = "".join(file.read_text() for file in datadog.folder.iterdir()) + "".join(printed)
    assert datadog.key not in written
    assert "a-key-of-someone" not in written


@pytest.mark.parametrize(
    ("member", "value", "fault"),
    [
        ("title", "x" * 101, "has 101 characters, at most 100 are allowed"),
        ("title", "", "is empty"),
        ("title", 1, "is no text"),
        ("title", None, "is no text"),
        ("text", "x" * 4001, "has 4001 characters, at most 4000 are allowed"),
        ("text", ["a"], "is no text"),
        ("tags", "a:b", "is no list"),
        ("tags", [1], "[0] is no text"),
        ("tags", ["a", "x" * 201], "[1] has 201 characters, at most 200 are allowed"),
        ("alert_type", "fatal", "is 'fatal', none of error, warning"),
        ("alert_type", ["error"], "none of error, warning"),
        ("aggregation_key", "x" * 101, "has 101 characters, at most 100 are allowed"),
        ("priority", "high", "is 'high', none of normal, low"),
        ("source_type_name", 7, "is no text"),
        ("date_happened", "2026-11-20", "is no integer"),
        ("date_happened", -1, "is no integer"),
        ("date_happened", True, "is no integer"),
        ("date_happened", 1.5, "is no integer"),
        ("date_happened", NOW - 18 * 3600 - 1, "is over 18 hours ago"),
        ("date_happened", NOW + 2 * 3600 + 1, "is over two hours ahead"),
        ("colour", "red", "is no member that Datadog knows"),
    ],
)
def test_a_wrong_member_is_named_with_its_fault(member: str, value: Any, fault: str) -> None:
    with pytest.raises(InvalidEvent) as refused:
        parse_event(json.dumps(EVENT | {member: value}).encode(), NOW)
    (error,) = refused.value.errors
    assert error.startswith(member)
    assert fault in error


def test_every_fault_is_named() -> None:
    with pytest.raises(InvalidEvent) as refused:
        parse_event(b'{"title": 1, "colour": "red"}', NOW)
    assert len(refused.value.errors) == 3


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("title", "é" * 100),
        ("text", "é" * 4000),
        ("tags", []),
        ("tags", ["x" * 200]),
        ("alert_type", "success"),
        ("priority", "low"),
        ("date_happened", NOW - 18 * 3600),
        ("date_happened", NOW),
    ],
)
def test_an_event_within_the_limits_is_accepted(member: str, value: Any) -> None:
    assert parse_event(json.dumps(EVENT | {member: value}).encode(), NOW)[member] == value
