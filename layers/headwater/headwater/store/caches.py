"""Caches: items for the length of a request, and states for as long as they fit into memory."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from headwater.concurrent import give_way
from headwater.store.items.codec import Codec
from headwater.store.keys import Key
from headwater.store.table import Item, ItemReader

State = TypeVar("State")
Made = TypeVar("Made")

MAX_PACKED_BYTES = 8_000_000
"""The items of some 2,000 jobs with their datasets, what a graph makes of them, and what the fold has just written."""
MEMORY_OF_PACKED = 15
"""A state takes about fifteen times the memory of its packed item."""


class RequestCache:
    """`ItemReader` that keeps the items it has read. So the functions of a request need not pass items around."""

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
    """A state and its share of the bound: the bytes of the packed item, and the memory of what was `made` of the state,
    by the function that made it, with what else it was given."""

    state: Any
    packed: int
    size: int
    made: dict[Callable[..., Any], tuple[tuple[Any, ...], Any]] = field(default_factory=dict)


class StateCache:
    """The states of the items that were used last, by the whole content of each item.

    A state follows from its item, so no entry is ever out of date: a changed item is another entry. The table is still
    read; what the cache saves is unpacking, parsing and checking the items, half the time of a large lookup. States
    never change, so requests may share them.

    What is made of a state, such as the JSON of a run, may stay for as long as the state.
    """

    def __init__(self, max_packed_bytes: int = MAX_PACKED_BYTES) -> None:
        self._most = max_packed_bytes
        self._states: OrderedDict[Hashable, _Cached] = OrderedDict()
        self._by_identity: dict[int, _Cached] = {}
        self._bytes = 0
        self._lock = Lock()

    def read(self, item: Item, codec: Codec[State]) -> State:
        """The state of an item. Raises CorruptItem."""
        give_way()
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

    def made(self, make: Callable[..., Made], state: object, *given: Any) -> Made:
        """What `make` makes of a state and of what else is given: a text, or a document that nobody may change. It is
        kept until something else is given. For a state that is not in the cache, such as a run that the caller only
        partly sees, it is made each time."""
        give_way()
        with self._lock:
            cached = self._by_identity.get(id(state))
            kept = cached.made.get(make) if cached else None
        if kept is not None and kept[0] == given:
            known: Made = kept[1]
            return known
        made = make(state, *given)
        with self._lock:
            if cached and self._by_identity.get(id(state)) is cached:
                more = _size(made, cached) - (_size(kept[1], cached) if kept else 0)
                cached.made[make] = given, made
                cached.size += more
                self._grow(more)
        return made

    def _keep(self, content: Hashable, state: Any, item: Item) -> None:
        size = sum(map(len, item.parts.values()))
        with self._lock:
            if content in self._states or size > self._most:
                return
            self._states[content] = self._by_identity[id(state)] = _Cached(state, size, size)
            self._grow(size)

    def _grow(self, size: int) -> None:
        self._bytes += size
        while self._bytes > self._most:
            _, freed = self._states.popitem(last=False)
            self._by_identity.pop(id(freed.state), None)
            self._bytes -= freed.size


def _size(made: object, of: _Cached) -> int:
    """The share of the bound of what was made of a state: a document takes about as much memory as the state."""
    return len(made) // MEMORY_OF_PACKED if isinstance(made, str) else of.packed


def _content(item: Item, codec: Codec[Any]) -> Hashable:
    """A file does not keep the order of labels."""
    return codec.decode, item.key, frozenset(item.labels.items()), *item.parts.items()
