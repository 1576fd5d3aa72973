"""Entries of refusals. They are no states of the graph: no fold makes them, and a rebuild of the table does not bring
them back."""

from typing import Any

from headwater.graph.states.audit import KEPT, RefusalEntry, RefusalKind
from headwater.store import keys
from headwater.store.items.codec import Codec, Members
from headwater.store.items.decoders import array, instant, number, text
from headwater.store.retention import expiry
from headwater.store.table import Item


def encode(entry: RefusalEntry) -> Item:
    """The item of an entry."""
    document = {"caller": entry.key, "refused": [[*kind, count] for kind, count in entry.counts]}
    return REFUSAL.item(keys.refusal(entry.time, entry.request_id), document, expires_at=expiry(entry.time, KEPT))


def _decode(item: Item, members: Members) -> RefusalEntry:
    time, request_id = keys.request_of(item.key)
    return RefusalEntry(
        instant(time), request_id, members.read("caller", text), tuple(members.read("refused", array(_count)))
    )


def _count(value: Any) -> tuple[RefusalKind, int]:
    producer, status, path, count = value
    return RefusalKind(text(producer), number(status), text(path)), number(count)


REFUSAL = Codec("refusal", _decode, ())
