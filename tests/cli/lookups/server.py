"""The lookups of a table in memory over HTTP, with keys: as the function answers them behind API Gateway."""

import base64
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            principal = KEYS.get(headers.get("authorization", "").removeprefix("Bearer "))
            event = {
                "rawPath": unquote(path),
                "rawQueryString": query,
                "headers": headers,
                "requestContext": {
                    "http": {"method": "GET"},
                    "authorizer": {"lambda": principal.to_context() if principal else {}},
                },
            }
            response = answer(event, respond_to, log, audit=Audit(None, log.failure)).to_gateway(
                accepts_gzip=accepts_gzip(event)
            )
            self.send_response(response["statusCode"])
            for name, value in response["headers"].items():
                self.send_header(name, value)
            body = _bytes(response)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _bytes(response: Mapping[str, Any]) -> bytes:
    return base64.b64decode(response["body"]) if response.get("isBase64Encoded") else response["body"].encode()
