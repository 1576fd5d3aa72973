"""Every route and every kind of event, with the keys of every role: for the team's own, for another team's, and for
what touches both. A route without a row in `ROWS` fails."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from headwater.access.principal import Principal, Scope
from headwater.alerts.alert import Alert, DetailType
from headwater.alerts.stored_alerts import stored
from headwater.curate import routes as curating
from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import INSIGHTS_FACET
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.stored_states import Severity
from headwater.http.paths import Path
from headwater.http.router import Route
from headwater.ingest import routes as ingesting
from headwater.lookup import routes as reading
from headwater.openlineage.event import EventKind, Name
from headwater.openlineage.instant import Instant
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.access.teams import (
    A_LAKE,
    A_RUN,
    B_LAKE,
    B_RUN,
    ROOT,
    SECRETS,
    Answer,
    B,
    Stack,
    claim_of_a,
    event,
    of_a,
    two_teams,
)

NAMESPACES = ("team-a", "s3://a-*")
ROLES = {
    "reader": Principal("reader", frozenset({"read"}), NAMESPACES, seal="r"),
    "producer": Principal("producer", frozenset({"ingest"}), NAMESPACES, seal="p"),
    "steward": Principal("steward", frozenset({"read", "curate"}), NAMESPACES, seal="s"),
    "admin": Principal("admin", frozenset({"admin"}), NAMESPACES, seal="a"),
}
OUT, STOLEN = f"namespaces/{A_LAKE}/datasets/out", f"namespaces/{A_LAKE}/datasets/stolen"
ORDERS = f"namespaces/{B_LAKE}/datasets/orders"
FEED, THIEF = "namespaces/team-a/jobs/feed", "namespaces/team-a/jobs/thief"
INGEST = "namespaces/team-b/jobs/ingest_orders"
THIEF_RUN = factory.run_id(30)
ALERT_OF_A, ALERT_OF_B, MIXED_ALERT = "a" * 32, "b" * 32, "c" * 32

Request = str | dict[str, Any] | list[Any]
"""A path with a query, or the event or events to post."""


@dataclass(frozen=True)
class Row:
    """Requests of one route: about the team's own, about another team's, and about a node of the team that is next to
    a node of another team. `is_list` says that a request about another team is answered without what is of that team,
    in place of 403 (404 of runs)."""

    own: Request
    foreign: Request | None
    mixed: Request | None = None
    body: Any = None
    is_list: bool = False


def of_nodes(path: str, own: str, foreign: str, mixed: str, more: str = "") -> Row:
    return Row(f"{path}?nodeId={own}{more}", f"{path}?nodeId={foreign}{more}", f"{path}?nodeId={mixed}{more}")


def of_alerts(what: str, body: Any = None) -> Row:
    own, foreign, mixed = (f"alerts/{alert}/{what}" for alert in (ALERT_OF_A, ALERT_OF_B, MIXED_ALERT))
    return Row(own, foreign, mixed, body=body)


def with_column(node: str, column: str = "id") -> str:
    return f"{node}/fields/{column}/tags/PII"


def declared(job_namespace: str, namespace: str, name: str) -> factory.Document:
    """A JobEvent of a job that writes a dataset, which the event describes."""
    output = factory.dataset(name, namespace, documentation=factory.facet(description="a description"))
    document = factory.job_event(seconds=300, job="declared", outputs=[output])
    return {**document, "job": {"namespace": job_namespace, "name": "declared"}}


DATASETS = (f"dataset:{A_LAKE}:out", f"dataset:{B_LAKE}:orders", f"dataset:{A_LAKE}:stolen")
COLUMNS = (f"datasetField:{A_LAKE}:out:id", f"datasetField:{B_LAKE}:orders:ssn", f"datasetField:{A_LAKE}:stolen:x")
JOB_BODY = {"type": "BATCH", "inputs": [], "outputs": [{"namespace": A_LAKE, "name": "out"}]}
FOREIGN_START = event("START", B_RUN, "team-b", "ingest_orders", seconds=500)
RUN, JOB, DATASET, NAMESPACE = Path.RUN, Path.JOB, Path.DATASET, Path.NAMESPACE
FIELD_TAG, TAG = "/fields/(?P<field>.+)/tags/(?P<tag>.+)", "/tags/(?P<tag>.+)"
ROWS = {
    "POST .*/batch/?": Row(of_a(), None, [claim_of_a()]),
    "POST .*": Row(of_a()[0], FOREIGN_START, claim_of_a()),
    f"POST {DATASET}{FIELD_TAG}": Row(with_column(OUT), with_column(ORDERS), with_column(STOLEN, "x")),
    f"POST {DATASET}{TAG}": Row(f"{OUT}/tags/PII", f"{ORDERS}/tags/PII", f"{STOLEN}/tags/PII"),
    f"POST {JOB}{TAG}": Row(f"{FEED}/tags/PII", f"{INGEST}/tags/PII", f"{THIEF}/tags/PII"),
    f"POST {JOB}/runs": Row(f"{FEED}/runs", f"{INGEST}/runs", f"{THIEF}/runs", body={}),
    f"POST {RUN}/(?P<transition>start|complete|fail|abort)": Row(
        f"jobs/runs/{A_RUN}/complete", f"jobs/runs/{B_RUN}/fail", f"jobs/runs/{THIEF_RUN}/complete"
    ),
    f"PUT {RUN}/good": Row(
        f"jobs/runs/{A_RUN}/good", f"jobs/runs/{B_RUN}/good", f"jobs/runs/{THIEF_RUN}/good", body={"note": "counted"}
    ),
    f"DELETE {RUN}/good": Row(f"jobs/runs/{A_RUN}/good", f"jobs/runs/{B_RUN}/good", f"jobs/runs/{THIEF_RUN}/good"),
    f"PUT {DATASET}/owners": Row(f"{OUT}/owners", f"{ORDERS}/owners", f"{STOLEN}/owners", body={"owners": ["a"]}),
    f"PUT {JOB}/owners": Row(f"{FEED}/owners", f"{INGEST}/owners", f"{THIEF}/owners", body={"owners": ["a"]}),
    f"PUT {curating.JOB_OR_DATASET}": Row(
        FEED, INGEST, THIEF, body={**JOB_BODY, "outputs": [{"namespace": B_LAKE, "name": "orders"}]}
    ),
    f"PUT {NAMESPACE}": Row("namespaces/team-a", "namespaces/team-b", body={"ownerName": "a"}),
    "PUT /sources/(?P<source>.+)": Row(
        f"sources/{A_LAKE}", f"sources/{B_LAKE}", body={"type": "S3", "connectionUrl": A_LAKE}
    ),
    "PUT /settings": Row("settings", None, body={"expectations": []}),
    "GET /settings": Row("settings", None),
    "PUT /tags/(?P<tag>.+)": Row("tags/PII", None, body={}),
    "DELETE /tags/(?P<tag>.+)": Row("tags/PII", None),
    f"PUT {Path.ALERT}/acknowledgement": of_alerts("acknowledgement"),
    f"PUT {Path.ALERT}/silence": of_alerts("silence", {"until": "2h", "note": "a"}),
    f"DELETE {Path.ALERT}/acknowledgement": of_alerts("acknowledgement"),
    f"DELETE {Path.ALERT}/silence": of_alerts("silence"),
    f"DELETE {DATASET}{FIELD_TAG}": Row(with_column(OUT), with_column(ORDERS), with_column(STOLEN, "x")),
    f"DELETE {DATASET}{TAG}": Row(f"{OUT}/tags/PII", f"{ORDERS}/tags/PII", f"{STOLEN}/tags/PII"),
    f"DELETE {JOB}{TAG}": Row(f"{FEED}/tags/PII", f"{INGEST}/tags/PII", f"{THIEF}/tags/PII"),
    f"DELETE {DATASET}": Row(OUT, ORDERS, STOLEN),
    f"DELETE {JOB}": Row(FEED, INGEST, THIEF),
    f"DELETE {Path.DATASETS}": Row(
        f"namespaces/{A_LAKE}/datasets?namedByOthers=true", f"namespaces/{B_LAKE}/datasets?namedByOthers=true"
    ),
    f"DELETE {NAMESPACE}": Row("namespaces/team-a", "namespaces/team-b"),
    "GET /openapi.json": Row("openapi.json", None),
    "GET /caller": Row("caller", None),
    "GET /namespaces": Row("namespaces", "namespaces", is_list=True),
    "GET /jobs": Row("jobs", "jobs?lastRunStates=COMPLETED", is_list=True),
    "GET /runs": Row("runs?state=COMPLETED", "runs", is_list=True),
    f"GET {RUN}": Row(f"jobs/runs/{A_RUN}", f"jobs/runs/{B_RUN}", f"jobs/runs/{THIEF_RUN}"),
    f"GET {RUN}/facets": Row(
        f"jobs/runs/{A_RUN}/facets?type=job",
        f"jobs/runs/{B_RUN}/facets?type=job",
        f"jobs/runs/{THIEF_RUN}/facets?type=job",
    ),
    f"GET {RUN}/children": Row(
        f"jobs/runs/{A_RUN}/children", f"jobs/runs/{B_RUN}/children", f"jobs/runs/{THIEF_RUN}/children"
    ),
    f"GET {RUN}/events": Row(
        f"jobs/runs/{A_RUN}/events?limit=1", f"jobs/runs/{B_RUN}/events", f"jobs/runs/{THIEF_RUN}/events"
    ),
    "GET /lineage": of_nodes("lineage", *DATASETS),
    "GET /column-lineage": of_nodes("column-lineage", *COLUMNS, "&direction=both"),
    "GET /export": of_nodes("export", *DATASETS, "&format=mermaid"),
    "GET /impact": of_nodes("impact", *COLUMNS),
    "GET /diff": of_nodes("diff", *DATASETS, "&from=2026-11-19T00:00:00Z"),
    "GET /rootcause": of_nodes("rootcause", *DATASETS),
    "GET /runlineage/upstream": Row(
        f"runlineage/upstream?runId={A_RUN}",
        f"runlineage/upstream?runId={B_RUN}",
        f"runlineage/upstream?runId={THIEF_RUN}",
    ),
    "GET /events/lineage": Row("events/lineage?eventKinds=RunEvent", "events/lineage?limit=1000", is_list=True),
    "GET /expectations": of_nodes("expectations", *DATASETS),
    "GET /insights": Row("insights?kind=waste", "insights", is_list=True),
    "GET /alerts": Row("alerts?severity=critical", "alerts", is_list=True),
    f"GET {Path.ALERT}": Row(f"alerts/{ALERT_OF_A}", f"alerts/{ALERT_OF_B}", f"alerts/{MIXED_ALERT}"),
    "GET /search": Row("search?q=out", "search?q=or&namespace=team-b", "search?q=s"),
    "GET /search/groups": Row("search/groups?q=out", "search/groups?q=or&namespace=team-b", "search/groups?q=stolen"),
    "GET /api/v2beta/search/jobs": Row(
        "/api/v2beta/search/jobs?q=feed", "/api/v2beta/search/jobs?q=ingest", is_list=True
    ),
    "GET /api/v2beta/search/datasets": Row(
        "/api/v2beta/search/datasets?q=out", "/api/v2beta/search/datasets?q=orders", is_list=True
    ),
    "GET /stats/lineage-events": Row(
        "stats/lineage-events?period=DAY", "stats/lineage-events?period=DAY", is_list=True
    ),
    "GET /stats/jobs": Row("stats/jobs?period=DAY", "stats/jobs?period=DAY", is_list=True),
    "GET /stats/datasets": Row("stats/datasets?period=DAY", "stats/datasets?period=DAY", is_list=True),
    "GET /stats/sources": Row("stats/sources?period=DAY", "stats/sources?period=DAY", is_list=True),
    "GET /stats/set-aside": Row("stats/set-aside", "stats/set-aside", is_list=True),
    "GET /stats/refusals": Row("stats/refusals", "stats/refusals", is_list=True),
    "GET /audit": Row("audit", "audit?namespace=team-b"),
    "GET /sources": Row("sources", "sources", is_list=True),
    "GET /sources/(?P<source>.+)": Row("sources/s3:%2F%2Fa-lake", "sources/s3:%2F%2Fb-lake"),
    "GET /tags": Row("tags", "tags", is_list=True),
    "GET /aliases": of_nodes("aliases", *DATASETS),
    f"GET {JOB}/runs": Row(f"{FEED}/runs", f"{INGEST}/runs", f"{THIEF}/runs"),
    f"GET {JOB}/versions": Row(f"{FEED}/versions", f"{INGEST}/versions", f"{THIEF}/versions"),
    f"GET {Path.JOB_VERSION}": Row(f"{FEED}/versions/FEED", f"{INGEST}/versions/{B_RUN}"),
    f"GET {DATASET}/versions": Row(f"{OUT}/versions", f"{ORDERS}/versions", f"{STOLEN}/versions"),
    f"GET {Path.DATASET_VERSION}": Row(
        f"{OUT}/versions/{A_RUN}", f"{ORDERS}/versions/{B_RUN}", f"{STOLEN}/versions/{THIEF_RUN}"
    ),
    f"GET {DATASET}/quality": Row(f"{OUT}/quality", f"{ORDERS}/quality", f"{STOLEN}/quality"),
    f"GET {JOB}": Row(FEED, INGEST, THIEF),
    f"GET {DATASET}": Row(OUT, ORDERS, STOLEN),
    f"GET {NAMESPACE}/datasets": Row(f"namespaces/{A_LAKE}/datasets", f"namespaces/{B_LAKE}/datasets"),
    f"GET {NAMESPACE}/jobs": Row("namespaces/team-a/jobs", "namespaces/team-b/jobs"),
    f"GET {NAMESPACE}": Row("namespaces/team-a", "namespaces/team-b"),
}
KINDS: dict[EventKind, tuple[Request, Request, Request]] = {
    EventKind.RUN_EVENT: (of_a()[0], FOREIGN_START, claim_of_a()),
    EventKind.JOB_EVENT: (
        declared("team-a", A_LAKE, "out"),
        declared("team-b", B_LAKE, "orders"),
        declared("team-a", B_LAKE, "orders"),
    ),
    EventKind.DATASET_EVENT: (
        factory.dataset_event(factory.dataset("out", A_LAKE)),
        factory.dataset_event(factory.dataset("orders", B_LAKE)),
        factory.dataset_event(
            factory.dataset("out", A_LAKE, symlinks=factory.symlinks("orders", namespace=B_LAKE)), seconds=1
        ),
    ),
}
"""Events about the team's own, about another team's, and about its own with a word about another team's."""
OF_ALL = {"PUT /tags/(?P<tag>.+)", "DELETE /tags/(?P<tag>.+)", "GET /audit", "GET /settings", "PUT /settings"}
"""Routes that need all namespaces, whatever the role."""
ROUTES: dict[str, Route[Any, Any, Any]] = {
    f"{route.method} {route.pattern}": route
    for routes in (ingesting.ROUTES, curating.ROUTES, reading.ROUTES)
    for route in routes
}


