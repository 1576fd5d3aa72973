"""Reads the trees of pages that hold a dataset's neighbours."""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import NOBODY, PAGE_SIZE, ROOT, NeighbourPage, Neighbours, Side, union
from headwater.store import item_codec, keys
from headwater.store.table import Table

_DIGITS = "0123456789abcdef"


class Users(NamedTuple):
    """The neighbours of datasets, and the datasets that have more."""

    of: dict[NodeId, Neighbours]
    cut: frozenset[NodeId] = frozenset()


def read_neighbours(table: Table, dataset: NodeId) -> Neighbours:
    """Everyone who has ever read or written a dataset."""
    item = table.read([keys.neighbours(dataset, ROOT)]).get(keys.neighbours(dataset, ROOT))
    return read_below(table, {dataset: item_codec.read_page(item)} if item else {}, set(Side)).of.get(dataset, NOBODY)


def read_below(
    table: Table, roots: Mapping[NodeId, NeighbourPage], sides: Collection[Side], most: int | None = None
) -> Users:
    """The neighbours of datasets on some sides, from their first pages on: one read for each further level.

    Whoever wants only the first `most` of a side, by id, is spared the rest: below a page that has split are more than
    fit into one, so only so many of a level's are followed.
    """
    found: dict[NodeId, Neighbours] = {dataset: root.jobs for dataset, root in roots.items()}
    cut: set[NodeId] = set()
    level = {(dataset, ROOT): root for dataset, root in roots.items()}
    while level:
        followed = [place for place, page in sorted(level.items(), key=lambda each: each[0]) if page.split & set(sides)]
        if most is not None:
            followed, left_out = _first(followed, math.ceil(most / PAGE_SIZE))
            cut |= left_out
        children = [keys.neighbours(dataset, prefix + digit) for dataset, prefix in followed for digit in _DIGITS]
        stored = table.read(children) if children else {}
        level = {
            (keys.node_of(key.pk), keys.page_of(key.sk)): item_codec.read_page(item) for key, item in stored.items()
        }
        for (dataset, _), page in level.items():
            found[dataset] = union(found[dataset], page.jobs)
    return Users(found, frozenset(cut))


def _first(places: list[tuple[NodeId, str]], most: int) -> tuple[list[tuple[NodeId, str]], set[NodeId]]:
    """The first places of each dataset, and the datasets that have more of them."""
    kept: dict[NodeId, list[tuple[NodeId, str]]] = {}
    left_out: set[NodeId] = set()
    for place in places:
        of_dataset = kept.setdefault(place[0], [])
        if len(of_dataset) < most:
            of_dataset.append(place)
        else:
            left_out.add(place[0])
    return [place for of_dataset in kept.values() for place in of_dataset], left_out
