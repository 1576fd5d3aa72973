"""The API keys of a file: each entry as in the secret on AWS, with the hash of the key."""

import json
from typing import Any

from headwater.store.sqlite.database import Database


class SqliteApiKeys:
    """`Secret` over a SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self) -> str:
        return json.dumps({"keys": self.entries()})

    def entries(self) -> list[dict[str, Any]]:
        with self._database.reading() as connection:
            rows = connection.execute("SELECT id, entry FROM keys ORDER BY id").fetchall()
        return [_entry(key_id, text) for key_id, text in rows]

    def add(self, entry: dict[str, Any]) -> bool:
        """Adds an entry, and returns whether its id was new: an entry of that id stays as it is."""
        with self._database.writing() as connection:
            values = (entry["id"], json.dumps(entry))
            return connection.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", values).rowcount == 1

    def remove(self, key_id: str) -> bool:
        """Removes the entry of an id, and returns whether there was one."""
        with self._database.writing() as connection:
            return connection.execute("DELETE FROM keys WHERE id = ?", (key_id,)).rowcount == 1


def _entry(key_id: str, text: str) -> dict[str, Any]:
    """An entry; of one that cannot be read only the id, which is refused by itself like any other wrong entry."""
    try:
        entry = json.loads(text, parse_constant=int)  # raises ValueError for NaN, which no other reader takes
    except (ValueError, RecursionError):
        entry = None
    return {**entry, "id": key_id} if isinstance(entry, dict) else {"id": key_id}
