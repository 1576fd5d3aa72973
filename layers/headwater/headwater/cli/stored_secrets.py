"""`headwater check --secrets`: what secrets an archive, or a file of headwater serve, holds, and where."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from headwater.cli.file import opened
from headwater.cli.load.sources import events
from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.redaction import redacted, use_rules
from headwater.process_settings import read_settings
from headwater.store.bulk import documents_in
from headwater.store.messages import UnreadableMessage
from headwater.store.sqlite.table import SqliteTable

_SQLITE = b"SQLite format 3\0"
_INDEX = re.compile(r"\[\d+\]")


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
        print(f"no secret is known in {number:,} documents")
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
