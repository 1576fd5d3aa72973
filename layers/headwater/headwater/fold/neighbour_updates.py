"""Writes the edges between datasets and jobs into the datasets' pages of neighbours, and the links between datasets."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import (
    NOBODY,
    PAGE_SIZE,
    ROOT,
    NeighbourPage,
    Neighbours,
    Side,
    by_page,
    everybody,
    union,
)
from headwater.store import item_codec, keys
from headwater.store.table import ConditionalPut, Item, Table

_PageKey = tuple[NodeId, str]
"""A page of a dataset."""


@dataclass(frozen=True)
class NeighbourUpdates:
    """What is to be added: jobs to datasets, links between two ids of one dataset, and datasets that are told of by
    events of their own, and not only as another's symlink."""

    edges: Mapping[NodeId, Neighbours]
    links: Collection[tuple[NodeId, NodeId]]
    described: Collection[NodeId]

    def added_to(self, known: Mapping[NodeId, NeighbourPage]) -> dict[NodeId, NeighbourPage]:
        """First pages with the news. Each says which of the ids that it is linked with are used."""
        pages = {
            node: replace(page, is_described=page.is_described or node in self.described)
            for node, page in known.items()
        }
        for left, right in self.links:
            pages[left] = replace(pages[left], linked=pages[left].linked | {right})
            pages[right] = replace(pages[right], linked=pages[right].linked | {left})
        used = {node for node, page in pages.items() if _is_used(page) or node in self.edges}
        return {node: replace(page, merged=page.merged | page.linked & used) for node, page in pages.items()}


def merge(table: Table, updates: NeighbourUpdates) -> None:
    """Adds to the first pages of datasets, and to those below them.

    Of two ids that are linked and used by different writers, one sees both: whoever links writes the links, then looks
    which of the ids are used; whoever uses an id for the first time writes that, then tells the ids it is linked with.
    """
    nodes = {*updates.edges, *updates.described, *(node for link in updates.links for node in link)}
    stored = table.read([keys.neighbours(node, ROOT) for node in nodes]) if nodes else {}
    items = {(node, ROOT): stored.get(keys.neighbours(node, ROOT)) for node in sorted(nodes)}
    pages = updates.added_to({node: _page(item) for (node, _), item in items.items()})
    edges = {(node, ROOT): jobs for node, jobs in updates.edges.items()}
    grown = _grown(table, {(node, ROOT): page for node, page in pages.items()}, edges)
    _put(table, grown, items)
    used = {node: grown[node, ROOT] for node in sorted(nodes) if _is_used(grown[node, ROOT])}
    others = {other for page in used.values() for other in page.linked} - nodes
    _tell(table, used.keys(), others | {node for link in updates.links for node in link})


def _tell(table: Table, used: Collection[NodeId], others: Collection[NodeId]) -> None:
    """Tells ids which of those that they are linked with are used, as things are now that all is written."""
    stored = table.read([keys.neighbours(other, ROOT) for other in others]) if others else {}
    items = {(other, ROOT): stored.get(keys.neighbours(other, ROOT)) for other in sorted(others)}
    pages = {node: _page(item) for (node, _), item in items.items()}
    now = {*used, *(node for node, page in pages.items() if _is_used(page))}
    told = {(node, ROOT): replace(page, merged=page.merged | page.linked & now) for node, page in pages.items()}
    _put(table, told, items)


def _add(table: Table, edges: Mapping[_PageKey, Neighbours]) -> None:
    """Adds jobs to pages of one level, none of which is a first page."""
    stored = table.read([keys.neighbours(*place) for place in edges]) if edges else {}
    items = {place: stored.get(keys.neighbours(*place)) for place in edges}
    _put(table, _grown(table, {place: _page(item) for place, item in items.items()}, edges), items)


def _grown(
    table: Table, pages: Mapping[_PageKey, NeighbourPage], edges: Mapping[_PageKey, Neighbours]
) -> dict[_PageKey, NeighbourPage]:
    """Pages with more jobs; what is not theirs to keep is added to the pages below them.

    A page that grows too long first hands its jobs to its children, then says that it has split: whoever is interrupted
    in between leaves children that nobody reads yet, and the next writer unites with them.
    """
    grown: dict[_PageKey, NeighbourPage] = {}
    below: dict[_PageKey, dict[Side, frozenset[NodeId]]] = defaultdict(lambda: dict(NOBODY))
    for (dataset, prefix), page in pages.items():
        united = union(page.jobs, edges.get((dataset, prefix), NOBODY))
        moved = {side: of_side for side, of_side in united.items() if side in page.split or len(of_side) > PAGE_SIZE}
        kept = {side: frozenset() if side in moved else of_side for side, of_side in united.items()}
        grown[dataset, prefix] = replace(page, jobs=kept, split=page.split | {s for s in moved if moved[s]})
        for side, of_side in moved.items():
            for child, part in by_page(of_side, len(prefix) + 1).items():
                below[dataset, child][side] = part
    if below:
        _add(table, below)
    return grown


def _put(table: Table, pages: Mapping[_PageKey, NeighbourPage], items: Mapping[_PageKey, Item | None]) -> None:
    changed = {place: page for place, page in pages.items() if page != _page(items[place])}
    table.change([ConditionalPut(item_codec.page_item(*place, page), items[place]) for place, page in changed.items()])


def _is_used(page: NeighbourPage) -> bool:
    return bool(everybody(page.jobs) or page.split or page.is_described)


def _page(item: Item | None) -> NeighbourPage:
    return item_codec.read_page(item) if item else NeighbourPage()
