"""A SQLite file in WAL mode: one transaction writes at a time, and readers never wait.

    database = Database(Path("lineage.db"))
    with database.reading() as connection:     sees what is committed
        connection.execute("SELECT ...")
    with database.writing() as connection:     committed and on disk at the end of the block, or rolled back
        connection.execute("INSERT ...")

An error of SQLite is raised as StorageError.
"""

import fcntl
import os
import shutil
import sqlite3
import sys
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from headwater.store.errors import StorageError
from headwater.store.table import FORMS

OLDEST_FORMS = 1
"""The oldest forms of items and tables in a file that this release serves: FORMS, or those of the release before."""
APPLICATION = 0x48574C44
"""Marks the file as Headwater's, as PRAGMA application_id."""
PAGE_BYTES = 16_384
"""An item of two kilobytes fits in a page, so writing it takes a third of the time it takes with pages of 4 KB."""
LOG_PAGES = 4_000
"""Once the log has so many pages, 64 MB, a commit copies them into the file itself, and all others wait for it."""
WRITER_CACHE_KIB, READER_CACHE_KIB = 16_384, 2_048
BUSY_SECONDS = 10
"""How long to wait for another process, such as `headwater key add`."""

TABLES = """
CREATE TABLE items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, version TEXT NOT NULL, labels TEXT NOT NULL,
    at TEXT, listed_in TEXT, place TEXT, name TEXT, run_id TEXT, open_in TEXT,
    expires_at INTEGER, doc BLOB, parts BLOB
);
CREATE UNIQUE INDEX by_key ON items (pk, sk);
CREATE INDEX by_time ON items (pk, at, sk) WHERE at IS NOT NULL;
CREATE INDEX listed ON items (listed_in, place, pk, sk, name) WHERE listed_in IS NOT NULL;
CREATE INDEX by_run ON items (run_id, pk, sk) WHERE run_id IS NOT NULL;
CREATE INDEX open ON items (open_in, at, pk, sk) WHERE open_in IS NOT NULL;
CREATE INDEX by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE archive (seq INTEGER PRIMARY KEY AUTOINCREMENT, received INTEGER NOT NULL, message TEXT NOT NULL);
CREATE TABLE inbox (seq INTEGER PRIMARY KEY, message_group TEXT NOT NULL);
CREATE TABLE bodies (key TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL);
CREATE TABLE alerts (seq INTEGER PRIMARY KEY AUTOINCREMENT, alert TEXT NOT NULL);
CREATE TABLE receivers (name TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE keys (id TEXT PRIMARY KEY, entry TEXT NOT NULL);
"""
"""docs/serve.md describes the tables."""


class RefusedDatabase(Exception):
    """A file that cannot be used as a database of this release. The message says why, and what to do next."""


