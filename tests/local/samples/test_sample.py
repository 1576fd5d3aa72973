"""The samples are sent in the order of events/README.md, and a function that fails is told from a request refused."""

from typing import Any

import pytest

from headwater.cli.machine.failure import Failure
from local.layout import Layout
from local.samples.emulated_runtime import EmulatedFunction, environment
from local.samples.run import require_all
from local.samples.sample import Sample, outcome, outcomes, samples

EVENTS = Layout.here().root / "events"
SAMPLE = Sample("ingest/run-event.json", "ingest")


def test_every_file_of_events_is_a_sample_of_a_function() -> None:
    listed = samples(EVENTS)
    assert {each.file for each in listed} == {str(file.relative_to(EVENTS)) for file in EVENTS.rglob("*.json")}
    assert {each.function for each in listed} == {app.parent.name for app in EVENTS.parent.glob("functions/*/app.py")}


def test_each_sample_goes_to_its_function_as_it_is_in_the_file() -> None:
    sent: list[tuple[str, bytes]] = []

    def invoke(function: str, event: bytes) -> Any:
        sent.append((function, event))
        return {"statusCode": 200}

    assert not any(each.is_fault for each in list(outcomes(EVENTS, invoke)))
    assert sent == [(each.function, (EVENTS / each.file).read_bytes()) for each in samples(EVENTS)]


@pytest.mark.parametrize(
    ("response", "result"),
    [({"statusCode": 201}, "201"), ({"statusCode": 403}, "403"), ({"batchItemFailures": []}, "done"), ({}, "done")],
)
def test_a_response_below_500_is_no_fault(response: Any, result: str) -> None:
    told = outcome(SAMPLE, response)
    assert (told.result, told.is_fault) == (result, False)


@pytest.mark.parametrize(
    "response",
    [
        {"statusCode": 503},
        {"errorType": "KeyError", "errorMessage": "'Records'"},
        {"errorMessage": "Task timed out after 15.00 seconds"},
        {"batchItemFailures": [{"itemIdentifier": "1"}]},
        "Internal Server Error",
        None,
    ],
)
def test_an_error_of_a_function_is_a_fault_also_if_it_comes_as_a_response(response: Any) -> None:
    told = outcome(SAMPLE, response)
    assert told.is_fault
    assert "FAILED" in str(told)


def test_a_failed_sample_and_a_function_without_a_sample_fail_the_command() -> None:
    functions = {name: EmulatedFunction(name, {}, 1) for name in ("ingest", "lookup")}
    well = outcome(SAMPLE, {"statusCode": 201})
    with pytest.raises(Failure, match=r"1 of 2 samples failed: ingest/run-event\.json"):
        require_all(functions, [well, outcome(SAMPLE, {"statusCode": 500})], EVENTS)
    with pytest.raises(Failure, match="no sample was sent to lookup"):
        require_all(functions, [well], EVENTS)


def test_a_runtime_gets_no_credentials_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "of-the-user")
    given = environment(Layout.here(), EmulatedFunction("ingest", {"QUEUE_URL": "q"}, 15), "http://127.0.0.1:9")
    assert "of-the-user" not in given.values()
    assert (given["AWS_ENDPOINT_URL"], given["QUEUE_URL"]) == ("http://127.0.0.1:9", "q")
