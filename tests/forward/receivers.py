"""Systems that take events: an endpoint of OpenLineage, and SageMaker Catalog as its documentation describes it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DOMAIN = "dzd_a1b2c3"


@dataclass
class Receiver:
    """Takes what is posted to it. `answers` are the statuses of the next answers; then all are 201."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        self.requests.append((path, headers, json.loads(body)))
        status = self.answers.pop(0) if self.answers else 201
        return status, {"Location": f"{self.url}/elsewhere"}, b""

    @property
    def events(self) -> list[Any]:
        return [event for _, _, event in self.requests]


@dataclass
class CatalogStub(Receiver):
    """PostLineageEvent by https://docs.aws.amazon.com/datazone/latest/APIReference/API_PostLineageEvent.html. A token
    that was seen before posts nothing."""

    posted: dict[str, Any] = field(default_factory=dict)

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.answers:
            return _refusal(self.answers.pop(0), "ThrottlingException")
        if path != f"/v2/domains/{DOMAIN}/lineage/events":
            return _refusal(404, "ResourceNotFoundException")
        token, event = headers["client-token"], json.loads(body)
        is_run = "run" in event and event.get("eventType") in ("START", "COMPLETE", "FAIL")
        if len(body) > 300_000 or not 0 < len(token) <= 128 or not is_run:
            return _refusal(400, "ValidationException")
        self.posted.setdefault(token, event)
        answer = {"domainId": DOMAIN, "id": sha256(token.encode()).hexdigest()[:14]}
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()


def _refusal(status: int, code: str) -> tuple[int, dict[str, str], bytes]:
    return status, {"x-amzn-ErrorType": code}, json.dumps({"message": "refused"}).encode()


@contextmanager
def receiving(receiver: Receiver) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, answered, content = receiver.answer(self.path, headers, body)
            self.send_response(status)
            for name, value in answered.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield receiver.url
        server.shutdown()
