"""Sends lookups to a table with folded events, and follows the pages of long responses."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.graph.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.retention import Retention
from headwater.store.table import TableReader
from tests import factory
from tests.factory import Document

ANYONE = Principal("test", frozenset({"read"}), ("*",))
RETENTION = Retention(timedelta(days=90), timedelta(days=30))
LAKE = "s3://lake"
NOON = factory.EPOCH.replace(hour=12)


def key_of(*namespaces: str) -> Principal:
    """The key of somebody who may read some namespaces."""
    return Principal("narrow", frozenset({"read"}), namespaces)


class Asked:
    """Asks a table: `ask(path, parameter=value)`."""

    def __init__(self, table: MemoryTable, principal: Principal = ANYONE, at: datetime = NOON) -> None:
        self.table = table
        self.principal = principal
        self.at = at

    def __call__(self, path: str, **query: Any) -> Any:
        """The answer's body."""
        status, body = self.answer(path, **query)
        assert status == 200, body
        return body

    def answer(self, path: str, **query: Any) -> tuple[int, Any]:
        """The answer's status and body."""
        url = path if path.startswith("/") else f"/api/v1/{path}"
        parameters = {name: str(value) for name, value in query.items()}
        request = ApiRequest(self.principal, "GET", url, parameters, received_at=self.at)
        response = response_to(self.table, request)
        return response.status, json.loads(response.to_gateway()["body"])

    def refusal(self, path: str, **query: Any) -> str:
        """The parameter that the question is refused for."""
        status, body = self.answer(path, **query)
        assert status == 400, body
        return str(body["message"]).partition(":")[0]

    def by_offset(self, path: str, name: str, limit: int, **query: Any) -> list[Any]:
        """A whole list, page by page; all but the last say where the next begins."""
        found: list[Any] = []
        while (page := self(path, limit=limit, offset=len(found), **query))[name]:
            assert len(page[name]) <= limit
            found += page[name]
            assert ("cursor" in page) == (len(found) < page["totalCount"])
        return found

    def by_cursor(self, path: str, name: str, limit: int, **query: Any) -> list[Any]:
        """A whole list, page by page, by what each page says of the next."""
        page = self(path, limit=limit, **query)
        found, total = list(page[name]), page["totalCount"]
        while "cursor" in page:
            page = self(path, limit=limit, cursor=page["cursor"], **query)
            assert page[name]
            assert len(page[name]) <= limit
            assert page["totalCount"] == total
            found += page[name]
            assert len(found) <= total
        return found


STATES = StateCache()
"""One cache for the tables of all tests: a lookup that changed a state would change the answers of other tests."""


def response_to(table: TableReader, request: ApiRequest) -> ApiResponse:
    """The response to a request; a fault of ours fails the test."""
    lookups = Lookups(GraphReader(table, cache=STATES), Naming(), _fail)
    return response_or_error(lambda: respond(lookups, request), _fail)


def _fail(message: str, error: BaseException, *, run: str | None = None) -> None:
    raise AssertionError(message) from error


def table_after(*documents: Document, one_by_one: bool = False) -> MemoryTable:
    """A table that has folded these events."""
    table = MemoryTable()
    batches: Sequence[Sequence[Document]] = [[each] for each in documents] if one_by_one else [documents]
    for batch in batches:
        fold(factory.received(*batch), GraphStore(table, RETENTION))
    return table


def after(*documents: Document) -> Asked:
    """A way to ask a table that has folded these events."""
    return Asked(table_after(*documents))
