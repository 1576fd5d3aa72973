"""Reads a whole file of headwater serve, also while it is served, and lists what is damaged.

A flipped bit may hide an item from the lookups, which then say that there is none. If something is damaged, restore a
copy; or export the events and load them into a new file, which makes the same graph.
"""

import argparse
import sys
from pathlib import Path

from headwater.cli.file import opened, readable
from headwater.store.bulk import state_in
from headwater.store.errors import CorruptItem
from headwater.store.messages import UnreadableMessage
from headwater.store.sqlite.table import SqliteTable

MOST_LISTED = 20


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater check", description=__doc__)
    parser.add_argument("data", type=Path, metavar="FILE", help="the file of headwater serve")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if something is damaged, or the file cannot be used."""
    data = parser().parse_args(arguments).data
    with opened(data) as home:
        faults, items, events = home.database.faults("integrity_check"), 0, 0
        try:
            for item in () if faults else SqliteTable(home.database).segment(0, 1):
                items += 1
                try:
                    state_in(item)
                except CorruptItem as corrupt:
                    faults.append(str(corrupt))
            for _ in () if faults else home.archive.events():
                events += 1
        except (ValueError, UnreadableMessage) as error:
            faults.append(f"an item or event after {items:,} items and {events:,} events: {error}")
    for fault in faults[:MOST_LISTED]:
        print(fault)
    if faults:
        print(f"failed: {data} is damaged in {len(faults)} places; restore a copy", file=sys.stderr)
        return 1
    print(f"{data} is whole: {items:,} items, {events:,} events")
    return 0


if __name__ == "__main__":
    sys.exit(main())