OF_RUNS = {name for name in ROUTES if Path.RUN in name} | {f"GET {Path.RUN_LINEAGE}"}
"""Routes about a run, which answer as if there was no run of another team."""


@pytest.fixture
def stack() -> Stack:
    """The two teams. A job of A says that it reads orders of B. Both teams have a source and a tagged dataset."""
    stack = two_teams()
    stack.post(ROLES["producer"], claim_of_a())
    for lake, team in ((A_LAKE, ROLES["producer"]), (B_LAKE, B)):
        stack.write(team, "PUT", f"sources/{lake}", {"type": "S3", "connectionUrl": lake})
    for node in (with_column(OUT), f"{OUT}/tags/PII", f"{FEED}/tags/PII", f"{STOLEN}/tags/PII", f"{THIEF}/tags/PII"):
        assert stack.write(ROOT, "POST", node).status == 200
    stack.store.put(map(stored, (alert_of("team-a", ALERT_OF_A), alert_of("team-b", ALERT_OF_B))), Snapshot())
    assert stack.post(ROOT, insights_of_both()).status == 201
    stack.store.put([stored(alert_of("team-a", MIXED_ALERT, {"breaks": [f"dataset:{B_LAKE}:orders"]}))], Snapshot())
    return stack


def insights_of_both() -> factory.Document:
    """Insights about a dataset of A, about one of B, and about one of A in whose details a dataset of B is named."""
    node_of_b = {"namespace": B_LAKE, "name": "orders", "column": "ssn"}
    insights = [
        {"title": "nobody reads out", "nodes": [{"namespace": A_LAKE, "name": "out"}], "details": {}},
        {"title": "ssn in orders", "nodes": [node_of_b], "details": {}},
        {"title": "of b-raw", "nodes": [{"namespace": A_LAKE, "name": "out"}], "details": {"sources": [node_of_b]}},
    ]
    facet = factory.facet(insights=insights, total=3)
    return factory.dataset_event(factory.dataset("waste", INSIGHTS, **{INSIGHTS_FACET: facet}))


