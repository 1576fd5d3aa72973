"""The table on SQLite. A long document is a column like a short one.

    with table.transaction() as transaction:      one writer of items at a time
        store = GraphStore(transaction, retention)
        ...                                       many reads and changes
                                                  all of them committed at the end, or none

A transaction keeps its changes in memory and locks the file only while they are committed, so other tables can be
written meanwhile.
"""

import heapq
import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

import orjson

from headwater.concurrent import give_way
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.errors import Conflict
from headwater.store.items.codec import DOC
from headwater.store.keys import Key
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.item_cache import KEPT, ItemCache
from headwater.store.sqlite.list_counts import ListCounts, changed_lists
from headwater.store.sqlite.outbox import ItemChange, SqliteOutbox
from headwater.store.sqlite.rows import COLUMNS, FORM_COLUMNS, Row, item_of, part_of, row_of
from headwater.store.table import HIGHEST, LOWEST, ConditionalPut, IndexEntry, Item

FIRST_PAGE, MAX_PAGE = 16, 1_024
"""Entries of the first page of a range; each further page has four times as many."""
EXPIRED_AT_ONCE = 200
ROWS_AT_ONCE, READ_AT_ONCE = 50, 200

_WANTED = (
    "FROM json_each(?) AS wanted CROSS JOIN items"
    " ON pk = json_extract(wanted.value, '$[0]') AND sk = json_extract(wanted.value, '$[1]')"
)
READ = f"SELECT {', '.join(COLUMNS)} {_WANTED}"
READ_DOC = f"SELECT {', '.join(FORM_COLUMNS)}, doc {_WANTED}"
READ_PARTS = f"SELECT {', '.join(FORM_COLUMNS)}, parts {_WANTED}"
SEGMENT = f"SELECT rowid, {', '.join(COLUMNS)} FROM items WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?"  # noqa: S608
NEWEST = "SELECT at, sk FROM items WHERE pk = ? AND at >= ? AND (at, sk) < (?, ?) ORDER BY at DESC, sk DESC LIMIT ?"
NEWEST_ITEMS = f"SELECT {', '.join(COLUMNS)} FROM items WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk DESC LIMIT ?"  # noqa: S608
PARTITION = "SELECT sk FROM items WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk LIMIT ?"
_ENTRIES = "SELECT place, pk, sk, name FROM items WHERE listed_in = ? AND "
ENTRIES = _ENTRIES + "(place, pk, sk) > (?, ?, ?) AND place < ? ORDER BY place, pk, sk LIMIT ?"
ENTRIES_BACKWARDS = (
    _ENTRIES + "(place, pk, sk) < (?, ?, ?) AND place >= ? ORDER BY place DESC, pk DESC, sk DESC LIMIT ?"
)
COUNT = "SELECT count(*) FROM items WHERE listed_in = ? AND place >= ? AND place < ?"
COUNT_OF_PARTITIONS = f"{COUNT} AND pk >= ? AND pk < ?"
RUNS = "SELECT pk, sk FROM items WHERE run_id = ? ORDER BY pk, sk"
OPEN_RUNS = (
    "SELECT open_in, at, pk, sk FROM json_each(?) AS wanted CROSS JOIN items ON open_in = wanted.value AND at < ?"
)
EXPIRED = "DELETE FROM items WHERE rowid IN (SELECT rowid FROM items WHERE expires_at < ? LIMIT ?)"
PUT = (
    f"INSERT INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
    f" ON CONFLICT (pk, sk) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS[2:])}"
)


