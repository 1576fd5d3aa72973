"""Reads a whole file of headwater serve, also while it is served, and lists what is damaged. With --secrets, lists what
secrets such a file or recorded events hold, and where; the secrets themselves are not shown.

A flipped bit may hide an item from the lookups, which then say that there is none. If something is damaged, restore a
copy; or export the events and load them into a new file, which makes the same graph.

What was stored before a release knew a secret, or before a rule of SECRET_RULES, stays as it was: change these secrets,
then load the events into a new file or stack, which replaces them.
"""

import argparse
import sys
from pathlib import Path

from headwater.cli.command_line import command_parser
from headwater.cli.file import opened, readable
from headwater.cli.stored_secrets import list_secrets
from headwater.store.bulk import state_in
from headwater.store.errors import CorruptItem
from headwater.store.messages import UnreadableMessage
from headwater.store.sqlite.table import SqliteTable

MOST_LISTED = 20


def parser() -> argparse.ArgumentParser:
    examples = ("headwater check lineage.db", "headwater check --secrets lineage.db s3://lineage-archive/events")
    parser = command_parser("check", __doc__, *examples)
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH|URL",
        help="files of headwater serve; with --secrets also files and folders of events, https://... or s3://...",
    )
    parser.add_argument("--secrets", action="store_true", help="list what secrets they hold, and where")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if something is damaged, a secret was found, or a file cannot be used."""
    options = parser().parse_args(arguments)
    if options.secrets:
        return list_secrets(options.paths)
    return max([_check(Path(path)) for path in options.paths])


def _check(data: Path) -> int:
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
