"""A web server that gives the recorded answers of a real Connect worker, and the faults that a test names."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from headwater.sources.connect.worker import Workers, WorkerUrl

FOLDER = Path(__file__).parents[2] / "fixtures" / "connect"
LIST = "/connectors?expand=status&expand=info"
AUTHORIZATION = "Basic d29ya2VyOmh1bnRlcjI="


def recorded(name: str) -> dict[str, Any]:
    """The answers by path, each with its status, as Kafka Connect 4.1.0 gave them."""
    answers: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return answers


@dataclass
class RecordedWorker:
    """A worker. `faults` are raw answers in place of the recorded ones, by path: a status and a body."""

    port: int = 0
    answers: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    headers: list[str | None] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def show(self, name: str) -> None:
        """From here on the worker answers as the real one did then."""
        self.answers = recorded(name)

    def workers(self, *, user: str = "", seconds: float = 2) -> Workers:
        return Workers([WorkerUrl.of(f"http://{user}127.0.0.1:{self.port}")], self.waits.append, seconds)

    def answer(self, path: str) -> tuple[int, bytes]:
        if path in self.faults:
            return self.faults[path]
        status, body = self.answers.get(path) or self._status(path)
        return status, json.dumps(body).encode()

    def _status(self, path: str) -> tuple[int, Any]:
        name = path.split("/")[2] if path.endswith("/status") else ""
        known = self.answers[LIST][1].get(name)
        return (200, known["status"]) if known else (404, {"error_code": 404, "message": "No status found"})


@contextmanager
def run_worker(name: str) -> Iterator[RecordedWorker]:
    worker = RecordedWorker(answers=recorded(name))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            worker.headers.append(self.headers.get("Authorization"))
            status, body = worker.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            """Keeps the output of the tests clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        worker.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield worker
        finally:
            server.shutdown()
            thread.join()
