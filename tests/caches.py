"""A state cache for tests: each state that it keeps is compared with the state that the item would be decoded to, and
what was made of a state with what would be made anew, which differs if a reader has changed it."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from headwater.graph.states.run import Run
from headwater.store.caches import StateCache
from headwater.store.items.codec import Codec
from headwater.store.table import Item

State = TypeVar("State")
Made = TypeVar("Made")


class CheckedCache(StateCache):
    def keep(self, item: Item, codec: Codec[State], state: State) -> None:
        stored = codec.read(item)
        assert stored == state
        if isinstance(state, Run) and isinstance(stored, Run):  # answers and alerts show the order of these
            assert ([*stored.inputs], [*stored.outputs]) == ([*state.inputs], [*state.outputs])
        super().keep(item, codec, state)

    def made(self, make: Callable[..., Made], state: object, *given: Any) -> Made:
        made = super().made(make, state, *given)
        assert made == make(state, *given)
        return made

    def made_of_each(self, make: Callable[..., Made], said: Iterable[tuple[object, tuple[Any, ...]]]) -> list[Made]:
        given = list(said)
        made = super().made_of_each(make, given)
        assert made == [make(state, *more) for state, more in given]
        return made