def alert_of(team: str, alert_id: str, details: Mapping[str, Any] = {}) -> Alert:
    """An alert about a job of a team; the sentence and the owner are of the nodes in the details."""
    line = f"orders of {B_LAKE} is at risk, with ssn" if details or team == "team-b" else "no more is known"
    return Alert(
        type=DetailType.RUN_FAILED,
        id=alert_id,
        time=Instant("2026-11-20T08:00:00.000000000Z"),
        severity=Severity.CRITICAL,
        kind=NodeKind.JOB,
        name=Name(team, "feed" if team == "team-a" else "ingest_orders"),
        owners=("bea",) if details or team == "team-b" else (),
        title="failed",
        lines=(line,),
        group="g",
        details=dict(details),
    )


def send(stack: Stack, caller: Principal, name: str, request: Request, body: Any) -> Answer:
    method = name.partition(" ")[0]
    if not isinstance(request, str):
        return stack.post(caller, request)
    path, _, query = request.partition("?")
    asked = dict(pair.split("=", 1) for pair in query.split("&") if pair)
    if method == "GET":
        return stack.get(caller, path, **asked)
    return stack.write(caller, method, path, body, query=asked)


def of_b(stack: Stack) -> Iterator[Answer]:
    for path in (ORDERS, f"{ORDERS}/versions", "namespaces", "namespaces/team-b", "sources"):
        yield stack.get(B, path)
    for path in ("jobs", "namespaces/team-b/jobs", f"namespaces/{B_LAKE}/datasets", INGEST, f"jobs/runs/{B_RUN}"):
        yield stack.get(B, path)


