"""Runs connectors on a worker of Kafka Connect beside a broker, and follows them as `headwater connect` does. The last
connector fails."""

import json
import time
import urllib.request
from datetime import UTC, datetime
from typing import Any

from headwater.cli.api import Api
from headwater.cli.engines.trial import NAMESPACE, Trial
from headwater.cli.jvm.connect import ConnectWorker
from headwater.cli.jvm.kafka import run_broker
from headwater.cli.machine.failure import Failure
from headwater.cli.polling import ServedGraph
from headwater.retry import Deadline
from headwater.sources.connect.clusters import ConnectCluster
from headwater.sources.connect.worker import Workers, WorkerUrl
from headwater.sources.poller import poll

TABLE = "billed_orders"
PACKAGE = "org.apache.kafka.connect"
ROUTE = {
    "transforms": "route",
    "transforms.route.type": f"{PACKAGE}.transforms.RegexRouter",
    "transforms.route.regex": "(.*)",
    "transforms.route.replacement": "shop-$1",
}
"""Renames the topic on its way: the graph must have the topic that is really used."""
READY_SECONDS = 60


def run(trial: Trial) -> None:
    with run_broker(trial.state, trial.folder / "kafka") as bootstrap:
        worker = ConnectWorker(trial.state, trial.folder / "connect", bootstrap)
        trial.say("Kafka Connect: starting a worker")
        try:
            worker.start()
            run_connectors(trial, worker)
            trial.say(f"headwater connect {worker.url} --namespace {NAMESPACE} --kafka {bootstrap}")
            graph = ServedGraph(Api(trial.url, trial.key))
            cluster = ConnectCluster(NAMESPACE, Workers([WorkerUrl.of(worker.url, "")]), bootstrap)
            poll(cluster, graph, datetime.now(UTC), Deadline())
        finally:
            worker.kill()


def run_connectors(trial: Trial, worker: ConnectWorker) -> None:
    """Start the connectors. Return once each is in the state that it should be in. Raises Failure."""
    orders, billed = trial.folder / "orders.csv", trial.folder / TABLE
    orders.write_text("1,19.90\n2,5.00\n", encoding="utf-8")
    configure(trial, worker, "take_orders", "Source", {"file": str(orders), "topic": "orders", **ROUTE})
    configure(trial, worker, "bill_orders", "Sink", {"file": str(billed), "topics": "shop-orders"})
    missing = trial.folder / "no folder" / "orders"
    configure(trial, worker, "archive_orders", "Sink", {"file": str(missing), "topics": "shop-orders"})
    wanted = {"take_orders": ["RUNNING"], "bill_orders": ["RUNNING"], "archive_orders": ["FAILED"]}
    deadline = time.monotonic() + READY_SECONDS
    while not (billed.is_file() and task_states(worker) == wanted):
        if time.monotonic() > deadline:
            reason = f"the tasks of the connectors are {task_states(worker)} after {READY_SECONDS} s"
            raise Failure(reason, "try again on a machine with less to do")
        time.sleep(0.5)


def configure(trial: Trial, worker: ConnectWorker, name: str, kind: str, settings: dict[str, str]) -> None:
    trial.say(f"Kafka Connect: {name}")
    config = {"connector.class": f"{PACKAGE}.file.FileStream{kind}Connector", **settings}
    asked(worker, "PUT", f"/connectors/{name}/config", config)


def task_states(worker: ConnectWorker) -> dict[str, list[str]]:
    connectors = asked(worker, "GET", "/connectors?expand=status")
    return {name: [task["state"] for task in each["status"]["tasks"]] for name, each in connectors.items()}


def asked(worker: ConnectWorker, method: str, path: str, document: Any = None) -> Any:
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(worker.url + path, body, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
