"""Audit entries, and entries of refusals. They are not states of the graph: no fold makes them, and rebuilding the
table does not bring them back."""

from datetime import timedelta
from typing import Any

from headwater.graph.states.audit import KEPT, AuditedEvents, AuditEntry, RefusalEntry, RefusalKind
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.values import array, instant, number, object_of, optional, text
from headwater.store.table import Item, expiry

AUDIT_KEPT = timedelta(days=366)
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
    return AUDIT_ENTRY.item(key, known, expires_at=expiry(entry.time, AUDIT_KEPT))


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


def encode_refusal(entry: RefusalEntry) -> Item:
    document = {"caller": entry.key, "refused": [[*kind, count] for kind, count in entry.counts]}
    return REFUSAL.item(keys.refusal(entry.time, entry.request_id), document, expires_at=expiry(entry.time, KEPT))


def _decode_refusal(item: Item, members: Members) -> RefusalEntry:
    time, request_id = keys.request_of(item.key)
    return RefusalEntry(
        instant(time), request_id, members.read("caller", text), tuple(members.read("refused", array(_count)))
    )


def _count(value: Any) -> tuple[RefusalKind, int]:
    producer, status, path, count = value
    return RefusalKind(text(producer), number(status), text(path)), number(count)


REFUSAL = Codec("refusal", _decode_refusal, ())
