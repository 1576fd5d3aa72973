"""A web server that gives the recorded answers of a real Connect worker, and the faults that a test names."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.sources.connect.worker import Workers, WorkerUrl
from tests.upstream import Reply, Seen, web_server

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

    url: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    headers: list[str | None] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def show(self, name: str) -> None:
        """From here on the worker answers as the real one did then."""
        self.answers = recorded(name)

    def workers(self, *, user: str = "", seconds: float = 2) -> Workers:
        return Workers([WorkerUrl.of(self.url.replace("//", f"//{user}"))], self.waits.append, seconds)

    def answer(self, request: Seen) -> Reply:
        self.headers.append(request.headers.get("authorization"))
        if fault := self.faults.get(request.path):
            return fault[0], {}, fault[1]
        status, body = self.answers.get(request.path) or self._status(request.path)
        return status, {}, json.dumps(body).encode()

    def _status(self, path: str) -> tuple[int, Any]:
        name = path.split("/")[2] if path.endswith("/status") else ""
        known = self.answers[LIST][1].get(name)
        return (200, known["status"]) if known else (404, {"error_code": 404, "message": "No status found"})


@contextmanager
def run_worker(name: str) -> Iterator[RecordedWorker]:
    worker = RecordedWorker(answers=recorded(name))

    with web_server(worker.answer) as worker.url:
        yield worker
