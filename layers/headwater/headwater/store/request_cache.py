"""A table that reads no item twice, for the length of one request."""

from collections.abc import Collection, Iterator

from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.keys import Key
from headwater.store.table import HIGHEST, LOWEST, IndexEntry, Item, TableReader


class RequestCache:
    """`TableReader` that keeps the items it has read. The functions of a request need not pass items to each other."""

    def __init__(self, table: TableReader) -> None:
        self._table = table
        self._items: dict[Key, Item | None] = {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        unread = [key for key in keys if key not in self._items]
        items = self._table.read(unread, only) if unread else {}
        if only is None:
            self._items |= {key: items.get(key) for key in unread}
        known = {key: item for key in keys if (item := self._items.get(key))}
        return known | items

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[Key]:
        return self._table.newest(pk, before, after, limit)

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        return self._table.partition(pk, beginning)

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

    def page_with_count(
        self, list_name: str, limit: int, *, after: str = LOWEST, before: str = HIGHEST, newest_first: bool = False
    ) -> tuple[list[IndexEntry], int]:
        return self._table.page_with_count(list_name, limit, after=after, before=before, newest_first=newest_first)

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST) -> int:
        return self._table.count(list_name, after=after, before=before)

    def runs(self, run_id: str) -> list[Key]:
        return self._table.runs(run_id)

    def open_runs(self, before: Instant) -> list[Key]:
        return self._table.open_runs(before)
