"""The home over one SQLite file: each port is a table of the file, or several.

with closing(SqliteHome(Path("lineage.db"))) as home:
    store = GraphStore(home.table, retention)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from headwater.store.audit_log import RefusalLog
from headwater.store.home import (
    AlertLog,
    ApiKeys,
    EntryWriter,
    FoldTransaction,
    Inbox,
    Outbox,
    QuarantineEntries,
    StoredBodies,
    StoredEvents,
)
from headwater.store.sqlite.alert_log import SqliteAlertLog
from headwater.store.sqlite.api_keys import SqliteApiKeys
from headwater.store.sqlite.archive import SqliteArchive
from headwater.store.sqlite.audit_log import SqliteAuditLog
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.inbox import SqliteInbox
from headwater.store.sqlite.outbox import SqliteOutbox
from headwater.store.sqlite.quarantine import SqliteQuarantine
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import FORMS, Table


class SqliteHome:
    """`Home` over a file, which is made if it is missing. Raises RefusedDatabase."""

    def __init__(self, path: Path) -> None:
        self.database = database = Database(path)
        self._outbox, self._inbox = SqliteOutbox(database), SqliteInbox(database)
        self._table = SqliteTable(database, self._outbox)
        self._bodies = SqliteBodies(database)
        self._archive = SqliteArchive(database, self._bodies)
        silent = SqliteTable(database)  # no alert follows from an audit entry
        self.table: Table = self._table
        self.inbox: Inbox = self._inbox
        self.outbox: Outbox = self._outbox
        self.bodies: StoredBodies = self._bodies
        self.quarantine: QuarantineEntries = SqliteQuarantine(database)
        self.archive: StoredEvents = self._archive
        self.alert_log: AlertLog = SqliteAlertLog(database)
        self.api_keys: ApiKeys = SqliteApiKeys(database)
        self.audit_log: EntryWriter = SqliteAuditLog(silent)
        self.refusals = RefusalLog(silent)

    @property
    def forms(self) -> int:
        return self.database.forms

    @property
    def has_former_forms(self) -> bool:
        return self.forms < FORMS

    @property
    def free_bytes(self) -> int:
        return self.database.free_bytes

    def close(self) -> None:
        self.database.close()

    @contextmanager
    def transaction(self) -> Iterator[FoldTransaction]:
        with self._table.transaction() as transaction:
            remove = partial(self._inbox.remove_with, transaction)
            yield FoldTransaction(transaction, remove, transaction.written)

    def settle(self) -> None:
        self.database.copy_log()

    def remove_expired(self, now: float, archived_before: float) -> int:
        return self._table.remove_expired(now) + self._archive.remove_received_before(archived_before)
