"""GET /events/lineage: events as they were posted, by event time; RunEvents, unless the request names other kinds.

As in Marquez, the list has only RunEvents by default: the events page of Marquez's web UI fails on an event without a
run.

Events are listed by the day. An entry of a day's list has the time and the type of the event, and nothing else. Two
cases need a read of the event before it is counted. First, a key of some namespaces: the event has the namespace.
Second, a JobEvent or DatasetEvent: it may be curation, which is stored as events too, and is not shown here.
"""

import time as clock
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from headwater.access.principal import Principal
from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import PREFIX, RESERVED
from headwater.graph.names.identity import EventId
from headwater.http.paging import chunked, offset_too_large, within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage.event import EventKind
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.store.ranges import Entry, is_event_position, just_behind
from headwater.store.snapshot import ReadRequest

MAX_SCANNED = 20_000
"""Events that are scanned for the total. Later events of the range are counted by the lists of their days."""
MAX_READ = 1_000
"""Events that are read only for their namespaces. A client gets further events with the cursor."""
MAX_SECONDS = 15
READ_AT_A_TIME = 100
_BY_NAME = {kind.lower(): kind for kind in EventKind}


class Order(StrEnum):
    DESC = "desc"
    ASC = "asc"


class EventRange(NamedTuple):
    """The events with `after` <= position < `before`, and the order of the list. A time is a position, too."""

    after: str
    before: str | None
    newest_first: bool

    def after_position(self, position: str) -> "EventRange":
        """The events that follow a position in the order of the list."""
        if self.newest_first:
            return self._replace(before=min(position, self.before or position))
        return self._replace(after=max(self.after, just_behind(position)))

    def days(self, store: GraphReader) -> list[str]:
        """The days of the range on which there are events."""
        if self.before is not None and self.before <= self.after:
            return []
        days = [day for day in store.event_days() if day >= self.after[:10]]
        return sorted((day for day in days if day <= (self.before or day)[:10]), reverse=self.newest_first)


@dataclass
class _EventScan:
    """Scans the events of a range, and yields the events of some kinds that a key may see.

    kinds    the kinds of events
    last     the position of the last scanned event
    scanned  the number of scanned events
    read     the number of events that were read only for their namespaces
    is_cut   whether the scan ended early: at the limit of reads, or of time
    """

    store: GraphReader
    principal: Principal
    range: EventRange
    kinds: frozenset[EventKind]
    at_a_time: int | None
    last: str = ""
    scanned: int = 0
    read: int = 0
    is_cut: bool = False
    deadline: float = field(default_factory=lambda: clock.monotonic() + MAX_SECONDS)

    @property
    def sees_all(self) -> bool:
        """Whether the key is for all namespaces."""
        return self.principal.reads_everything

    def visible(self) -> Iterator[Entry[EventId]]:
        for chunk in chunked(self._listed(), min(self.at_a_time or READ_AT_A_TIME, READ_AT_A_TIME)):
            if self.scanned and (self.read >= MAX_READ or clock.monotonic() > self.deadline):
                self.is_cut = True
                return
            of_kinds = [entry.id for entry in chunk if entry.id.kind in self.kinds]
            hidden = self._hidden([event_id for event_id in of_kinds if not self._is_visible_unread(event_id)])
            shown = set(of_kinds) - hidden
            for entry in chunk:
                self.last = entry.position
                self.scanned += 1
                if entry.id in shown:
                    yield entry

    def count_remaining(self) -> int:
        """The number of events of the kinds after the last scanned event."""
        rest = self.range.after_position(self.last)

        def count(day: str) -> int:
            return self.store.count_events(day, self.kinds, after=rest.after, before=rest.before)

        return sum(concurrent_map(count, rest.days(self.store)))

    def _listed(self) -> Iterator[Entry[EventId]]:
        after, before, newest_first = self.range
        for day in self.range.days(self.store):
            yield from self.store.events_on(day).entries(
                after=after, before=before, newest_first=newest_first, limit=self.at_a_time
            )

    def _is_visible_unread(self, event: EventId) -> bool:
        """Whether the key may see an event without a read of the event."""
        return self.sees_all and event.kind is EventKind.RUN_EVENT

    def _hidden(self, doubtful: Collection[EventId]) -> set[EventId]:
        """The ids among these whose events the key may not see."""
        read = self.store.read(ReadRequest(events=doubtful))
        self.read += len(doubtful)
        return {event_id for event_id in doubtful if not self._may_see(read.events.get(event_id))}

    def _may_see(self, event: Mapping[str, Any] | None) -> bool:
        """Whether the key may see an event that the store returned for it; not if the event has expired. A stored event
        has a job or a dataset with a namespace, since ingest checked it."""
        if event is None:
            return False
        node = event.get("job") or event["dataset"]
        return not _is_of_api(event, node)


