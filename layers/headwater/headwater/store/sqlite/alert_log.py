"""Alerts of a file, and how far each receiver has got. An absent receiver does not hold up the others."""

import json
from collections.abc import Iterable
from typing import Any

from headwater.store.sqlite.database import Database

KEPT = 10_000
"""How many alerts are kept for absent receivers."""


class SqliteAlertLog:
    """`AlertLog` over a file: each alert is a JSON document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, alerts: Iterable[dict[str, Any]]) -> None:
        """Adds alerts, on disk once this returns. If there are too many, the oldest alerts go."""
        with self._database.writing() as connection:
            connection.executemany("INSERT INTO alerts (alert) VALUES (?)", [(json.dumps(alert),) for alert in alerts])
            connection.execute("DELETE FROM alerts WHERE seq <= (SELECT max(seq) FROM alerts) - ?", (KEPT,))

    def join(self, receiver: str) -> None:
        """Makes a receiver known. A new receiver gets only later alerts."""
        with self._database.writing() as connection:
            query = "INSERT OR IGNORE INTO receivers SELECT ?, coalesce(max(seq), 0) FROM alerts"
            connection.execute(query, (receiver,))

    def next_for(self, receiver: str) -> tuple[int, dict[str, Any]] | None:
        """The first alert that a receiver has not got, with its number."""
        query = "SELECT seq, alert FROM alerts WHERE seq > (SELECT seq FROM receivers WHERE name = ?) ORDER BY seq"
        with self._database.reading() as connection:
            row = connection.execute(f"{query} LIMIT 1", (receiver,)).fetchone()
        return (row[0], json.loads(row[1])) if row else None

    def received(self, receiver: str, number: int) -> None:
        """A receiver has got the alert of this number."""
        with self._database.writing() as connection:
            connection.execute("UPDATE receivers SET seq = ? WHERE name = ?", (number, receiver))
