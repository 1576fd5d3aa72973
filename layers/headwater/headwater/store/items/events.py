"""Events as they were sent, and the days with events."""

from datetime import timedelta
from typing import Any

from headwater.graph.names.identity import event_id
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.stored_states import EventDay
from headwater.openlineage import exact_json
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.items.codec import DOC, SCHEMA, Codec, Members, WrongMember, unchanged
from headwater.store.items.compression import pack_text
from headwater.store.table import Item, Retention, expiry


def encode(normalised: NormalisedEvent, retention: Retention) -> Item:
    """The item of an event: its canonical text."""
    event = normalised.event
    state_id = event_id(event)
    event_type = event.type if isinstance(event, RunEvent) else state_id.kind
    labels = {
        "kind": EVENT.kind,
        SCHEMA: str(EVENT.schema),
        "listed_in": keys.events_of(event.time[:10], event.digest),
        "place": keys.time_key(event.time, event_type, event.digest),
    }
    parts = {DOC: pack_text(normalised.canonical)}
    return Item(keys.event(state_id), labels, parts, expiry(event.time, retention.events))


def _decode(item: Item, members: Members) -> dict[str, Any]:
    if exact_json.digest(members.document) != keys.event_of(item.key).digest:
        raise WrongMember(DOC, "expected the event whose digest the item's key has")
    return members.document


EVENT = Codec("event", _decode, (unchanged, unchanged))
"""An event before version 3 is in the list of its day that has no shard."""


def encode_day(day: EventDay, retention: Retention) -> Item:
    """The item of a day with events, kept a day longer than the events. The item has a key and no document."""
    midnight = Instant(f"{day.day}T00:00:00.000000000Z")
    labels = {"kind": "day", SCHEMA: "1"}
    return Item(keys.day(day.day), labels, {}, expiry(midnight, retention.events + timedelta(days=1)))
