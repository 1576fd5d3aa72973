"""Tells the incident of the orders: the lineage, the change, the alert, and what the change breaks."""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from headwater.cli.api import Api
from headwater.cli.demo.alert_lines import alert_lines
from headwater.cli.demo.recording import recording
from headwater.cli.failure import CommandFailure
from headwater.cli.load.sending import Sending
from headwater.cli.lookups.parser import parser
from headwater.cli.lookups.questions import reply_to
from headwater.cli.lookups.shell import command
from headwater.cli.lookups.terminal import display_for, shown
from headwater.ingest.event_files import SentEvent
from headwater.lookup.text.display import Display, Role, Span
from headwater.serve.alerting import Message
from headwater.serve.server import Served, Start, in_background

HOST = "127.0.0.1"
SECONDS = 60
"""How long to wait for what takes a fraction of a second on an idle machine."""
LINEAGE = ("lineage", "revenue_daily", "--up")
CHANGE = (
    "Then the schema of the raw orders changes: prices are in cents, and the column status is missing.",
    "The same jobs run again, and none fails. An alert comes:",
    "",
)
NEXT = (
    "",
    "next:",
    "  headwater demo --port 5000                  keeps this server running, to look around",
    "  headwater serve --data lineage.db --open    takes the events of your own jobs",
)


class NoDemo(Exception):
    """Something did not happen in time, or an event was refused."""


@dataclass(frozen=True)
class AlertsOfDemo:
    name: str = "demo"
    received: "queue.Queue[Message]" = field(default_factory=queue.Queue)

    def deliver(self, message: Message) -> None:
        self.received.put(message)

    def critical(self) -> Message:
        """The first critical alert, as soon as it is there. Raises NoDemo."""
        while True:
            try:
                message = self.received.get(timeout=SECONDS)
            except queue.Empty:
                raise NoDemo(f"no alert came within {SECONDS} s") from None
            if message["severity"] == "critical":
                return message


def tell(port: int | None) -> None:
    """Prints the story. With a port, the server stays there until Ctrl-C or SIGTERM. Raises NoDemo or NoAddress."""
    os.environ["no_proxy"] = HOST  # a proxy of the environment cannot reach this server
    display, alerts = display_for(sys.stdout, os.environ, whole=False), AlertsOfDemo()
    with TemporaryDirectory(prefix="headwater-demo-") as folder:
        start = Start(Path(folder) / "lineage.db", HOST, port or 0, is_open=True)
        with in_background(start, alerts) as served:
            _tell(served, alerts, display)
            if port is None:
                _say(*NEXT, display=display)
            else:
                _stay(served, display)


def _tell(served: Served, alerts: AlertsOfDemo, display: Display) -> None:
    events = recording(datetime.now(UTC))
    _send(events.before, served)
    _answer(LINEAGE, served, display)
    _say(*CHANGE, display=display)
    _send(events.after, served)
    print(display.text(alert_lines(alerts.critical(), display)), end="", flush=True)


def _send(events: Sequence[str], served: Served) -> None:
    """Sends events, and returns once they are folded into the graph. Raises NoDemo."""
    sending = Sending(Api(served.url).patient())
    sending.send(SentEvent("the story", event) for event in events)
    refused = [reason for _, reason in sending.refused]
    if refused:
        raise NoDemo(f"an event was refused: {refused[0]}")
    end = time.monotonic() + SECONDS
    while served.events_to_fold():
        if time.monotonic() > end:
            raise NoDemo(f"the events were not folded within {SECONDS} s")
        time.sleep(0.005)


def _answer(words: Sequence[str], served: Served, display: Display) -> None:
    """Prints a command, and its answer. Raises NoDemo."""
    try:
        reply = reply_to(Api(served.url), parser().parse_args(words))
    except CommandFailure as failure:
        raise NoDemo("\n".join(failure.lines())) from failure
    _say(f"$ {command('headwater', *words)}", display=display, role=Role.DETAIL)
    print(shown(reply.render, display))


def _say(*lines: str, display: Display, role: Role | None = None) -> None:
    print(display.text((Span(line, role),) for line in lines), end="", flush=True)


def _stay(served: Served, display: Display) -> None:
    """Returns on Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lines = (
        "",
        f"the server stays at {served.url} until Ctrl-C. The page of the incident, in a browser:",
        f"  {served.url}/#/why?nodeId=dataset:file:/data/lake/revenue_daily",
        "The command line, in another shell:",
        f"  export HEADWATER_URL={served.url}",
        "  headwater columns revenue_daily",
        "  headwater impact raw/orders unit_price",
        "  headwater why revenue_daily",
    )
    _say(*lines, display=display)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
