"""Caches: items for the length of a request, and states for as long as they fit into memory."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from headwater.concurrent import give_way
from headwater.openlineage.instant import FOREVER, NEVER, Instant
from headwater.store.errors import CorruptItem
from headwater.store.items.codec import Codec
from headwater.store.keys import Key
from headwater.store.table import Item, ItemReader, TableReader

State = TypeVar("State")
Made = TypeVar("Made")
NodeOf = TypeVar("NodeOf", bound=str)

MAX_PACKED_BYTES = 7_000_000
"""The items of some 2,000 jobs with their datasets, and what a graph makes of them."""
MEMORY_OF_PACKED = 15
"""A state takes about fifteen times the memory of its packed item."""
KEPT_NODE_BYTES = 1_000
"""What is kept of a node takes in memory beside its state: mostly the ids of its edges."""


class RequestCache:
    """`ItemReader` that keeps the items it has read. So the functions of a request need not pass items around."""

    def __init__(self, table: ItemReader, reads: "Reads | None" = None) -> None:
        self._table = table
        self.reads = reads
        self._items: dict[Key, Item | None] = {}
        self._nodes: list[Collection[KeptNode]] = []

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        while self._nodes:
            for kept in (item for node in self._nodes.pop() for item in node.items):
                self._items.setdefault(kept.key, kept)
        unread = [key for key in keys if key not in self._items]
        items = self._table.read(unread, only) if unread else {}
        if only is None:
            self._items |= {key: items.get(key) for key in unread}
        known = {key: item for key in keys if (item := self._items.get(key))}
        if self.reads:
            self.reads.note(keys, items.values())
        return known | items

    def add(self, nodes: "Collection[KeptNode]") -> None:
        """Nodes that were used: what is read of their items later is what they are made of."""
        self._nodes.append(nodes)
        if self.reads:
            for node in nodes:
                self.reads.note([item.key for item in node.items], node.items)


@dataclass(slots=True, eq=False)
class Reads:
    """Where something was read of a table at a commit or later. What was made of it holds until one of these partitions
    is written, from a time `since` `until` another; if they are `all`: it may follow from lists, too, or from a damaged
    item, which somebody may repair in the file."""

    table: TableReader
    commit: int
    partitions: set[str] = field(default_factory=set)
    all: bool = True
    since: Instant = NEVER
    until: Instant = FOREVER

    def noting(self, on_corrupt: Callable[[CorruptItem], None] | None) -> Callable[[CorruptItem], None]:
        def note_corrupt(fault: CorruptItem) -> None:
            self.all = False
            if on_corrupt is None:
                raise fault
            on_corrupt(fault)

        return note_corrupt

    def note(self, keys: Iterable[Key], items: Iterable[Item]) -> None:
        self.partitions.update([key.pk for key in keys])
        self.all = self.all and all(item.is_as_written for item in items)


@dataclass(slots=True, eq=False)
class KeptNode:
    """What a lookup made of a node, which follows from a few `items`. It holds while these are stored: at the `commit`
    of the table this was last known. Who reads all `namespaces` that the node names sees it so."""

    value: Any
    namespaces: frozenset[str]
    items: tuple[Item, ...]
    commit: int


@dataclass(slots=True, eq=False)
class _Cached:
    """A state, with the item that it was last read of, and its share of the bound: the bytes of the packed item, and
    the memory of what was `made` of the state, by the function that made it, with what else it was given. Where
    `was_used` since the cache last looked, it stays."""

    content: Hashable
    decode: Callable[..., Any]
    state: Any
    item: Item
    packed: int
    size: int
    was_used: bool = False
    made: dict[Callable[..., Any], tuple[tuple[Any, ...], Any]] = field(default_factory=dict)
    node: str = ""


class StateCache:
    """The states of the items that were used last, by the whole content of each item.

    A state follows from its item, so no entry is ever out of date: a changed item is another entry. The table is still
    read; what the cache saves is unpacking, parsing and checking the items, half the time of a large lookup. States
    never change, so requests may share them.

    What is made of a state, such as the JSON of a run, may stay for as long as the state. So may what a graph knows of
    a node, with the items that it is made of.
    """

    def __init__(self, max_packed_bytes: int = MAX_PACKED_BYTES) -> None:
        self._most = max_packed_bytes
        self._states: OrderedDict[Hashable, _Cached] = OrderedDict()
        self._by_identity: dict[int, _Cached] = {}
        self._by_item: dict[int, _Cached] = {}
        self._nodes: dict[str, tuple[KeptNode, _Cached]] = {}
        self._bytes = 0
        self._lock = Lock()

    def read(self, item: Item, codec: Codec[State]) -> State:
        """The state of an item. Raises CorruptItem."""
        cached = self._by_item.get(id(item))
        if cached is None or cached.item is not item or cached.decode != codec.decode:
            cached = self._known(item, codec)
        if cached is not None:
            cached.was_used = True
            known: State = cached.state
            return known
        state = codec.read(item)
        self._keep(item, codec, state)
        return state

    def keep(self, item: Item, codec: Codec[State], state: State) -> None:
        """Keeps the state that an item was made of: the codec would read an equal state."""
        self._keep(item, codec, state)

    def made(self, make: Callable[..., Made], state: object, *given: Any) -> Made:
        """What `make` makes of a state and of what else is given: a text, or a document that nobody may change. It is
        kept until something else is given. For a state that is not in the cache, such as a run that the caller only
        partly sees, it is made each time."""
        cached = self._by_identity.get(id(state))
        kept = cached.made.get(make) if cached else None
        if kept is not None and kept[0] == given:
            known: Made = kept[1]
            return known
        give_way()
        made = make(state, *given)
        self.keep_made(make, state, given, made)
        return made

    def made_of_each(self, make: Callable[..., Made], said: Iterable[tuple[object, tuple[Any, ...]]]) -> list[Made]:
        """What `make` makes of each of some states and of what else is given for it, as `made` does: of the thousand
        nodes of a graph, nearly all are kept."""
        known = self._by_identity
        return [
            kept[1]
            if (cached := known.get(id(state))) and (kept := cached.made.get(make)) and kept[0] == given
            else self.made(make, state, *given)
            for state, given in said
        ]

    def kept(self, make: Callable[..., Any], state: object) -> tuple[tuple[Any, ...], Any] | None:
        """What was last made of a state, behind what else was given for it."""
        cached = self._by_identity.get(id(state))
        return cached.made.get(make) if cached else None

    def keep_made(self, make: Callable[..., Any], state: object, given: tuple[Any, ...], made: Any) -> None:
        with self._lock:
            if cached := self._by_identity.get(id(state)):
                kept = cached.made.get(make)
                more = _size(made, cached) - (_size(kept[1], cached) if kept else 0)
                cached.made[make] = given, made
                cached.size += more
                self._grow(more)

    def nodes(self, ids: Iterable[NodeOf]) -> dict[NodeOf, KeptNode]:
        """What is kept of nodes."""
        found: dict[NodeOf, KeptNode] = {}
        for node in ids:
            if (kept := self._nodes.get(node)) is not None:
                kept[1].was_used = True
                found[node] = kept[0]
        return found

    def keep_node(self, node: str, state: object, kept: KeptNode) -> None:
        """Keeps what was made of a node for as long as its state."""
        with self._lock:
            if cached := self._by_identity.get(id(state)):
                more = 0 if cached.node else KEPT_NODE_BYTES // MEMORY_OF_PACKED
                cached.node = node
                cached.size += more
                self._nodes[node] = kept, cached
                self._grow(more)

    def _known(self, item: Item, codec: Codec[Any]) -> _Cached | None:
        """The state of another item of the same content, which is looked up by this one from now on."""
        give_way()
        with self._lock:
            cached = self._states.get(_content(item, codec))
            if cached is not None:
                self._by_item.pop(id(cached.item), None)
                cached.item = item
                self._by_item[id(item)] = cached
            return cached

    def _keep(self, item: Item, codec: Codec[Any], state: Any) -> None:
        size, content = sum(map(len, item.parts.values())), _content(item, codec)
        with self._lock:
            if content in self._states or size > self._most:
                return
            cached = _Cached(content, codec.decode, state, item, size, size)
            self._states[content] = self._by_identity[id(state)] = self._by_item[id(item)] = cached
            self._grow(size)

    def _grow(self, size: int) -> None:
        self._bytes += size
        while self._bytes > self._most:
            content, oldest = self._states.popitem(last=False)
            if oldest.was_used:
                oldest.was_used = False
                self._states[content] = oldest
            else:
                self._free(oldest)

    def _free(self, freed: _Cached) -> None:
        self._bytes -= freed.size
        self._by_identity.pop(id(freed.state), None)
        if self._by_item.get(id(freed.item)) is freed:
            del self._by_item[id(freed.item)]
        if (kept := self._nodes.get(freed.node)) and kept[1] is freed:
            del self._nodes[freed.node]


def _size(made: object, of: _Cached) -> int:
    """The share of the bound of what was made of a state, a text or several, or a document: it takes about as much
    memory as the state."""
    parts = made if isinstance(made, tuple) else () if made is None else (made,)
    if not all(isinstance(part, str | bytes | int) for part in parts):
        return of.packed
    return sum(len(part) for part in parts if isinstance(part, str | bytes)) // MEMORY_OF_PACKED


def _content(item: Item, codec: Codec[Any]) -> Hashable:
    """A file does not keep the order of labels."""
    return codec.decode, item.key, frozenset(item.labels.items()), *item.parts.items()
