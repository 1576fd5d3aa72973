"""What programs that make or read a whole table need of the store: the rebuild, the lakehouse, benchmarks, samples.

    item = encode(state, retention)         the item of a state
    state_in(item)                          the state, or None for an item that is only a key
    packed(state), unpacked(content)        a state as bytes

Keys, codecs and items are private to the store; this module is how such programs reach them. Use cases take the graph
store, which writes conditionally and knows who is asking.
"""

import base64
import json
import zlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from headwater.store import keys
from headwater.store.errors import CorruptItem
from headwater.store.items.codec import SCHEMA
from headwater.store.items.compression import unpack
from headwater.store.items.runs import OPEN_IN
from headwater.store.keys import Key
from headwater.store.kinds import CODECS, NOT_OF_EVENTS, JoinedState, State, encode
from headwater.store.table import ConditionalPut, Item, Retention, Table

__all__ = ["OPEN_IN", "ConditionalPut", "Item", "JoinedState", "Key", "Retention", "State", "Table", "encode"]

_OF_NODES = (keys.JOB_HEADS.pk, keys.DATASET_HEADS.pk)
_NO_EXPIRY = Retention(runs=timedelta(days=1), events=timedelta(days=1))
"""Has no effect: an item's expiry is not packed."""


def state_in(item: Item) -> Any:
    """The state in an item; None for an item without a document, such as a day. Raises CorruptItem."""
    codec = CODECS.get(item.labels["kind"])
    return codec.read(item) if codec else None


def documents_in(item: Item) -> Iterator[Any]:
    """The documents of an item as they are stored; None for one that cannot be unpacked."""
    for packed in item.parts.values():
        try:
            yield unpack(packed)
        except (ValueError, zlib.error):
            yield None


def is_whole(item: Item, kind: str) -> bool:
    """Whether an item can be read as one of a kind. Raises CorruptItem if a newer release wrote it."""
    codec = CODECS.get(kind)
    if codec is None:
        return True
    codec.check_version(item)
    try:
        codec.read(item)
    except CorruptItem:
        return False
    return True


def form_of(item: Item) -> int:
    """The version of an item's form."""
    return int(item.labels.get(SCHEMA, "1"))


def is_of_node(item: Item) -> bool:
    """Whether an item is in the partition of a job or dataset."""
    return item.key.pk.startswith(_OF_NODES)


def is_of_events(item: Item) -> bool:
    """Whether an item follows from events, so that a rebuild brings it back."""
    return item.labels.get("kind") not in NOT_OF_EVENTS


def given_up(item: Item) -> Item:
    """The item of a run that has left the index of open runs, whose label is OPEN_IN."""
    labels = {name: text for name, text in item.labels.items() if name != OPEN_IN}
    return Item(item.key, labels, item.parts, item.expires_at)


def packed(state: State) -> bytes:
    """A state as bytes, in the form of its item. Equal states are equal bytes."""
    item = encode(state, _NO_EXPIRY)
    parts = {name: base64.b64encode(part).decode() for name, part in sorted(item.parts.items())}
    return json.dumps([list(item.key), dict(sorted(item.labels.items())), parts], separators=(",", ":")).encode()


def unpacked(content: bytes) -> Any:
    """The state in these bytes, even if an earlier release packed it. Raises CorruptItem if a newer one did."""
    key, labels, parts = json.loads(content)
    return state_in(Item(Key(*key), labels, {name: base64.b64decode(part) for name, part in parts.items()}))
