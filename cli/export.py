"""Writes every event of a file as the archive of a deployed stack has it: DIR/events/date=2026-11-20/00001.gz, with a
line of JSON for each event, `{"receivedAt": ..., "event": ...}`, in the order in which they were received."""

import argparse
import gzip
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from cli.file import add_data, opened, readable
from headwater.store.messages import ReceivedMessage, archive_line
from headwater.store.sqlite.archive import SqliteArchive
from headwater.store.sqlite.bodies import SqliteBodies

EVENTS_A_FILE = 20_000


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater export", description=__doc__)
    add_data(parser)
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="empty, or to be made")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the folder is not empty, or the file cannot be used."""
    options = parser().parse_args(arguments)
    if options.to.exists() and any(options.to.iterdir()):
        print(f"failed: {options.to} is not empty; name a new folder", file=sys.stderr)
        return 1
    with opened(options.data) as database:
        archive = SqliteArchive(database, SqliteBodies(database))
        number = sum(write(path, events) for path, events in files(archive.events(), options.to / "events"))
    print(f"{number:,} events in {options.to}; headwater load {options.to} sends them to another server")
    return 0


def files(events: Iterator[ReceivedMessage], folder: Path) -> Iterator[tuple[Path, Iterator[ReceivedMessage]]]:
    """Yield each file with its events: a file has events of one day, and not too many."""
    numbered = enumerate(events)
    of_file = groupby(numbered, key=lambda each: (each[1].received_at[:10], each[0] // EVENTS_A_FILE))
    for (day, number), group in of_file:
        yield folder / f"date={day}" / f"{number + 1:05}.gz", (event for _, event in group)


def write(path: Path, events: Iterator[ReceivedMessage]) -> int:
    """Write the events of a file, and return their number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    with gzip.open(path, "wb", 6) as file:
        for event in events:
            file.write(archive_line(event))
            number += 1
    return number


if __name__ == "__main__":
    sys.exit(main())
