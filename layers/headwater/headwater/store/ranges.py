"""Listings and time lines of the table, and the positions in them. Both give ids, page by page as the caller continues.

A position is the place of an entry in the order of its list. Positions are opaque; a cursor holds the position of the
last entry of a page. The text in a client's cursor may be any text.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from heapq import merge
from itertools import chain, islice
from typing import Generic, NamedTuple, NewType, TypedDict, TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import DatasetId, EventId, NamespaceId, job_id, namespace_id
from headwater.graph.states.audit import AuditEntry
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, QualityResult, StoredAlert
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant
from headwater.store import keys
from headwater.store.keys import Key
from headwater.store.table import HIGHEST, LOWEST, IndexEntry, TableReader

Id = TypeVar("Id")
Position = NewType("Position", str)

_END_OF_TIMES = ":"
"""Sorts behind every time: a time begins with a digit."""


class Entry(NamedTuple, Generic[Id]):
    """An entry of a listing: an id, its position, and its name if it has one."""

    id: Id
    position: Position
    name: str

    @property
    def time(self) -> Instant:
        """The time of an entry, in a listing by time or a time line."""
        return keys.time_of(self.position)


class _Bounds(TypedDict):
    after: str
    before: str


class Listing(Generic[Id]):
    """A list by an index: the jobs of a namespace by time, its datasets by name, the children of a run by start, and
    others. A listing may lag behind the table by a moment.

    A list with more writes than one key of an index can take is split into shards, which are merged here.
    """

    def __init__(self, table: TableReader, shards: Sequence[str], identify: Callable[[Key], Id]) -> None:
        self._table = table
        self._shards = shards
        self._identify = identify

    def entries(
        self,
        *,
        after: str | None = None,
        before: str | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry[Id]]:
        """The entries with `after` <= position < `before`. A time is a position, too. `limit` is how many the caller
        expects to need; more are read as it continues."""
        bounds = _bounds(after, before)
        share = None if limit is None else _share(limit, len(self._shards))

        def begun(shard: str) -> Iterator[IndexEntry]:
            entries = self._table.list_entries(shard, **bounds, newest_first=newest_first, limit=share)
            return chain(list(islice(entries, 1)), entries)

        shards = concurrent_map(begun, self._shards)
        merged = merge(*shards, key=lambda entry: entry.position, reverse=newest_first)
        yield from map(self._entry, merged)

    def page(self, limit: int) -> tuple[list[Entry[Id]], int]:
        """The first entries, and the count of all entries."""
        pages = concurrent_map(lambda shard: self._table.page_with_count(shard, limit), self._shards)
        merged = merge(*(entries for entries, _ in pages), key=lambda entry: entry.position)
        return list(map(self._entry, islice(merged, limit))), sum(count for _, count in pages)

    def count(self, *, after: str | None = None, before: str | None = None, pk: str = "") -> int:
        """The count of the entries between two positions whose items' partitions begin with `pk`."""
        bounds = _bounds(after, before)
        return sum(concurrent_map(lambda shard: self._table.count(shard, **bounds, pk=pk), self._shards))

    def _entry(self, entry: IndexEntry) -> Entry[Id]:
        return Entry(self._identify(entry.key), Position(entry.position), entry.name)


class TimeLine(Generic[Id]):
    """States of a job or dataset by time: the runs of a job, the writes of a dataset, the quality results of a dataset.

    A time line is read consistently: the newest run of a job must be right.
    """

    def __init__(self, table: TableReader, pk: str, identify: Callable[[Key], Id], prefix: str = "") -> None:
        self._table = table
        self._pk = pk
        self._identify = identify
        self._prefix = prefix
        self.behind = NEVER
        self.end: Instant | None = None

    def between(self, behind: Instant, end: Instant | None) -> "TimeLine[Id]":
        """The part of the time line between two times, both excluded."""
        part = copy(self)
        part.behind, part.end = behind, end
        return part

    def newest(
        self,
        *,
        since: Instant = NEVER,
        until: Instant | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Id]:
        """The ids with `since` <= time <= `until`, and before a position or time `before`, newest first."""
        return (entry.id for entry in self.entries(since=since, until=until, before=before, limit=limit))

    def entries(
        self,
        *,
        since: Instant = NEVER,
        until: Instant | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Entry[Id]]:
        """The entries of the ids of `newest`: they have the time of each state, and no name."""
        last = f"{until}$" if until else _END_OF_TIMES  # a position is `time#...`, and `#` < `$`
        ends = [self._prefix + end for end in (last, before, self.end) if end is not None]
        first = max(since, f"{self.behind}$" if self.behind else NEVER)
        after = self._prefix + (first or (LOWEST if not self._prefix else ""))
        return map(self._entry, self._table.newest(self._pk, min(ends), after, limit))

    def _entry(self, entry: IndexEntry) -> Entry[Id]:
        return Entry(self._identify(entry.key), Position(entry.position.removeprefix(self._prefix)), "")


def run_position(run: Run) -> Position:
    """The position of a run among the runs of its job."""
    return Position(keys.time_key(*run.order))


def top_run_position(run: Run) -> Position:
    """The position of a run without a parent among those with its outcome. The position has the namespace, so that a
    list is filtered without reading the runs."""
    namespace = namespace_id(run.job.namespace)
    return Position(keys.time_key(run.outcome_at, run.run_id, job_id(run.job), namespace))


def alert_position(alert: StoredAlert) -> Position:
    """The position of an alert among those of its severity, likewise with its namespace."""
    return Position(keys.time_key(alert.time, alert.id, namespace_id(alert.namespace)))


def namespace_of(position: str) -> NamespaceId:
    """The namespace in the position of a run without a parent, or of an alert."""
    return NamespaceId(position.rpartition("#")[2])


def write_position(write: DatasetWrite) -> Position:
    """The position of a write among the writes of its dataset."""
    return Position(keys.time_key(write.output.first, write.id.version, write.id.job))


def quality_position(result: QualityResult) -> Position:
    """The position of a quality result among those of its dataset."""
    return Position(keys.time_key(result.time, result.id.run_id, result.id.job))


def name_position(name: Name, dataset: DatasetId) -> Position:
    """The position of a dataset in a listing by name."""
    return Position(keys.name_key(name, dataset))


def just_behind(position: str) -> Position:
    """The lowest position behind a position."""
    return Position(position + LOWEST)


def event_type(position: Position) -> str:
    """The type of an event, in the list of a day's events: START, COMPLETE, ... of a RunEvent, else the kind."""
    return keys.type_of_event(position)


def run_event_position(event: EventId) -> Position:
    """The position of an event among the events of its run."""
    return Position(keys.event(event).sk.removeprefix(keys.EVENT))


def is_event_position(text: str) -> bool:
    """Whether a text may be a position in the list of a day's events."""
    return keys.is_event_position(text)


def is_audit_position(text: str) -> bool:
    """Whether a text may be the position in the audit log: `time#request id`, or a day, before which a
    page ended."""
    return keys.is_audit_position(text)


def audit_position(entry: AuditEntry) -> Position:
    """The position of an audit entry among those of its day."""
    return Position(keys.audit_entry(entry.time, entry.request_id).sk)


def _share(limit: int, shards: int) -> int:
    """How many entries to read of each shard to get so many in all: the mean plus at least two standard deviations, so
    that few shards are asked twice. Example: 64 of each of two shards for a page of a hundred."""
    mean = -(-limit // shards)
    return mean if shards == 1 else mean + 2 * math.isqrt(mean)


def _bounds(after: str | None, before: str | None) -> _Bounds:
    return {"after": after or LOWEST, "before": before or HIGHEST}
