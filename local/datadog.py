"""A stand-in for Datadog's events API: holds each request against the published shape and answers as Datadog does.

What it accepts is kept as JSON lines in `datadog.jsonl`; what it refuses is told, with the reason, and is in
`datadog.log`. The key of a request is compared and never written anywhere.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from local.datadog_event import Refused, parsed

PATH = "/api/v1/events"
KEY_HEADER = "DD-API-KEY"
KEY_BYTES = 16  # Datadog's own keys are 32 hex digits
EVENTS, LOG = "datadog.jsonl", "datadog.log"

Answer = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class Datadog:
    """The stand-in at `url`: the `key` it takes, and the folder for what it was sent."""

    url: str
    key: str
    folder: Path

    def events(self) -> list[dict[str, Any]]:
        """Return what was accepted so far, the oldest first."""
        file = self.folder / EVENTS
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def datadog(folder: Path, say: Callable[[str], None]) -> Iterator[Datadog]:
    """Run the stand-in on a free port of loopback for the length of a `with` block."""
    (folder / EVENTS).unlink(missing_ok=True)
    key = secrets.token_hex(KEY_BYTES)
    desk = Desk(key, folder, say)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(desk)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Datadog(f"http://127.0.0.1:{server.server_port}", key, folder)
        finally:
            server.shutdown()
            thread.join()


class Desk:
    """Answers requests and keeps what came of them."""

    def __init__(self, key: str, folder: Path, say: Callable[[str], None]) -> None:
        self.key = key
        self.folder = folder
        self.say = say
        self.writing = threading.Lock()

    def answer(self, request: Request) -> Answer:
        """Return status and body, after the request is written to the events or to the log."""
        status, errors = self.refusal(request)
        if not errors:
            try:
                return self.accepted(parsed(request.body, time.time()))
            except Refused as refused:
                status, errors = 400, refused.errors
        reason = f"{request.method} {request.path} refused with {status}: {'; '.join(errors)}"
        self.write(LOG, reason)
        self.say(f"the local Datadog: {reason}")
        return status, {"errors": errors}

    def refusal(self, request: Request) -> tuple[int, list[str]]:
        """Return what is wrong with a request apart from its body."""
        if request.path != PATH:
            return 404, ["Not found"]
        if request.method != "POST":
            return 405, [f"{request.method} is not allowed"]
        if not secrets.compare_digest(request.headers.get(KEY_HEADER.lower(), "").encode(), self.key.encode()):
            return 403, ["Forbidden"]
        content_type = request.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != "application/json":
            return 415, [f"the content type is {content_type!r}, not application/json"]
        return 0, []

    def accepted(self, event: dict[str, Any]) -> Answer:
        number = secrets.randbits(63)
        given = {"id": number, "id_str": str(number), "date_happened": int(time.time()), "priority": "normal"}
        self.write(EVENTS, json.dumps(event, ensure_ascii=False))
        return 202, {"status": "ok", "event": {"alert_type": "info"} | given | event}

    def write(self, name: str, line: str) -> None:
        with self.writing, (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def handler(desk: Desk) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, body = desk.answer(Request(self.command, self.path, headers, self.rfile.read(length)))
            payload = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the names the server calls

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's own name
            """Say nothing: the desk keeps the log."""

    return Handler
