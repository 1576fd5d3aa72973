"""A table for tests of what else happens between two calls of one fold."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.table import ConditionalPut, IndexEntry, Item


class WatchedTable(MemoryTable):
    """Items whose every read, index and change of an item is told before it is made, a call of its own each, as on
    DynamoDB."""

    def __init__(self, items: dict[Key, Item], called: Callable[[], object]) -> None:
        super().__init__()
        self.items = items
        self._called = called

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        self._called()
        return super().read(keys, only)

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        for change in changes:
            self._called()
            super().change([change])

    def put(self, items: Iterable[Item]) -> None:
        for item in items:
            self._called()
            super().put([item])

    def newest(self, pk: str, *bounds: Any, **more: Any) -> Iterator[IndexEntry]:
        self._called()
        return super().newest(pk, *bounds, **more)
