"""A registry, a graph in memory with its alerts, and polls between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.retry import Deadline
from headwater.sources.poller import Document, PollResult, poll
from headwater.sources.registry.registries import FollowedRegistry
from headwater.sources.scheduled import StoredGraph
from tests import factory
from tests.alerts.stream import Detail
from tests.alerts.stream import World as Graph
from tests.lookup.requests import LookupClient
from tests.sources.registry.fake_registry import FakeRegistry, run_registry

KAFKA = "kafka://broker-1:9092"


def record(*fields: Any, name: str = "Order", **more: Any) -> Document:
    """A record of Avro: `id:long`, `email:string?` (may be null), or a whole field."""
    return {"type": "record", "name": name, "namespace": "com.acme", "fields": [*map(_field, fields)], **more}


def _field(field_: Any) -> Document:
    if isinstance(field_, dict):
        return field_
    name, _, kind = field_.partition(":")
    return (
        {"name": name, "type": ["null", kind[:-1]], "default": None}
        if kind[-1] == "?"
        else {"name": name, "type": kind}
    )


@dataclass
class World:
    """The graph, and the poll of one registry. `sent` are the events of the last poll, `alerts` what they rang."""

    registry: FakeRegistry
    graph: Graph = field(default_factory=Graph)
    now: datetime = factory.EPOCH
    sent: list[Document] = field(default_factory=list)
    alerts: list[Detail] = field(default_factory=list)
    topics: dict[str, list[str]] = field(default_factory=dict)
    name: str = "shop"

    def poll(self, *, folds: bool = True, source: Any = None) -> PollResult:
        """A poll a minute after the last. Without `folds`, its events are still on their way to the graph."""
        self.now += timedelta(minutes=1)
        self.sent, self.alerts = [], []

        def send(events: Sequence[Document]) -> None:
            self.sent = list(events)
            if folds:
                self.alerts = self.graph.alerts_of_batch(*events)

        registry = FollowedRegistry(self.name, source or self.registry.source(), KAFKA, self.topics)
        reader = Reader(self.graph.store.for_one_request(), Naming())
        return poll(registry, StoredGraph(reader, send), self.now, Deadline())

    def fold(self, *events: Document) -> list[Detail]:
        """The alerts of events of other producers."""
        return self.graph.alerts_of_batch(*events)

    def columns(self, topic: str) -> dict[str, str]:
        return {field["name"]: field["type"] for field in self.dataset(topic)["fields"]}

    def told(self, topic: str) -> Any:
        """The registry's facet of a topic."""
        return self.dataset(topic)["facets"]["kafka_schemaRegistry"]

    def dataset(self, topic: str) -> Any:
        client = LookupClient(self.graph.table, at=self.now)
        return client(f"namespaces/{KAFKA.replace(':', '%3A').replace('/', '%2F')}/datasets/{topic}")

    def topics_told(self) -> list[str]:
        return [event["dataset"]["name"] for event in self.sent]

    def types(self) -> list[str]:
        return [alert["alert"] for alert in self.alerts]


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with run_registry() as registry:
        yield registry


@pytest.fixture
def world(registry: FakeRegistry) -> World:
    return World(registry)
