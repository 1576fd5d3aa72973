"""The items of a file that were read last: the next lookup of a graph reads the same thousands, of which few have
changed."""

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable

from headwater.store.items.codec import DOC
from headwater.store.keys import Key
from headwater.store.table import Item

MAX_BYTES = 12_000_000
MAX_PARTITIONS = 10_000
"""Partitions whose last commits are known: those of a thousand events and more."""
BYTES_BESIDE_PARTS = 1_000
"""What an item takes in memory beside its documents: its key, its labels, and their places."""
KEPT = (None, DOC)
"""Whole items, and items with the part that a traversal reads."""

_NUMBERS = itertools.count()
"""Of the commits of all tables: what is kept of one does not hold for another."""
_Place = tuple[Key, str | None]


class ItemCache:
    """Items as they are stored. All writes of items pass here: the process has the file for itself. `last_commit` is
    the number of the last one."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._items: OrderedDict[_Place, Item | None] = OrderedDict()
        self._bytes = 0
        self.last_commit = self._earlier = next(_NUMBERS)
        self._written: dict[str, int] = {}

    def last_commit_to(self, partitions: Iterable[str]) -> int:
        """The number of the last commit that wrote to one of these partitions, or a later number."""
        with self._lock:
            return max([self._written.get(partition, self._earlier) for partition in partitions], default=0)

    def read(
        self, keys: Collection[Key], only: str | None, read: Callable[[Collection[Key], str | None], dict[Key, Item]]
    ) -> dict[Key, Item]:
        """The items with these keys: those that are kept, and what `read` returns of the others; it is kept, too, which
        keys have none. A read during which something was written may be of before or after it, so it is not kept."""
        known: dict[Key, Item] = {}
        unread: list[Key] = []
        with self._lock:
            items = self._items
            for key in keys:
                place = key, only
                if place not in items:
                    unread.append(key)
                    continue
                items.move_to_end(place)
                if item := items[place]:
                    known[key] = item
            commit = self.last_commit
        if unread:
            found = read(unread, only)
            known |= found
            with self._lock:
                if commit == self.last_commit:
                    for key in unread:
                        if (stored := found.get(key)) is None or stored.is_as_written:
                            self._put((key, only), stored)
        return known

    def written(self, items: Iterable[Item]) -> None:
        """These items are committed, and no other write has begun: those that are kept are replaced. A new one is kept
        once it is read: of most that are written, such as events, no lookup asks."""
        with self._lock:
            self.last_commit = next(_NUMBERS)
            for item in items:
                self._written.pop(item.key.pk, None)
                self._written[item.key.pk] = self.last_commit
                doc, whole = (item.key, DOC), (item.key, None)
                if doc in self._items:
                    self._take(doc)
                if whole not in self._items:
                    continue
                if self._items[whole]:
                    self._put(whole, item)
                else:
                    self._take(whole)
            while len(self._written) > MAX_PARTITIONS:
                self._earlier = self._written.pop(next(iter(self._written)))

    def forget(self) -> None:
        """Some items were removed."""
        with self._lock:
            self.last_commit = self._earlier = next(_NUMBERS)
            self._written.clear()
            self._items.clear()
            self._bytes = 0

    def _put(self, place: _Place, item: Item | None) -> None:
        self._take(place)
        self._items[place] = item
        self._bytes += _size(item)
        while self._bytes > self._most:
            _, freed = self._items.popitem(last=False)
            self._bytes -= _size(freed)

    def _take(self, place: _Place) -> bool:
        if place not in self._items:
            return False
        self._bytes -= _size(self._items.pop(place))
        return True


def _size(item: Item | None) -> int:
    return BYTES_BESIDE_PARTS + (sum(map(len, item.parts.values())) if item else 0)
