"""Caches: items for the length of a request, and states for as long as they fit into memory."""

from collections import OrderedDict
from collections.abc import Collection, Hashable
from threading import Lock
from typing import Any, TypeVar

from headwater.store.codec import Codec
from headwater.store.keys import Key
from headwater.store.table import Item, ItemReader

State = TypeVar("State")

MAX_PACKED_BYTES = 4_000_000
"""The items of some 2,000 jobs with their datasets. A state takes about fifteen times the memory of its packed item."""


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


class StateCache:
    """The states of the items that were used last, by the whole content of each item.

    A state follows from its item, hence no entry is ever out of date: an item that has changed is another entry. The
    table is read as without the cache; what is saved is to unpack, to parse and to check the items, which takes half of
    the time of a large lookup. States are never changed, so that requests may share them.
    """

    def __init__(self, max_packed_bytes: int = MAX_PACKED_BYTES) -> None:
        self._most = max_packed_bytes
        self._states: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, item: Item, codec: Codec[State]) -> State:
        """The state of an item. Raises CorruptItem."""
        content = _content(item, codec)
        with self._lock:
            if content in self._states:
                self._states.move_to_end(content)
                state: State = self._states[content][0]
                return state
        state = codec.read(item)
        self._keep(content, state, item)
        return state

    def keep(self, item: Item, codec: Codec[State], state: State) -> None:
        """Keeps the state that an item was made of: the codec would read an equal state."""
        self._keep(_content(item, codec), state, item)

    def _keep(self, content: Hashable, state: Any, item: Item) -> None:
        size = sum(map(len, item.parts.values()))
        with self._lock:
            if content in self._states or size > self._most:
                return
            self._states[content] = state, size
            self._bytes += size
            while self._bytes > self._most:
                _, (_, freed) = self._states.popitem(last=False)
                self._bytes -= freed


def _content(item: Item, codec: Codec[Any]) -> Hashable:
    return codec.decode, item.key, frozenset(item.labels.items()), frozenset(item.parts.items())