def test_every_route_has_a_row() -> None:
    assert ROWS.keys() == ROUTES.keys()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", EventKind)
def test_an_event_is_about_the_namespaces_of_its_key(stack: Stack, kind: EventKind, role: str) -> None:
    caller, before = ROLES[role], list(of_b(stack))
    own, foreign, mixed = (stack.post(caller, posted) for posted in KINDS[kind])
    expected = (201, 403, 201) if caller.may(Scope.INGEST) else (403, 403, 403)
    assert (own.status, foreign.status, mixed.status) == expected
    assert (bool(own.body.get("setAside")), bool(mixed.body.get("setAside"))) == (False, expected[0] == 201)
    assert list(of_b(stack)) == before


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", ROWS)
def test_a_role_reads_and_writes_its_own_alone(stack: Stack, name: str, role: str) -> None:
    row, caller = ROWS[name], ROLES[role]
    is_permitted = caller.may(ROUTES[name].scope) and name not in OF_ALL
    before = list(of_b(stack))
    if row.foreign is not None:
        answer = send(stack, caller, name, row.foreign, row.body)
        refused = 404 if caller.may(ROUTES[name].scope) and name in OF_RUNS else 403
        assert answer.status == (200 if is_permitted and row.is_list else refused), answer
        unasked = [word for word in SECRETS if word != B_RUN or B_RUN not in str(row.foreign)]
        assert answer.secrets(unasked) == []
        assert list(of_b(stack)) == before
    if row.mixed is not None:
        answer = send(stack, caller, name, row.mixed, row.body)
        assert (answer.status < 300) == is_permitted, answer
        assert answer.secrets() == []
        assert list(of_b(stack)) == before
    own = row.own
    if isinstance(own, str) and own.endswith("/FEED"):
        own = own.replace("FEED", stack.get(ROOT, FEED).body["currentVersion"])
    answer = send(stack, caller, name, own, row.body)
    assert (answer.status < 300) == is_permitted, answer
    assert answer.secrets() == []
    assert list(of_b(stack)) == before
