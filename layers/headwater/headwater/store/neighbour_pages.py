"""Reads the trees of pages that hold a dataset's neighbours."""

import math
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from headwater.graph.identity import DatasetId, NeighbourPageId
from headwater.graph.neighbours import NO_NEIGHBOURS, PAGE_SIZE, NeighbourPage, Neighbours, Side, union
from headwater.store.snapshot import Snapshot, Wanted

_DIGITS = "0123456789abcdef"


class NeighboursRead(NamedTuple):
    """The neighbours of datasets; `cut` has the datasets with further neighbours that were not read."""

    by_dataset: dict[DatasetId, Neighbours]
    cut: frozenset[DatasetId] = frozenset()


Read = Callable[[Wanted], Snapshot]
"""Reads states; GraphReader.read."""


def read_neighbours(read: Read, dataset: DatasetId) -> Neighbours:
    """Every job that has ever read or written a dataset."""
    first = read(Wanted(neighbours=[NeighbourPageId(dataset)])).neighbours.get(NeighbourPageId(dataset))
    pages = read_below(read, {dataset: first} if first else {}, set(Side))
    return pages.by_dataset.get(dataset, NO_NEIGHBOURS)


def read_below(
    read: Read, first_pages: Mapping[DatasetId, NeighbourPage], sides: Collection[Side], most: int | None = None
) -> NeighboursRead:
    """The neighbours of datasets on some sides, from their first pages on: one read for each further level.

    With `most`, the first `most` neighbours of a side, by id. Below a page that has split are more than fit into one
    page, hence only `most / PAGE_SIZE` pages of a level are followed.
    """
    neighbours: dict[DatasetId, Neighbours] = {dataset: page.jobs for dataset, page in first_pages.items()}
    cut: set[DatasetId] = set()
    level = {page.id: page for page in first_pages.values()}
    while level:
        followed = sorted(page_id for page_id, page in level.items() if page.split & set(sides))
        if most is not None:
            followed, left_out = _first(followed, math.ceil(most / PAGE_SIZE))
            cut |= left_out
        children = [page_id._replace(prefix=page_id.prefix + digit) for page_id in followed for digit in _DIGITS]
        level = read(Wanted(neighbours=children)).neighbours.all()
        for page_id, page in level.items():
            neighbours[page_id.dataset] = union(neighbours[page_id.dataset], page.jobs)
    return NeighboursRead(neighbours, frozenset(cut))


def _first(page_ids: list[NeighbourPageId], most: int) -> tuple[list[NeighbourPageId], set[DatasetId]]:
    """The first pages of each dataset, and the datasets that have more pages."""
    kept: dict[DatasetId, list[NeighbourPageId]] = {}
    left_out: set[DatasetId] = set()
    for page_id in page_ids:
        pages = kept.setdefault(page_id.dataset, [])
        if len(pages) < most:
            pages.append(page_id)
        else:
            left_out.add(page_id.dataset)
    return [page_id for pages in kept.values() for page_id in pages], left_out
