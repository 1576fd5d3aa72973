"""The neighbours of a dataset, in pages of job ids that split as they fill: a table with 100,000 readers is many small
items and no hot one.

Readers and writers are two trees over the same pages. More than `PAGE_SIZE` readers of a page become sixteen pages of
readers, by the next hex digit of the job's id; likewise its writers. A table with many readers and few writers has all
its writers on the first page. Edges are never removed, so the shape of the trees depends only on the set of edges.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId

PAGE_SIZE = 200
"""Jobs of one side on a page: 7 KB of ids."""


class Side(StrEnum):
    """Whether a job reads or writes a dataset."""

    READS = "readers"
    WRITES = "writers"


Neighbours = Mapping[Side, frozenset[JobId]]
"""Jobs that have ever read or written a dataset."""

NO_NEIGHBOURS: Neighbours = {side: frozenset() for side in Side}


class NeighboursRead(NamedTuple):
    """The neighbours of datasets, as far as they were read. `unread` has the datasets with further neighbours, and
    about how many there are."""

    by_dataset: dict[DatasetId, Neighbours]
    unread: dict[DatasetId, dict[Side, int]]


def union(left: Neighbours, right: Neighbours) -> dict[Side, frozenset[JobId]]:
    return {side: left.get(side, frozenset()) | right.get(side, frozenset()) for side in NO_NEIGHBOURS}


def all_jobs(neighbours: Neighbours) -> frozenset[JobId]:
    return frozenset().union(*neighbours.values())


def by_page(jobs: Collection[JobId], depth: int) -> Mapping[str, frozenset[JobId]]:
    """The jobs by page: the prefixes of their ids, `depth` digits long."""
    pages: dict[str, set[JobId]] = defaultdict(set)
    for job in jobs:
        pages[job[:depth]].add(job)
    return {prefix: frozenset(page_jobs) for prefix, page_jobs in sorted(pages.items())}


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """A page of a dataset's neighbours.

    jobs            the neighbours on this page
    split           sides whose jobs are in the pages below

    The first page also has the links of the dataset:

    linked          other ids of the dataset, by a symlinks facet
    merged          those linked ids that a job uses or a DatasetEvent describes: only these ids have to be read to show
                    all names of the dataset as one
    is_described    whether a DatasetEvent describes the dataset by this id
    """

    id: NeighbourPageId
    jobs: Neighbours = field(default_factory=lambda: NO_NEIGHBOURS)
    split: frozenset[Side] = frozenset()
    linked: frozenset[DatasetId] = frozenset()
    merged: frozenset[DatasetId] = frozenset()
    is_described: bool = False

    @property
    def is_used(self) -> bool:
        """Whether a job or a DatasetEvent names the dataset by this id."""
        return bool(all_jobs(self.jobs) or self.split or self.is_described)

    def with_neighbours(self, neighbours: Neighbours) -> "tuple[NeighbourPage, Neighbours]":
        """The page with more neighbours, and those neighbours of sides that have split, which go to the pages below."""
        united = union(self.jobs, neighbours)
        moved = {side: jobs for side, jobs in united.items() if side in self.split or len(jobs) > PAGE_SIZE}
        kept = {side: frozenset() if side in moved else jobs for side, jobs in united.items()}
        return replace(self, jobs=kept, split=self.split | {side for side in moved if moved[side]}), moved

    def join(self, other: "NeighbourPage") -> "NeighbourPage":
        """The page with the neighbours and links of both. The pages below are left to the caller."""
        page, _ = replace(self, split=self.split | other.split).with_neighbours(other.jobs)
        linked, merged = self.linked | other.linked, self.merged | other.merged
        return replace(page, linked=linked, merged=merged, is_described=self.is_described or other.is_described)

    def without_links(self, datasets: AbstractSet[DatasetId]) -> "NeighbourPage":
        if self.linked.isdisjoint(datasets):
            return self
        return replace(self, linked=self.linked - datasets, merged=self.merged - datasets)
