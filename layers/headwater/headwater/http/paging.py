"""Parts of lists, and answers that stay within what leaves a Lambda."""

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
"""Of a page, as text and compressed: gzip has to bring it below 6 MB in base64, and a Lambda has memory for it."""

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Part(Generic[Entry]):
    """Some of a list's entries, how many there are in all, whether these are the last, and where each stands."""

    entries: list[Entry]
    total: int
    is_last: bool
    place: Callable[[Entry], str]

    def cursor(self, page: PageRequest, count: int | None = None) -> dict[str, str]:
        """The cursor behind the first few of these entries, or behind all, if there are more."""
        given = self.entries if count is None else self.entries[:count]
        is_all = self.is_last and len(given) == len(self.entries)
        return {} if is_all or not given else {"cursor": page.cursor(self.place(given[-1]), self.total)}


def part_of(
    entries: Sequence[Entry], page: PageRequest, place: Callable[[Entry], str], *, newest_first: bool = False
) -> Part[Entry]:
    """The part of a whole list that a page asks for.

    The list is in the order of its places, so a cursor stays right where entries come and go.
    """
    rest = [each for each in entries if page.after is None or _is_behind(place(each), page.after, newest_first)]
    found = rest[page.offset :][: page.limit]
    return Part(found, len(entries), page.offset + len(found) >= len(rest), place)


def too_far() -> InvalidRequest:
    """An offset that would have to be counted one by one."""
    return InvalidRequest(Fault("offset", "too far to go through one by one; follow the cursor instead"))


def in_parts(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    """The entries, some at a time."""
    rest = iter(entries)
    while some := list(islice(rest, size)):
        yield some


def within_size_limit(documents: Iterable[JsonObject]) -> list[JsonObject]:
    """The first shapes, as many as fit into an answer, but one at least. Of what is behind them it takes but one."""
    found: list[JsonObject] = []
    size = packed_size = 0
    for document in documents:
        text = exact_json.dumps(document).encode()
        size += len(text)
        packed_size += len(zlib.compress(text, 1))
        if found and (size > MAX_BYTES or packed_size > MAX_PACKED_BYTES):
            break
        found.append(document)
    return found


def _is_behind(place: str, after: str, newest_first: bool) -> bool:
    return place < after if newest_first else place > after


def next_page(page: PageRequest, found: Sequence[ListEntry[Any]], total: int) -> dict[str, str]:
    """The cursor of the next page, if there may be one."""
    is_last = len(found) < page.limit or (page.after is None and page.offset + len(found) >= total)
    return {} if is_last or not found else {"cursor": page.cursor(found[-1].position, total)}
