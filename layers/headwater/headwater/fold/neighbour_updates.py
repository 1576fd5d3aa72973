"""Writes the edges between datasets and jobs into the datasets' pages of neighbours, and the links between datasets."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from headwater.concurrent import give_way
from headwater.fold.batch import Batch
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId
from headwater.graph.states.job import JobFacts
from headwater.graph.states.neighbours import NO_NEIGHBOURS, NeighbourPage, Neighbours, Side, by_page, union
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot

Pages = dict[NeighbourPageId, NeighbourPage]


@dataclass(frozen=True)
class NeighbourUpdates:
    """Edges and links to add.

    edges        the jobs that newly read or write a dataset
    links        pairs of ids that a symlinks facet says are names of one dataset
    described    datasets with a DatasetEvent of their own
    """

    edges: Mapping[DatasetId, Neighbours]
    links: Collection[tuple[DatasetId, DatasetId]]
    described: Collection[DatasetId]

    @classmethod
    def by(cls, batch: Batch, jobs: Mapping[JobId, JobFacts], before: Mapping[JobId, JobFacts]) -> "NeighbourUpdates":
        """The edges, links and described datasets of a batch that no stored head of a job has."""
        edges: dict[DatasetId, Neighbours] = {}
        for job, facts in jobs.items():
            for dataset, neighbours in facts.new_edges(before.get(job)):
                edges[dataset] = union(edges.get(dataset, NO_NEIGHBOURS), neighbours)
        links = {
            pair
            for job, pairs in batch.symlink_pairs.items()
            for pair in (pairs - before[job].symlink_pairs if job in before else pairs)
        }
        return cls(edges, sorted(links), batch.described)

    @property
    def datasets(self) -> set[DatasetId]:
        return {*self.edges, *self.described, *self.linked}

    @property
    def linked(self) -> set[DatasetId]:
        return {dataset for link in self.links for dataset in link}

    def applied_to(self, first_pages: Iterable[NeighbourPage]) -> dict[DatasetId, NeighbourPage]:
        """The first pages with the new links. Each says which of its linked ids are in use."""
        pages = {
            page.id.dataset: replace(page, is_described=True) if page.id.dataset in self.described else page
            for page in first_pages
        }
        for left, right in self.links:
            pages[left] = replace(pages[left], linked=pages[left].linked | {right})
            pages[right] = replace(pages[right], linked=pages[right].linked | {left})
        used = {dataset for dataset, page in pages.items() if page.is_used or dataset in self.edges}
        return {
            dataset: replace(page, merged=page.merged | page.linked & used) if page.linked else page
            for dataset, page in pages.items()
        }


def write_neighbours(store: GraphStore, updates: NeighbourUpdates) -> None:
    """Adds edges and links to the first pages of datasets, and to the pages below.

    Link, then check the usage; use, then check the links: if one writer links two ids and another writer is the first
    to use one of the ids, at least one of the two writers sees the other. Time runs downwards:

        writer A links `a` and `b`                 writer B is the first to use `b`
        --------------------------                 --------------------------------
        1. writes the link on both pages           1. writes the use on the page of `b`
        2. reads both pages once more: is          2. reads the ids that `b` is linked with:
           either id used? marks the other page       marks on each page that `b` is used

    If A's step 1 comes before B's step 2, B sees the link. Else B's step 1 came before A's step 2, and A sees the use.
    """
    first_pages = [NeighbourPageId(dataset) for dataset in sorted(updates.datasets)]
    read = _read(store, first_pages)
    applied = updates.applied_to(_page(read, page_id) for page_id in first_pages)
    edges = {NeighbourPageId(dataset): neighbours for dataset, neighbours in updates.edges.items()}
    grown = _grown(store, {page.id: page for page in applied.values()}, edges)
    _save(store, grown, read)
    used = {page_id.dataset: grown[page_id] for page_id in first_pages if grown[page_id].is_used}
    others = {other for page in used.values() for other in page.linked} - updates.datasets
    _mark_used(store, used.keys(), others | updates.linked)


def join_page(store: GraphStore, page: NeighbourPage) -> None:
    """Joins a page with the stored page, and the jobs of a side that has split with the pages below. Raises
    Conflict."""
    read = _read(store, [page.id])
    stored = _page(read, page.id)
    joined = replace(stored.join(replace(page, jobs=NO_NEIGHBOURS)), jobs=stored.jobs)
    grown = _grown(store, {page.id: joined}, {page.id: page.jobs})
    _save(store, grown, read)
    linked = grown[page.id].linked
    if linked:
        _mark_used(store, [page.id.dataset] if grown[page.id].is_used else [], {page.id.dataset, *linked})


def _mark_used(store: GraphStore, used: Collection[DatasetId], linked: Collection[DatasetId]) -> None:
    """Marks, on the first pages of linked ids, the ids that are used by now."""
    page_ids = [NeighbourPageId(dataset) for dataset in sorted(linked)]
    read = _read(store, page_ids)
    pages = {page_id: _page(read, page_id) for page_id in page_ids}
    now_used = {*used, *(page_id.dataset for page_id, page in pages.items() if page.is_used)}
    marked = {page_id: replace(page, merged=page.merged | page.linked & now_used) for page_id, page in pages.items()}
    _save(store, marked, read)


def _grown(
    store: GraphStore, pages: Mapping[NeighbourPageId, NeighbourPage], edges: Mapping[NeighbourPageId, Neighbours]
) -> Pages:
    """The pages with more jobs. Jobs of a side that has split go to the pages below.

    A page that grows too long first gives its jobs to its children, then says that it has split. A writer interrupted
    in between leaves children that nobody reads yet; the next writer merges with them.
    """
    grown: Pages = {}
    below: dict[NeighbourPageId, dict[Side, frozenset[JobId]]] = defaultdict(lambda: dict(NO_NEIGHBOURS))
    for page_id, page in pages.items():
        give_way()
        grown[page_id], moved = page.with_neighbours(edges.get(page_id, NO_NEIGHBOURS))
        for side, jobs in moved.items():
            for prefix, part in by_page(jobs, len(page_id.prefix) + 1).items():
                below[page_id._replace(prefix=prefix)][side] = part
    if below:
        _add_below(store, below)
    return grown


def _add_below(store: GraphStore, edges: Mapping[NeighbourPageId, Neighbours]) -> None:
    """Adds jobs to pages of one level below a first page."""
    read = _read(store, edges)
    _save(store, _grown(store, {page_id: _page(read, page_id) for page_id in edges}, edges), read)


def _read(store: GraphStore, page_ids: Collection[NeighbourPageId]) -> Snapshot:
    return store.read(ReadRequest(neighbours=page_ids))


def _save(store: GraphStore, pages: Mapping[NeighbourPageId, NeighbourPage], read: Snapshot) -> None:
    """Writes the pages that changed. A linked id without jobs and marks gets no page."""
    store.save([page for page_id, page in pages.items() if page != _page(read, page_id)], read)


def _page(read: Snapshot, page_id: NeighbourPageId) -> NeighbourPage:
    return read.neighbours.get(page_id) or NeighbourPage(page_id)
