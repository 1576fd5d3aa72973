"""Every request becomes one audit entry, which has names, and neither a body, a header, a key nor a cursor."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from events.envelopes import get, write
from headwater import metrics
from headwater.access.principal import Principal, Scope, no_key, principal_of
from headwater.alerts.stored_alerts import stored
from headwater.graph.states.audit import AuditedEvents, AuditEntry
from headwater.http.audit import KEPT_PARAMETERS, Audit
from headwater.http.gateway import request_of
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.audit_log import AuditLog
from headwater.store.errors import StorageError
from headwater.store.items.audit import AUDIT_ENTRY, encode
from headwater.store.keys import AUDIT
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.access.teams import A_LAKE, B_LAKE, ROOT, A, Answer, B, Stack, claim_of_a, event, two_teams
from tests.access.test_every_route import ALERT_OF_A, ALERT_OF_B, KINDS, ROLES, ROUTES, ROWS, Request, alert_of, send
from tests.docs.test_glossary import LAYER
from tests.fakes import fail_test
from tests.lookup.requests import NOON

each_role = pytest.mark.parametrize("role", ROLES)


def entries(table: MemoryTable) -> list[AuditEntry]:
    return [AUDIT_ENTRY.read(item) for key, item in table.items.items() if key.pk.startswith(AUDIT)]


def entry_of(stack: Stack, request: Callable[[], Answer]) -> tuple[Answer, AuditEntry]:
    """The answer to a request, and its one entry."""
    before = {entry.request_id for entry in entries(stack.table)}
    answer = request()
    (entry,) = [entry for entry in entries(stack.table) if entry.request_id not in before]
    return answer, entry


@pytest.fixture
def stack() -> Stack:
    """The two teams, each with an alert. A job of A says that it reads orders of B."""
    stack = two_teams()
    stack.post(ROLES["producer"], claim_of_a())
    stack.store.put(map(stored, (alert_of("team-a", ALERT_OF_A), alert_of("team-b", ALERT_OF_B))), Snapshot())
    return stack


@each_role
@pytest.mark.parametrize("name", ROWS)
def test_each_request_of_each_route_is_one_entry_whatever_its_answer(stack: Stack, name: str, role: str) -> None:
    row, caller = ROWS[name], ROLES[role]
    requests: list[Request] = [request for request in (row.own, row.foreign, row.mixed) if request is not None]
    for request in requests:
        answer, entry = entry_of(stack, lambda sent=request: send(stack, caller, name, sent, row.body))  # type: ignore[misc]
        assert (entry.caller, entry.status, entry.method) == (role, answer.status, ROUTES[name].method)
        assert entry.route in templates()
        assert entry.path.startswith(("/api/v1/", "/api/v2beta/"))
        if isinstance(request, str):
            sent = dict(pair.split("=", 1) for pair in request.partition("?")[2].split("&") if pair)
            assert dict(entry.query) == sent


def templates() -> set[str]:
    return {route.template for route in ROUTES.values()}


def test_a_template_has_the_names_of_its_parameters_and_no_pattern() -> None:
    assert len(templates()) == len(ROUTES)
    assert not [template for template in templates() if re.search(r"[^\w{}/. -]", template)]
    assert "GET /namespaces/{namespace}/jobs/{job}/runs" in templates()
    assert "POST /namespaces/{namespace}/datasets/{dataset}/fields/{field}/tags/{tag}" in templates()
    assert "POST /lineage/batch" in templates()


@each_role
@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_of_an_event_has_its_namespace_and_what_became_of_it(stack: Stack, kind: Any, role: str) -> None:
    for document in KINDS[kind]:
        answer, entry = entry_of(stack, lambda sent=document: stack.post(ROLES[role], sent))  # type: ignore[misc]
        subject = document.get("job") or document["dataset"] if isinstance(document, dict) else {}
        if not ROLES[role].may(Scope.INGEST):
            assert (entry.status, entry.namespaces, entry.events) == (403, (), None)
        else:
            expected = {201: (1, 0, int("setAside" in answer.body)), 403: (0, 1, 0)}[answer.status]
            assert (entry.namespaces, entry.events) == ((subject["namespace"],), AuditedEvents(*expected))


def test_an_entry_of_a_batch_counts_its_events_and_has_the_first_of_their_namespaces(stack: Stack) -> None:
    producer = Principal("spark", frozenset({"ingest"}), ("team-*",))
    known = [event("START", factory.run_id(100 + number), f"team-{number:02}", "load") for number in range(12)]
    foreign = event("START", factory.run_id(99), "other", "load")
    _, entry = entry_of(stack, lambda: stack.post(producer, [*known, foreign, {"no": "event"}]))
    assert entry.events == AuditedEvents(taken=12, refused=2, set_aside=0)
    assert entry.namespaces == ("other", *(f"team-{number:02}" for number in range(9)))
    assert entry.namespace_count == 13


@pytest.mark.parametrize(
    ("path", "node"),
    [
        (f"namespaces/{A_LAKE}/datasets/out", f"dataset:{A_LAKE}:out"),
        ("namespaces/s3a:%2F%2Fa-lake/datasets/out", "dataset:s3://a-lake:out"),
        ("namespaces/team-a/jobs/feed/runs", "job:team-a:feed"),
        ("namespaces/team-a/jobs", "namespace:team-a"),
        (f"jobs/runs/{factory.run_id(20)}", f"run:{factory.run_id(20)}"),
    ],
)
def test_an_entry_names_the_node_that_was_meant(stack: Stack, path: str, node: str) -> None:
    _, entry = entry_of(stack, lambda: stack.get(A, path))
    assert (entry.node, entry.status) == (node, 200)
    assert entry.namespaces in (("team-a",), (A_LAKE,))
    assert entry.concerns("team-a") or (entry.concerns(A_LAKE) and entry.concerns("s3a://a-lake"))


def test_a_change_of_each_kind_names_what_it_changed(stack: Stack) -> None:
    for name, row in ROWS.items():
        if ROUTES[name].method in ("PUT", "POST", "DELETE") and isinstance(row.own, str) and "/tags/" not in name[:13]:
            _, entry = entry_of(stack, lambda: send(stack, ROOT, name, row.own, row.body))  # noqa: B023
            assert entry.is_change
            assert entry.node, name
            assert entry.namespaces, name


def test_a_person_has_a_subject_and_a_key_of_that_name_has_none() -> None:
    """A person chooses the name that the identity provider shows, but not the subject."""
    for subject in ("123", ""):
        table = MemoryTable()
        answered(table, get("/api/v1/namespaces"), Principal("person ann", frozenset(), (), subject=subject))
        (entry,) = entries(table)
        assert (entry.caller, entry.subject) == ("person ann", subject)


def test_a_caller_by_iam_is_known_by_its_arn() -> None:
    arn = "arn:aws:sts::123456789012:assumed-role/analyst/ann"
    assert principal_of({"requestContext": {"authorizer": {"iam": {"userArn": arn}}}}).subject == arn


def answered(table: MemoryTable, request: dict[str, Any], caller: Principal | None) -> ApiResponse:
    """The response to a request of API Gateway, which a use case answers with 200."""

    def authenticate() -> Principal:
        if caller is None:
            raise no_key()
        return caller

    received = replace(request_of(request, lambda _: UNIDENTIFIED), received_at=NOON)
    return Audit(AuditLog(table), fail_test).answer(received, authenticate, lambda _: ApiResponse(200, {}))


def test_a_request_without_a_valid_key_is_an_entry_without_a_caller() -> None:
    table = MemoryTable()
    assert answered(table, get("/api/v1/namespaces/team-b"), None).status == 401
    (entry,) = entries(table)
    assert (entry.status, entry.caller, entry.path) == (401, "", "/api/v1/namespaces/team-b")
    assert entry.concerns("team-b")


def test_an_entry_has_the_request_id_of_api_gateway_and_no_other_text_in_its_place() -> None:
    table = MemoryTable()
    for request_id in ("JKJaXmPLvHcESHA=", "x#AUDIT#2026", "", "a" * 65):
        request = get("/api/v1/namespaces")
        request["requestContext"]["requestId"] = request_id
        answered(table, request, ROOT)
    ids = {entry.request_id for entry in entries(table)}
    assert len(ids) == 4
    assert "JKJaXmPLvHcESHA=" in ids
    assert not [request_id for request_id in ids if "#" in request_id or len(request_id) > 64]


SECRET = "hw-secret-5f2a"


def test_no_secret_of_a_request_is_in_its_entry() -> None:
    """Not the key in a header, nor a key that a client put into the query, nor the body, nor the cursor."""
    table = MemoryTable()
    caller = Principal("spark-a", frozenset({"ingest"}), ("team-a",), seal=SECRET)
    query = f"key={SECRET}&api_key={SECRET}&token={SECRET}&{SECRET}=1&cursor={SECRET}&nodeId=dataset:a:b"
    request = write("POST", f"/api/v1/lineage?{query}", {"job": SECRET})
    request["headers"] |= {"authorization": f"Bearer {SECRET}", "x-api-key": SECRET, "cookie": SECRET}
    request["requestContext"]["authorizer"] = {"lambda": caller.to_context()}
    answered(table, request, caller)
    (entry,) = entries(table)
    assert SECRET not in repr(entry)
    assert SECRET not in json.dumps(AUDIT_ENTRY.read(encode(entry)).__dict__)
    assert dict(entry.query) == {"nodeId": "dataset:a:b"}


def test_an_entry_of_the_audit_says_whose_entries_were_asked_for(stack: Stack) -> None:
    for path, kept in (("audit", {"key": "spark-a"}), ("namespaces", {})):
        _, entry = entry_of(stack, lambda: stack.get(ROOT, path, key="spark-a"))  # noqa: B023
        assert entry.query == kept


def test_every_parameter_that_a_route_reads_is_kept_but_the_cursor() -> None:
    """The names of parameters are literals where they are read."""
    sources = [path.read_text() for room in ("http", "lookup", "curate") for path in (LAYER / room).rglob("*.py")]
    reading = r"(?:request|self)\.(?:query\.get|number|flag|time|choice|values)\(\s*\"(\w+)\""
    read = {name for source in sources for name in re.findall(reading, source)}
    assert {"cursor", "nodeId", "runId", "asOf", "limit", "changes", "lastRunStates"} <= read
    assert read - KEPT_PARAMETERS == {"cursor"}


def test_an_entry_of_a_usual_request_is_one_write_unit(stack: Stack) -> None:
    for name, row in ROWS.items():
        _, entry = entry_of(stack, lambda: send(stack, ROOT, name, row.own, row.body))  # noqa: B023
        item = encode(entry)
        attributes = {**item.labels, "PK": item.key.pk, "SK": item.key.sk, "v": item.version, "expires_at": "0" * 10}
        assert len(item.parts["doc"]) + sum(len(key) + len(value) for key, value in attributes.items()) < 700, name
        assert not {"listed_in", "run_id", "open_in", "at"} & item.labels.keys(), "an index is a further write unit"


def test_an_entry_is_kept_for_a_year(stack: Stack) -> None:
    _, entry = entry_of(stack, lambda: stack.get(B, "namespaces"))
    expires_at = encode(entry).expires_at
    assert expires_at is not None
    assert 365 < (datetime.fromtimestamp(expires_at, NOON.tzinfo) - NOON).days <= 366


class Failing:
    def write(self, entry: AuditEntry) -> None:
        raise StorageError("throttled")


@pytest.mark.parametrize(
    ("method", "status", "answered"),
    [("GET", 200, 200), ("HEAD", 200, 200), ("POST", 201, 503), ("DELETE", 200, 503), ("POST", 403, 403)],
)
def test_a_change_without_an_entry_is_answered_503_and_a_lookup_as_usual(
    method: str, status: int, answered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[metrics.Measurement] = []
    monkeypatch.setattr(metrics, "_SINKS", [measured.append])
    logged: list[str] = []
    request = ApiRequest(UNIDENTIFIED, method, "/api/v1/namespaces/team-a", {}, request_id="id-1")

    def respond(_: ApiRequest) -> ApiResponse:
        if status >= 400:
            raise InvalidRequest(Fault("key", "no"), status=status)
        return ApiResponse(status, {})

    response = Audit(Failing(), lambda message, _error: logged.append(message)).answer(request, lambda: ROOT, respond)
    assert response.status == answered
    assert (response.status == 503) == ("retry-after" in response.headers)
    assert logged == [f"no audit entry of request id-1: no route, {status}"]
    assert [(measurement.values, measurement.service) for measurement in measured] == [
        ({"AuditEntriesLost": [1]}, "headwater")
    ]


def test_an_entry_is_never_written_over(stack: Stack) -> None:
    _, entry = entry_of(stack, lambda: stack.get(B, f"namespaces/{B_LAKE}/datasets/orders"))
    AuditLog(stack.table).write(replace(entry, caller="somebody else"))
    assert entry in entries(stack.table)
