"""Counts over the last day, by the hour, or over the last week, by the day.

Nothing is kept for them: events are counted in the lists of their days, and jobs, datasets and sources by when they
were first named. What there is no time to look at is not counted, and then `truncated` says so.
"""

import time as clock
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from headwater.concurrent import concurrent_map
from headwater.graph.curation import SOURCES
from headwater.graph.identity import NodeId
from headwater.http.paging import in_parts
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup.activity.intervals import Interval, intervals
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.reserved_namespaces import heads_in, names_in
from headwater.store import keys

MAX_SECONDS = 12
READ_AT_A_TIME = 1_000
COUNTED = ("FAIL", "START", "COMPLETE", "ABORT")


def lineage_events(reader: Reader, request: ApiRequest) -> ApiResponse:
    """How many RunEvents of each kind that matters happened in each interval, in all namespaces."""
    deadline = clock.monotonic() + MAX_SECONDS
    return ApiResponse(200, concurrent_map(lambda each: _events(reader, each, deadline), intervals(request)))


def jobs(reader: Reader, request: ApiRequest) -> ApiResponse:
    """How many of today's jobs there were by the end of each interval. One that has not run since was there before."""
    asked = intervals(request)
    begin = asked[0].start

    def of(namespace: str) -> tuple[int, list[NodeId]]:
        listed = keys.jobs_of(namespace)
        older = reader.table.count(listed, before=begin)
        return older, [keys.node_of(each.key.pk) for each in reader.table.list_entries(listed, after=begin)]

    found = concurrent_map(of, _namespaces(reader, request))
    ids = list(chain.from_iterable(newer for _, newer in found))
    return _cumulative(asked, sum(older for older, _ in found), ids, lambda some: _jobs(reader, some))


def datasets(reader: Reader, request: ApiRequest) -> ApiResponse:
    """How many of today's datasets there were by the end of each interval."""
    asked = intervals(request)

    def of(namespace: str) -> list[NodeId]:
        return [keys.node_of(each.key.pk) for each in reader.table.list_entries(keys.datasets_of(namespace))]

    ids = list(chain.from_iterable(concurrent_map(of, _namespaces(reader, request))))
    return _cumulative(asked, 0, ids, lambda some: _datasets(reader, some))


def sources(reader: Reader, request: ApiRequest) -> ApiResponse:
    """How many of today's data sources there were by the end of each interval."""
    asked = intervals(request)
    names = [name for name in names_in(reader, SOURCES) if request.principal.may_use(name)]
    return _cumulative(asked, 0, names, lambda some: _sources(reader, some))


def _namespaces(reader: Reader, request: ApiRequest) -> list[str]:
    return [name for name, _ in reader.namespaces() if request.principal.may_use(name)]


def _events(reader: Reader, interval: Interval, deadline: float) -> JsonObject:
    counts: Counter[str] = Counter()
    for day in interval.days:
        listed = reader.table.list_entries(keys.events_of(day), after=interval.start, before=interval.end)
        for some in in_parts(listed, READ_AT_A_TIME):
            counts.update(entry.place.split("#")[1] for entry in some)
            if clock.monotonic() > deadline:
                return interval.as_json(**_by_kind(counts)) | {"truncated": True}
    return interval.as_json(**_by_kind(counts))


def _by_kind(counts: Counter[str]) -> dict[str, int]:
    return {kind.lower(): counts[kind] for kind in COUNTED}


def _cumulative(
    asked: Sequence[Interval], older: int, names: Iterable[str], created: Callable[[list[str]], Iterator[Instant]]
) -> ApiResponse:
    """The counts, with what was there before all intervals."""
    deadline, times, is_cut = clock.monotonic() + MAX_SECONDS, list[Instant](), False
    for some in in_parts(names, READ_AT_A_TIME):
        is_cut = clock.monotonic() > deadline
        if is_cut:
            break
        times += created(some)
    times.sort()
    counts = [interval.as_json(count=older + bisect_left(times, interval.end)) for interval in asked]
    return ApiResponse(200, [{**count, "truncated": True} for count in counts] if is_cut else counts)


def _jobs(reader: Reader, ids: Iterable[str]) -> Iterator[Instant]:
    heads = reader.jobs([NodeId(each) for each in ids], usages=False)
    return (head.facts.first for head in heads.values())


def _datasets(reader: Reader, ids: Iterable[str]) -> Iterator[Instant]:
    return (head.facts.created for head in reader.datasets([NodeId(each) for each in ids]).values())


def _sources(reader: Reader, names: Iterable[str]) -> Iterator[Instant]:
    return (head.facts.created for head in heads_in(reader, SOURCES, names).values())
