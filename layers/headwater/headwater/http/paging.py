"""Pages of lists, and the size limit of a response."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from headwater.http.request import PageRequest
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import DocumentText, JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.ranges import Entry as ListEntry
from headwater.store.ranges import Listing, just_behind

MAX_BYTES = 20_000_000
MAX_COMPRESSED_BYTES = 4_000_000
"""The limits of a page, as text and compressed. A Lambda returns at most 6 MB, in base64 if the response is gzipped."""

Entry = TypeVar("Entry")
Id = TypeVar("Id")
Document = TypeVar("Document", JsonObject, DocumentText)


@dataclass(frozen=True)
class Page(Generic[Entry]):
    """A page of a list.

    entries      the entries on the page
    total        the number of entries of the whole list
    is_last      whether this page is the last of the list
    position_of  returns the position of an entry in the list
    """

    entries: list[Entry]
    total: int
    is_last: bool
    position_of: Callable[[Entry], str]

    def cursor(self, request: PageRequest, count: int | None = None) -> dict[str, str]:
        """The cursor of the next page, or nothing at the end of the list. If the response has only the first `count`
        entries of this page, the next page begins after these."""
        returned = self.entries if count is None else self.entries[:count]
        is_end = self.is_last and len(returned) == len(self.entries)
        return {} if is_end or not returned else {"cursor": request.cursor(self.position_of(returned[-1]), self.total)}


def page_of(
    entries: Sequence[Entry], request: PageRequest, position_of: Callable[[Entry], str], *, newest_first: bool = False
) -> Page[Entry]:
    """The requested page of a whole list.

    The list is in the order of its positions, so a cursor stays valid while entries are added and removed.
    """
    after = request.after
    remaining = [entry for entry in entries if after is None or _is_after(position_of(entry), after, newest_first)]
    on_page = remaining[request.offset :][: request.limit]
    return Page(on_page, len(entries), request.offset + len(on_page) >= len(remaining), position_of)


def offset_too_large() -> InvalidRequest:
    """The error for an offset so large that counting the entries before it would take too long."""
    return InvalidRequest(Fault("offset", "too large for this list; request page after page with `cursor`"))


def chunked(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    """The entries in lists of `size`."""
    remaining = iter(entries)
    while chunk := list(islice(remaining, size)):
        yield chunk


def within_size_limit(documents: Iterable[Document]) -> list[Document]:
    """The first documents, as many as fit into a response, at least one. Reads at most one document more."""
    fitting: list[Document] = []
    uncompressed: list[bytes] = []
    size = compressed_size = 0
    for document in documents:
        text = exact_json.encode(document)
        size += len(text)
        uncompressed.append(text)
        if _most_compressed(size, len(fitting) + 1) > MAX_COMPRESSED_BYTES:
            compressed_size += sum(len(zlib.compress(text, 1)) for text in uncompressed)
            uncompressed.clear()
        if fitting and (size > MAX_BYTES or compressed_size > MAX_COMPRESSED_BYTES):
            break
        fitting.append(document)
    return fitting


def _most_compressed(size: int, documents: int) -> int:
    """The bound of what zlib makes of documents: a header and a checksum for each, and five bytes for 16 KB."""
    return size + size // 1_000 + 13 * documents


def _is_after(position: str, after: str, newest_first: bool) -> bool:
    return position < after if newest_first else position > after


def listed_page(listing: Listing[Id], request: PageRequest) -> tuple[list[ListEntry[Id]], int]:
    """The requested page of a listing, and the total of the listing. The first page counts all entries; a cursor has
    the total, so a page after one reads only its own entries."""
    if request.after is None or request.total is None:
        entries, total = listing.page(request.offset + request.limit)
        return entries[request.offset :], total
    following = listing.entries(after=just_behind(request.after), limit=request.limit or 1)
    return list(islice(following, request.limit)), request.total


def next_cursor(request: PageRequest, entries: Sequence[ListEntry[Any]], total: int) -> dict[str, str]:
    """The cursor of the next page, unless these entries are the last of the list."""
    is_last = len(entries) < request.limit or (request.after is None and request.offset + len(entries) >= total)
    return {} if is_last or not entries else {"cursor": request.cursor(entries[-1].position, total)}
