"""Counts over the last day, by the hour, or over the last week, by the day.

No counts are stored. Events are counted in the lists of their days. A job, dataset or source counts from the time of
the first event that named it. If the time of a request runs out, the rest is not counted, and the response has
`truncated`.
"""

import time as clock
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from headwater.access.principal import Principal
from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import SOURCES
from headwater.graph.names.identity import DatasetId, EventId, JobId
from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.paging import chunked
from headwater.http.request import ApiRequest
from headwater.lookup.activity.intervals import Interval, intervals
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.namespace_details import heads_in, names_in
from headwater.read.reader import Reader
from headwater.store.ranges import Entry, event_type
from headwater.store.snapshot import ReadRequest

MAX_SECONDS = 12
READ_AT_A_TIME = 1_000
COUNTED = ("FAIL", "START", "COMPLETE", "ABORT")

Id = TypeVar("Id")


def lineage_events(reader: Reader, request: ApiRequest, _caller: Principal) -> list[JsonObject]:
    """The number of START, COMPLETE, FAIL and ABORT events in each interval, in all namespaces that the caller reads.

    An entry of a day's list has no namespace, so the events are read for a caller who may not read everything.
    """
    deadline = clock.monotonic() + MAX_SECONDS
    return concurrent_map(lambda interval: _events(reader, interval, deadline), intervals(request))


def jobs(reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]) -> list[JsonObject]:
    """The number of jobs by the end of each interval, of the jobs that exist today. A job without an event since the
    start of the first interval existed before."""
    all_intervals = intervals(request)
    begin = all_intervals[0].start

    def older_and_newer(namespace: KnownNamespace) -> tuple[int, list[JobId]]:
        listed = reader.store.jobs_in(namespace.name)
        return listed.count(before=begin), [entry.id for entry in listed.entries(after=begin)]

    of_namespaces = concurrent_map(older_and_newer, namespaces)
    ids = list(chain.from_iterable(newer for _, newer in of_namespaces))
    return _cumulative(all_intervals, sum(older for older, _ in of_namespaces), ids, lambda chunk: _jobs(reader, chunk))


def datasets(reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]) -> list[JsonObject]:
    """The number of datasets by the end of each interval, of the datasets that exist today."""
    all_intervals = intervals(request)

    def datasets_in(namespace: KnownNamespace) -> list[DatasetId]:
        return [entry.id for entry in reader.store.datasets_in(namespace.name).entries()]

    ids = list(chain.from_iterable(concurrent_map(datasets_in, namespaces)))
    return _cumulative(all_intervals, 0, ids, lambda chunk: _datasets(reader, chunk))


def sources(reader: Reader, request: ApiRequest, caller: Principal) -> list[JsonObject]:
    """The number of data sources by the end of each interval, of the sources that exist today."""
    all_intervals = intervals(request)
    names = [name for name in names_in(reader, SOURCES) if caller.may_read(name)]
    return _cumulative(all_intervals, 0, names, lambda chunk: _sources(reader, chunk))


def _events(reader: Reader, interval: Interval, deadline: float) -> JsonObject:
    counts: Counter[str] = Counter()
    for day in interval.days:
        listed = reader.store.events_on(day).entries(after=interval.start, before=interval.end)
        for chunk in chunked(listed, READ_AT_A_TIME):
            counts.update(event_type(entry.position) for entry in _seen(reader, chunk))
            if clock.monotonic() > deadline:
                return interval.as_json(**_by_kind(counts)) | {"truncated": True}
    return interval.as_json(**_by_kind(counts))


def _seen(reader: Reader, entries: Sequence[Entry[EventId]]) -> Sequence[Entry[EventId]]:
    """The entries whose events the caller may see."""
    if reader.store.visibility is None:
        return entries
    read = reader.store.read(ReadRequest(events=[entry.id for entry in entries]))
    return [entry for entry in entries if read.events.get(entry.id)]


def _by_kind(counts: Counter[str]) -> dict[str, int]:
    return {kind.lower(): counts[kind] for kind in COUNTED}


def _cumulative(
    all_intervals: Sequence[Interval], older: int, ids: Iterable[Id], created: Callable[[list[Id]], Iterator[Instant]]
) -> list[JsonObject]:
    """The counts up to the end of each interval; `older` is the count before all intervals."""
    deadline, times, is_cut = clock.monotonic() + MAX_SECONDS, list[Instant](), False
    for chunk in chunked(ids, READ_AT_A_TIME):
        is_cut = clock.monotonic() > deadline
        if is_cut:
            break
        times += created(chunk)
    times.sort()
    counts = [interval.as_json(count=older + bisect_left(times, interval.end)) for interval in all_intervals]
    return [{**count, "truncated": True} for count in counts] if is_cut else counts


def _jobs(reader: Reader, ids: Collection[JobId]) -> Iterator[Instant]:
    return (head.facts.first for head in reader.jobs(ids, usages=False).values())


def _datasets(reader: Reader, ids: Collection[DatasetId]) -> Iterator[Instant]:
    return (head.facts.created for head in reader.datasets(ids).values())


def _sources(reader: Reader, names: Iterable[str]) -> Iterator[Instant]:
    return (head.facts.created for head in heads_in(reader, SOURCES, names).values())
