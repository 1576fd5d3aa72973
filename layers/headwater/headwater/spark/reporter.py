"""Sends events in the background, and drops events that would delay a job."""

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

LOG = logging.getLogger("headwater.spark")
ANSWER_SECONDS = 5
"""The timeout of a request, which is also the listener's."""
STOP_SECONDS = 6
"""The longest delay of a job at its end, for events that are not sent yet."""
SETTING = "spark.openlineage.transport."


class Reporter(Protocol):
    def send(self, event: RunEvent) -> None: ...

    def wait(self) -> None: ...


class Silence:
    """The reporter of a job whose listener sends no events."""

    def send(self, event: RunEvent) -> None:
        """Drop the event."""

    def wait(self) -> None:
        """Return at once."""


class Background:
    """A thread that posts one event after the other. An event that cannot be posted is logged and dropped."""

    def __init__(self, client: OpenLineageClient) -> None:
        self._client = client
        self._events: queue.Queue[RunEvent] = queue.Queue()
        threading.Thread(target=self._post, daemon=True, name="job-lineage").start()

    def send(self, event: RunEvent) -> None:
        """Queue an event for posting."""
        self._events.put(event)

    def wait(self) -> None:
        """Wait until all events are posted, for six seconds at most."""
        deadline = time.monotonic() + STOP_SECONDS
        while self._events.unfinished_tasks and time.monotonic() < deadline:
            time.sleep(0.02)
        if self._events.unfinished_tasks:
            LOG.warning("lineage was not sent within %d s; the job goes on", STOP_SECONDS)

    def _post(self) -> None:
        while True:
            event = self._events.get()
            try:
                self._client.emit(event)
            except Exception as error:  # noqa: BLE001 - no fault of the reporting may fail a job
                LOG.warning("lineage was not accepted: %s", type(error).__name__)
            finally:
                self._events.task_done()


def reporter(settings: Mapping[str, str]) -> Reporter:
    """Return a reporter to the URL of the listener in Spark's settings, or a silent one if the listener does not use
    HTTP."""
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
    """The key in the listener's file. Clusters have the key there, because Spark's logs and UI show settings."""
    try:
        settings = next((file for file in listener_files() if file.is_file()), None)
        match yaml.safe_load(settings.read_text(encoding="utf-8")) if settings else None:
            case {"transport": {"auth": {"apiKey": str(key)}}}:
                return key
    except (OSError, yaml.YAMLError) as error:
        LOG.warning("the listener's file cannot be read: %s", type(error).__name__)
    return None


def listener_files() -> list[Path]:
    """The files that the listener looks for, in the listener's order."""
    named = os.environ.get("OPENLINEAGE_CONFIG")
    name = "openlineage.yml"
    return [*([Path(named)] if named else []), Path(name), Path.home() / ".openlineage" / name]
