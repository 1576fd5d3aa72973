"""What the commands share that ask a source again and again, and send what is new to a server."""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from headwater.cli.load import URL, sending
from headwater.cli.load.api import MarquezApi
from headwater.cli.load.sources import SentEvent
from headwater.cli.lookups.api import Api, NotFoundFailure

PAGE = 100
INTERVAL = 60.0


@dataclass(frozen=True)
class Sending:
    """Posts events like any producer. `subject` is the member of an event that has a name: `job` or `dataset`."""

    api: Api
    subject: str

    def __call__(self, events: Sequence[dict[str, Any]]) -> None:
        """Raises OSError if the server did not take all events."""
        sent = sending.Sending(MarquezApi(self.api.url, self.api.key))
        sent.send(SentEvent(event[self.subject]["name"], json.dumps(event)) for event in events)
        if sent.refused:
            raise OSError(f"{self.api.url} refused {len(sent.refused)} events: {sent.refused[0][1]}")


def listed(api: Api, namespace: str, kind: str) -> Iterator[dict[str, Any]]:
    """The `jobs` or `datasets` of a namespace, page by page; none of an unknown namespace. Raises LookupFailure."""
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
    parser.add_argument(
        "--url", default=os.environ.get(URL_VARIABLE, URL), help=f"of the server (default: ${URL_VARIABLE}, else {URL})"
    )
    parser.add_argument("--key-file", type=Path, metavar="FILE", help=f"has the API key (default: ${KEY_VARIABLE})")


def authorization_of(options: argparse.Namespace) -> str:
    """The header for the source; empty if none is needed. Raises OSError."""
    return options.authorization_file.read_text().strip() if options.authorization_file else ""


def api_of(options: argparse.Namespace) -> Api:
    """The server. Raises OSError."""
    key = options.key_file.read_text().strip() if options.key_file else os.environ.get(KEY_VARIABLE, "")
    return Api(options.url.rstrip("/"), key)


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
