"""GET /events/lineage: events as they were posted, by event time.

They are listed by the day, and an entry of a day's list tells the time and the kind of its event alone. So where it
matters whose event it is, the event is read before it is counted: for a key of some namespaces; and to tell what
producers said from what was said through the API, which is kept as JobEvents and DatasetEvents too.
"""

import re
import time as clock
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from headwater.access.principal import Principal
from headwater.concurrent import concurrent_map
from headwater.graph.curation import PREFIX, RESERVED
from headwater.http.paging import in_parts, too_far, within_size_limit
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.event import EventType
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.keys import Key
from headwater.store.table import HIGHEST, LOWEST, IndexEntry, Item

MAX_COUNTED = 20_000
"""Events that are looked at to count those of a span; the others of it are counted as they are listed."""
MAX_READ = 1_000
"""Events that are read only to see whose they are; whoever would need more goes on with the cursor."""
MAX_SECONDS = 15
READ_AT_A_TIME = 100
_PLACE = re.compile(r"[0-9T:.-]+Z#[A-Za-z]+#[0-9a-f]+")
_RUN_EVENTS = frozenset(each.value for each in EventType)


class Order(StrEnum):
    DESC = "desc"
    ASC = "asc"


class EventRange(NamedTuple):
    """Places between which events are listed, `after` <= place < `before`, and which way to go through them."""

    after: str
    before: str
    newest_first: bool

    def behind(self, place: str) -> "EventRange":
        """What is still to come behind an event; its own place is no bound, since a count may take in those."""
        if self.newest_first:
            just_below = place[:-1] + chr(ord(place[-1]) - 1) + HIGHEST
            return self._replace(before=min(self.before, just_below))
        return self._replace(after=max(self.after, place + LOWEST))

    def days(self, reader: Reader) -> list[str]:
        """The days of the span on which there are events."""
        days = [key.sk for key in reader.table.partition(keys.DAYS, "")] if self.after < self.before else []
        return sorted((day for day in days if self.after[:10] <= day <= self.before[:10]), reverse=self.newest_first)


@dataclass
class _Listing:
    """The events of a span that an asker may see; how far they were looked through, and whether that was given up."""

    reader: Reader
    principal: Principal
    span: EventRange
    at_a_time: int | None
    last: str = ""
    looked_at: int = 0
    read: int = 0
    is_cut: bool = False
    deadline: float = field(default_factory=lambda: clock.monotonic() + MAX_SECONDS)

    @property
    def is_all(self) -> bool:
        """Whether the asker's key is for all namespaces."""
        return "*" in self.principal.namespaces

    def seen(self) -> Iterator[IndexEntry]:
        for some in in_parts(self._listed(), READ_AT_A_TIME):
            if self.looked_at and (self.read >= MAX_READ or clock.monotonic() > self.deadline):
                self.is_cut = True
                return
            hidden = self._hidden([entry.key for entry in some if not self._is_plain(entry)])
            for entry in some:
                self.last = entry.place
                self.looked_at += 1
                if entry.key not in hidden:
                    yield entry

    def count_behind(self) -> int:
        """How many events are listed behind those that were looked at."""
        span = self.span.behind(self.last)

        def count(day: str) -> int:
            return self.reader.table.count(keys.events_of(day), after=span.after, before=span.before)

        return sum(concurrent_map(count, span.days(self.reader)))

    def _listed(self) -> Iterator[IndexEntry]:
        for day in self.span.days(self.reader):
            yield from self.reader.table.list_entries(
                keys.events_of(day),
                after=self.span.after,
                before=self.span.before,
                newest_first=self.span.newest_first,
                limit=self.at_a_time,
            )

    def _is_plain(self, entry: IndexEntry) -> bool:
        """Whether the asker may see an event whatever it holds."""
        return self.is_all and entry.place.split("#")[1] in _RUN_EVENTS

    def _hidden(self, doubtful: Collection[Key]) -> set[Key]:
        """Those of some events that the asker may not see."""
        items = self.reader.table.read(doubtful) if doubtful else {}
        self.read += len(doubtful)
        return {key for key in doubtful if key not in items or not self._may_see(items[key])}

    def _may_see(self, item: Item) -> bool:
        """What is stored was checked when it came, so that its namespace is where it has to be."""
        event = item_codec.read_document(item)
        named = event.get("job") or event["dataset"]
        return not _is_ours(event, named) and self.principal.may_use(named["namespace"])


def _is_ours(event: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
    """Whether an event was made of what somebody said through the API (`curation.is_curation`, of its document)."""
    facets = named.get("facets") or {}
    is_bare = not any(event.get(member) for member in ("run", "inputs", "outputs"))
    return named["namespace"] in RESERVED or (is_bare and bool(facets) and all(f.startswith(PREFIX) for f in facets))


def lineage_events(reader: Reader, request: ApiRequest) -> ApiResponse:
    """A page of the events. `truncated` tells that there may be more than were found or counted."""
    page, span = request.page(), _span(request)
    if page.after is not None:
        span = span.behind(_place(page.after))
    at_a_time = None if page.total is None else max(READ_AT_A_TIME, page.limit + 1)
    listing = _Listing(reader, request.principal, span, at_a_time)
    seen = listing.seen()
    skipped = sum(1 for _ in islice(seen, page.offset))
    if listing.is_cut and skipped < page.offset:
        raise too_far()
    found = list(islice(seen, page.limit + 1))
    is_short, end = listing.is_cut, listing.last
    total, is_exact = _total(listing, seen, skipped + len(found)) if page.total is None else (page.total, True)
    shown = within_size_limit(_documents(reader, found[: page.limit]))
    answer: dict[str, Any] = {"events": shown, "totalCount": total}
    if shown and len(shown) < len(found):
        answer["cursor"] = page.cursor(found[len(shown) - 1].place, total)
    elif is_short:
        answer["cursor"] = page.cursor(end, total)
    return ApiResponse(200, answer | ({"truncated": True} if is_short or not is_exact else {}))


def _span(request: ApiRequest) -> EventRange:
    order = request.choice("sortDirection", Order) if request.query.get("sortDirection") else Order.DESC
    after, before = (request.time(name) if request.query.get(name) else None for name in ("after", "before"))
    return EventRange(after or LOWEST, before or HIGHEST, order is Order.DESC)


def _place(after: str) -> str:
    if not _PLACE.fullmatch(after):
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier answer"))
    return after


def _total(listing: _Listing, seen: Iterator[IndexEntry], so_far: int) -> tuple[int, bool]:
    """How many events the asker may see in the span, and whether that is certain."""
    for _ in seen:
        so_far += 1
        if listing.looked_at >= MAX_COUNTED:
            break
    else:
        if not listing.is_cut:
            return so_far, True
    return (so_far + listing.count_behind(), True) if listing.is_all else (so_far, False)


def _documents(reader: Reader, entries: Collection[IndexEntry]) -> Iterator[Any]:
    for some in in_parts(entries, READ_AT_A_TIME):
        items = reader.table.read([entry.key for entry in some])
        yield from (item_codec.read_document(items[entry.key]) for entry in some if entry.key in items)