class SqliteTable:
    """`Table` over a SQLite file. Each call of `change` or `put` is a transaction of its own."""

    def __init__(self, database: Database, outbox: SqliteOutbox | None = None) -> None:
        self._database = database
        self._outbox = outbox
        self._changing = threading.Lock()
        self._counts = ListCounts()
        self._kept = ItemCache()

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """A transaction, committed at the end of the block. It waits for the transactions of other threads."""
        with self._changing:
            transaction = Transaction(self)
            yield transaction
            self._commit(transaction)

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        return self._kept.read(keys, only, self._read) if only in KEPT else self._read(keys, only)

    def _read(self, keys: Collection[Key], only: str | None) -> dict[Key, Item]:
        query = READ if only is None else READ_DOC if only == DOC else READ_PARTS
        wanted, items = [[*key] for key in keys], dict[Key, Item]()
        for start in range(0, len(wanted), READ_AT_ONCE):
            give_way()
            for row in self._rows(query, orjson.dumps(wanted[start : start + READ_AT_ONCE]).decode()):
                item = item_of(row) if only is None else part_of(row, only)
                items[item.key] = item
        return items

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        return self.read(keys)

    def last_commit(self, partitions: Iterable[str] | None = None, /) -> int | None:
        return self._kept.last_commit if partitions is None else self._kept.last_commit_to(partitions)

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        with self.transaction() as transaction:
            conflicts = transaction.put_if(changes)
        if conflicts:
            raise conflicts[0]

    def put(self, items: Iterable[Item]) -> None:
        with self.transaction() as transaction:
            transaction.put(items)

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[IndexEntry]:
        end = (before, "")
        for size in _page_sizes(limit):
            page = self._rows(NEWEST, pk, after, *end, size)
            yield from (IndexEntry(Key(pk, sk), at, "") for at, sk in page)
            if len(page) < size:
                return
            end = page[-1]

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        end = before
        while True:
            page = [item_of(row) for row in self._rows(NEWEST_ITEMS, pk, after, end, limit)]
            yield from page
            if len(page) < limit:
                return
            end = page[-1].key.sk

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        start, end = beginning, beginning + HIGHEST
        for size in _page_sizes(None):
            page = self._rows(PARTITION, pk, start, end, size)
            yield from (Key(pk, sk) for (sk,) in page)
            if len(page) < size:
                return
            start = page[-1][0] + "\0"

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        query, start, end = (ENTRIES_BACKWARDS, before, after) if newest_first else (ENTRIES, after, before)
        last = (start, "", "")
        for size in _page_sizes(limit):
            page = self._rows(query, list_name, *last, end, size)
            yield from (IndexEntry(Key(pk, sk), place, name or "") for place, pk, sk, name in page)
            if len(page) < size:
                return
            last = page[-1][:3]

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        return list(islice(self.list_entries(list_name, limit=limit), limit)), self.count(list_name)

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST, pk: str = "") -> int:
        bounds = (list_name, after, before)
        if pk:
            return self._number(COUNT_OF_PARTITIONS, *bounds, pk, pk + HIGHEST)
        if (after, before) != (LOWEST, HIGHEST):
            return self._number(COUNT, *bounds)
        return self._counts.length(list_name, lambda: self._number(COUNT, *bounds))

    def runs(self, run_id: str) -> list[Key]:
        return [Key(*row) for row in self._rows(RUNS, run_id)]

    def open_runs(self, before: Instant, shards: Sequence[str] = keys.OPEN_RUNS) -> list[Key]:
        return [Key(*row[2:]) for row in sorted(self._rows(OPEN_RUNS, json.dumps(shards), before))]

    def remove_expired(self, now: float) -> int:
        """Removes some of the items that have expired, and returns how many it removed: 0 once there are none."""
        with self._changing, self._counts.changing():
            with self._database.writing() as connection:
                removed = connection.execute(EXPIRED, (int(now), EXPIRED_AT_ONCE)).rowcount
            if removed:
                self._kept.forget()
            return removed

    def segment(self, segment: int, segments: int) -> Iterator[Item]:
        """The items of one of several parts of the table, read page by page."""
        ((last,),) = self._rows("SELECT coalesce(max(rowid), 0) FROM items")
        after, end = last * segment // segments, last * (segment + 1) // segments
        while rows := self._rows(SEGMENT, after, end, MAX_PAGE):
            yield from (item_of(row[1:]) for row in rows)
            after = rows[-1][0]

    def _commit(self, transaction: "Transaction") -> None:
        rows: list[Row] = []
        for number, item in enumerate(transaction.written.values()):
            if self._outbox and not number % ROWS_AT_ONCE:  # an answer waits for what is written without one: its audit
                give_way()
            rows.append(row_of(item))
        noted = partial(self._kept.written, transaction.written.values())
        with self._counts.changing(changed_lists(transaction.changes)), self._database.writing(noted) as connection:
            connection.executemany(PUT, rows)
            if self._outbox:
                self._outbox.add(connection, transaction.changes)
            for write in transaction.other_writes:
                write(connection)

    def _number(self, query: str, *parameters: Any) -> int:
        number: int = self._rows(query, *parameters)[0][0]
        return number

    def _rows(self, query: str, *parameters: Any) -> list[Any]:
        with self._database.reading() as connection:
            return connection.execute(query, parameters).fetchall()


