"""Reads the trees of pages that hold a dataset's neighbours."""

from collections.abc import Collection, Mapping

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import NOBODY, ROOT, Neighbours, Page, Side, union
from headwater.store import keys, records
from headwater.store.table import Table

_DIGITS = "0123456789abcdef"


def read_neighbours(table: Table, dataset: NodeId) -> Neighbours:
    """Everyone who has ever read or written a dataset."""
    item = table.read([keys.neighbours(dataset, ROOT)]).get(keys.neighbours(dataset, ROOT))
    return read_below(table, {dataset: records.read_page(item)} if item else {}, set(Side)).get(dataset, NOBODY)


def read_below(table: Table, roots: Mapping[NodeId, Page], sides: Collection[Side]) -> dict[NodeId, Neighbours]:
    """The neighbours of datasets on some sides, from their first pages on: one read for each further level."""
    found: dict[NodeId, Neighbours] = {dataset: root.jobs for dataset, root in roots.items()}
    pages = {(dataset, ROOT): root for dataset, root in roots.items()}
    while pages:
        children = [
            keys.neighbours(dataset, prefix + digit)
            for (dataset, prefix), page in pages.items()
            if page.split & set(sides)
            for digit in _DIGITS
        ]
        stored = table.read(children) if children else {}
        pages = {(keys.node_of(key.pk), keys.page_of(key.sk)): records.read_page(item) for key, item in stored.items()}
        for (dataset, _), page in pages.items():
            found[dataset] = union(found[dataset], page.jobs)
    return found
