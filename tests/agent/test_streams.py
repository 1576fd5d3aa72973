"""Streams that say nothing of themselves, in a real Spark with the jar beside the listener."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agent import test_agent
from tests.agent.test_agent import SECONDS, sent, started
from tests.alerts.stream import World
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after

pytestmark = test_agent.pytestmark


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="module")
def events(lake: Path) -> list[Document]:
    """The events of the program, which is ended by SIGTERM while its last stream runs."""
    with started(lake, "Streaming") as process:
        deadline = time.monotonic() + SECONDS
        while not any("endless" in event["job"]["name"] and event["inputs"] for event in sent(lake)):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
    return sent(lake)


@pytest.fixture(scope="module")
def get(events: list[Document]) -> LookupClient:
    return LookupClient(table_after(*events))


def stream(get: LookupClient, name: str) -> tuple[Any, Any]:
    (job,) = (job for job in get("jobs", limit=100)["jobs"] if job["name"] == f"streaming.{name}")
    assert job["type"] == "STREAM"
    (run,) = get(f"namespaces/prod/jobs/{job['name']}/runs")["runs"]
    return job, run


@pytest.mark.parametrize(
    ("name", "written"), [("streamed", "streamed"), ("paid_orders", "paid"), ("foreach_batch", "copied")]
)
def test_a_stream_is_a_job_that_is_named_by_its_author_else_by_its_sink(
    get: LookupClient, lake: Path, name: str, written: str
) -> None:
    job, run = stream(get, name)
    assert [dataset["name"] for dataset in job["inputs"]] == [str(lake / "landed")]
    assert [dataset["name"] for dataset in job["outputs"]] == [str(lake / written)]
    assert (run["state"], run["progress"]) == ("COMPLETED", {"batches": 1, "rows": 5})


def test_a_stream_that_fails_says_why(get: LookupClient) -> None:
    _, run = stream(get, "failing")
    assert run["state"] == "FAILED"
    assert "boom" in run["message"]


def test_queries_that_fail_together_have_one_alert(events: list[Document]) -> None:
    titles = sorted(alert["title"] for alert in World().alerts_one_by_one(events) if alert["alert"] == "Run Failed")
    assert titles == ["streaming failed", *(f"streaming failed while writing {name}" for name in ("bang", "made"))]


def test_a_driver_that_is_ended_by_sigterm_is_aborted_with_its_stream(
    get: LookupClient, events: list[Document]
) -> None:
    """The listener says COMPLETE of the application."""
    _, run = stream(get, "endless")
    assert run["state"] == "ABORTED"
    (application,) = get("namespaces/prod/jobs/streaming/runs")["runs"]
    assert application["state"] == "ABORTED"
    assert "COMPLETE" in {event["eventType"] for event in events if event["run"]["runId"] == application["id"]}


def test_a_short_stream_sends_three_events_and_no_fault(events: list[Document]) -> None:
    own = [event["eventType"] for event in events if event["job"]["name"] == "streaming.streamed"]
    assert own == ["START", "RUNNING", "COMPLETE"]
    assert not [event for event in events if "headwater_agent" in event["run"]["facets"]]


def test_an_application_says_from_its_start_how_often_it_is_heard_of(events: list[Document]) -> None:
    beats = [event for event in events if "headwater_heartbeat" in event["run"]["facets"]]
    assert [event["eventType"] for event in beats] == ["START", "RUNNING"]
    start, beat = beats
    assert (start["job"]["name"], start["run"]["runId"]) == (beat["job"]["name"], beat["run"]["runId"])
    assert {event["run"]["facets"]["headwater_heartbeat"]["everySeconds"] for event in beats} == {300}
