"""Writes the edges between datasets and jobs into the datasets' pages of neighbours."""

from collections.abc import Mapping

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import PAGE_SIZE, ROOT, Neighbours, Page
from headwater.store import keys, records
from headwater.store.table import Change, Item, Table


def link(table: Table, edges: Mapping[NodeId, Neighbours]) -> None:
    """Adds jobs to the neighbours of datasets, all datasets of one level of the page trees at a time.

    A page that grows too long first hands its jobs to its children, then says that it has split: whoever is
    interrupted in between leaves children that nobody reads yet, and the next writer unites with them.
    """
    pending = {(dataset, ROOT): jobs for dataset, jobs in edges.items()}
    while pending:
        pending = _link_level(table, pending)


def _link_level(table: Table, pending: Mapping[tuple[NodeId, str], Neighbours]) -> dict[tuple[NodeId, str], Neighbours]:
    items = table.read([keys.neighbours(*place) for place in pending])
    below: dict[tuple[NodeId, str], Neighbours] = {}
    fitting: list[Change] = []
    splitting: list[tuple[NodeId, str, Item | None]] = []
    for (dataset, prefix), jobs in pending.items():
        item = items.get(keys.neighbours(dataset, prefix))
        page = records.read_page(item) if item else Page()
        united = page.jobs.union(jobs)
        if page.has_split or len(united) > PAGE_SIZE:
            below |= {(dataset, child): part for child, part in united.by_page(len(prefix) + 1).items()}
        if not page.has_split and len(united) > PAGE_SIZE:
            splitting.append((dataset, prefix, item))
        elif not page.has_split and united != page.jobs:
            fitting.append(Change(records.page_item(dataset, prefix, Page(united)), item))
    table.change(fitting)
    if splitting:
        while below:
            below = _link_level(table, below)
        table.change([Change(records.page_item(d, p, Page(has_split=True)), item) for d, p, item in splitting])
    return below
