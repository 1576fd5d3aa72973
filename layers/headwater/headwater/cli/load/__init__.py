"""Sends recorded events to a server: files with one JSON event per line, as clients write them or as the archive has
them (`{"receivedAt": ..., "event": ...}`), arrays of events, plain or gzipped; folders of such files, https://... and
s3://BUCKET/PREFIX. Or copies a Marquez: its events, then its tags and descriptions. Sending an event twice does no
harm: the graph stays the same."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.command_line import command_parser
from headwater.cli.endpoint import add_server_options, api_of, as_address, key_of
from headwater.cli.failure import CommandFailure, reason_of
from headwater.cli.load.marquez import copy_annotations, events_of
from headwater.cli.load.sending import Sending
from headwater.cli.load.sources import events
from headwater.cli.lookups.terminal import told
from headwater.cli.refusal import Given

SHOWN = 10
OF_MARQUEZ = Given("--marquez", "name a file that has a valid key with --marquez-key-file")


def parser() -> argparse.ArgumentParser:
    examples = ("headwater load events.jsonl", "headwater load --marquez http://marquez:5000")
    parser = command_parser("load", __doc__, *examples)
    parser.add_argument("paths", nargs="*", metavar="PATH|URL", help="a file, a folder, https://... or s3://...")
    add_server_options(parser)
    parser.add_argument("--marquez", metavar="URL", help="copy from the Marquez (or Headwater) at this URL")
    parser.add_argument("--marquez-key-file", type=Path, metavar="FILE", help="file with its API key, if it needs one")
    parser.add_argument(
        "--resume", type=Path, metavar="FILE", help="remember here what was sent, so that an interrupted load can go on"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if an event was refused, or the server or a file could not be read."""
    options = parser().parse_args(arguments)
    if bool(options.paths) == bool(options.marquez):
        parser().error("name files, or --marquez")
    try:
        server = api_of(options.url, options.key_file).patient()
    except CommandFailure as failure:
        return failed(failure)
    sending = Sending(server, options.resume, told=tell)
    status = 0
    try:
        if options.marquez:
            move(marquez_of(options), server, sending)
        else:
            sending.send(events(options.paths))
    except (CommandFailure, OSError, ValueError) as error:
        status = failed(error)
    report(sending, server.url)
    return 1 if sending.refused else status


def marquez_of(options: argparse.Namespace) -> Api:
    """The Marquez to move. Raises CommandFailure."""
    key = key_of(options.marquez_key_file) if options.marquez_key_file else ""
    return Api(as_address(options.marquez), key, given=OF_MARQUEZ).patient()


def move(source: Api, server: Api, sending: Sending) -> None:
    """Raises CommandFailure, OSError or ValueError."""
    sending.send(events_of(source))
    sending.refused += copy_annotations(source, server)


def failed(error: Exception) -> int:
    """Say why a load ended early. Return the exit status."""
    print("failed: ", end="", file=sys.stderr)
    told(error if isinstance(error, CommandFailure) else CommandFailure(reason_of(error), status=1))
    return 1


def report(sending: Sending, url: str) -> None:
    for reason, number in Counter(reason for _, reason in sending.refused).most_common(SHOWN):
        place = next(place for place, refused_for in sending.refused if refused_for == reason)
        print(f"refused: {place}: {reason}" + (f" ({number:,} times)" if number > 1 else ""), file=sys.stderr)
    skipped = f", sent before: {sending.skipped:,}" if sending.skipped else ""
    print(f"events accepted: {sending.accepted:,}, refused: {len(sending.refused):,}{skipped}, by {url}")


def tell(number: int) -> None:
    print(f"{number:,} events sent", file=sys.stderr, flush=True)
