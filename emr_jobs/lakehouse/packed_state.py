"""States of the fold in a column of a table: in the form of the item that the store has for the state. So a state is
read by the item's codec, which also reads the forms of earlier releases."""

import base64
import json
from datetime import timedelta
from typing import Any

from headwater.store.keys import Key
from headwater.store.kinds import CODECS, encode
from headwater.store.table import Item, Retention

_RETENTION = Retention(runs=timedelta(days=1), events=timedelta(days=1))
"""Of no effect: a lakehouse keeps its rows, and the expiry of an item is not packed."""


def packed(state: Any) -> bytes:
    """A run, or the head of a job or dataset, as bytes. Equal states are equal bytes."""
    item = encode(state, _RETENTION)
    parts = {name: base64.b64encode(part).decode() for name, part in sorted(item.parts.items())}
    return json.dumps([list(item.key), dict(sorted(item.labels.items())), parts], separators=(",", ":")).encode()


def unpacked(content: bytes) -> Any:
    """The state in these bytes. Raises CorruptItem if a newer release has packed it."""
    key, labels, parts = json.loads(content)
    item = Item(Key(*key), labels, {name: base64.b64decode(part) for name, part in parts.items()})
    return CODECS[labels["kind"]].read(item)
