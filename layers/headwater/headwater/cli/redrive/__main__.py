"""Lists the messages that could not be processed, by reason, and sends them again.

Messages in quarantine failed because of a bug, dead letters because of an outage. With --reason, --run, --older-than
or --all they are sent again; without any of these they are only listed. Messages that fail again return with their
new reason.
"""

import argparse
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from headwater.cli.command_line import command_parser
from headwater.cli.file import opened, readable
from headwater.cli.redrive.deployed import of_stack
from headwater.cli.redrive.held_message import FileQuarantine, HeldMessages, Wanted, age, by_reason
from headwater.lookup.text.inert import inert
from headwater.openlineage.instant import NEVER, instant_of

EVERY = 100
"""Messages between two lines of progress."""
SHOWN = 200
"""Characters of an example."""


def parser() -> argparse.ArgumentParser:
    examples = ("headwater redrive --data lineage.db", "headwater redrive --stack headwater --older-than 2h")
    parser = command_parser("redrive", __doc__, *examples)
    home = parser.add_mutually_exclusive_group(required=True)
    home.add_argument("--data", metavar="FILE", help="the file of headwater serve, which may run")
    home.add_argument("--stack", metavar="NAME", help="the stack of template.yaml (needs headwater[aws])")
    parser.add_argument("--reason", default="", metavar="TEXT", help="replay messages with this text in the reason")
    parser.add_argument("--run", default="", metavar="ID", help="replay the messages of this run")
    parser.add_argument(
        "--older-than", type=age, metavar="AGE", help="replay events received at least this long ago: 90m, 12h, 3d"
    )
    parser.add_argument("--all", action="store_true", help="replay all messages")
    parser.add_argument("--dry-run", action="store_true", help="list what would be replayed")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the messages cannot be read or sent."""
    options = parser().parse_args(arguments)
    before = instant_of(datetime.now(UTC) - options.older_than) if options.older_than else NEVER
    wanted = Wanted(options.reason, options.run.lower(), before)
    is_chosen = options.all or wanted != Wanted()
    with ExitStack() as stack:
        homes = homes_of(options, stack)
        if options.dry_run or not is_chosen:
            show(homes, wanted)
        else:
            print(f"{replay(homes, wanted):,} messages were sent again; those that fail again return with their reason")
    return 0


def homes_of(options: argparse.Namespace, stack: ExitStack) -> Iterable[HeldMessages]:
    """The places in which messages are held. Raises StorageError, or RefusedDatabase."""
    if options.stack:
        return of_stack(options.stack)
    return [FileQuarantine(stack.enter_context(opened(Path(options.data))).quarantine)]


def show(homes: Iterable[HeldMessages], wanted: Wanted) -> None:
    """Print the messages by reason, each with an example."""
    counts = by_reason(message for home in homes for message in home.messages(wanted))
    for reason, (number, example) in counts.items():
        received = f", received {example.received_at}" if example.received_at else ""
        print(f"{number:,} x {inert(reason)}")
        print(f"    such as: {inert(example.reason[:SHOWN])}")
        print(f"    of {inert(example.group)}{received}")
    total = sum(count.number for count in counts.values())
    print(f"{total:,} messages; --all replays them, --reason, --run and --older-than some of them")


def replay(homes: Iterable[HeldMessages], wanted: Wanted) -> int:
    """Send messages once more. Return their number."""
    number = 0
    for home in homes:
        for message in home.messages(wanted):
            if not message.body:
                print(f"left where it is: {inert(message.handle)}: {message.reason}", file=sys.stderr)
                continue
            home.replay(message)
            number += 1
            if number % EVERY == 0:
                print(f"{number:,} sent", flush=True)
    return number


if __name__ == "__main__":
    sys.exit(main())
