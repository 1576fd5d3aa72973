"""GET /openapi.json describes the routes as they are; `described_answers` holds every answer of these tests to it."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from api.__main__ import text
from api.answers import ANSWERS
from api.document import document
from headwater.access.principal import Principal
from headwater.alerts.stored_alerts import stored
from headwater.graph.names.naming import Naming
from headwater.http.paths import PREFIX, Path
from headwater.http.request import ApiRequest
from headwater.lookup.openapi import FILE
from headwater.lookup.routes import ROUTES, Lookups, respond
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.fakes import fail_test
from tests.http.test_marquez_answers import NAMES, recorded
from tests.lookup.activity.test_stored_alerts import alert
from tests.lookup.described_answers import faults_of
from tests.lookup.requests import LAKE, NOON, RETENTION, LookupClient, after, response_to

RUN = factory.run_id(1)
NODES = {
    "namespace": "demo",
    "job": "load",
    "dataset": "out",
    "run": RUN,
    "version": RUN,
    "source": "lake",
    "alert": alert(1).id,
}
QUERY = {
    "nodeId": f"dataset:{LAKE}:out",
    "runId": RUN,
    "q": "o",
    "from": factory.at(0),
    "type": "run",
    "period": "week",
    "timezone": "UTC",
}
"""Values of the parameters that a route needs."""


ADMINISTRATOR = Principal("test", frozenset({"read", "admin"}), ("*",))


def filled() -> LookupClient:
    out = factory.dataset("out", dataSource=factory.facet(name="lake", uri=LAKE), schema=factory.schema("id:long"))
    get = after(factory.run_event("COMPLETE", outputs=[out]))
    get.principal = ADMINISTRATOR
    GraphStore(get.table, RETENTION).put([stored(alert(1))], Snapshot())
    return get


JOB_VERSION = filled()("namespaces/demo/jobs/load")["currentVersion"]
get = pytest.fixture(filled, name="get")


def status(get: LookupClient, path: str, query: Mapping[str, str]) -> int:
    return response_to(get.table, ApiRequest(ADMINISTRATOR, "GET", path, query, received_at=NOON)).status


def requests() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A path of each lookup, and its query parameters by the description."""
    for path, operations in document()["paths"].items():
        if "get" in operations:
            of_lake = {"namespace": "s3%3A%2F%2Flake"} if "datasets" in path else {"version": JOB_VERSION}
            described = operations["get"]["parameters"]
            yield path.format_map(NODES | of_lake), [each for each in described if each["in"] == "query"]


REQUESTS = dict(requests())
each_lookup = pytest.mark.parametrize("path", REQUESTS)


def needed(path: str) -> dict[str, str]:
    return {parameter["name"]: QUERY[parameter["name"]] for parameter in REQUESTS[path] if parameter["name"] in QUERY}


def test_the_file_is_what_the_tables_of_the_routers_say(get: LookupClient) -> None:
    assert FILE.read_text() == text(), "write it anew: python -m api"
    assert get("openapi.json") == get("/openapi.json") == document()


def test_every_lookup_has_a_type_of_answer_and_no_other() -> None:
    assert ANSWERS.keys() == {route.pattern for route in ROUTES} == set(Path)


def test_the_document_is_valid_and_every_reference_leads_somewhere() -> None:
    whole = document()
    schemas = whole["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    assert {name.rpartition("/")[2] for name in references(whole)} <= schemas.keys()
    ids = [operation["operationId"] for operations in whole["paths"].values() for operation in operations.values()]
    assert len(ids) == len(set(ids)) > 50


def references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (member for name, member in value.items() if name == "$ref")
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from references(inner)


def test_an_answer_of_another_form_is_a_fault() -> None:
    namespace = {"name": "a", "createdAt": "t", "updatedAt": "t", "ownerName": "o", "description": None}
    assert faults_of("/api/v1/namespaces/a", namespace) == ["'isHidden' is a required property"]
    assert len(faults_of("/api/v1/namespaces/a", {**namespace, "isHidden": False, "more": 1})) == 1


@each_lookup
def test_an_unknown_parameter_is_refused_by_its_name_and_the_known_are_listed(get: LookupClient, path: str) -> None:
    status, body = get.answer(path, **needed(path), limt="5")
    assert (status, body["code"]) == (400, 400)
    (fault,) = body["faults"]
    assert body["details"] == fault
    assert fault.startswith("limt: unknown query parameter; ")
    for parameter in REQUESTS[path]:
        assert parameter["name"] in fault


@each_lookup
def test_a_default_is_what_a_lookup_without_the_parameter_answers(get: LookupClient, path: str) -> None:
    plain = get(path, **needed(path))
    for parameter in REQUESTS[path]:
        if "default" in parameter["schema"]:
            default = parameter["schema"]["default"]
            given = str(default).lower() if isinstance(default, bool) else default
            assert get(path, **needed(path) | {parameter["name"]: given}) == plain


@each_lookup
def test_a_word_that_is_not_listed_is_refused_and_each_listed_word_is_taken(get: LookupClient, path: str) -> None:
    for parameter in REQUESTS[path]:
        schema, name = parameter["schema"], parameter["name"]
        for word in schema.get("enum") or schema.get("items", {}).get("enum", ()):
            assert status(get, path, needed(path) | {name: word}) == 200
        if schema["type"] in ("integer", "boolean", "array") or "enum" in schema or "format" in schema:
            variant = {"width": {"format": "text"}, "withDownstream": {"of": "column-lineage"}}.get(name, {})
            read_with = {other: value for other, value in variant.items() if other in names(path)}
            assert get.refusal(path, **needed(path) | read_with | {name: "no such word"}) == name


class ReadNames(dict[str, str]):
    """A query that notes which parameters were read."""

    def __init__(self, query: Mapping[str, str]) -> None:
        super().__init__(query)
        self.read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


@each_lookup
def test_a_lookup_reads_the_parameters_that_it_describes_and_no_other(get: LookupClient, path: str) -> None:
    known, read = names(path), set[str]()
    variants = [{}, {"of": "column-lineage"} if "of" in known else {"format": "text"} if "format" in known else {}]
    for variant in variants:
        query, repeated = ReadNames(needed(path) | variant), ReadNames({})
        request = ApiRequest(ADMINISTRATOR, "GET", path, query, repeated)  # type: ignore[arg-type]
        assert respond(Lookups(GraphReader(get.table), Naming(), fail_test), request).status == 200
        read |= query.read | repeated.read
    assert read == known


def names(path: str) -> set[str]:
    return {parameter["name"] for parameter in REQUESTS[path]}


@pytest.mark.parametrize("name", NAMES)
def test_the_requests_of_marquez_s_clients_have_known_parameters(name: str) -> None:
    path, _, query = recorded(name)["request"].removeprefix("GET ").partition("?")
    sent = {pair.partition("=")[0] for pair in query.split("&") if pair}
    fitting = [route for route in ROUTES if route.match(path.removeprefix(PREFIX))]
    assert sent <= {parameter.name for route in fitting for parameter in route.parameters or ()}
