"""A client that has an answer is told so, and gets it again only if it has changed. A key never gets another's."""

import json
from functools import partial
from typing import Any

import pytest

from headwater.access.principal import Principal
from headwater.graph.names.naming import Naming
from headwater.http.audit import Audit
from headwater.http.gateway import answer
from headwater.http.private_api import as_http_api
from headwater.http.response import MAX_PLAIN_BYTES, ApiResponse
from headwater.log import FunctionLog
from headwater.lookup.routes import Lookups, respond
from headwater.store.graph_store import GraphReader
from headwater.store.memory import MemoryTable
from tests import factory
from tests.lookup.requests import ANYONE, key_of, table_after

JOBS = "/api/v1/jobs"


@pytest.fixture
def table() -> MemoryTable:
    return table_after(factory.run_event())


def asked(table: MemoryTable, known: str = "", principal: Principal = ANYONE, path: str = JOBS) -> dict[str, Any]:
    """The response of API Gateway's form; `known` is the value of If-None-Match."""
    log = FunctionLog()
    event = {
        "rawPath": path,
        "headers": {"if-none-match": known} if known else {},
        "requestContext": {"http": {"method": "GET"}, "authorizer": {"lambda": principal.to_context()}},
    }
    lookups = Lookups(GraphReader(table), Naming(), log)
    return answer(event, partial(respond, lookups), log, audit=Audit(None, log.failure)).to_gateway()


def test_an_answer_that_is_known_is_not_sent_again(table: MemoryTable) -> None:
    first = asked(table)
    tag = first["headers"]["etag"]
    assert (first["statusCode"], first["headers"]["cache-control"]) == (200, "private, no-cache")
    again = asked(table, tag)
    assert (again["statusCode"], again["body"], again["headers"]["etag"]) == (304, "", tag)
    assert "content-type" not in again["headers"]


@pytest.mark.parametrize("form", ["{}", 'W/"other", {}', "*"])
def test_a_client_may_know_several_answers(table: MemoryTable, form: str) -> None:
    strong = asked(table)["headers"]["etag"].removeprefix("W/")
    assert asked(table, form.format(strong))["statusCode"] == 304


@pytest.mark.parametrize("known", ['"other"', "W/", '""', "nonsense", ","])
def test_an_answer_that_is_not_known_is_sent(table: MemoryTable, known: str) -> None:
    assert asked(table, known)["statusCode"] == 200


def test_a_changed_answer_is_sent(table: MemoryTable) -> None:
    known = asked(table)["headers"]["etag"]
    changed = asked(table_after(factory.run_event(), factory.run_event(job="other", run=2)), known)
    assert (changed["statusCode"], json.loads(changed["body"])["totalCount"]) == (200, 2)
    assert changed["headers"]["etag"] != known


def test_a_key_that_sees_less_gets_its_own_answer(table: MemoryTable) -> None:
    """The tag is of what the key sees, and a cache between must not keep one answer for two keys."""
    of_all = asked(table)
    of_none = asked(table, of_all["headers"]["etag"], key_of("elsewhere"))
    assert (of_none["statusCode"], json.loads(of_none["body"])["jobs"]) == (200, [])
    assert of_none["headers"]["etag"] != of_all["headers"]["etag"]
    assert of_all["headers"]["vary"] == "authorization, x-api-key"


def test_an_error_has_no_tag(table: MemoryTable) -> None:
    no_key = asked(table, "*", Principal("none", frozenset(), ()))
    for refused in (no_key, asked(table, "*", path=f"{JOBS}/none")):
        assert refused["statusCode"] in (403, 404)
        assert "etag" not in refused["headers"]


def test_a_private_api_passes_the_condition_on(table: MemoryTable) -> None:
    tag = asked(table)["headers"]["etag"]
    event = {"httpMethod": "GET", "path": JOBS, "headers": {"If-None-Match": tag}, "requestContext": {}}
    assert as_http_api(event)["headers"] == {"if-none-match": tag}


def test_a_long_answer_keeps_its_form() -> None:
    long = ApiResponse(200, {"text": "x" * MAX_PLAIN_BYTES}).unless_known({})
    assert long.to_gateway()["headers"]["content-encoding"] == "gzip"
    assert ApiResponse(200, b"\x00").unless_known({}).body == b"\x00"
