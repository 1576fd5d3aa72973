"""A state cache for tests: each state that it keeps is compared with the state that the item would be decoded to."""

from typing import TypeVar

from headwater.store.caches import StateCache
from headwater.store.items.codec import Codec
from headwater.store.table import Item

State = TypeVar("State")


class CheckedCache(StateCache):
    def keep(self, item: Item, codec: Codec[State], state: State) -> None:
        assert codec.read(item) == state
        super().keep(item, codec, state)
