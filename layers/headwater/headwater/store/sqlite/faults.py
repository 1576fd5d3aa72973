"""What is damaged in a file. SQLite checks pages and indexes; content is held against the hashes that are stored with
it, and rows against the rows that they refer to."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256

from headwater.store.bulk import state_in
from headwater.store.errors import CorruptItem, StorageError
from headwater.store.messages import UnreadableMessage
from headwater.store.sqlite.database import TABLES
from headwater.store.sqlite.home import SqliteHome
from headwater.store.sqlite.table import SqliteTable
from headwater.store.stream_records import images_of, written
from headwater.store.table import Item

_WITHOUT_PARTS = frozenset({"day", "searchTerm", "datasetAlert"})
"""The kinds of items whose rows have no version. All but their kind is in an index, too."""
_DEFINITIONS = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_PATH = re.compile(r"(?s)(?<=://)(?:[^/?#]*@)?([^/?#]*).*")
"""Of the URL of a webhook, the host and what is secret around it."""
_LOST = {
    "the archive lacks event {} of the inbox": "SELECT seq FROM inbox WHERE seq NOT IN (SELECT seq FROM archive)",
    "event {} of the archive was received at an impossible time": (
        "SELECT seq FROM archive WHERE NOT coalesce(received >= CAST(strftime('%s', json_extract(message,"
        " '$.receivedAt')) AS INTEGER) - 86400, 0)"
    ),
    "the receiver {} is said to have alerts that were never written": (
        "SELECT name FROM receivers WHERE seq NOT BETWEEN 0 AND"
        " (SELECT max(seq) FROM sqlite_sequence WHERE name = 'alerts')"
    ),
}


def faults_of(home: SqliteHome, seen: Counter[str]) -> Iterator[str]:
    """Each damaged place, in words; `seen` counts the items and events."""
    if faults := home.database.faults("integrity_check"):
        yield from faults
        return
    with closing(sqlite3.connect(":memory:")) as new, home.database.reading() as connection:
        new.executescript(TABLES)
        if not {*new.execute(_DEFINITIONS)} <= {*connection.execute(_DEFINITIONS)}:
            yield "a table or an index is not as it was made"
            return
    try:
        for item in SqliteTable(home.database).segment(0, 1):
            seen["items"] += 1
            yield from _of_item(item)
        for _ in home.archive.events():
            seen["events"] += 1
        yield from _of_rows(home)
    except (ValueError, TypeError, LookupError, StorageError, UnreadableMessage) as error:
        yield f"what follows {seen['items']:,} items and {seen['events']:,} events cannot be read: {error!r}"


def _of_item(item: Item) -> Iterator[str]:
    if not item.is_as_written or (item.stored_version is None) != (item.labels["kind"] in _WITHOUT_PARTS):
        yield f"the item {' '.join(item.key)} is not as it was written"
        return
    try:
        state_in(item)
    except CorruptItem as corrupt:
        yield str(corrupt)


def _of_rows(home: SqliteHome) -> Iterator[str]:
    with home.database.reading() as connection:
        for text, query in _LOST.items():
            yield from (text.format(_PATH.sub(r"\1", str(row[0]))) for row in connection.execute(query))
        for number, text in connection.execute("SELECT seq, record FROM outbox"):
            record = json.loads(text)
            items = [item for item in images_of(record, home.bodies) if item]
            is_whole = all(item.is_as_written for item in items) and written(record)
            if not is_whole or len(items) != {"INSERT": 1, "MODIFY": 2}[record["eventName"]]:
                yield f"change {number} of the outbox is not as it was written"
        for (alert,) in connection.execute("SELECT alert FROM alerts"):
            json.loads(alert)
        for key, content in connection.execute("SELECT key, content FROM bodies"):
            whole = content if key.startswith("bodies/") else json.loads(content).get("body", "").encode()
            if not key.startswith("quarantine/stream/") and sha256(whole).hexdigest() not in key:
                yield f"the body {key} is not as it was written"
