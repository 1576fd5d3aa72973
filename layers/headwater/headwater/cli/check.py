"""Reads a whole file of headwater serve, even while it is served, and lists what is damaged. With --secrets, lists what
secrets such a file or recorded events hold, and where; the secrets themselves are not shown.

A flipped bit may hide an item from the lookups, which then say that there is none. If something is damaged, restore a
copy; or export the events and load them into a new file, which makes the same graph.

It cannot see a flipped bit that leaves valid text: in an alert not delivered yet, in the reason and run of a message
in quarantine, in the entry of an API key (compare `headwater key list`), or in which of the newest events wait in the
inbox. Nor one in the time of a change, or in the time an event was received, unless that is a day before it was sent.
After a crash, FILE-wal counts up to its first damaged part.

Secrets that were stored before a release or a rule of SECRET_RULES recognised them are still there: change them, then
load the events into a new file or stack, which replaces them.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from headwater.access.keys import read_keys
from headwater.cli.command_line import command_parser
from headwater.cli.file import opened, readable
from headwater.cli.load.sources import events
from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.redaction import redacted, use_rules
from headwater.process_settings import read_settings
from headwater.store.bulk import documents_in
from headwater.store.messages import UnreadableMessage
from headwater.store.sqlite.faults import faults_of
from headwater.store.sqlite.table import SqliteTable

MOST_LISTED = 20
_SQLITE = b"SQLite format 3\0"
_INDEX = re.compile(r"\[\d+\]")


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
    seen: Counter[str] = Counter()
    with opened(data) as home:
        faults = [*faults_of(home, seen)]
        refused = [text for entry in home.api_keys.entries() for text in _refusal(entry)]
    for fault in [*faults, *refused][:MOST_LISTED]:
        print(fault)
    if faults:
        print(f"failed: {data} is damaged in {len(faults)} places; restore a copy", file=sys.stderr)
        return 1
    if refused:
        print(f"failed: {data} is whole, but {len(refused)} of its keys are refused", file=sys.stderr)
        return 1
    print(f"{data} is whole: {seen['items']:,} items, {seen['events']:,} events")
    return 0


def _refusal(entry: dict[str, Any]) -> list[str]:
    """Why a key is refused; nothing of a key that is not. A newer release may have written its entry."""
    wrong: list[str] = []
    read_keys(exact_json.dumps({"keys": [entry]}), lambda bad: wrong.append(str(bad).removeprefix("keys[0] ")))
    return [f"key {entry['id']} is refused: its entry {text} that this release knows" for text in wrong]


def list_secrets(sources: Iterable[str]) -> int:
    """Print the places of secrets, and not the secrets. Return 1 if one was found, or a source cannot be read."""
    use_rules(read_settings().secret_rules)
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    number = unread = 0
    for place, document in _documents(sources):
        if document is None:
            unread += 1
            print(f"{place} cannot be read", file=sys.stderr)
            continue
        number += 1
        for secret in redacted(document, exact_json.dumps(document)).places:
            kind = _INDEX.sub("[]", secret)
            found[kind] += 1
            first.setdefault(kind, place)
    for kind, count in found.most_common():
        print(f"{count:,} × {kind}, first in {first[kind]}")
    if found:
        print(f"failed: {found.total():,} secrets in {number:,} documents", file=sys.stderr)
    elif not unread:
        print(f"no secret was recognised in {number:,} documents")
    return 1 if found or unread else 0


def _documents(sources: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Each document with the place where it stands; None for one that cannot be read."""
    for source in sources:
        path = Path(source)
        if path.is_file() and path.open("rb").read(len(_SQLITE)) == _SQLITE:
            yield from _of_file(path)
            continue
        for event in events([source]):
            try:
                yield event.place, None if event.fault else exact_json.loads(event.text)
            except InvalidRequest:
                yield event.place, None


def _of_file(path: Path) -> Iterator[tuple[str, Any]]:
    """The events of a file, and its items: an item outlives the events that it is made of."""
    with opened(path) as home:
        try:
            for event in home.archive.events():
                yield f"the event received at {event.received_at}", exact_json.loads(event.canonical)
            for item in SqliteTable(home.database).segment(0, 1):
                for document in documents_in(item):
                    yield f"the item {' '.join(item.key)}", document
        except (ValueError, UnreadableMessage):
            yield f"the rest of {path}, which is damaged (headwater check says more)", None
