"""The quarantine of the file of `headwater serve`.

The file has no dead-letter queue: a message whose fold fails for now waits in the inbox, and is tried again.
"""

import time
from collections.abc import Iterator
from contextlib import suppress

from headwater.cli.redrive.held_message import HeldMessage, Wanted
from headwater.store.errors import UnreadableBody
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database

QUARANTINE = "quarantine/"
_KEYS = "SELECT key FROM bodies WHERE key > ? AND key < ? AND key NOT LIKE 'quarantine/stream/%' ORDER BY key"


class FileQuarantine:
    """`HeldMessages` over a file, which may be served meanwhile: the server finds the messages within a minute."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def messages(self, wanted: Wanted) -> Iterator[HeldMessage]:
        """The messages that are in quarantine now, without those that return meanwhile."""
        with self._database.reading() as connection:
            rows = connection.execute(_KEYS, (QUARANTINE, f"{QUARANTINE}\U0010ffff")).fetchall()
        bodies = SqliteBodies(self._database)
        for (key,) in rows:
            with suppress(UnreadableBody):  # another redrive was faster
                message = HeldMessage.of_entry(key, bodies.get(key))
                if wanted.has(message):
                    yield message

    def replay(self, message: HeldMessage) -> None:
        """Moves a message into the inbox, in one transaction."""
        with self._database.writing() as connection:
            removed = connection.execute("DELETE FROM bodies WHERE key = ?", (message.handle,))
            if not removed.rowcount:
                return  # another redrive was faster
            row = (int(time.time()), message.body_again)
            cursor = connection.execute("INSERT INTO archive (received, message) VALUES (?, ?)", row)
            connection.execute("INSERT INTO inbox VALUES (?, ?)", (cursor.lastrowid, message.group))
