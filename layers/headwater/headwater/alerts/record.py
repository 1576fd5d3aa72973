"""A record of the table's stream, in the form that alerts use."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.store.stream_records import StateChange


class Record(NamedTuple):
    """A change of a state, and the later changes of the same state in the batch. A later change is read when needed."""

    change: StateChange
    later: Iterable[StateChange] = ()
