"""The archive: every event as it was received, in its order, for as long as the settings say."""

from collections.abc import Iterator

from headwater.store.bodies import Bodies
from headwater.store.messages import ReceivedMessage, read_message
from headwater.store.sqlite.database import Database

AT_ONCE = 500
_EXPIRED = (
    "DELETE FROM archive WHERE seq IN (SELECT seq FROM archive ORDER BY seq LIMIT ?)"
    " AND received < ? AND seq NOT IN (SELECT seq FROM inbox)"
)


class SqliteArchive:
    """The archive of a file. The inbox archives events before they are folded, so `put` has nothing to do."""

    def __init__(self, database: Database, bodies: Bodies) -> None:
        self._database = database
        self._bodies = bodies

    def put(self, events: object) -> None:
        """Nothing: the events are in the archive."""

    def events(self) -> Iterator[ReceivedMessage]:
        """Every event, the first received first. Raises StorageError, or UnreadableMessage."""
        return (event for _, event in self.numbered())

    def numbered(self, first: int = 0) -> Iterator[tuple[int, ReceivedMessage]]:
        """The events from a number on. Raises StorageError, or UnreadableMessage."""
        while rows := self._page(first):
            yield from ((number, read_message(message, self._bodies)) for number, message in rows)
            first = rows[-1][0] + 1

    def remove_received_before(self, time: float) -> int:
        """Removes some of the events that were received before a time, and returns how many it removed."""
        with self._database.writing() as connection:
            return connection.execute(_EXPIRED, (AT_ONCE, int(time))).rowcount

    def _page(self, first: int) -> list[tuple[int, str]]:
        with self._database.reading() as connection:
            query = "SELECT seq, message FROM archive WHERE seq >= ? ORDER BY seq LIMIT ?"
            return connection.execute(query, (first, AT_ONCE)).fetchall()
