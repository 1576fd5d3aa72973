"""Writes every event of a file as the archive of a deployed stack has it.

events/date=2026-11-20/00001.gz has a line of JSON for each event, `{"receivedAt": ..., "event": ...}`, in the order in
which they were received. The archive is written into a folder, or below a prefix of a bucket: --to s3://BUCKET/PREFIX.
"""

import argparse
import gzip
import io
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from headwater.cli.command_line import command_parser
from headwater.cli.file import add_data, opened, readable
from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors
from headwater.store.aws.s3 import Bucket
from headwater.store.messages import ReceivedMessage, archive_line

EVENTS_A_FILE = 20_000
S3 = "s3://"


class Destination(Protocol):
    """Where the archive is written to."""

    def is_empty(self) -> bool: ...

    def put(self, name: str, content: bytes) -> None: ...


class Folder:
    def __init__(self, path: Path) -> None:
        self._path = path

    def is_empty(self) -> bool:
        return not self._path.exists() or not any(self._path.iterdir())

    def put(self, name: str, content: bytes) -> None:
        file = self._path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


class Prefix:
    """A prefix of a bucket. Region and credentials come from the environment."""

    def __init__(self, url: str) -> None:
        from botocore.session import Session  # noqa: PLC0415 - an extra of the wheel, only for this destination

        parts = urlsplit(url)
        self._name, self._prefix = parts.netloc, parts.path.strip("/") + "/" if parts.path.strip("/") else ""
        self._client: Any = client(Session(), "s3", seconds=PATIENT_SECONDS)

    def is_empty(self) -> bool:
        with translated_errors():
            listed = self._client.list_objects_v2(Bucket=self._name, Prefix=self._prefix, MaxKeys=1)
        return "Contents" not in listed

    def put(self, name: str, content: bytes) -> None:
        Bucket(self._client, self._name).put(self._prefix + name, content)


def parser() -> argparse.ArgumentParser:
    parser = command_parser("export", __doc__, "headwater export --data lineage.db --to archive")
    add_data(parser)
    parser.add_argument(
        "--to", required=True, metavar="DIR|s3://BUCKET/PREFIX", help="empty; a folder is made if it is missing"
    )
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the destination is not empty or cannot be written, or if the file cannot be used."""
    options = parser().parse_args(arguments)
    with opened(options.data) as home:
        destination: Destination = Prefix(options.to) if options.to.startswith(S3) else Folder(Path(options.to))
        if not destination.is_empty():
            print(f"failed: {options.to} is not empty; name a new folder or prefix", file=sys.stderr)
            return 1
        number = sum(write(destination, name, events) for name, events in files(home.archive.events()))
    after = "" if options.to.startswith(S3) else f"; headwater load {options.to} sends them to another server"
    print(f"{number:,} events in {options.to}{after}")
    return 0


def files(events: Iterator[ReceivedMessage]) -> Iterator[tuple[str, Iterator[ReceivedMessage]]]:
    """Yield the name of each file with its events: a file has events of one day, and not too many."""
    of_file = groupby(enumerate(events), key=lambda entry: (entry[1].received_at[:10], entry[0] // EVENTS_A_FILE))
    for (day, number), group in of_file:
        yield f"events/date={day}/{number + 1:05}.gz", (event for _, event in group)


def write(destination: Destination, name: str, events: Iterator[ReceivedMessage]) -> int:
    """Write the events of a file, and return their number."""
    packed = io.BytesIO()
    number = 0
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6) as file:
        for event in events:
            file.write(archive_line(event))
            number += 1
    destination.put(name, packed.getvalue())
    return number


if __name__ == "__main__":
    sys.exit(main())
