"""The lookups of a table in memory over HTTP, with keys: as the function answers them behind API Gateway."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import unquote

from headwater.access.principal import Principal
from headwater.graph.names.naming import Naming
from headwater.http.audit import Audit
from headwater.http.gateway import accepts_gzip, answer
from headwater.log import FunctionLog
from headwater.lookup.routes import Lookups, respond
from headwater.store.graph_store import GraphReader
from headwater.store.memory import MemoryTable
from tests.lookup.requests import ANYONE, key_of
from tests.upstream import Reply, Seen, web_server

KEY, NARROW, WRITER = "k-read", "k-narrow", "k-write"
KEYS: Mapping[str, Principal] = {
    KEY: ANYONE,
    NARROW: key_of("elsewhere"),
    WRITER: Principal("writer", frozenset({"ingest"}), ("*",)),
}


@contextmanager
def api_over(table: MemoryTable) -> Iterator[str]:
    """The URL of an API over a table, while the `with` block runs."""
    log = FunctionLog()
    respond_to = partial(respond, Lookups(GraphReader(table), Naming(), log))

    def respond_over_http(request: Seen) -> Reply:
        path, _, query = request.path.partition("?")
        principal = KEYS.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        event = {
            "rawPath": unquote(path),
            "rawQueryString": query,
            "headers": request.headers,
            "requestContext": {
                "http": {"method": "GET"},
                "authorizer": {"lambda": principal.to_context() if principal else {}},
            },
        }
        response = answer(event, respond_to, log, audit=Audit(None, log.failure)).to_gateway(
            accepts_gzip=accepts_gzip(event)
        )
        return response["statusCode"], response["headers"], _bytes(response)

    with web_server(respond_over_http) as url:
        yield url


def _bytes(response: Mapping[str, Any]) -> bytes:
    return base64.b64decode(response["body"]) if response.get("isBase64Encoded") else response["body"].encode()
