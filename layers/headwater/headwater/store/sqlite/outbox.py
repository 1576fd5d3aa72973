"""The outbox: changes of items, as records of a stream, kept until their alerts are safe.

A record is added in the transaction that changes the item, so no change is lost whenever the process dies. The outbox
takes the changes that template.yaml lets through from the stream of DynamoDB to the function alerts.
"""

import json
import sqlite3
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from headwater.graph.states.run import RunState
from headwater.store.items.rhythms import UNUSUAL
from headwater.store.sqlite.database import Database
from headwater.store.stream_records import image_of
from headwater.store.table import Item

_TELLING = frozenset({"dataset", "run", "rhythm", "quality", "latency"})
AT_ONCE = 100
"""Records that are taken together."""
LONG = 200
"""Records of some seconds, if each takes an alert."""


class ItemChange(NamedTuple):
    """A change of an item; `before` is None for a new item."""

    before: Item | None
    after: Item


class SqliteOutbox:
    """`Outbox` over a file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @staticmethod
    def add(connection: sqlite3.Connection, changes: Iterable[ItemChange]) -> None:
        """Adds changes that may cause an alert, in the transaction that makes them."""
        records = [
            (json.dumps(_record(change)),)
            for change in changes
            if change.after.labels.get("kind") in _TELLING and _may_cause_an_alert(change)
        ]
        connection.executemany("INSERT INTO outbox (record) VALUES (?)", records)

    def take(self) -> list[dict[str, Any]]:
        """The first records, in the form in which Lambda gets records of a stream."""
        with self._database.settled() as connection:  # the announcer reads the items that changed
            rows = connection.execute("SELECT seq, record FROM outbox ORDER BY seq LIMIT ?", (AT_ONCE,)).fetchall()
        return [_numbered(json.loads(record), str(seq)) for seq, record in rows]

    def is_long(self) -> bool:
        """Whether hundreds of records wait, by the numbers of the first and the last one."""
        with self._database.reading() as connection:
            (waiting,) = connection.execute("SELECT max(seq) - min(seq) FROM outbox").fetchone()
        return (waiting or 0) > LONG

    def remove_before(self, sequence: str | None, taken: Iterable[dict[str, Any]]) -> None:
        """Removes taken records up to the one of this sequence number; None: all of them."""
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in taken]
        done = [(number,) for number in numbers if sequence is None or number < int(sequence)]
        if done:
            with self._database.writing() as connection:
                connection.executemany("DELETE FROM outbox WHERE seq = ?", done)


def _may_cause_an_alert(change: ItemChange) -> bool:
    labels = change.after.labels
    match labels.get("kind"):
        case "dataset":
            return change.before is not None
        case "run":
            return labels.get("state") == RunState.FAILED
        case "rhythm":
            return UNUSUAL in labels
        case kind:
            return kind in ("quality", "latency")


def _record(change: ItemChange) -> dict[str, Any]:
    images = {"OldImage": image_of(change.before)} if change.before else {}
    return {
        "eventName": "MODIFY" if change.before else "INSERT",
        "dynamodb": {"ApproximateCreationDateTime": int(time.time()), **images, "NewImage": image_of(change.after)},
    }


def _numbered(record: dict[str, Any], number: str) -> dict[str, Any]:
    return {**record, "eventID": number, "dynamodb": {**record["dynamodb"], "SequenceNumber": number}}
