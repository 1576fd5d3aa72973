"""A record of the table's stream, as alerts see it."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.store.stream_records import StateChange


class Record(NamedTuple):
    """A change of a state, and the later changes of the same state in the batch, each read when it is asked for."""

    change: StateChange
    later: Iterable[StateChange] = ()
