"""A table that is asked for nothing twice: for the length of one request, what was read stays as it was."""

from collections.abc import Collection
from typing import Any

from headwater.store.keys import Key
from headwater.store.table import Item, Table


class RequestCache:
    """`Table` for reading. The parts of a request need not hand each other what they have read."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._found: dict[Key, Item | None] = {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        unread = [key for key in keys if key not in self._found]
        found = self._table.read(unread, only) if unread else {}
        if only is None:
            self._found |= {key: found.get(key) for key in unread}
        known = {key: item for key in keys if (item := self._found.get(key))}
        return known | found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)
