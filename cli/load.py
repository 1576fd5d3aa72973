"""Sends recorded events to a server: files of one JSON event a line, as clients write them or as the archive has them
(`{"receivedAt": ..., "event": ...}`), plain or gzipped, and folders of such files. Events that the server has are no
harm: the graph ends the same."""

import argparse
import gzip
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from cli.endpoint import KEY_VARIABLE, URL_VARIABLE

BATCH = 100
SECONDS = 60
TRIES = 8
SHOWN = 10
URL = "http://127.0.0.1:5000"
SUFFIXES = (".jsonl", ".json", ".ndjson", ".gz")


@dataclass
class Sent:
    """What became of the events: how many were accepted, and the reasons of those that were refused."""

    accepted: int = 0
    refused: list[str] = field(default_factory=list)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater load", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file or a folder")
    parser.add_argument(
        "--url", default=os.environ.get(URL_VARIABLE, URL), help=f"(default: ${URL_VARIABLE}, else {URL})"
    )
    parser.add_argument("--key-file", type=Path, metavar="FILE", help=f"has the API key (default: ${KEY_VARIABLE})")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if an event was refused, or the server or a file could not be read."""
    options = parser().parse_args(arguments)
    try:
        key = options.key_file.read_text().strip() if options.key_file else os.environ.get(KEY_VARIABLE, "")
        sent = send_all(events(options.paths), options.url.rstrip("/"), key)
    except (OSError, ValueError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    for reason in sent.refused[:SHOWN]:
        print(f"refused: {reason}", file=sys.stderr)
    print(f"events accepted: {sent.accepted:,}, refused: {len(sent.refused):,}, by {options.url}")
    return 1 if sent.refused else 0


def events(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the events of files and folders as text, in the order of names and lines. Raises OSError."""
    for path in paths:
        if path.is_dir():
            yield from events(sorted(file for file in path.rglob("*") if file.is_file() and file.suffix in SUFFIXES))
            continue
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield from (event_of(line.decode()) for line in file if line.strip())


def event_of(line: str) -> str:
    """Return the event in a line. The text stays as it is: a number keeps its digits."""
    start = '"event":'
    if not line.startswith('{"receivedAt":'):
        return line
    if start not in line:
        raise ValueError("an event is in the bucket alone; copy it from bodies/: " + line[:200])
    return line.rstrip()[line.index(start) + len(start) : -1]


def send_all(texts: Iterable[str], url: str, key: str) -> Sent:
    """Send events in batches. Raises OSError if the server does not take them."""
    sent, rest = Sent(), iter(texts)
    while batch := list(islice(rest, BATCH)):
        answer = post(f"{url}/api/v1/lineage/batch", gzip.compress(f"[{','.join(batch)}]".encode(), 1), key)
        sent.accepted += answer["summary"]["successful"]
        sent.refused += [event["reason"] for event in answer["failed_events"]]
    return sent


def post(url: str, body: bytes, key: str) -> Any:
    """Post a batch, again if the server asks for it. Raises OSError, which says what the server answered."""
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    for attempt in range(TRIES):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=SECONDS) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or attempt == TRIES - 1:
                raise OSError(f"{url} answered {error.code}: {error.read(500).decode(errors='replace')}") from error
            time.sleep(2**attempt / 10)
    raise AssertionError


if __name__ == "__main__":
    sys.exit(main())
