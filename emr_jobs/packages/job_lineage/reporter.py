"""Sends events in the background, and gives up on them sooner than it holds up a job."""

import logging
import os
import queue
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import yaml
from openlineage.client.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport.http import HttpConfig, HttpTransport

LOG = logging.getLogger("job_lineage")
ANSWER_SECONDS = 5
"""As long as the listener waits for an answer."""
STOP_SECONDS = 6
"""How long a job is held up at most for what has not been sent when it is done."""
SETTING = "spark.openlineage.transport."


class Reporter(Protocol):
    def send(self, event: RunEvent) -> None: ...

    def wait(self) -> None: ...


class Silence:
    """Of a job whose listener sends nowhere."""

    def send(self, event: RunEvent) -> None:
        """Drop the event."""

    def wait(self) -> None:
        """There is nothing to wait for."""


class Background:
    """One thread that posts one event after the other; what it cannot post is logged and dropped."""

    def __init__(self, client: OpenLineageClient) -> None:
        self._client = client
        self._events: queue.Queue[RunEvent] = queue.Queue()
        threading.Thread(target=self._post, daemon=True, name="job-lineage").start()

    def send(self, event: RunEvent) -> None:
        """Take an event for posting, at once."""
        self._events.put(event)

    def wait(self) -> None:
        """Wait until all is posted, but not for long."""
        deadline = time.monotonic() + STOP_SECONDS
        while self._events.unfinished_tasks and time.monotonic() < deadline:
            time.sleep(0.02)
        if self._events.unfinished_tasks:
            LOG.warning("lineage was not answered within %d s; the job goes on without it", STOP_SECONDS)

    def _post(self) -> None:
        while True:
            event = self._events.get()
            try:
                self._client.emit(event)
            except Exception as error:  # noqa: BLE001 - nothing that lineage does may fail a job
                LOG.warning("lineage was not taken: %s", type(error).__name__)
            finally:
                self._events.task_done()


def reporter(settings: Mapping[str, str]) -> Reporter:
    """Return the way to where the listener sends by Spark's settings; silence if it sends nowhere over HTTP."""
    url = settings.get(f"{SETTING}url")
    if not url or settings.get(f"{SETTING}type") != "http":
        return Silence()
    config = {"url": url, "timeout": ANSWER_SECONDS, "retry": {"total": 0}, "compression": "gzip"}
    if endpoint := settings.get(f"{SETTING}endpoint"):
        config["endpoint"] = endpoint
    if key := settings.get(f"{SETTING}auth.apiKey") or key_in_file():
        config["auth"] = {"type": "api_key", "apiKey": key}
    return Background(OpenLineageClient(transport=HttpTransport(HttpConfig.from_dict(config))))


def key_in_file() -> str | None:
    """The key in the listener's own file, where clusters have it: Spark shows its settings in logs and in its UI."""
    try:
        found = next((file for file in listener_files() if file.is_file()), None)
        match yaml.safe_load(found.read_text(encoding="utf-8")) if found else None:
            case {"transport": {"auth": {"apiKey": str(key)}}}:
                return key
    except (OSError, yaml.YAMLError) as error:
        LOG.warning("the listener's file cannot be read: %s", type(error).__name__)
    return None


def listener_files() -> list[Path]:
    """Where the listener looks for its file, in its order."""
    named = os.environ.get("OPENLINEAGE_CONFIG")
    name = "openlineage.yml"
    return [*([Path(named)] if named else []), Path(name), Path.home() / ".openlineage" / name]
