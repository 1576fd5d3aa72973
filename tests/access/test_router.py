"""No use case runs before the principal is known and permitted: every route is tried with the wrong keys."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from events.envelopes import get, write
from headwater.access.principal import Principal, Scope
from headwater.curate import routes as curate
from headwater.curate.curator import Curator
from headwater.curate.subjects import RUN as WRITTEN_RUN
from headwater.graph.names.naming import Naming
from headwater.graph.states.stored_states import Severity, StoredAlert
from headwater.http.gateway import request_of
from headwater.http.response import ApiResponse, response_or_error
from headwater.http.router import CALLER, Route, Router
from headwater.ingest import routes as ingest
from headwater.lookup import routes as lookup
from headwater.lookup.subjects import READABLE_NAMESPACES, SEARCHED_NAMESPACES, VISIBLE_NAMESPACES
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.fakes import FakeBucket, FakeQueue, fail_test
from tests.lookup.requests import LAKE, RETENTION, table_after

AnyRoute = Route[Any, Any, Any]

ALL: list[AnyRoute] = [*ingest.ROUTES, *curate.ROUTES, *lookup.ROUTES]
"""Subjects that are the caller, or what the caller may see."""
EVERYBODY = Principal("everybody", frozenset({Scope.ADMIN}), ("*",))
QUERY = {"nodeId": f"dataset:{LAKE}:orders", "runId": factory.run_id(1), "from": factory.at(0)}
VALUES = {
    "namespace": "demo",
    "source": "lake",
    "run": factory.run_id(1),
    "version": factory.run_id(1),
    "transition": "start",
    "alert": "a" * 32,
    "tag": "gold",
    "field": "id",
}


def table() -> MemoryTable:
    orders = factory.dataset("orders", schema=factory.schema("id:int"), dataSource=factory.facet(name="lake", uri=LAKE))
    table = table_after(factory.run_event("COMPLETE", run=1, job="load", outputs=[orders]))
    alert = StoredAlert(
        "a" * 32, Instant("2026-11-20T08:00:00.000000000Z"), Severity.INFO, "demo", {"nodeId": "job:demo:load"}
    )
    GraphStore(table, RETENTION).put([alert], Snapshot())
    return table


def path_of(route: AnyRoute) -> str:
    """A path that fits the route, of nodes that are there."""
    path = route.pattern.replace(".*", "/lineage").replace("/?", "")
    node = "demo/jobs/load" if "/jobs/" in path and "datasets" not in path else f"{LAKE}/datasets/orders"
    for name, value in {**VALUES, "node": node}.items():
        path = re.sub(rf"\(\?P<{name}>(?:[^()]|\([^()]*\))*\)", lambda _, value=value: value, path)  # type: ignore[misc]
    assert re.fullmatch(route.pattern, path), path
    return path.replace("namespaces/demo/datasets", f"namespaces/{LAKE}/datasets")


def event_of(route: AnyRoute, caller: Principal | None) -> dict[str, Any]:
    """The request that API Gateway hands over; without a caller, the authoriser knows no key."""
    taken = [parameter.name for parameter in route.parameters or ()]
    target = f"{path_of(route)}?{urlencode({name: value for name, value in QUERY.items() if name in taken})}"
    event = get(target) if route.method == "GET" else write(route.method, target)
    event["requestContext"]["authorizer"] = {"lambda": caller.to_context() if caller else {}}
    return event


class RoutedRequest:
    """A route whose use case only notes what it is about."""

    def __init__(self, route: AnyRoute) -> None:
        self.about: list[Any] = []
        self._route = replace(route, use_case=self._note, serialise=lambda _request, _value: ApiResponse(200, {}))
        store = GraphStore(table(), RETENTION)
        self._services: dict[str, Any] = {
            "GET": Reader(store, Naming()),
            "WRITE": Curator(store, FakeQueue(), FakeBucket(), Naming()),
        }

    def _note(self, _services: Any, _request: Any, about: Any) -> dict[str, Any]:
        self.about.append(about)
        return {}

    def status_for(self, caller: Principal | None) -> int:
        event = event_of(self._route, caller)
        services = self._services["GET" if self._route.method == "GET" else "WRITE"]

        def respond() -> ApiResponse:
            return Router[Any]([self._route]).respond(services, request_of(event))

        return response_or_error(respond, fail_test).status


def lacking(scope: Scope) -> Sequence[Principal]:
    """Keys with one scope each, without those that the scope is included in."""
    others = [Principal("other", frozenset({other}), ("*",)) for other in Scope]
    return [other for other in others if not other.may(scope)]


each_route = pytest.mark.parametrize("route", ALL, ids=[f"{route.method} {route.pattern}" for route in ALL])


@each_route
def test_a_route_runs_with_the_right_key(route: AnyRoute) -> None:
    routed = RoutedRequest(route)
    assert routed.status_for(Principal("right", frozenset({route.scope}), ("*",))) == 200
    assert len(routed.about) == 1


@each_route
def test_without_a_key_no_use_case_runs(route: AnyRoute) -> None:
    routed = RoutedRequest(route)
    assert (routed.status_for(None), routed.about) == (401, [])


@each_route
def test_with_a_key_of_another_scope_no_use_case_runs(route: AnyRoute) -> None:
    routed = RoutedRequest(route)
    for principal in lacking(route.scope):
        assert (routed.status_for(principal), routed.about) == (403, [])


@each_route
def test_with_a_key_for_another_namespace_no_use_case_runs_or_it_returns_nothing(route: AnyRoute) -> None:
    routed, principal = RoutedRequest(route), Principal("other", frozenset({Scope.ADMIN}), ("another",))
    status = routed.status_for(principal)
    if route.subject in (CALLER, VISIBLE_NAMESPACES, SEARCHED_NAMESPACES, READABLE_NAMESPACES):
        seen: Any = principal if route.subject is CALLER else []
        assert (status, routed.about) == (200, [seen])
    else:
        assert (status, routed.about) == (404 if route.subject is WRITTEN_RUN else 403, [])


@pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
def test_an_event_of_another_namespace_is_not_queued(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "ingest")
    document: Any = factory.run_event()
    queue = FakeQueue()
    services = ingest.Ingest(queue, FakeBucket(), Naming(), 1_000_000, lambda _: None)
    event = write("POST", path, [document] if path.endswith("batch") else document)
    for namespaces, sent in ((("another",), 0), (("demo",), 1)):
        caller = Principal("key", frozenset({Scope.INGEST}), namespaces)
        event["requestContext"]["authorizer"] = {"lambda": caller.to_context()}
        response = response_or_error(lambda: ingest.ROUTER.respond(services, request_of(event)), fail_test)
        assert len(queue.sent) == sent
        assert ("is not a namespace of this key" in json.dumps(response.body)) == (not sent)


@pytest.mark.parametrize("path", ["/api/v1/no-such-route", "/api/v1/namespaces/x/y/z"])
def test_where_all_routes_take_one_scope_a_key_without_it_learns_of_no_route(path: str) -> None:
    event = get(path)
    event["requestContext"]["authorizer"] = {"lambda": Principal("p", frozenset({Scope.INGEST}), ("*",)).to_context()}
    response = response_or_error(
        lambda: lookup.ROUTER.respond(Reader(GraphStore(table(), RETENTION), Naming()), request_of(event)), fail_test
    )
    assert response.status == 403
