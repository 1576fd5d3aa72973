"""The quarantine of the file: messages that could not be folded, as bodies with a prefix of their own."""

import time
from collections.abc import Iterator
from contextlib import suppress

from headwater.store.errors import UnreadableBody
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database

_QUARANTINE = "quarantine/"
_KEYS = "SELECT key FROM bodies WHERE key > ? AND key < ? AND key NOT LIKE 'quarantine/stream/%' ORDER BY key"


class SqliteQuarantine:
    """`QuarantineEntries` over a file, which may be served meanwhile: the server finds the messages within a minute."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self) -> Iterator[tuple[str, bytes]]:
        with self._database.reading() as connection:
            rows = connection.execute(_KEYS, (_QUARANTINE, f"{_QUARANTINE}\U0010ffff")).fetchall()
        bodies = SqliteBodies(self._database)
        for (key,) in rows:
            with suppress(UnreadableBody):  # another redrive was faster
                yield key, bodies.get(key)

    def replay(self, key: str, group: str, body: str) -> None:
        with self._database.writing() as connection:
            removed = connection.execute("DELETE FROM bodies WHERE key = ?", (key,))
            if not removed.rowcount:
                return  # another redrive was faster
            row = (int(time.time()), body)
            cursor = connection.execute("INSERT INTO archive (received, message) VALUES (?, ?)", row)
            connection.execute("INSERT INTO inbox VALUES (?, ?)", (cursor.lastrowid, group))
