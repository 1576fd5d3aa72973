"""Alerts of a file, and how far each receiver has got. An absent receiver does not hold up the others.

A receiver gets the alerts of all namespaces in turn, those of each in their order: behind a thousand alerts of one
team, that of another is next. A row of `receivers` has the number up to which it has got all. Which ones beyond it,
only the process knows, so a receiver may get those again after the next start.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from sys import maxsize
from typing import Any

from headwater.store.sqlite.database import Database, in_turn

KEPT = 10_000
"""How many alerts are kept for absent receivers."""
_NAMESPACE = "iif(json_valid(alert), coalesce(json_extract(alert, '$.namespace'), ''), '')"
_BY_NAMESPACE = f"CREATE INDEX IF NOT EXISTS alerts_by_namespace ON alerts ({_NAMESPACE}, seq)"
_NEXT_NAMESPACE = f"SELECT {_NAMESPACE} FROM alerts WHERE {_NAMESPACE} >= ? ORDER BY {_NAMESPACE} LIMIT 1"  # noqa: S608
_NEXT = (
    f"SELECT seq, alert FROM alerts WHERE {_NAMESPACE} = ? AND seq > ? AND json_valid(alert)"  # noqa: S608
    " ORDER BY seq LIMIT 1"
)
"""A damaged alert is passed over: `headwater check` finds it."""
_FOLLOWING = "SELECT min(seq) FROM alerts WHERE seq > ?"
_REMOVE_RECEIVED = "DELETE FROM alerts WHERE seq IN (SELECT seq FROM alerts WHERE seq <= ? ORDER BY seq LIMIT ?)"
_REMOVE_OF_MOST = (
    f"DELETE FROM alerts WHERE seq = (SELECT min(seq) FROM alerts WHERE {_NAMESPACE} ="  # noqa: S608
    f" (SELECT {_NAMESPACE} FROM alerts GROUP BY 1 ORDER BY count(*) DESC LIMIT 1))"
)
"""The oldest alert of the namespace that has the most: 2 ms with 10,000 alerts."""


@dataclass
class _Receiver:
    """What a receiver has got: all alerts up to a number, and some `ahead`; by namespace, the last one of it."""

    all_to: int
    last: str = ""
    got: dict[str, int] = field(default_factory=dict)
    ahead: set[int] = field(default_factory=set)


class SqliteAlertLog:
    """`AlertLog` over a file: each alert is a JSON document."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._receivers: dict[str, _Receiver] = {}

    def add(self, alerts: Iterable[dict[str, Any]]) -> None:
        """Adds alerts, on disk once this returns. If there are too many, the oldest go that all receivers got, then the
        oldest of the namespace that has the most: a flood of one team drops no alert of another."""
        with self._database.writing() as connection:
            connection.executemany("INSERT INTO alerts (alert) VALUES (?)", [(json.dumps(alert),) for alert in alerts])
            excess = connection.execute("SELECT count(*) FROM alerts").fetchone()[0] - KEPT
            if excess > 0:
                received = min((known.all_to for known in self._receivers.values()), default=maxsize)
                excess -= connection.execute(_REMOVE_RECEIVED, (received, excess)).rowcount
            connection.executemany(_REMOVE_OF_MOST, [()] * excess)

    def join(self, receiver: str) -> None:
        """Makes a receiver known. A new receiver gets only later alerts."""
        with self._database.writing() as connection:
            connection.execute(_BY_NAMESPACE)
            query = "INSERT OR IGNORE INTO receivers SELECT ?, coalesce(max(seq), 0) FROM alerts"
            connection.execute(query, (receiver,))
            (all_to,) = connection.execute("SELECT seq FROM receivers WHERE name = ?", (receiver,)).fetchone()
        self._receivers[receiver] = _Receiver(all_to)

    def next_for(self, receiver: str) -> tuple[int, dict[str, Any]] | None:
        """The next alert for a receiver, with its number: the first one of the next namespace that has one."""
        known = self._receivers[receiver]
        with self._database.reading() as connection:
            first, last = connection.execute(
                "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM alerts"
            ).fetchone()
            if last <= known.all_to:
                return None
            known.all_to = max(known.all_to, first - 1)  # those before are no longer kept
            for namespace in in_turn(connection, _NEXT_NAMESPACE, known.last):
                behind = max(known.all_to, known.got.get(namespace, 0))
                if row := connection.execute(_NEXT, (namespace, behind)).fetchone():
                    known.last = namespace
                    return row[0], json.loads(row[1])
        known.got.clear()
        self._note(receiver, last)
        return None

    def received(self, receiver: str, number: int) -> None:
        """A receiver has got the alert of this number, which was its next one."""
        known = self._receivers[receiver]
        known.got[known.last] = number
        known.ahead.add(number)
        all_to = known.all_to
        with self._database.reading() as connection:  # some numbers are left out
            while (following := connection.execute(_FOLLOWING, (all_to,)).fetchone()[0]) in known.ahead:
                all_to = following
        self._note(receiver, all_to)

    def _note(self, receiver: str, all_to: int) -> None:
        """A receiver has got all alerts up to a number."""
        known = self._receivers[receiver]
        known.ahead = {number for number in known.ahead if number > all_to}
        if all_to > known.all_to:
            known.all_to = all_to
            with self._database.writing() as connection:
                connection.execute("UPDATE receivers SET seq = ? WHERE name = ?", (all_to, receiver))
