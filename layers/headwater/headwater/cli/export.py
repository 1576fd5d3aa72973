"""Writes every event of a file as the archive of a deployed stack has it.

events/date=2026-11-20/000000000614.gz has one line of JSON per event, `{"receivedAt": ..., "event": ...}`, in the
order in which they were received. --to is a folder or a prefix of a bucket. If the same file was exported there
before, only the events since then are added.
"""

import argparse
import gzip
import io
import json
import re
import sys
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby

from headwater.cli.command_line import command_parser
from headwater.cli.file import add_data, opened, readable
from headwater.store.archive_location import EVENTS, Location
from headwater.store.home import StoredEvents
from headwater.store.messages import archive_line

EVENTS_A_FILE = 20_000
_KEY = re.compile(rf"{EVENTS}date=[0-9-]{{10}}/([0-9]{{12}})\.gz")
"""The key of a file, with the number of its last event."""


class OtherArchive(Exception):
    """What is in the destination was not exported from this file."""


def parser() -> argparse.ArgumentParser:
    parser = command_parser("export", __doc__, "headwater export --data lineage.db --to archive")
    add_data(parser)
    parser.add_argument(
        "--to", required=True, metavar="DIR|s3://BUCKET/PREFIX", help="where to write; made if it is missing"
    )
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the destination has other events or cannot be written, or if the file cannot be used."""
    options = parser().parse_args(arguments)
    destination = Location(options.to)
    with opened(options.data) as home:
        try:
            number = sum(written(destination, home.archive))
        except OtherArchive as error:
            print(f"failed: {options.to} {error}; name a new folder or prefix", file=sys.stderr)
            return 1
    after = "" if destination.is_bucket else f"; headwater load {options.to} sends them to another server"
    print(f"{number:,} new events in {options.to}{after}")
    return 0


def written(destination: Location, archive: StoredEvents) -> Iterator[int]:
    """Write the events that the destination lacks, and yield how many each file has: some of one day. Raises
    OtherArchive."""
    key = newest(destination)
    last = int(_KEY.sub(r"\1", key)) if key else 0
    if key:
        verify(last_line(destination, key), last, archive)
    of_file = groupby(
        enumerate(archive.numbered(last + 1)),
        key=lambda entry: (entry[1][1].received_at[:10], entry[0] // EVENTS_A_FILE),
    )
    for (day, _), group in of_file:
        packed = io.BytesIO()
        count = 0
        with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6) as file:
            for _, (number, event) in group:
                file.write(archive_line(event))
                last, count = number, count + 1
        destination.put(f"{EVENTS}date={day}/{last:012}.gz", packed.getvalue())
        yield count


def newest(destination: Location) -> str:
    """The key of the file with the newest events; empty for an empty destination. Raises OtherArchive."""
    keys = [found.key for found in destination.objects(EVENTS)]
    if not all(map(_KEY.fullmatch, keys)):
        raise OtherArchive("has events that this command did not write")
    return max(keys, key=lambda key: key[-len("000000000000.gz") :], default="")


def last_line(destination: Location, key: str) -> bytes:
    """The last line of a file. Raises OtherArchive."""
    try:
        with closing(destination.open(key)) as packed, gzip.open(packed) as lines:
            return deque(lines, maxlen=1).pop()
    except (EOFError, IndexError, zlib.error, gzip.BadGzipFile) as error:
        raise OtherArchive(f"has a damaged file, {key}") from error


def verify(line: bytes, number: int, archive: StoredEvents) -> None:
    """Check that the event of a number was a line's. Raises OtherArchive."""
    kept, event = next(archive.numbered(number), (0, None))
    if kept == number and event:
        is_same = archive_line(event) == line
    else:  # the event has expired, and those that are kept were received later; or none are kept
        is_same = event.received_at >= json.loads(line)["receivedAt"] if event else not any(archive.numbered())
    if not is_same:
        raise OtherArchive("has the events of another file")
