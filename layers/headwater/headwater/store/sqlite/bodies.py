"""Bodies in the file: documents too long for a message, and messages in quarantine."""

from headwater.store.errors import UnreadableBody
from headwater.store.sqlite.database import Database


class SqliteBodies:
    """`Bodies` over a SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, key: str, content: bytes) -> None:
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?)", (key, content))

    def get(self, key: str) -> bytes:
        with self._database.reading() as connection:
            row = connection.execute("SELECT content FROM bodies WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise UnreadableBody(key)
        content: bytes = row[0]
        return content

    def count(self, prefix: str) -> int:
        """The number of bodies whose keys have this prefix, such as `quarantine/`."""
        with self._database.reading() as connection:
            within = (prefix, f"{prefix}\U0010ffff")
            number: int = connection.execute(
                "SELECT count(*) FROM bodies WHERE key >= ? AND key < ?", within
            ).fetchone()[0]
        return number
