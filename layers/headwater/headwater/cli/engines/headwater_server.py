"""The Headwater that receives the events of an engine: a new one on a temporary file, or one that runs already."""

import argparse
import importlib
import os
import queue
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.demo.alert_lines import alert_lines
from headwater.cli.endpoint import api_of
from headwater.cli.engines.trial import Engine, Trial
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.parser import parser
from headwater.cli.lookups.questions import Reply, reply_to
from headwater.cli.lookups.shell import command
from headwater.cli.lookups.terminal import display_for, shown
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import say
from headwater.cli.machine.state import state_folder
from headwater.lookup.text.inert import inert
from headwater.serve.alerting import Message
from headwater.serve.server import Start, in_background

SECONDS = 30
"""How long to wait for the graph and for the first alert."""
QUIET_SECONDS = 2
"""After this time without another alert, all have come."""
SENTENCES = 4


@dataclass(frozen=True)
class AlertsOfTrial:
    """The receiver of the alerts of a new server."""

    name: str = "try"
    received: "queue.Queue[Message]" = field(default_factory=queue.Queue)

    def deliver(self, message: Message) -> None:
        self.received.put(message)

    def all(self) -> Iterator[Message]:
        """Yield the alerts until none has come for a while. Raises Failure if none comes."""
        seconds = SECONDS
        while True:
            try:
                yield self.received.get(timeout=seconds)
            except queue.Empty:
                if seconds == SECONDS:
                    raise Failure(f"no alert came within {SECONDS} s", "report this as a fault") from None
                return
            seconds = QUIET_SECONDS


@dataclass(frozen=True)
class Events:
    """Where the events go, and what is made of them. A server that runs already sends its alerts elsewhere."""

    url: str
    key: str = field(repr=False)
    alerts: AlertsOfTrial | None = None

    def show_lineage(self, table: str) -> None:
        """Print the upstream lineage of a table as soon as the graph has it. Raises CommandFailure."""
        words = ("lineage", table, "--up")
        reply = self._reply(words)
        print(f"$ {command('headwater', *words)}")
        print(shown(reply.render, display_for(sys.stdout, os.environ, whole=False)), flush=True)

    def _reply(self, words: tuple[str, ...]) -> Reply:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return reply_to(Api(self.url, self.key), parser().parse_args(words))
            except CommandFailure:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def show_alerts(self) -> None:
        """Print the alerts. Raises Failure if none comes."""
        if self.alerts is None:
            print("alerts go where this server sends them: docs/alerts.md")
            return
        display = display_for(sys.stdout, os.environ, whole=False)
        for message in self.alerts.all():
            if "breaks" in message["detail"]:
                print(display.text(alert_lines(message, display)), end="")
            else:
                print(inert(f"{message['severity'].upper()}: {message['title']}"))
                print("".join(f"  {inert(line)}\n" for line in message["explanation"][:SENTENCES]), end="")
        sys.stdout.flush()


@contextmanager
def of_a_new_server(data: Path) -> Iterator[Events]:
    """Serve on a file for a `with` block. Raises NoAddress or BadEnvironment."""
    alerts = AlertsOfTrial()
    with in_background(Start(data, "127.0.0.1", 0, is_open=True), alerts) as served:
        yield Events(served.url, "", alerts)


@contextmanager
def of_a_running_server(url: str, key_file: Path | None) -> Iterator[Events]:
    """Raises CommandFailure if the URL or the key cannot be used."""
    server = api_of(url, key_file)
    yield Events(server.url, server.key)


def attempt(options: argparse.Namespace, folder: Path) -> None:
    """Run the pipeline, and show what became of its events."""
    engine: Engine = importlib.import_module(f"headwater.cli.engines.{options.engine}.driver")
    server = (
        of_a_running_server(options.url, options.key_file) if options.url else of_a_new_server(folder / "lineage.db")
    )
    with server as events:
        run(engine, Trial(state_folder(), folder, events.url, events.key, say), events)


def run(engine: Engine, trial: Trial, events: Events) -> None:
    engine.run(trial)
    events.show_lineage(engine.TABLE)
    events.show_alerts()
