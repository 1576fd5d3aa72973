"""Two teams on one stack: requests run the code of ingest, lookup and curate, each with the key of a team.

Team B has orders of its own, with a column `ssn`, an owner and a secret in its run. Team A has a feed of its own. What
is B's alone is in `SECRETS`: no answer to A may have one of these texts.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from headwater.access.principal import Principal
from headwater.curate import routes as curating
from headwater.curate.curator import Curator
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.http.audit import Audit
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse
from headwater.ingest.routes import ROUTER as INGEST
from headwater.ingest.routes import Ingest
from headwater.lookup import routes as reading
from headwater.openlineage import exact_json
from headwater.store.audit_log import AuditLog
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.messages import read_message
from tests import factory
from tests.fakes import FakeBucket, FakeQueue, fail_test
from tests.lookup.requests import NOON, RETENTION

ALL_SCOPES = frozenset({"ingest", "read"})
A = Principal("a", ALL_SCOPES, ("team-a", "s3://a-*"), seal="seal of a")
B = Principal("b", ALL_SCOPES, ("team-b", "s3://b-*"), seal="seal of b")
A_ADMIN = Principal("a-admin", frozenset({"admin"}), A.namespaces, seal="seal of an administrator")
ROOT = Principal("root", frozenset({"admin"}), ("*",), seal="seal of root")

B_ADMIN = Principal("b-admin", frozenset({"admin"}), B.namespaces, seal="seal of an administrator of b")
PLATFORM = Principal("platform", frozenset({"ingest"}), ("*",))
"""A producer of all namespaces, which posts events about the jobs of any team."""

A_LAKE, B_LAKE = "s3://a-lake", "s3://b-lake"
B_RUN, B_REPORT_RUN, A_RUN = factory.run_id(10), factory.run_id(11), factory.run_id(20)
ORDERS_PATH, ORDERS_NODE = f"namespaces/{B_LAKE}/datasets/orders", f"dataset:{B_LAKE}:orders"
OWNED, HARMLESS = factory.facet(owners=[{"name": "a"}]), factory.facet(description="harmless")
ORDERS_NAME = factory.dataset("orders", B_LAKE)
SECRETS = ("ssn", "hunter2", "b-raw", "ingest_orders", "b_report", "bea", "all orders of b", B_RUN, B_REPORT_RUN)


class Answer(NamedTuple):
    status: int
    body: Any

    @property
    def text(self) -> str:
        return self.body if isinstance(self.body, str) else json.dumps(self.body)

    def secrets(self, words: Iterable[str] = SECRETS) -> list[str]:
        """The secrets in the answer. Ids are hexadecimal, hence a word counts if no letter or digit is around it."""
        return [word for word in words if re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", self.text)]


@dataclass
class Stack:
    """What every team posts is folded at once."""

    naming: Naming = field(default_factory=Naming)
    table: MemoryTable = field(default_factory=MemoryTable)
    queue: FakeQueue = field(default_factory=FakeQueue)
    bucket: FakeBucket = field(default_factory=FakeBucket)

    @property
    def audit(self) -> Audit:
        return Audit(AuditLog(self.table), fail_test)

    @property
    def store(self) -> GraphStore:
        return GraphStore(self.table, RETENTION)

    def post(self, caller: Principal, event: Any) -> Answer:
        path = "/api/v1/lineage/batch" if isinstance(event, list) else "/api/v1/lineage"
        request = ApiRequest(caller, "POST", path, {}, received_at=NOON, body=exact_json.dumps(event))
        services = Ingest(self.queue, self.bucket, self.naming, 10_000_000, lambda _: None)
        sent = len(self.queue.sent)
        answer = self._answer(request, partial(INGEST.respond, services))
        for message in self.queue.sent[sent:]:
            canonical = read_message(message.body, self.bucket).canonical
            fold([normalise_event(canonical, self.naming)], self.store)
        return answer

    def get(self, caller: Principal, path: str, **query: str) -> Answer:
        url = path if path.startswith("/") else f"/api/v1/{path}"
        repeated = {name: (value,) for name, value in query.items()}
        request = ApiRequest(caller, "GET", url, query, repeated, received_at=NOON)
        lookups = reading.Lookups(self.store, self.naming, fail_test)
        return self._answer(request, partial(reading.respond, lookups))

    def write(
        self, caller: Principal, method: str, path: str, body: Any = None, *, query: Mapping[str, str] = {}, **more: Any
    ) -> Answer:
        text = "" if body is None else json.dumps(body)
        url, repeated = f"/api/v1/{path}", {name: (value,) for name, value in query.items()}
        request = ApiRequest(caller, method, url, {**query}, repeated, NOON, body=text, **more)
        curator = Curator(self.store, self.queue, self.bucket, self.naming)
        return self._answer(request, partial(curating.respond, curator))

    def _answer(self, request: ApiRequest, respond: Callable[[ApiRequest], ApiResponse]) -> Answer:
        caller = request.principal
        response = self.audit.answer(replace(request, principal=UNIDENTIFIED), lambda: caller, respond)
        body = response.to_gateway()["body"]
        content_type = response.to_gateway()["headers"].get("content-type", "application/json")
        return Answer(response.status, json.loads(body) if content_type.startswith("application/json") else body)


def event(kind: str, run: str, namespace: str, job: str, *, seconds: float = 0, **members: Any) -> factory.Document:
    """A RunEvent of a team: `run_facets`, `job_facets`, `inputs` and `outputs` as members."""
    document = factory.run_event(kind, seconds=seconds, job=job, **members)
    document["run"]["runId"], document["job"]["namespace"] = run, namespace
    return document


ORDERS = factory.dataset(
    "orders",
    B_LAKE,
    schema=factory.schema("id:int", "ssn:string"),
    ownership=factory.facet(owners=[{"name": "bea"}]),
    documentation=factory.facet(description="all orders of b"),
    columnLineage=factory.columns(ssn=("s3://b-raw", "events", "ssn"), id=("s3://b-raw", "events", "id")),
)


def of_b() -> list[factory.Document]:
    properties = {"spark_properties": factory.facet(properties={"spark.motto": "hunter2"})}
    sql = {"sql": factory.facet(query="select ssn from events where name = 'hunter2'")}
    raw = factory.dataset("events", "s3://b-raw", schema=factory.schema("id:int", "ssn:string"))
    report = factory.dataset(
        "b_report",
        B_LAKE,
        schema=factory.schema("ssn:string"),
        columnLineage=factory.columns(ssn=(B_LAKE, "orders", "ssn")),
    )
    made: dict[str, Any] = {"inputs": [raw], "outputs": [ORDERS], "run_facets": properties, "job_facets": sql}
    reported: dict[str, Any] = {"inputs": [factory.dataset("orders", B_LAKE)], "outputs": [report]}
    return [
        event("START", B_RUN, "team-b", "ingest_orders", **made),
        event("COMPLETE", B_RUN, "team-b", "ingest_orders", seconds=60, **made),
        event("START", B_REPORT_RUN, "team-b", "b_report_job", seconds=100, **reported),
        event("COMPLETE", B_REPORT_RUN, "team-b", "b_report_job", seconds=160, **reported),
    ]


def of_a() -> list[factory.Document]:
    """The events of team A about its own."""
    out = factory.dataset(
        "out", A_LAKE, schema=factory.schema("id:int"), columnLineage=factory.columns(id=(A_LAKE, "in", "id"))
    )
    feed: dict[str, Any] = {
        "inputs": [factory.dataset("in", A_LAKE, schema=factory.schema("id:int"))],
        "outputs": [out],
    }
    return [
        event("START", A_RUN, "team-a", "feed", **feed),
        event("COMPLETE", A_RUN, "team-a", "feed", seconds=30, **feed),
    ]


def two_teams() -> Stack:
    stack = Stack()
    assert stack.post(B, of_b()).body["summary"]["failed"] == 0
    assert stack.post(A, of_a()).body["summary"]["failed"] == 0
    return stack


def claim_of_a() -> factory.Document:
    """A job of A says that it reads orders of B, and makes a column of its own of them."""
    columns = factory.columns(x=(B_LAKE, "orders", "id"))
    out = factory.dataset("stolen", A_LAKE, schema=factory.schema("x:string"), columnLineage=columns)
    orders = factory.dataset("orders", B_LAKE, schema=factory.schema("id:int"))
    return event("COMPLETE", factory.run_id(30), "team-a", "thief", seconds=200, inputs=[orders], outputs=[out])


def seen_by_b(stack: Stack, *more: str) -> list[Answer]:
    """What B sees of its own, and at further paths."""
    paths = [
        ORDERS_PATH,
        f"{ORDERS_PATH}/versions",
        f"namespaces/{B_LAKE}/datasets",
        "namespaces/team-b/jobs",
        "namespaces/team-b/jobs/ingest_orders",
        "namespaces/team-b/jobs/ingest_orders/runs",
        f"jobs/runs/{B_RUN}",
        "jobs",
        "sources",
        "tags",
        *more,
    ]
    return [*(stack.get(B, path) for path in paths), stack.get(B, "aliases", nodeId=ORDERS_NODE)]


def posted(stack: Stack, number: int = 21, seconds: float = 50, **members: Any) -> Answer:
    """The answer to an event of A about its job `feed`."""
    return stack.post(A, event("COMPLETE", factory.run_id(number), "team-a", "feed", seconds=seconds, **members))


def merged(seconds: float, *sources: tuple[str, str]) -> factory.Document:
    """A MERGE into a dataset of A: its column lineage alone names the sources."""
    columns = factory.columns(**{f"x{at}": (*source, "id") for at, source in enumerate(sources)})
    target = factory.dataset("target", A_LAKE, columnLineage=columns)
    out = [factory.dataset("target", A_LAKE)], [target]
    return event("COMPLETE", factory.run_id(40), "team-a", "merge", seconds=seconds, inputs=out[0], outputs=out[1])
