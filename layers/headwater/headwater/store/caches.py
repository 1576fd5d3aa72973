"""Caches: items for the length of a request, and states for as long as they fit into memory."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from headwater.store.items.codec import Codec
from headwater.store.keys import Key
from headwater.store.table import Item, ItemReader

State = TypeVar("State")

MAX_PACKED_BYTES = 5_000_000
"""The items of some 2,500 jobs with their datasets."""
MEMORY_OF_PACKED = 15
"""A state takes about fifteen times the memory of its packed item."""


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


@dataclass(slots=True)
class _Cached:
    """A state and its share of the bound: the bytes of the packed item, and the memory of the text. The text was made
    of the state and of what else was `given`."""

    state: Any
    size: int
    given: Hashable = None
    text: str | None = None


class StateCache:
    """The states of the items that were used last, by the whole content of each item.

    A state follows from its item, hence no entry is ever out of date: an item that has changed is another entry. The
    table is read as without the cache; what is saved is to unpack, to parse and to check the items, which takes half of
    the time of a large lookup. States are never changed, so that requests may share them.

    A state may have a text, such as the JSON of a run, which stays for as long as the state.
    """

    def __init__(self, max_packed_bytes: int = MAX_PACKED_BYTES) -> None:
        self._most = max_packed_bytes
        self._states: OrderedDict[Hashable, _Cached] = OrderedDict()
        self._by_identity: dict[int, _Cached] = {}
        self._bytes = 0
        self._lock = Lock()

    def read(self, item: Item, codec: Codec[State]) -> State:
        """The state of an item. Raises CorruptItem."""
        content = _content(item, codec)
        with self._lock:
            if content in self._states:
                self._states.move_to_end(content)
                known: State = self._states[content].state
                return known
        state = codec.read(item)
        self._keep(content, state, item)
        return state

    def keep(self, item: Item, codec: Codec[State], state: State) -> None:
        """Keeps the state that an item was made of: the codec would read an equal state."""
        self._keep(_content(item, codec), state, item)

    def text(self, state: object, given: Hashable, make: Callable[[], str]) -> str:
        """The text that `make` makes of a state and of what else is given; kept until the state is given with something
        else. A state that is not in the cache, such as a run of which the caller sees a part, has its text made anew.
        """
        with self._lock:
            cached = self._by_identity.get(id(state))
            if cached and cached.text is not None and cached.given == given:
                return cached.text
        text = make()
        with self._lock:
            if cached and self._by_identity.get(id(state)) is cached:
                more = (len(text) - len(cached.text or "")) // MEMORY_OF_PACKED
                cached.given, cached.text, cached.size = given, text, cached.size + more
                self._grow(more)
        return text

    def _keep(self, content: Hashable, state: Any, item: Item) -> None:
        size = sum(map(len, item.parts.values()))
        with self._lock:
            if content in self._states or size > self._most:
                return
            self._states[content] = self._by_identity[id(state)] = _Cached(state, size)
            self._grow(size)

    def _grow(self, size: int) -> None:
        self._bytes += size
        while self._bytes > self._most:
            _, freed = self._states.popitem(last=False)
            self._by_identity.pop(id(freed.state), None)
            self._bytes -= freed.size


def _content(item: Item, codec: Codec[Any]) -> Hashable:
    return codec.decode, item.key, frozenset(item.labels.items()), frozenset(item.parts.items())