def _is_of_api(event: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Whether an event is curation: the same test as `curation.is_curation`, on the JSON document."""
    facets = node.get("facets") or {}
    is_bare = not any(event.get(member) for member in ("run", "inputs", "outputs"))
    is_curated = bool(facets) and all(name.startswith(PREFIX) for name in facets)
    return node["namespace"] in RESERVED or (is_bare and is_curated)


def lineage_events(reader: Reader, request: ApiRequest, caller: Principal) -> JsonObject:
    """A page of the events. `truncated` says that there may be more events than were found or counted."""
    page = request.page()
    kinds = _kinds(request)
    is_dense = page.total is not None and EventKind.RUN_EVENT in kinds
    at_a_time = page.limit + 1 if is_dense else None
    scan = _EventScan(reader.store, caller, _range(request, page.after), kinds, at_a_time)
    visible = scan.visible()
    skipped = sum(1 for _ in islice(visible, page.offset))
    if scan.is_cut and skipped < page.offset:
        raise offset_too_large()
    events = list(islice(visible, page.limit + 1))
    is_short, end = scan.is_cut, scan.last
    total, is_exact = _total(scan, visible, skipped + len(events)) if page.total is None else (page.total, True)
    shown = within_size_limit(_events(reader.store, events[: page.limit]))
    answer: dict[str, Any] = {"events": shown, "totalCount": total}
    if shown and len(shown) < len(events):
        answer["cursor"] = page.cursor(events[len(shown) - 1].position, total)
    elif is_short:
        answer["cursor"] = page.cursor(end, total)
    return answer | ({"truncated": True} if is_short or not is_exact else {})


def _kinds(request: ApiRequest) -> frozenset[EventKind]:
    """The requested kinds of events; without the parameter, RunEvents."""
    named = {name.lower() for name in request.values("eventKinds") if name}
    if named - _BY_NAME.keys():
        raise InvalidRequest(Fault("eventKinds", f"expected some of {', '.join(EventKind)}"))
    return frozenset(_BY_NAME[name] for name in named) or frozenset({EventKind.RUN_EVENT})


def _range(request: ApiRequest, position: str | None) -> EventRange:
    """The requested events; with a cursor, those after the position in the cursor."""
    order = request.choice("sortDirection", Order) if request.query.get("sortDirection") else Order.DESC
    after, before = (request.time(name) if request.query.get(name) else None for name in ("after", "before"))
    requested = EventRange(after or "", before, order is Order.DESC)
    if position is None:
        return requested
    if not is_event_position(position):
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier response"))
    return requested.after_position(position)


def _total(scan: _EventScan, visible: Iterator[Entry[EventId]], count_so_far: int) -> tuple[int, bool]:
    """The number of events of the range that the key may see, and whether the number is exact."""
    for _ in visible:
        count_so_far += 1
        if scan.scanned >= MAX_SCANNED:
            break
    else:
        if not scan.is_cut:
            return count_so_far, True
    return (count_so_far + scan.count_remaining(), True) if scan.sees_all else (count_so_far, False)


def _events(store: GraphReader, entries: Collection[Entry[EventId]]) -> Iterator[dict[str, Any]]:
    """The events of these entries, as they were sent."""
    for chunk in chunked(entries, READ_AT_A_TIME):
        ids = [entry.id for entry in chunk]
        yield from store.read(ReadRequest(events=ids)).events.of(ids)
