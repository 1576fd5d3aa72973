"""`headwater connect` polls a worker once, or again and again, and says what kept it from it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.cli import polling
from headwater.cli.connect import main
from headwater.rest import Unreachable
from headwater.sources.poller import PollResult
from tests import factory
from tests.serve.process import ServeProcess
from tests.sources.connect.recorded_worker import AUTHORIZATION, LIST, RecordedWorker, run_worker


@pytest.fixture
def worker() -> Iterator[RecordedWorker]:
    with run_worker("running") as worker:
        yield worker


def once(worker: RecordedWorker, server: ServeProcess, *more: str) -> int:
    status = main([worker.url, "--once", "--url", server.url, "--kafka", "broker-1:9092", *more])
    server.wait_until_folded()
    return status


def test_a_poll_sends_what_is_new(
    worker: RecordedWorker, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert once(worker, server) == 0
    assert capsys.readouterr().out == "connectors: 4, events sent: 5\n"
    assert once(worker, server) == 0
    assert capsys.readouterr().out == ""
    namespace = worker.url.replace("http://", "kafka-connect:%2F%2F")
    jobs = server.get(f"/api/v1/namespaces/{namespace}/jobs")["jobs"]
    assert {job["name"]: job["latestRun"]["state"] for job in jobs} == {
        "read-orders": "RUNNING",
        "write-orders": "RUNNING",
        "write-all": "RUNNING",
        "write-nowhere": "FAILED",
    }


def test_columns_that_the_server_knows_are_told(worker: RecordedWorker, server: ServeProcess) -> None:
    topic = {"namespace": "kafka://broker-1:9092", "name": "shop-orders"}
    schema = {"schema": factory.schema("id:int")}
    event = {"eventTime": factory.at(0), "producer": factory.PRODUCER, "dataset": {**topic, "facets": schema}}
    assert server.post(event).status == 201
    server.wait_until_folded()
    once(worker, server)
    graph = server.get("/api/v1/column-lineage?nodeId=datasetField:file:/data/copy.txt:id")["graph"]
    assert {node["id"] for node in graph} >= {"datasetField:kafka://broker-1:9092:shop-orders:id"}


def test_a_worker_that_is_away_is_told_and_fails_the_command(
    worker: RecordedWorker, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    worker.faults[LIST] = (503, b"")
    assert once(worker, server) == 1
    error = capsys.readouterr().err
    assert error.startswith("nothing was sent: ")
    assert "the worker answered 503" in error


def test_a_connector_that_is_described_in_part_is_named(
    worker: RecordedWorker, server: ServeProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    worker.faults["/connectors/write-all/topics"] = (500, b"")
    assert once(worker, server) == 1
    assert capsys.readouterr().err.startswith("skipped: write-all: ")


def test_a_server_that_is_away_is_told(worker: RecordedWorker, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([worker.url, "--once", "--url", "http://127.0.0.1:1"]) == 1
    assert "nothing was sent: http://127.0.0.1:1 cannot be reached" in capsys.readouterr().err


def test_credentials_of_the_workers_come_from_a_file(
    worker: RecordedWorker, server: ServeProcess, tmp_path: Path
) -> None:
    file = tmp_path / "authorization"
    file.write_text(f"{AUTHORIZATION}\n")
    assert once(worker, server, "--authorization-file", str(file)) == 0
    assert set(worker.headers) == {AUTHORIZATION}


def test_a_worker_that_is_no_url_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["user:hunter2@connect-1", "--once"])
    assert ended.value.code == 2
    assert "error: WORKER: a worker has a URL such as http://connect-1:8083" in capsys.readouterr().err


def test_what_a_source_says_is_inert_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07"
    result = PollResult("shop", skipped={f"part{hostile}": f"reason{hostile}"}, unreachable=Unreachable(hostile))
    assert not polling._reported(result, lambda _: None)
    printed = capsys.readouterr().err
    assert "part" in printed
    assert not {"\x1b", "\x07"} & set(printed)