class Database:
    """A file with the tables; it is made if it is missing. Raises RefusedDatabase."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._idle: deque[sqlite3.Connection] = deque()
        if path.is_file() and not path.stat().st_size:
            raise RefusedDatabase(
                f"{path} is empty, though it was made: restore a copy; to begin anew, remove it, and {path}-wal with it"
            )
        try:
            _make_private(path)
            self._writer = self._connect(WRITER_CACHE_KIB)
            self._prepare()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # the last for a name in a damaged schema
            raise RefusedDatabase(
                f"{path} cannot be used as a database: {error}; name another file, or one that `headwater serve` made"
            ) from error

    @contextmanager
    def writing(self, noted: Callable[[], object] = lambda: None) -> Iterator[sqlite3.Connection]:
        """A transaction, which is on disk at the end of the block. It waits for the transactions of other threads. Once
        it is committed, `noted` is called, before `settled` sees it."""
        with self._lock, translated_errors():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
                noted()
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def settled(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading what is committed and noted. It waits for the transaction under way: between its
        commit and the note in a cache, whoever sees the one and asks the other would get an answer of before."""
        with self._lock, self.reading() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading. Fetch all rows within the block, and keep it short."""
        with translated_errors():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect(READER_CACHE_KIB)
                connection.execute("PRAGMA query_only = ON")
            try:
                yield connection
            finally:
                self._idle.append(connection)

    def copy_log(self) -> None:
        """Copies the pages of the log into the file, while others read and write. Raises StorageError."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def never_wait_for_disk(self) -> None:
        """For a file that nobody needs after this process."""
        self._writer.execute("PRAGMA synchronous = OFF")

    @property
    def forms(self) -> int:
        """The forms in which items are written to the file, as PRAGMA user_version."""
        return self._pragma("user_version")

    def write_forms(self, forms: int) -> None:
        """Has items written in these forms from here on. Raises StorageError if the file can only be read."""
        with self.writing() as connection:
            connection.execute(f"PRAGMA user_version = {forms}")

    def copy_to(self, target: Path) -> None:
        """Copies the file as it is now, while others read and write it. The target appears once the copy is complete
        and checked; a failed copy leaves no file. Raises StorageError or OSError."""
        part = target.with_name(f"{target.name}.part")
        part.unlink(missing_ok=True)
        try:
            _make_private(part)
            with self.reading() as connection, closing(sqlite3.connect(part)) as copy:
                connection.backup(copy)
                if found := _faults(copy, "quick_check"):
                    raise StorageError(f"the copy is damaged: {found[0]}")
            with part.open("rb") as written:
                os.fsync(written.fileno())
            os.link(part, target)
        finally:
            part.unlink(missing_ok=True)
            part.with_name(f"{part.name}-journal").unlink(missing_ok=True)

    def faults(self, check: str) -> list[str]:
        """What is damaged: `quick_check` reads each page; `integrity_check` compares the indexes, too."""
        try:
            with self.reading() as connection:
                return _faults(connection, check)
        except StorageError as error:
            return [str(error)]

    @property
    def free_bytes(self) -> int:
        """The free space on the file's disk."""
        return shutil.disk_usage(self.path.parent).free

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()
            self._writer.close()

    def _connect(self, cache_kib: int) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file; the pages of a cache are counted once
        connection.execute(f"PRAGMA cache_size = -{cache_kib}")
        return connection

    def _prepare(self) -> None:
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.execute("PRAGMA synchronous = FULL")
        self._writer.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        application, form = self._pragma("application_id"), self.forms
        if application == 0 and self._writer.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
            self._writer.executescript(
                f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMS}; COMMIT;"
            )
        elif application != APPLICATION:
            raise RefusedDatabase(f"{self.path} is a database of another program; name another file")
        elif not OLDEST_FORMS <= form <= FORMS:
            known = f"form {FORMS}" if OLDEST_FORMS == FORMS else f"the forms {OLDEST_FORMS} to {FORMS}"
            step = (
                "run `headwater upgrade` of the release before first"
                if form < OLDEST_FORMS
                else "use the newer release"
            )
            raise RefusedDatabase(f"{self.path} has form {form}, this release knows {known}; {step}")

    def _pragma(self, name: str) -> int:
        value: int = self._writer.execute(f"PRAGMA {name}").fetchone()[0]
        return value


def _faults(connection: sqlite3.Connection, check: str) -> list[str]:
    lines = [line for (text,) in connection.execute(f"PRAGMA {check}") for line in text.splitlines()]
    return [] if lines == ["ok"] else lines


def in_turn(connection: sqlite3.Connection, next_query: str, last: str) -> list[str]:
    """All who share a table and take turns, such as the senders of the inbox: the one after `last` first. The query has
    the first of them from a text on, by an index."""
    names: list[str] = []
    after = ""
    while found := connection.execute(next_query, (after,)).fetchone():
        names += found
        after = f"{found[0]}\x01"
    turn = bisect_right(names, last)
    return names[turn:] + names[:turn]


def _make_private(path: Path) -> None:
    """Creates a missing file that only its owner can read: it holds the seals of keys, or is a lock that others could
    take. SQLite creates its companions with the same permissions."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def sole_use(path: Path) -> Iterator[None]:
    """Holds a file for this process, until the end of the block or of the process. Raises RefusedDatabase, with the id
    of the process that holds the file."""
    name = Path(f"{path.resolve()}.lock")
    try:
        _make_private(name)
        lock = name.open("a+")
    except OSError as error:
        raise RefusedDatabase(
            f"{path} cannot be made: {error.strerror}; name a file in a folder that is yours"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise RefusedDatabase(f"{path} is in use by process {holder}; stop it, or name another file") from None
        try:
            lock.truncate(0)
            os.write(lock.fileno(), str(os.getpid()).encode())
        except OSError as error:
            raise RefusedDatabase(f"{path} cannot be written: {error.strerror}; make room on its disk") from error
        yield


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Locks the file itself as well as its lock file, which somebody may delete. Only on Linux: elsewhere SQLite itself
    takes such locks. Raises RefusedDatabase."""
    with path.open("rb") as file:
        if sys.platform == "linux":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RefusedDatabase(f"{path} is in use by another process; stop it, or name another file") from None
        yield


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raises errors of SQLite as StorageError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{type(error).__name__}: {error}") from error