class Transaction:
    """`Table` over a table and the changes of a transaction: reads see the changes, except lists, open runs and
    `newest_items`.

    written        the items that the transaction has written, by their keys
    changes        every change in its order: an item may change several times
    other_writes   what else is written in the commit
    """

    def __init__(self, table: SqliteTable) -> None:
        self._table = table
        self._read: dict[Key, Item | None] = {}
        self.written: dict[Key, Item] = {}
        self.changes: list[ItemChange] = []
        self.other_writes: list[Callable[[sqlite3.Connection], object]] = []

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        unread = [key for key in keys if key not in self._read]
        found = self._table.read(unread, only) if unread else {}
        self._read |= {key: found.get(key) for key in unread if only is None or key not in found}
        known = {key: item for key in keys if (item := self._read.get(key))}
        return found | (known if only is None else {key: item.only(only) for key, item in known.items()})

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        return self.read(keys)

    def last_commit(self, _: Iterable[str] | None = None, /) -> int | None:
        return None

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        if conflicts := self.put_if(changes):
            raise conflicts[0]

    def put_if(self, changes: Sequence[ConditionalPut]) -> list[Conflict]:
        """Puts each item on its condition. Returns a Conflict for each condition that does not hold."""
        stored = self.read([change.item.key for change in changes])
        held: list[ItemChange] = []
        conflicts: list[Conflict] = []
        for item, replacing in changes:
            before = stored.get(item.key)
            if before is replacing or _version(before) == _version(replacing):
                held.append(ItemChange(before, item))
            else:
                conflicts.append(Conflict(str(item.key)))
        self._write(held)
        return conflicts

    def put(self, items: Iterable[Item]) -> None:
        items = list(items)
        stored = self.read([item.key for item in items])
        self._write([ItemChange(stored.get(item.key), item) for item in items])

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[IndexEntry]:
        entries = (IndexEntry(key, item.labels.get("at", ""), "") for key, item in self._written_in(pk))
        own = sorted((entry for entry in entries if after <= entry.position < before), key=_time_order, reverse=True)
        stored = self._table.newest(pk, before, after, limit)
        others = (entry for entry in stored if entry.key not in self.written)
        return heapq.merge(own, others, key=_time_order, reverse=True)

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        return self._table.newest_items(pk, after, before, limit)

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        own = sorted(key for key, _ in self._written_in(pk) if key.sk.startswith(beginning))
        others = (key for key in self._table.partition(pk, beginning) if key not in self.written)
        return heapq.merge(own, others)

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        return self._table.list_entries(list_name, after=after, before=before, newest_first=newest_first, limit=limit)

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        return self._table.page_with_count(list_name, limit)

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST, pk: str = "") -> int:
        return self._table.count(list_name, after=after, before=before, pk=pk)

    def runs(self, run_id: str) -> list[Key]:
        return self._table.runs(run_id)

    def open_runs(self, before: Instant, shards: Sequence[str] = keys.OPEN_RUNS) -> list[Key]:
        return self._table.open_runs(before, shards)

    def _write(self, changes: Sequence[ItemChange]) -> None:
        for change in changes:
            self.written[change.after.key] = self._read[change.after.key] = change.after
        self.changes += changes

    def _written_in(self, pk: str) -> Iterator[tuple[Key, Item]]:
        return ((key, item) for key, item in self.written.items() if key.pk == pk)


def _time_order(entry: IndexEntry) -> tuple[str, str]:
    return entry.position, entry.key.sk


def _version(item: Item | None) -> str | None:
    """The version of an item as stored: one repaired by hand has a version that does not match its content."""
    if item is None:
        return None
    return item.version if item.stored_version is None else item.stored_version


def _page_sizes(limit: int | None) -> Iterator[int]:
    size = limit or FIRST_PAGE
    while True:
        yield size
        size = size if limit else min(4 * size, MAX_PAGE)
