"""The items of a file that were read last: the next lookup of a graph reads the same thousands, of which few have
changed."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable

from headwater.store.items.codec import DOC
from headwater.store.keys import Key
from headwater.store.table import Item

MAX_BYTES = 12_000_000
BYTES_BESIDE_PARTS = 1_000
"""What an item takes in memory beside its documents: its key, its labels, and their places."""
KEPT = (None, DOC)
"""Whole items, and items with the part that a traversal reads."""

_Place = tuple[Key, str | None]


class ItemCache:
    """Items as they are stored. All writes of items pass here: the process has the file for itself."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._items: OrderedDict[_Place, Item] = OrderedDict()
        self._bytes = 0
        self._writes = 0

    def read(
        self, keys: Collection[Key], only: str | None, read: Callable[[Collection[Key], str | None], dict[Key, Item]]
    ) -> dict[Key, Item]:
        """The items with these keys: those that are kept, and what `read` returns of the others. A read during which
        something was written may be of before or after it, hence is not kept."""
        known: dict[Key, Item] = {}
        with self._lock:
            items = self._items
            for key in keys:
                place = key, only
                if place in items:
                    items.move_to_end(place)
                    known[key] = items[place]
            writes = self._writes
        unread = [key for key in keys if key not in known] if len(known) < len(keys) else ()
        if unread:
            found = read(unread, only)
            known |= found
            with self._lock:
                if writes == self._writes:
                    for key, item in found.items():
                        if _is_as_written(item):
                            self._put((key, only), item)
        return known

    def written(self, items: Iterable[Item]) -> None:
        """These items are committed, and no other write has begun: those that are kept are replaced."""
        with self._lock:
            self._writes += 1
            for item in items:
                if (item.key, DOC) in self._items:
                    self._take((item.key, DOC))
                if (item.key, None) in self._items:
                    self._put((item.key, None), item)

    def forget(self) -> None:
        """Some items were removed."""
        with self._lock:
            self._writes += 1
            self._items.clear()
            self._bytes = 0

    def _put(self, place: _Place, item: Item) -> None:
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


def _is_as_written(item: Item) -> bool:
    """Whether a whole item has the content that its version is of. One that is damaged is read again each time, since
    somebody may repair it in the file. An item with only one part has no version to tell by."""
    return item.stored_version in (None, item.version)


def _size(item: Item) -> int:
    return BYTES_BESIDE_PARTS + sum(map(len, item.parts.values()))
