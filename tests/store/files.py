"""SQLite files in tests: what a file holds, and a file of the session whose items a test replaces."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from headwater.store.keys import Key
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.rows import COLUMNS, item_of
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import Item


def items_in(database: Database) -> dict[Key, Item]:
    with database.reading() as connection:
        rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM items").fetchall()  # noqa: S608
    return {item.key: item for item in map(item_of, rows)}


def plan(database: Database, query: str, *parameters: object) -> list[str]:
    """How SQLite finds the rows of a query, step by step."""
    with database.reading() as connection:
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", parameters).fetchall()]


class FileTable(SqliteTable):
    """A table whose items a test sees, as those of a table in memory."""

    @property
    def items(self) -> dict[Key, Item]:
        return items_in(self._database)


def table_with(items: Mapping[Key, Item] | Iterable[Item] = ()) -> FileTable:
    """A table with these items, in the file of the session: the next call takes them out again."""
    return _filled(_database("tables"), items.values() if isinstance(items, Mapping) else items)


def mirror_of(items: Mapping[Key, Item]) -> FileTable:
    """A table with these items, to be read alone; it is filled anew only for other items."""
    database = _database("mirror")
    if items != _MIRRORED:
        _filled(database, items.values())
        _MIRRORED.clear()
        _MIRRORED.update(items)
    return FileTable(database)


def _filled(database: Database, items: Iterable[Item]) -> FileTable:
    with database.writing() as connection:
        connection.execute("DELETE FROM items")
    table = FileTable(database)
    table.put(items)
    return table


@cache
def _database(name: str) -> Database:
    """A file of the session, which need not survive the machine."""
    _FOLDERS.append(TemporaryDirectory(prefix="headwater-tests-"))
    database = Database(Path(_FOLDERS[-1].name) / f"{name}.db")
    database._writer.execute("PRAGMA synchronous = OFF")
    return database


_MIRRORED: dict[Key, Item] = {}
_FOLDERS: list[TemporaryDirectory[str]] = []
"""Folders are removed at the end of the process."""
