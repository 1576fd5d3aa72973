"""Pages of lists, and the size limit of a response."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from headwater.http.request import PageRequest
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.ranges import Entry as ListEntry

MAX_BYTES = 20_000_000
MAX_PACKED_BYTES = 4_000_000
"""The limits of a page, as text and compressed. A Lambda returns at most 6 MB, in base64 if the response is gzipped."""

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Part(Generic[Entry]):
    """Some entries of a list.

    total      the number of entries of the whole list
    is_last    whether these entries are the last of the list
    place      the position of an entry in the list
    """

    entries: list[Entry]
    total: int
    is_last: bool
    place: Callable[[Entry], str]

    def cursor(self, page: PageRequest, count: int | None = None) -> dict[str, str]:
        """The cursor of the next page, after the first `count` of these entries; no cursor at the end of the list."""
        returned = self.entries if count is None else self.entries[:count]
        is_all = self.is_last and len(returned) == len(self.entries)
        return {} if is_all or not returned else {"cursor": page.cursor(self.place(returned[-1]), self.total)}


def part_of(
    entries: Sequence[Entry], page: PageRequest, place: Callable[[Entry], str], *, newest_first: bool = False
) -> Part[Entry]:
    """The requested page of a whole list.

    The list is in the order of its positions, hence a cursor stays valid while entries are added and removed.
    """
    behind = [entry for entry in entries if page.after is None or _is_behind(place(entry), page.after, newest_first)]
    on_page = behind[page.offset :][: page.limit]
    return Part(on_page, len(entries), page.offset + len(on_page) >= len(behind), place)


def too_far() -> InvalidRequest:
    """The error for an offset so large that counting the entries before it would take too long."""
    return InvalidRequest(Fault("offset", "too large for this list; request page after page with `cursor`"))


def in_parts(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    """The entries in lists of `size`."""
    rest = iter(entries)
    while some := list(islice(rest, size)):
        yield some


def within_size_limit(documents: Iterable[JsonObject]) -> list[JsonObject]:
    """The first documents, as many as fit into a response, at least one. Reads at most one document more."""
    fitting: list[JsonObject] = []
    size = packed_size = 0
    for document in documents:
        text = exact_json.dumps(document).encode()
        size += len(text)
        packed_size += len(zlib.compress(text, 1))
        if fitting and (size > MAX_BYTES or packed_size > MAX_PACKED_BYTES):
            break
        fitting.append(document)
    return fitting


def _is_behind(place: str, after: str, newest_first: bool) -> bool:
    return place < after if newest_first else place > after


def next_page(page: PageRequest, entries: Sequence[ListEntry[Any]], total: int) -> dict[str, str]:
    """The cursor of the next page, unless these entries are the last of the list."""
    is_last = len(entries) < page.limit or (page.after is None and page.offset + len(entries) >= total)
    return {} if is_last or not entries else {"cursor": page.cursor(entries[-1].position, total)}
