"""Reads the trees of pages that hold a dataset's neighbours."""

import math
from collections.abc import Callable, Collection, Mapping
from itertools import groupby, islice

from headwater.graph.names.identity import DatasetId, NeighbourPageId
from headwater.graph.states.neighbours import (
    NO_NEIGHBOURS,
    PAGE_SIZE,
    NeighbourPage,
    Neighbours,
    NeighboursRead,
    Side,
    union,
)
from headwater.store.snapshot import ReadRequest, Snapshot

_DIGITS = "0123456789abcdef"


Read = Callable[[ReadRequest], Snapshot]
"""Reads states; GraphReader.read."""


def read_neighbours(read: Read, dataset: DatasetId) -> Neighbours:
    """Every job that has ever read or written a dataset."""
    first = read(ReadRequest(neighbours=[NeighbourPageId(dataset)])).neighbours.get(NeighbourPageId(dataset))
    pages = read_below(read, {dataset: first} if first else {}, set(Side))
    return pages.by_dataset.get(dataset, NO_NEIGHBOURS)


def read_below(
    read: Read, first_pages: Mapping[DatasetId, NeighbourPage], sides: Collection[Side], most: int | None = None
) -> NeighboursRead:
    """The neighbours of datasets on some sides, from their first pages on: one read for each further level.

    With `most`, the first `most` neighbours of a side, by id. A page that has split has more below it than fit into one
    page, so only `most / PAGE_SIZE` pages of a level are followed.

    Ids are digests, so the sixteen pages below a page have about the same number of ids. Example: of 256 pages, ten
    were read, with 3,900 readers; about 3,900 * 246 / 10 = 96,000 were not.
    """
    neighbours: dict[DatasetId, Neighbours] = {dataset: page.jobs for dataset, page in first_pages.items()}
    left_out: set[tuple[NeighbourPageId, Side]] = set()
    level = {page.id: page for page in first_pages.values()}
    while level:
        followed = sorted(page_id for page_id, page in level.items() if page.split & set(sides))
        if most is not None:
            followed = _first(followed, math.ceil(most / PAGE_SIZE))
            left = level.keys() - set(followed)
            left_out |= {(page_id, side) for page_id in left for side in level[page_id].split & set(sides)}
        children = [page_id._replace(prefix=page_id.prefix + digit) for page_id in followed for digit in _DIGITS]
        level = read(ReadRequest(neighbours=children)).neighbours.all()
        for page_id, page in level.items():
            neighbours[page_id.dataset] = union(neighbours[page_id.dataset], page.jobs)
    return NeighboursRead(neighbours, _unread(neighbours, left_out))


def _first(page_ids: list[NeighbourPageId], most: int) -> list[NeighbourPageId]:
    """The first pages of each dataset."""
    by_dataset = groupby(page_ids, key=lambda page_id: page_id.dataset)
    return [page_id for _, pages in by_dataset for page_id in islice(pages, most)]


def _unread(
    neighbours: Mapping[DatasetId, Neighbours], left_out: Collection[tuple[NeighbourPageId, Side]]
) -> dict[DatasetId, dict[Side, int]]:
    """About how many neighbours of each side are on the pages that were left out, and below."""
    parts: dict[DatasetId, dict[Side, float]] = {}
    for page_id, side in left_out:
        of_dataset = parts.setdefault(page_id.dataset, {})
        of_dataset[side] = of_dataset.get(side, 0) + len(_DIGITS) ** -len(page_id.prefix)
    return {
        dataset: {side: round(len(neighbours[dataset][side]) * part / (1 - part)) for side, part in of_dataset.items()}
        for dataset, of_dataset in parts.items()
    }
