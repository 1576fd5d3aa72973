"""Each line of a log has the function, the request id of the invocation and, if known, the run."""

import json
from typing import Any

import pytest

from headwater.log import FunctionLog
from headwater.store.errors import CorruptItem, StorageError
from tests import factory
from tests.fakes import LambdaContext

CORRUPT = CorruptItem(("J#1", "HEAD"), "edges", "not an object")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A function of its own for each test: a service's log is opened once."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", request.node.name)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_line_has_the_request_the_function_and_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    log = FunctionLog()

    @log.handler
    def handler(event: dict[str, Any], context: Any) -> None:
        log("a fault", StorageError("away"))
        log.name_run(factory.run_id(1))
        log("a fault of it", StorageError("away"))
        log("another's", StorageError("away"), run=factory.run_id(2))

    handler({}, LambdaContext())
    logged = lines(capsys)
    assert {line["function_request_id"] for line in logged} == {LambdaContext.aws_request_id}
    assert {line["function_name"] for line in logged} == {LambdaContext.function_name}
    assert [line.get("run") for line in logged] == [None, factory.run_id(1), factory.run_id(2)]
    assert {(line["level"], line["reason"]) for line in logged} == {("WARNING", "StorageError: away")}
    handler({}, LambdaContext())
    assert "run" not in lines(capsys)[0], "the run of one invocation is not that of the next"


def test_a_corrupt_item_is_an_error_with_its_key_and_member(capsys: pytest.CaptureFixture[str]) -> None:
    FunctionLog()("a message could not be folded for now", CORRUPT, run=factory.run_id(1))
    (line,) = lines(capsys)
    assert (line["level"], line["key"], line["member"]) == ("ERROR", "J#1/HEAD", "edges")


def test_an_invocation_that_fails_for_a_corrupt_item_logs_and_counts_it(capsys: pytest.CaptureFixture[str]) -> None:
    log = FunctionLog()

    @log.handler
    def handler(event: dict[str, Any], context: Any) -> None:
        raise CORRUPT

    with pytest.raises(CorruptItem):
        handler({}, LambdaContext())
    error, metric = lines(capsys)
    assert (error["key"], error["member"]) == ("J#1/HEAD", "edges")
    assert metric["CorruptItems"] == [1.0]


def test_another_failure_has_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        _ = 1 // 0
    FunctionLog().failure("a request failed for a fault of the server", raised.value)
    (line,) = lines(capsys)
    assert line["exception_name"] == "ZeroDivisionError"
    assert "Traceback" in line["exception"]
