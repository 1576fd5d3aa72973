"""Sends lookups to a table with folded events, and follows the pages of long responses."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.table import TableReader
from tests import factory
from tests.caches import CheckedCache
from tests.factory import Document
from tests.fakes import fail_test
from tests.lookup.described_answers import faults_of
from tests.store.files import mirror_of

ANYONE = Principal("test", frozenset({"read"}), ("*",))
RETENTION = factory.RETENTION
LAKE = "s3://lake"
NOON = factory.EPOCH.replace(hour=12)


def key_of(*namespaces: str) -> Principal:
    """An API key that may read these namespaces."""
    return Principal("narrow", frozenset({"read"}), namespaces)


class LookupClient:
    """Sends lookups: `get(path, parameter=value)` returns the response's body. A tuple repeats the parameter."""

    def __init__(self, table: MemoryTable, principal: Principal = ANYONE, at: datetime = NOON) -> None:
        self.table = table
        self.principal = principal
        self.at = at

    def __call__(self, path: str, **query: Any) -> Any:
        """The body of the response; a status other than 200 fails the test."""
        status, body = self.answer(path, **query)
        assert status == 200, body
        return body

    def answer(self, path: str, **query: Any) -> tuple[int, Any]:
        url = path if path.startswith("/") else f"/api/v1/{path}"
        lists = {name: value if isinstance(value, tuple) else (value,) for name, value in query.items()}
        repeated = {name: tuple(map(str, values)) for name, values in lists.items()}
        last = {name: values[-1] for name, values in repeated.items()}
        response = response_to(self.table, ApiRequest(self.principal, "GET", url, last, repeated, received_at=self.at))
        body = response.to_gateway()["body"]
        is_text = response.status == 200 and query.get("format") == "text"
        return response.status, body if is_text else json.loads(body)

    def refusal(self, path: str, **query: Any) -> str:
        """The parameter that makes the request a 400."""
        status, body = self.answer(path, **query)
        assert status == 400, body
        return str(body["message"]).partition(":")[0]

    def by_offset(self, path: str, name: str, limit: int, **query: Any) -> list[Any]:
        """A whole list, by `limit` and `offset`; every page but the last has a cursor."""
        listed: list[Any] = []
        while (page := self(path, limit=limit, offset=len(listed), **query))[name]:
            assert len(page[name]) <= limit
            listed += page[name]
            assert ("cursor" in page) == (len(listed) < page["totalCount"])
        return listed

    def by_cursor(self, path: str, name: str, limit: int, **query: Any) -> list[Any]:
        """A whole list, by the cursor of each page."""
        page = self(path, limit=limit, **query)
        listed, total = list(page[name]), page["totalCount"]
        while "cursor" in page:
            page = self(path, limit=limit, cursor=page["cursor"], **query)
            assert page[name]
            assert len(page[name]) <= limit
            assert page["totalCount"] == total
            listed += page[name]
            assert len(listed) <= total
        return listed


STATES = CheckedCache()
"""One cache for the tables of all tests: a lookup that changed a state would change the answers of other tests."""


def response_to(table: TableReader, request: ApiRequest) -> ApiResponse:
    """The response to a request, which has the form of openapi.json, and which a file with the same items must give,
    too. An error of the server fails the test."""
    response = _response_to(table, request)
    if response.status == 200:
        assert faults_of(request.path, response.body) == []
    if isinstance(table, MemoryTable) and type(table) is MemoryTable:
        assert _response_to(mirror_of(table.items), request).content() == response.content()
    return as_read(response)


def as_read(response: ApiResponse) -> ApiResponse:
    """The response with the body that a client reads: the nodes of a graph may be JSON already."""
    if not isinstance(response.body, dict) or "graph" not in response.body:
        return response
    return replace(response, body=exact_json.loads_trusted(response.content()[1].decode()))


def _response_to(table: TableReader, request: ApiRequest) -> ApiResponse:
    lookups = Lookups(GraphReader(table, cache=STATES), Naming(), fail_test)
    return response_or_error(lambda: respond(lookups, request), fail_test)


def table_after(*documents: Document, one_by_one: bool = False) -> MemoryTable:
    table = MemoryTable()
    batches: Sequence[Sequence[Document]] = [[document] for document in documents] if one_by_one else [documents]
    for batch in batches:
        fold(factory.received(*batch), GraphStore(table, RETENTION, CheckedCache()))
    return table


def after(*documents: Document) -> LookupClient:
    return LookupClient(table_after(*documents))
