"""HTTP servers for tests: each keeps its requests, and gives the responses of the test."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]  # by their names in lower case
    body: bytes


Reply = tuple[int, dict[str, str], bytes]


@contextmanager
def web_server(answer: Callable[[Seen], Reply | None]) -> Iterator[str]:
    """The URL of a server whose responses are what a function returns; for None it hangs up."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = answer(Seen(self.command, self.path, headers, self.body()))
            if reply is None:
                self.close_connection = True
                return
            status, answered, content = reply
            self.send_response(status)
            for name, value in answered.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_HEAD = answer  # noqa: N815 - the names that http.server calls

        def body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            content = b""
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return content

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Upstream:
    """A server with one response, which a test may change."""

    status: int = 201
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    body: bytes = b"{}"
    delay: float = 0
    seen: list[Seen] = field(default_factory=list)
    url: str = ""

    @property
    def last(self) -> Seen:
        return self.seen[-1]

    def answer(self, request: Seen) -> Reply | None:
        self.seen.append(request)
        if self.delay:  # until whoever asked has given up
            time.sleep(self.delay)
            return None
        return self.status, self.headers, self.body


@contextmanager
def serving(upstream: Upstream) -> Iterator[Upstream]:
    with web_server(upstream.answer) as upstream.url:
        yield upstream
