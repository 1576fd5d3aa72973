"""A stand-in for Datadog's events API. It checks requests against the published schema, and responds as Datadog does.

Accepted events are JSON lines in `datadog.jsonl`. Refused requests are in `datadog.log`, and are printed with the
reason. The key of a request is never written anywhere.
"""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from headwater.cli.machine.progress import Say
from local.alerts.datadog_event import InvalidEvent, parse_event

PATH = "/api/v1/events"
KEY_HEADER = "DD-API-KEY"
KEY_BYTES = 16  # Datadog's own keys are 32 hex digits
EVENTS, LOG = "datadog.jsonl", "datadog.log"

Response = tuple[int, dict[str, Any]]
"""Status and body."""


@dataclass(frozen=True)
class Datadog:
    """The stand-in at `url`, with the `key` that it accepts, and the folder of its files."""

    url: str
    key: str
    folder: Path

    def events(self) -> list[dict[str, Any]]:
        """Return the accepted events, the oldest first."""
        file = self.folder / EVENTS
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def run_datadog(folder: Path, say: Say) -> Iterator[Datadog]:
    """Run the stand-in on a free port of loopback for the length of a `with` block."""
    (folder / EVENTS).unlink(missing_ok=True)
    key = secrets.token_hex(KEY_BYTES)
    api = EventsApi(key, folder, say)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(api)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Datadog(f"http://127.0.0.1:{server.server_port}", key, folder)
        finally:
            server.shutdown()
            thread.join()


class EventsApi:
    """Responds to requests, and writes each request to the events or to the log."""

    def __init__(self, key: str, folder: Path, say: Say) -> None:
        self.key = key
        self.folder = folder
        self.say = say
        self.lock = threading.Lock()

    def respond(self, request: Request) -> Response:
        status, errors = self.request_errors(request)
        if not errors:
            try:
                return self.accept(parse_event(request.body, time.time()))
            except InvalidEvent as invalid:
                status, errors = 400, invalid.errors
        reason = f"{request.method} {request.path} refused with {status}: {'; '.join(errors)}"
        self.write(LOG, reason)
        self.say(f"the stand-in for Datadog: {reason}")
        return status, {"errors": errors}

    def request_errors(self, request: Request) -> tuple[int, list[str]]:
        """Return the status and the errors of a request, without the errors of its body."""
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

    def accept(self, event: dict[str, Any]) -> Response:
        number = secrets.randbits(63)
        defaults = {"id": number, "id_str": str(number), "date_happened": int(time.time()), "priority": "normal"}
        self.write(EVENTS, json.dumps(event, ensure_ascii=False))
        return 202, {"status": "ok", "event": {"alert_type": "info"} | defaults | event}

    def write(self, name: str, line: str) -> None:
        with self.lock, (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def handler(api: EventsApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, body = api.respond(Request(self.command, self.path, headers, self.rfile.read(length)))
            payload = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the names the server calls

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's own name
            """Print nothing: refused requests are in the log."""

    return Handler
