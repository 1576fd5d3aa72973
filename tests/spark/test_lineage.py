"""headwater.spark names datasets as the listener does, and never delays a job for long."""

import sys
import time
import uuid
from pathlib import Path

import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import StreamingQueryException

from headwater.spark import Dataset, folder, model, topic
from headwater.spark.application import PRODUCER, Lineage, plain
from headwater.spark.reporter import STOP_SECONDS, Silence, key_in_file, reporter
from tests.upstream import Upstream, serving

KEY = "a-secret-key"
EVENT = RunEvent(
    eventTime="2026-11-21T08:00:00Z",
    eventType=RunState.RUNNING,
    producer=PRODUCER,
    run=Run(str(uuid.UUID(int=1))),
    job=Job("demo", "score"),
)


def settings(url: str) -> dict[str, str]:
    of_transport = {"type": "http", "url": url, "endpoint": "/api/v1/lineage", "auth.apiKey": KEY}
    return {f"spark.openlineage.transport.{name}": value for name, value in of_transport.items()}


@pytest.mark.parametrize(
    ("uri", "namespace", "name"),
    [
        ("/data/orders/", "file", "/data/orders"),
        ("file:///data/orders", "file", "/data/orders"),
        ("s3a://lake/orders/", "s3://lake", "orders"),
        ("hdfs://namenode:8020/raw/orders", "hdfs://namenode:8020", "/raw/orders"),
    ],
)
def test_files_are_named_as_the_listener_names_them(uri: str, namespace: str, name: str) -> None:
    assert folder(uri) == Dataset(namespace, name)


def test_a_topic_is_of_the_cluster_of_the_first_bootstrap_server() -> None:
    dataset = topic("one:9092,two:9092", "orders")
    assert (dataset.namespace, dataset.name) == ("kafka://one:9092", "orders")
    assert dataset.facets["datasetType"].datasetType == "TOPIC"  # type: ignore[attr-defined]


def test_a_model_is_a_dataset_of_its_own_type() -> None:
    assert model("/models/churn").facets["datasetType"].datasetType == "MODEL"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "written"), [("ScoreCustomers 2", "score_customers_2"), ("orders_stream",) * 2])
def test_an_application_goes_by_the_name_that_the_listener_writes(name: str, written: str) -> None:
    assert plain(name) == written


def test_events_go_where_the_listener_sends_with_its_key() -> None:
    with serving(Upstream()) as upstream:
        sending = reporter(settings(upstream.url))
        sending.send(EVENT)
        sending.wait()
    assert upstream.last.path == "/api/v1/lineage"
    assert upstream.last.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("upstream", [Upstream(status=503), Upstream(status=401), Upstream(delay=8)])
def test_an_endpoint_that_does_not_take_events_costs_a_job_a_few_seconds_at_most(
    upstream: Upstream, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(upstream):
        sending = reporter(settings(upstream.url))
        started = time.monotonic()
        for _ in range(3):
            sending.send(EVENT)
        sending.wait()
        assert time.monotonic() - started < STOP_SECONDS + 1
    assert "lineage was not" in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("place", ["named.yml", "openlineage.yml", ".openlineage/openlineage.yml"])
def test_the_key_is_found_where_the_listener_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("OPENLINEAGE_CONFIG", raising=False)
    assert key_in_file() is None
    if place == "named.yml":
        monkeypatch.setenv("OPENLINEAGE_CONFIG", str(tmp_path / place))
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text(f"transport: {{type: http, auth: {{type: api_key, apiKey: {KEY}}}}}")
    assert key_in_file() == KEY


def test_a_job_without_a_listener_reports_nothing() -> None:
    assert isinstance(reporter({}), Silence)


class Kept(Silence):
    def __init__(self) -> None:
        self.events: list[RunEvent] = []

    def send(self, event: RunEvent) -> None:
        self.events.append(event)


def test_a_failure_outside_of_spark_is_reported() -> None:
    kept = Kept()
    run = Lineage("demo", "train", str(uuid.UUID(int=1)), kept)
    with pytest.raises(ValueError, match="no rows"), run.reporting_failure():
        raise ValueError("no rows\nof anything")
    (event,) = kept.events
    assert (event.eventType, event.run.runId) == (RunState.FAIL, run.run_id)
    assert "ValueError: no rows" in str((event.run.facets or {})["errorMessage"])
    assert "of anything" not in str(event.run.facets)


def test_a_job_that_exits_with_a_status_failed() -> None:
    kept = Kept()
    with pytest.raises(SystemExit), Lineage("demo", "train", str(uuid.UUID(int=1)), kept).reporting_failure():
        sys.exit(3)
    assert [event.eventType for event in kept.events] == [RunState.FAIL]


GONE = Py4JNetworkError("Answer from Java side is empty")
CUT_OFF = StreamingQueryException(
    "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: "
    "Job 1 cancelled because SparkContext was shut down"
)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(0), GONE, CUT_OFF])
def test_a_stream_that_is_stopped_did_not_fail(error: BaseException) -> None:
    kept = Kept()
    with pytest.raises(type(error)), Lineage("demo", "stream", str(uuid.UUID(int=1)), kept).reporting_failure():
        raise error
    assert kept.events == []
