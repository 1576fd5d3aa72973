"""What the commands share that ask a source again and again, and send what is new to a server."""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.api import Api
from headwater.cli.endpoint import add_server_options
from headwater.cli.load import sending
from headwater.cli.load.sources import SentEvent
from headwater.cli.refusal import NotFoundFailure

PAGE = 100
INTERVAL = 60.0


@dataclass(frozen=True)
class Sending:
    """Posts events like any producer. `subject` is the member of an event that has a name: `job` or `dataset`."""

    api: Api
    subject: str

    def __call__(self, events: Sequence[dict[str, Any]]) -> None:
        """Raises CommandFailure or OSError if the server did not take all events."""
        sent = sending.Sending(self.api.patient())
        sent.send(SentEvent(event[self.subject]["name"], json.dumps(event)) for event in events)
        if sent.refused:
            raise OSError(f"{self.api.url} refused {len(sent.refused)} events: {sent.refused[0][1]}")


def listed(api: Api, namespace: str, kind: str) -> Iterator[dict[str, Any]]:
    """The `jobs` or `datasets` of a namespace, page by page; none of an unknown namespace. Raises CommandFailure."""
    cursor: str | None = ""
    while cursor is not None:
        try:
            answer = api.ask("namespaces", namespace, kind, limit=PAGE, cursor=cursor or None).document
        except NotFoundFailure:
            return
        yield from answer[kind]
        cursor = answer.get("cursor")


def add_options(parser: argparse.ArgumentParser, source: str) -> None:
    """The options of polls, and of the server. `source` is what is asked, such as `the workers`."""
    parser.add_argument("--once", action="store_true", help="poll once, and end")
    parser.add_argument(
        "--interval", type=float, default=INTERVAL, metavar="SECONDS", help="between polls (default: %(default)g)"
    )
    parser.add_argument(
        "--authorization-file", type=Path, metavar="FILE", help=f"has the header Authorization for {source}"
    )
    add_server_options(parser)


def authorization_of(options: argparse.Namespace) -> str:
    """The header for the source; empty if none is needed. Raises OSError."""
    return options.authorization_file.read_text().strip() if options.authorization_file else ""


def poll_again(poll: Callable[[], bool], options: argparse.Namespace) -> int:
    """Poll until Ctrl-C, or once. The exit status is 1 if the only poll was not whole."""
    try:
        while True:
            is_whole = poll()
            if options.once:
                return 0 if is_whole else 1
            time.sleep(options.interval)
    except KeyboardInterrupt:
        return 0
