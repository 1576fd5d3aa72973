"""The API in memory: requests run the code of ingest, lookup and curate on one table."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from headwater.access.principal import Principal, Scope
from headwater.curate import routes as writing
from headwater.curate.curator import Curator
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.lookup import routes as reading
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.messages import read_message
from tests import factory
from tests.fakes import FakeBucket, FakeQueue, fail_test
from tests.store.files import FileTable, table_with

RETENTION = factory.RETENTION
EVERYBODY = Principal("everybody", frozenset({Scope.ADMIN}), ("*",))
LAKE = "s3://lake"


class Response(NamedTuple):
    status: int
    body: Any


@dataclass
class Api:
    """`minutes` after the events of the factory; each request comes a second after the one before."""

    table: MemoryTable | FileTable = field(default_factory=MemoryTable)
    queue: FakeQueue = field(default_factory=FakeQueue)
    bucket: FakeBucket = field(default_factory=FakeBucket)
    naming: Naming = field(default_factory=Naming)
    now: Any = factory.EPOCH + timedelta(hours=1)
    caller: Principal = EVERYBODY
    prefix: str = "/api/v1/"
    folded_events: list[NormalisedEvent] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)

    @property
    def store(self) -> GraphStore:
        return GraphStore(self.table, RETENTION)

    def fold_events(self, *documents: factory.Document) -> None:
        for document in documents:
            received = normalise_event(exact_json.dumps(document), self.naming)
            self.folded_events.append(received)
            fold([received], self.store)

    def get(self, path: str, **query: Any) -> Response:
        request = self._request("GET", path, query)
        lookups = reading.Lookups(self.store, self.naming, fail_test)
        return self._answered(lambda: reading.respond(lookups, request))

    def put(self, path: str, body: Any = None) -> Response:
        return self.write("PUT", path, body)

    def post(self, path: str, body: Any = None, **query: str) -> Response:
        return self.write("POST", path, body, query)

    def delete(self, path: str) -> Response:
        return self.write("DELETE", path)

    def write(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None, chunks: int = 1_000
    ) -> Response:
        """A body that is a text goes out as it is; a namespace's deletion has time for some `chunks`."""
        text = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        left = iter(range(chunks))
        request = self._request(method, path, query or {}, body=text, has_time=lambda: next(left, None) is not None)
        curator = Curator(self.store, self.queue, self.bucket, self.naming)
        return self._answered(lambda: writing.respond(curator, request))

    def queued_events(self) -> list[NormalisedEvent]:
        """The events that went into the queue, as normalise reads them."""
        texts = [read_message(message.body, self.bucket).canonical for message in self.queue.sent]
        return [normalise_event(text, self.naming) for text in texts]

    def jobs(self, namespace: str = "demo") -> list[str]:
        return [job["name"] for job in self.get(f"namespaces/{namespace}/jobs").body["jobs"]]

    def datasets(self, namespace: str = LAKE) -> list[str]:
        return [dataset["name"] for dataset in self.get(f"namespaces/{namespace}/datasets").body["datasets"]]

    def graph(self, node_id: str) -> set[str]:
        return {node["id"] for node in self.get("lineage", nodeId=node_id).body["graph"]}

    def _request(self, method: str, path: str, query: Mapping[str, Any], **members: Any) -> ApiRequest:
        self.now += timedelta(seconds=1)
        texts = {name: str(value) for name, value in query.items()}
        path = f"{self.prefix}{path}"
        return ApiRequest(self.caller, method, path, texts, received_at=self.now, **members)

    def _answered(self, request: Callable[[], ApiResponse]) -> Response:
        response = response_or_error(request, lambda message, _: self.logged.append(message))
        return Response(response.status, json.loads(response.to_gateway()["body"]))


def folded(events: Iterable[NormalisedEvent]) -> dict[Any, str]:
    """The versions of all items of a table that these events were folded into, one by one."""
    table = MemoryTable()
    for event in events:
        fold([event], GraphStore(table, RETENTION))
    return versions(table)


def versions(table: MemoryTable | FileTable) -> dict[Any, str]:
    return {key: item.version for key, item in table.items.items()}


@pytest.fixture(params=["memory", "sqlite"])
def api(request: pytest.FixtureRequest) -> Api:
    """A graph of two jobs: `load` writes `orders`, `report`, whose parent is `nightly`, reads it and writes `sums`."""
    api = Api(table_with() if request.param == "sqlite" else MemoryTable())
    orders = factory.dataset("orders", schema=factory.schema("id:int", "who:text"))
    api.fold_events(
        factory.run_event("COMPLETE", seconds=1, run=1, job="load", outputs=[orders]),
        factory.run_event(
            "COMPLETE",
            seconds=5,
            run=2,
            job="report",
            inputs=[factory.dataset("orders")],
            outputs=[factory.dataset("sums")],
            run_facets={"parent": factory.parent(9, "nightly")},
        ),
    )
    return api
