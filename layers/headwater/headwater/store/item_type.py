"""An item type: what the store needs to know of one kind of state; and the states of one type that were read.

jobs: ItemType[JobId, JobHead] = ItemType(...)      a row of `kinds.ItemTypes`
read.jobs                                           `States` of that type, in a snapshot
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from headwater.concurrent import give_way
from headwater.store.caches import StateCache
from headwater.store.errors import CorruptItem
from headwater.store.items.codec import Codec
from headwater.store.keys import Key
from headwater.store.table import Item, Retention

if TYPE_CHECKING:
    from headwater.graph.states.visibility import Visibility

Id = TypeVar("Id")
State = TypeVar("State")
Encode = Callable[[Any, Retention], Item]


class RequestedIds:
    """What has ids of each item type: a read request, with the `keys` of all ids."""

    keys: set[Key]

    def __init__(self, ids: Mapping[str, Collection[Any]]) -> None:
        self._ids = ids

    def of_type(self, item_type: "ItemType[Id, State]") -> Collection[Id]:
        return self._ids.get(item_type.name, ())


class ReadStates:
    """What has states of each item type: a snapshot."""

    def __init__(self, items: "ItemStates") -> None:
        self.decoded = items

    def of_type(self, item_type: "ItemType[Id, State]") -> "States[Id, State]":
        return States(item_type, self.decoded)


@dataclass(eq=False)
class ItemType(Generic[Id, State]):
    """A type of items, each the state of one id. `key` and `id_of` are inverse; the keys of a type, and no others,
    begin with `beginning`. `encode` makes the item of a state of the type `saved`. `seen` returns what a caller sees of
    a state; without `seen`, a caller who knows the id sees the state.

    As an attribute of a read request it is the ids of the type, and as an attribute of a snapshot the states.
    """

    key: Callable[[Id], Key]
    id_of: Callable[[Key], Id]
    beginning: Key
    codec: Codec[State]
    saved: type
    encode: Encode
    seen: "Callable[[Visibility, State, Id], State | None] | None" = None
    name: str = field(default="", init=False)

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, owner: None, _: type) -> Self: ...
    @overload
    def __get__(self, owner: RequestedIds, _: type) -> Collection[Id]: ...
    @overload
    def __get__(self, owner: ReadStates, _: type) -> "States[Id, State]": ...
    def __get__(self, owner: RequestedIds | ReadStates | None, _: type) -> Any:
        if owner is None:
            return self
        found = vars(owner)[self.name] = owner.of_type(self)  # from now on, Python finds it there
        return found

    if TYPE_CHECKING:

        def __set__(self, request: RequestedIds, ids: Collection[Id]) -> None:
            """For mypy: what a read request is made of."""


class ItemStates:
    """Items with their states, each decoded at the first use.

    A corrupt item raises CorruptItem at that use. With `on_corrupt`, the error is given to `on_corrupt` and the state
    is absent. With `cache`, an item whose state the cache has is not decoded again. With `visibility`, the states are
    what a caller sees of them.
    """

    def __init__(
        self,
        items: Mapping[Key, Item] = {},
        on_corrupt: Callable[[CorruptItem], None] | None = None,
        cache: StateCache | None = None,
        visibility: "Visibility | None" = None,
    ) -> None:
        self.items = items
        self.on_corrupt = on_corrupt
        self.cache = cache
        self.visibility = visibility
        self._states: dict[Key, Any] = {}

    def state(self, key: Key, codec: Codec[State]) -> State | None:
        if key not in self._states:
            self._states[key] = self._read(key, codec)
        state: State | None = self._states[key]
        return state

    def replacing(self, items: Mapping[Key, Item]) -> "ItemStates":
        """These items, and `items` in place of those with their keys."""
        merged = ItemStates({**self.items, **items}, self.on_corrupt, self.cache, self.visibility)
        merged._states = {key: state for key, state in self._states.items() if key not in items}
        return merged

    def _read(self, key: Key, codec: Codec[State]) -> State | None:
        item = self.items.get(key)
        if item is None:
            return None
        try:
            return self.cache.read(item, codec) if self.cache else codec.read(item)
        except CorruptItem as fault:
            if self.on_corrupt is None:
                raise
            self.on_corrupt(fault)
            return None


@dataclass(frozen=True, slots=True)
class States(Generic[Id, State]):
    """The states of one item type in a snapshot."""

    type: ItemType[Id, State]
    decoded: ItemStates

    def get(self, state_id: Id) -> State | None:
        """The state of an id, or None if it is not stored or was not read, or the caller may not see it."""
        state = self.decoded.state(self.type.key(state_id), self.type.codec)
        return self._seen(state, state_id) if self.decoded.visibility else state

    def of(self, ids: Iterable[Id]) -> list[State]:
        """The stored states of some ids, in the order of the ids."""
        return [state for state_id in ids if (state := self.get(state_id)) is not None]

    def all(self) -> dict[Id, State]:
        """All states of the type that were read, by their ids."""
        (pk, sk), codec, id_of = self.type.beginning, self.type.codec, self.type.id_of
        states: dict[Id, State] = {}
        for key in self.decoded.items:
            give_way()
            if key.pk.startswith(pk) and key.sk.startswith(sk):
                state_id = id_of(key)
                if (state := self._seen(self.decoded.state(key, codec), state_id)) is not None:
                    states[state_id] = state
        return states

    def _seen(self, state: State | None, state_id: Id) -> State | None:
        visibility, seen = self.decoded.visibility, self.type.seen
        return seen(visibility, state, state_id) if visibility and seen and state is not None else state
