"""A stand-in for the emulator's HTTP API: it records requests, and returns the responses of the test."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Upstream:
    status: int = 201
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    body: bytes = b"{}"
    delay: float = 0
    seen: list[Seen] = field(default_factory=list)
    url: str = ""

    @property
    def last(self) -> Seen:
        return self.seen[-1]


@contextmanager
def serving(upstream: Upstream) -> Iterator[Upstream]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            upstream.seen.append(Seen(self.command, self.path, headers, body))
            if upstream.delay:  # until whoever asked has given up
                time.sleep(upstream.delay)
                return
            self.send_response(upstream.status)
            for name, value in upstream.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(upstream.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(upstream.body)

        do_GET = do_POST = do_HEAD = answer  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        upstream.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield upstream
        finally:
            server.shutdown()
            thread.join()
