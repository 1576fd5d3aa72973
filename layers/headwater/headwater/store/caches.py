"""Reads of items for the length of one request: no item is read twice."""

from collections.abc import Collection

from headwater.store.keys import Key
from headwater.store.table import Item, ItemReader


class RequestCache:
    """`ItemReader` that keeps the items it has read. The functions of a request need not pass items to each other."""

    def __init__(self, table: ItemReader) -> None:
        self._table = table
        self._items: dict[Key, Item | None] = {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        unread = [key for key in keys if key not in self._items]
        items = self._table.read(unread, only) if unread else {}
        if only is None:
            self._items |= {key: items.get(key) for key in unread}
        known = {key: item for key in keys if (item := self._items.get(key))}
        return known | items
