"""Reads the tree of pages that holds a dataset's neighbours."""

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import ROOT, Neighbours
from headwater.store import keys, records
from headwater.store.table import Item, Table


def read_neighbours(table: Table, dataset: NodeId) -> Neighbours:
    """Everyone who has ever read or written a dataset."""
    root = keys.neighbours(dataset, ROOT)
    return read_pages(table, dataset, table.read([root]).get(root))


def read_pages(table: Table, dataset: NodeId, root: Item | None) -> Neighbours:
    """The same, from the root page on: one read for each further level."""
    found = Neighbours()
    items = {ROOT: root} if root else {}
    while items:
        pages = {prefix: records.read_page(item) for prefix, item in items.items()}
        for page in pages.values():
            found = found.union(page.jobs)
        children = [prefix + digit for prefix, page in pages.items() if page.has_split for digit in "0123456789abcdef"]
        stored = table.read([keys.neighbours(dataset, child) for child in children]) if children else {}
        items = {keys.page_of(key.sk): item for key, item in stored.items()}
    return found
