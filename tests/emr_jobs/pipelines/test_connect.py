"""A real Connect worker: connectors at work, failed, paused and deleted; a worker killed and restarted."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer  # type: ignore[import-untyped]

from headwater.cli.connect import main
from headwater.cli.jvm.connect import ConnectWorker
from headwater.cli.machine.state import state_folder
from tests.emr_jobs.pipelines.cluster import wait_until
from tests.serve.process import ServeProcess

pytestmark = pytest.mark.engine
PACKAGE = "org.apache.kafka.connect"
NAMESPACE = "real-connect"
HOIST = {
    "transforms": "hoist,route",
    "transforms.hoist.type": f"{PACKAGE}.transforms.HoistField$Value",
    "transforms.hoist.field": "line",
    "transforms.route.type": f"{PACKAGE}.transforms.RegexRouter",
    "transforms.route.regex": "(.*)",
    "transforms.route.replacement": "real-$1",
}
PASSWORD = "hunter2-of-the-connector"


class Connect:
    """The worker, and a server that hears of its connectors by `headwater connect --once`."""

    def __init__(self, worker: ConnectWorker, server: ServeProcess, bootstrap: str) -> None:
        self.worker = worker
        self.server = server
        self.bootstrap = bootstrap

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        body = json.dumps(document).encode() if document is not None else None
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.worker.url + path, body, headers, method=method)  # noqa: S310 - our own
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            text = answer.read()
        return json.loads(text) if text else None

    def configure(self, name: str, kind: str, **config: str) -> None:
        settings = {"connector.class": f"{PACKAGE}.file.FileStream{kind}Connector", **config}
        self.ask("PUT", f"/connectors/{name}/config", settings)

    def poll(self) -> int:
        url = ["--url", self.server.url, "--namespace", NAMESPACE, "--kafka", self.bootstrap]
        status = main([self.worker.url, "--once", *url])
        self.server.wait_until_folded()
        return status

    def jobs(self) -> dict[str, Any]:
        return {job["name"]: job for job in self.server.get(f"/api/v1/namespaces/{NAMESPACE}/jobs")["jobs"]}

    def state(self, name: str) -> str:
        """The state of a connector's newest run, with the state in which the worker had the connector."""
        job = self.jobs().get(name)
        run = job and job["latestRun"]
        return f"{run['state']} {run['facets']['kafka_run']['state']}" if run else ""

    def until(self, name: str, state: str) -> None:
        self.until_holds(lambda: self.state(name) == state)

    def until_holds(self, holds: Callable[[], bool]) -> None:
        def polled() -> bool:
            self.poll()
            return holds()

        wait_until(polled)


@contextmanager
def started(worker: ConnectWorker) -> Iterator[ConnectWorker]:
    worker.start()
    try:
        yield worker
    finally:
        worker.kill()


@pytest.fixture
def connect(broker: str, tmp_path: Path) -> Iterator[Connect]:
    worker = ConnectWorker(state_folder(), tmp_path / "connect", broker)
    with ServeProcess(tmp_path / "lineage.db", "--open") as server, started(worker):
        yield Connect(worker, server, broker)


def test_the_graph_follows_a_real_worker(connect: Connect, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    orders, copy = tmp_path / "orders.txt", tmp_path / "copy.txt"
    orders.write_text("a\nb\n", encoding="utf-8")
    connect.configure("read", "Source", file=str(orders), topic="orders", **HOIST)
    connect.configure("write", "Sink", file=str(copy), topics="real-orders")
    connect.configure("broken", "Sink", file=str(tmp_path / "no" / "x"), topics="real-orders", password=PASSWORD)
    connect.until("read", "RUNNING RUNNING")
    connect.until("broken", "FAILED FAILED")
    connect.until_holds(copy.is_file)
    jobs = connect.jobs()
    topic = {"namespace": f"kafka://{connect.bootstrap}", "name": "real-orders"}
    assert (jobs["read"]["inputs"], jobs["read"]["outputs"]) == ([{"namespace": "file", "name": str(orders)}], [topic])
    assert (jobs["write"]["inputs"], jobs["write"]["outputs"]) == ([topic], [{"namespace": "file", "name": str(copy)}])
    assert str(tmp_path / "no" / "x") in jobs["broken"]["latestRun"]["facets"]["errorMessage"]["message"]

    first = jobs["read"]["latestRun"]["id"]
    connect.ask("PUT", "/connectors/read/pause")
    connect.until("read", "RUNNING PAUSED")
    connect.ask("PUT", "/connectors/read/resume")
    connect.until("read", "RUNNING RUNNING")
    assert connect.jobs()["read"]["latestRun"]["id"] == first
    connect.configure("broken", "Sink", file=str(tmp_path / "x"), topics="real-orders", password=PASSWORD)
    connect.until("broken", "RUNNING RUNNING")
    assert [run["state"] for run in connect.jobs()["broken"]["latestRuns"]] == ["RUNNING", "FAILED"]

    connect.ask("DELETE", "/connectors/broken")
    connect.until("broken", "ABORTED DELETED")

    connect.worker.kill()
    assert connect.poll() == 1
    assert connect.state("read") == "RUNNING RUNNING"
    connect.worker.start()
    connect.until_holds(lambda: connect.poll() == 0)
    orders.write_text("a\nb\nc\nd\n", encoding="utf-8")
    connect.until_holds(lambda: copy.read_text(encoding="utf-8").count("\n") >= 4)
    assert {name: connect.state(name) for name in jobs} == {
        "read": "RUNNING RUNNING",
        "write": "RUNNING RUNNING",
        "broken": "ABORTED DELETED",
    }
    assert [run["id"] for run in connect.jobs()["read"]["latestRuns"]] == [first]

    events = json.dumps(connect.server.get("/api/v1/events/lineage?limit=100"))
    assert PASSWORD not in events + "".join(capfd.readouterr())


def test_an_application_without_an_integration_is_a_job_while_it_reads(connect: Connect, tmp_path: Path) -> None:
    orders, group = tmp_path / "orders.txt", ["--once", "--groups", "--kafka", connect.bootstrap]
    orders.write_text("a\nb\n", encoding="utf-8")
    connect.configure("read", "Source", file=str(orders), topic="billed-orders")
    connect.configure("copy", "Sink", file=str(tmp_path / "copy.txt"), topics="billed-orders")
    connect.until_holds((tmp_path / "copy.txt").is_file)

    def billing() -> Any:
        assert main([*group, "--url", connect.server.url]) == 0
        connect.server.wait_until_folded()
        namespace = f"kafka:%2F%2F{connect.bootstrap}"
        jobs = connect.server.get(f"/api/v1/namespaces/{namespace}/jobs")["jobs"]
        assert {job["name"] for job in jobs} <= {"billing"}, "the sink's own group is told as a connector"
        return jobs[0] if jobs else None

    consumer = KafkaConsumer(
        "billed-orders",
        bootstrap_servers=connect.bootstrap,
        group_id="billing",
        auto_offset_reset="earliest",
        auto_commit_interval_ms=100,
        metadata_max_age_ms=1_000,  # a consumer that joins before it knows the topic has no partition
        session_timeout_ms=60_000,  # on a busy machine, a broker that hears nothing for ten seconds has it join anew
    )
    with closing(consumer):
        wait_until(lambda: bool(consumer.poll(2_000)))
        consumer.commit()
        job = billing()
        assert job["inputs"] == [{"namespace": f"kafka://{connect.bootstrap}", "name": "billed-orders"}]
        assert job["latestRun"]["state"] == "RUNNING"
    wait_until(lambda: billing()["latestRun"]["state"] == "ABORTED")
