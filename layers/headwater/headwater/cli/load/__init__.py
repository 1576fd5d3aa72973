"""Sends recorded events to a server: files of one JSON event a line, as clients write them or as the archive has them
(`{"receivedAt": ..., "event": ...}`), arrays of events, plain or gzipped; folders of such files, https://... and
s3://BUCKET/PREFIX. Or moves a Marquez: its events, then its tags and descriptions. Events that the server has are no
harm: the graph ends the same."""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from headwater.cli.load.api import MarquezApi
from headwater.cli.load.marquez import copy_annotations, events_of
from headwater.cli.load.sending import Sending
from headwater.cli.load.sources import events

SHOWN = 10
URL = "http://127.0.0.1:5000"


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater load", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH|URL", help="a file, a folder, https://... or s3://...")
    parser.add_argument(
        "--url", default=os.environ.get(URL_VARIABLE, URL), help=f"(default: ${URL_VARIABLE}, else {URL})"
    )
    parser.add_argument("--key-file", type=Path, metavar="FILE", help=f"has the API key (default: ${KEY_VARIABLE})")
    parser.add_argument("--marquez", metavar="URL", help="move the Marquez, or Headwater, at this URL")
    parser.add_argument("--marquez-key-file", type=Path, metavar="FILE", help="has its API key, if it wants one")
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="remembers what was sent: a load that was cut off goes on",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if an event was refused, or the server or a file could not be read."""
    options = parser().parse_args(arguments)
    if bool(options.paths) == bool(options.marquez):
        parser().error("name files, or --marquez")
    sending = None
    try:
        key = options.key_file.read_text().strip() if options.key_file else os.environ.get(KEY_VARIABLE, "")
        server = MarquezApi(options.url.rstrip("/"), key)
        sending = Sending(server, options.resume, told=tell)
        if options.marquez:
            source_key = options.marquez_key_file.read_text().strip() if options.marquez_key_file else ""
            source = MarquezApi(options.marquez.rstrip("/"), source_key)
            sending.send(events_of(source))
            sending.refused += copy_annotations(source, server)
        else:
            sending.send(events(options.paths))
    except (OSError, ValueError) as error:
        print(f"failed: {error}", file=sys.stderr)
        if sending:
            report(sending, options.url)
        return 1
    report(sending, options.url)
    return 1 if sending.refused else 0


def report(sending: Sending, url: str) -> None:
    for reason, number in Counter(reason for _, reason in sending.refused).most_common(SHOWN):
        place = next(place for place, refused_for in sending.refused if refused_for == reason)
        print(f"refused: {place}: {reason}" + (f" ({number:,} times)" if number > 1 else ""), file=sys.stderr)
    skipped = f", sent before: {sending.skipped:,}" if sending.skipped else ""
    print(f"events accepted: {sending.accepted:,}, refused: {len(sending.refused):,}{skipped}, by {url}")


def tell(number: int) -> None:
    print(f"{number:,} events sent", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
