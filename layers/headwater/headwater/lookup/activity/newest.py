"""A page of several lists by time, merged, newest first, of some namespaces.

The entries have their namespace: those of other namespaces are skipped without a read. The lists are not counted, since
that would read all of them.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from heapq import merge
from typing import TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import namespace_id
from headwater.http.paging import chunked
from headwater.http.request import ApiRequest
from headwater.store.ranges import Entry, Listing, namespace_of

MAX_SCANNED = 5_000
"""Entries that a request passes over."""
MAX_READ = 1_000
"""States that a request reads only for a filter."""
READ_AT_A_TIME = 100

Id = TypeVar("Id")
Fits = Callable[[Sequence[Entry[Id]]], Collection[Id]]
"""Reads the states of entries, and returns the ids of those that a filter lets through."""


def newest_page(
    lists: Sequence[Listing[Id]], request: ApiRequest, namespaces: Collection[str] | None, fits: Fits[Id] | None
) -> tuple[list[Id], dict[str, str]]:
    """The ids of a page, and the cursor of the next. The parameters `after` and `before` bound the time.

    namespaces  the namespaces that count, None for every one
    fits        a filter that has to read, if there is one
    """
    page = request.page_by_cursor()
    after, before = request.time("after"), request.time("before")
    end = min(bound for bound in (before, page.after, "~") if bound)
    entries = merged(lists, after, end, page.limit)
    is_visible = of_namespaces(namespaces)
    found: list[Entry[Id]] = []
    scanned = read = 0
    for chunk in chunked(entries, READ_AT_A_TIME):
        visible = [*filter(is_visible, chunk)]
        let_through = fits(visible) if fits and visible else [entry.id for entry in visible]
        found += [entry for entry in visible if entry.id in let_through]
        scanned, read = scanned + len(chunk), read + (len(visible) if fits else 0)
        if len(found) > page.limit:
            position = found[page.limit - 1].position if page.limit else ""
            return [entry.id for entry in found[: page.limit]], {"cursor": page.cursor(position, 0)} if position else {}
        if len(chunk) == READ_AT_A_TIME and (scanned >= MAX_SCANNED or read >= MAX_READ):
            return [entry.id for entry in found], {"cursor": page.cursor(chunk[-1].position, 0)}
    return [entry.id for entry in found], {}


def of_namespaces(namespaces: Collection[str] | None) -> Callable[[Entry[Id]], bool]:
    """Whether an entry is of some namespaces; None for every one."""
    ids = None if namespaces is None else set(map(namespace_id, namespaces))
    return lambda entry: ids is None or namespace_of(entry.position) in ids


def merged(lists: Sequence[Listing[Id]], after: str | None, before: str, limit: int) -> Iterator[Entry[Id]]:
    """The entries of several lists between two times, newest first."""
    at_a_time = max(limit + 1, READ_AT_A_TIME)

    def first_and_rest(listing: Listing[Id]) -> tuple[list[Entry[Id]], Iterator[Entry[Id]]]:
        """The first entry, whose call is made now, beside the calls of the other lists."""
        rest = listing.entries(after=after, before=before, newest_first=True, limit=at_a_time)
        return [entry for entry in [next(rest, None)] if entry], rest

    begun = concurrent_map(first_and_rest, lists)
    return merge(*(_chained(*one) for one in begun), key=lambda entry: entry.position, reverse=True)


def _chained(first: list[Entry[Id]], rest: Iterator[Entry[Id]]) -> Iterator[Entry[Id]]:
    yield from first
    yield from rest
