"""GET /audit: who asked what, and who changed what, the newest first. For administrators of all namespaces.

Entries are read day by day. A page costs what it holds, and the days that it passes; with a filter, the entries that it
passes, too. A page that has passed `MAX_SCANNED` entries, or has taken `MAX_SECONDS`, ends there with a cursor.
"""

import time as clock
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from headwater.access.principal import Principal
from headwater.graph.states.audit import AuditEntry
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of, shown
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.store.ranges import audit_position, is_audit_position

KEPT = timedelta(days=366)
FILTERS = ("key", "namespace", "method", "changes")
MAX_SCANNED, SCANNED_AT_A_TIME = 10_000, 500
MAX_SECONDS = 15


@dataclass
class _AuditScan:
    """Scans the entries with `after` <= position < `before`, the newest first.

    before   moves on with the scan: to the entry, or the day, that was scanned last
    is_cut   whether the scan ended early
    """

    store: GraphReader
    now: datetime
    after: str
    before: str
    at_a_time: int
    is_wanted: Callable[[AuditEntry], bool]
    scanned: int = 0
    is_cut: bool = False
    deadline: float = field(default_factory=lambda: clock.monotonic() + MAX_SECONDS)

    def wanted(self) -> Iterator[AuditEntry]:
        for day in self._days():
            for entry in self.store.audit_entries(day, after=self.after, before=self.before, limit=self.at_a_time):
                self.scanned += 1
                self.before = audit_position(entry)
                if self.is_wanted(entry):
                    yield entry
                if self.scanned >= MAX_SCANNED:
                    self.is_cut = True
                    return
            self.before = min(self.before, day)
            if clock.monotonic() > self.deadline:
                self.is_cut = True
                return

    def _days(self) -> list[str]:
        """The days that may have wanted entries, the last day first."""
        days = [(self.now - timedelta(days=number)).date().isoformat() for number in range(-1, KEPT.days + 1)]
        return [day for day in days if self.after[:10] <= day < self.before]


def audit(reader: Reader, request: ApiRequest, _caller: Principal) -> JsonObject:
    """A page of the audit entries. `truncated` says that the page ended early, `isAudited` whether requests become
    entries now."""
    page = request.page_by_cursor()
    is_filtered = any(name in request.query for name in FILTERS)
    at_a_time = SCANNED_AT_A_TIME if is_filtered else page.limit // 2 + 1
    scan = _AuditScan(reader.store, request.received_at, *_range(request, page.after), at_a_time, _filter(request))
    found = list(islice(scan.wanted(), page.limit + 1))
    entries = found[: page.limit]
    answer: dict[str, Any] = {
        "entries": [_document(entry) for entry in entries],
        "isAudited": request.annotations.is_audited,
    }
    if len(found) > len(entries):
        return answer | ({"cursor": page.cursor(audit_position(entries[-1]), 0)} if entries else {})
    return answer | ({"cursor": page.cursor(scan.before, 0), "truncated": True} if scan.is_cut else {})


def _range(request: ApiRequest, position: str | None) -> tuple[str, str]:
    """The requested entries: those of the last year, unless the request names times; with a cursor, those before."""
    oldest, now = instant_of(request.received_at - KEPT), instant_of(request.received_at + timedelta(days=1))
    after, before = max(request.time("after") or oldest, oldest), min(request.time("before") or now, now)
    if position is None:
        return after, before
    if not is_audit_position(position):
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier response"))
    return after, min(position, before)


def _filter(request: ApiRequest) -> Callable[[AuditEntry], bool]:
    key, namespace, method = (request.query.get(name) for name in ("key", "namespace", "method"))
    changes = request.flag("changes")

    def is_wanted(entry: AuditEntry) -> bool:
        return (
            (key is None or entry.is_of(key))
            and (namespace is None or entry.concerns(namespace))
            and (method is None or entry.method == method.upper())
            and (not changes or entry.is_change)
        )

    return is_wanted


def _document(entry: AuditEntry) -> JsonObject:
    """An entry, without members that it has no value for."""
    events = entry.events and {"taken": entry.events[0], "refused": entry.events[1], "setAside": entry.events[2]}
    more = entry.namespace_count - len(entry.namespaces)
    document = {
        "time": shown(entry.time),
        "requestId": entry.request_id,
        "key": entry.caller,
        "subject": entry.subject,
        "method": entry.method,
        "route": entry.route,
        "path": entry.path,
        "query": dict(entry.query),
        "status": entry.status,
        "namespaces": list(entry.namespaces),
        "moreNamespaces": more,
        "node": entry.node,
        "events": events,
    }
    return {name: value for name, value in document.items() if value}
