"""What a dataset's partition holds by time, newest first: its versions, and what was found out about its data.

A dataset of several names has a partition for each; they are read as one.
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.http.paging import Part, too_far
from headwater.http.request import PageRequest
from headwater.read.name_resolution import NamedNode, NotFound
from headwater.read.reader import Reader
from headwater.store import keys
from headwater.store.keys import Key
from headwater.store.table import LOWEST, Item


class HistoryRange(NamedTuple):
    """Which of a partition's items: `after` <= `at` < `before`."""

    after: str
    before: str


VERSIONS = HistoryRange(LOWEST, keys.QUALITY)
CHECKS = HistoryRange(keys.QUALITY, "Q$")
MAX_OFFSET = 10_000
"""In a history under several names, whose beginnings have to be read to be put in order."""


def known_as(reader: Reader, node: NamedNode) -> tuple[DatasetHead, list[NodeId]]:
    """A dataset, and its ids under all the names that it is known by. Raises NotFound if it was deleted."""
    neighbourhood = reader.neighbourhood([node.id], ())
    one = neighbourhood.same.get(node.id, node.id)
    if one not in neighbourhood.heads:
        raise NotFound(f"Dataset '{node.name.name}' not found.")
    return neighbourhood.heads[one], sorted(neighbourhood.ids_of(one))


def part(reader: Reader, ids: Sequence[NodeId], span: HistoryRange, page: PageRequest) -> Part[Item]:
    """The part that a page asks for: one call for each id, which counts them too, and one for the items.

    The first page counts by looking at the keys of all; those that a cursor leads to look at their own alone.
    """
    return _of_one(reader, ids[0], span, page) if len(ids) == 1 else _of_several(reader, ids, span, page)


def newest(reader: Reader, ids: Sequence[NodeId], span: HistoryRange) -> Item | None:
    """The newest of all."""
    found = [key for each in ids for key in islice(reader.table.newest(_pk(each), span.before, span.after, 1), 1)]
    return max(reader.table.read(found).values(), key=_place, default=None) if found else None


def _of_one(reader: Reader, dataset: NodeId, span: HistoryRange, page: PageRequest) -> Part[Item]:
    if page.after is not None:
        span = span._replace(before=min(span.before, _at(page.after)))
    found = _keys(reader, dataset, span, None if page.after is None else page.limit + 1)
    wanted = found[page.offset :][: page.limit]
    items = reader.table.read(wanted) if wanted else {}
    is_last = page.offset + len(wanted) >= len(found)
    return Part([items[key] for key in wanted if key in items], _total(page, found), is_last, _place)


def _of_several(reader: Reader, ids: Sequence[NodeId], span: HistoryRange, page: PageRequest) -> Part[Item]:
    """Nearest of all come some of the nearest of each; two of them may be of one time, of one run even."""
    if page.offset > MAX_OFFSET:
        raise too_far()
    wanted = page.offset + page.limit + 1
    if page.after is not None:
        span = span._replace(before=min(span.before, _at(page.after) + LOWEST))
    found = [_keys(reader, each, span, None if page.after is None else wanted + 1) for each in ids]
    nearest = [key for of_id in found for key in of_id[: wanted + 1]]
    items = reader.table.read(nearest) if nearest else {}
    ordered = sorted(items.values(), key=_place, reverse=True)
    rest = [each for each in ordered if page.after is None or _place(each) < page.after][page.offset :]
    total = _total(page, [key for of_id in found for key in of_id])
    return Part(rest[: page.limit], total, len(rest) <= page.limit, _place)


def _keys(reader: Reader, dataset: NodeId, span: HistoryRange, most: int | None) -> list[Key]:
    if span.before <= span.after:
        return []
    return list(islice(reader.table.newest(_pk(dataset), span.before, span.after, most), most))


def _total(page: PageRequest, found: Sequence[Key]) -> int:
    return len(found) if page.total is None else page.total


def _pk(dataset: NodeId) -> str:
    return keys.dataset_head(dataset).pk


def _place(item: Item) -> str:
    """Where an item stands among those of all the dataset's names."""
    return f"{item.labels['at']}#{keys.node_of(item.key.pk)}"


def _at(place: str) -> str:
    return place.rpartition("#")[0]
