"""The audit log of a file: the entries of requests that are answered at the same time reach the disk together."""

from headwater.graph.states.audit import AuditEntry
from headwater.store.audit_log import AuditLog
from headwater.store.errors import StorageError
from headwater.store.sqlite.group_commit import GroupCommit
from headwater.store.sqlite.table import SqliteTable


class SqliteAuditLog:
    """The audit log of a file. Its table has no outbox: no alert follows from an entry."""

    def __init__(self, table: SqliteTable) -> None:
        self._log = AuditLog(table)
        self._group = GroupCommit(self._commit)

    def write(self, *entries: AuditEntry) -> None:
        """Writes entries. Raises StorageError."""
        if not self._group.write(entries):
            raise StorageError("the entry could not be written to the file")

    def _commit(self, entries: list[AuditEntry]) -> bool:
        self._log.write(*entries)
        return True
