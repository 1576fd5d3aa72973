"""A recorded worker, a graph in memory, and polls between them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.retry import Deadline
from headwater.sources.connect.clusters import ConnectCluster
from headwater.sources.poller import Document, PollResult, poll
from headwater.sources.scheduled import StoredGraph
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.lookup.requests import RETENTION, LookupClient
from tests.sources.connect.recorded_worker import RecordedWorker, run_worker

NAMESPACE = "shop-connect"
KAFKA = "broker-1:9092"
TOPICS = f"kafka://{KAFKA}"


@dataclass
class World:
    """The graph, and the poll of one cluster. `sent` are the events of the last poll."""

    worker: RecordedWorker
    table: MemoryTable = field(default_factory=MemoryTable)
    now: datetime = factory.EPOCH
    sent: list[Document] = field(default_factory=list)

    @property
    def store(self) -> GraphStore:
        return GraphStore(self.table, RETENTION)

    @property
    def client(self) -> LookupClient:
        return LookupClient(self.table, at=self.now)

    def poll(self, minutes: float = 1, *, folds: bool = True, **workers: Any) -> PollResult:
        """A poll some minutes after the last. Without `folds`, its events are still on their way to the graph."""
        self.now += timedelta(minutes=minutes)
        self.sent = []

        def send(events: Sequence[Document]) -> None:
            self.sent = list(events)
            if folds:
                self.fold(*events)

        reader = Reader(self.store.for_one_request(), Naming())
        cluster = ConnectCluster(NAMESPACE, self.worker.workers(**workers), KAFKA)
        return poll(cluster, StoredGraph(reader, send), self.now, Deadline())

    def fold(self, *events: Document) -> None:
        fold(factory.received(*events), self.store)

    def told(self) -> list[tuple[str, str]]:
        return sorted((event["job"]["name"], event.get("eventType", "JOB")) for event in self.sent)

    def jobs(self) -> dict[str, Any]:
        return {job["name"]: job for job in self.client(f"namespaces/{NAMESPACE}/jobs")["jobs"]}

    def states(self) -> dict[str, str]:
        return {name: job["latestRun"]["state"] for name, job in self.jobs().items() if job["latestRun"]}

    def text(self) -> str:
        return json.dumps(self.sent)


@pytest.fixture
def world() -> Iterator[World]:
    with run_worker("running") as worker:
        yield World(worker)
