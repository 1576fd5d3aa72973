"""Audit entries. They are no states of the graph: no fold makes them, and a rebuild of the table does not bring them
back."""

from datetime import timedelta
from typing import Any

from headwater.graph.states.audit import AuditedEvents, AuditEntry
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.decoders import array, instant, number, object_of, optional, text
from headwater.store.retention import expiry
from headwater.store.table import Item

KEPT = timedelta(days=366)
"""A year, whatever its length."""


def encode(entry: AuditEntry) -> Item:
    """The item of an audit entry. Members without a value are left out: an item of up to 1 KB is one write unit."""
    document = {
        "caller": entry.caller,
        "subject": entry.subject,
        "method": entry.method,
        "route": entry.route,
        "path": entry.path,
        "status": entry.status,
        "query": entry.query,
        "namespaces": entry.namespaces,
        "namespaceCount": entry.namespace_count,
        "node": entry.node,
        "events": entry.events,
    }
    known = {name: value for name, value in document.items() if value}
    key = keys.audit_entry(entry.time, entry.request_id)
    return AUDIT_ENTRY.item(key, known, expires_at=expiry(entry.time, KEPT))


def _decode(item: Item, members: Members) -> AuditEntry:
    time, request_id = keys.request_of(item.key)
    return AuditEntry(
        time=instant(time),
        request_id=request_id,
        caller=members.read("caller", text, ""),
        subject=members.read("subject", text, ""),
        method=members.read("method", text, ""),
        route=members.read("route", text, ""),
        path=members.read("path", text, ""),
        status=members.read("status", number),
        query=members.read("query", object_of(text), {}),
        namespaces=tuple(members.read("namespaces", array(text), ())),
        namespace_count=members.read("namespaceCount", number, 0),
        node=members.read("node", text, ""),
        events=members.read("events", optional(_counts), None),
    )


def _counts(value: Any) -> AuditedEvents:
    return AuditedEvents(*map(number, value))


AUDIT_ENTRY = Codec("auditEntry", _decode, (unchanged,))
