"""The pages of neighbours by all edges of the graph.

The readers of a dataset are gathered in sixteen shards, by the first hex digit of the reader's id. The first page needs
of each shard its count, or up to 200 ids; and the pages below the first page are made a shard at a time. So a dataset
with 100,000 readers is sixteen small tasks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from pyspark import RDD

from emr_jobs.rebuild.states import Edge
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId
from headwater.graph.states.neighbours import NO_NEIGHBOURS, NeighbourPage, Neighbours, Side, by_page

Jobs = dict[Side, set[JobId]]


class Shard(NamedTuple):
    """The jobs of a dataset whose ids begin with a digit."""

    dataset: DatasetId
    digit: str


def pages(edges: RDD[Edge], first_pages: RDD[NeighbourPage], partitions: int) -> RDD[NeighbourPage]:
    """All pages. `first_pages` have the links between datasets and the described datasets."""
    none: Jobs = {}
    shards = edges.keyBy(_shard).aggregateByKey(none, _added, _united, partitions).cache()
    linked = first_pages.map(lambda page: (page.id.dataset, page))
    first = shards.map(_first_page).union(linked).reduceByKey(NeighbourPage.join, partitions).cache()
    split = first.flatMap(lambda pair: product(_shards(*pair), [pair[1].split]))
    below = shards.join(split, partitions).flatMap(_below)
    uses = first.flatMap(lambda pair: _uses(*pair)).groupByKey(partitions).mapValues(frozenset)
    merged = first.leftOuterJoin(uses, partitions).values().map(lambda pair: replace(pair[0], merged=pair[1] or _NONE))
    return merged.union(below)


_NONE: frozenset[DatasetId] = frozenset()
_DIGITS = "0123456789abcdef"


def _shard(edge: Edge) -> Shard:
    return Shard(edge.dataset, edge.job[0])


def _added(jobs: Jobs, edge: Edge) -> Jobs:
    jobs.setdefault(edge.side, set()).add(edge.job)
    return jobs


def _united(left: Jobs, right: Jobs) -> Jobs:
    return {side: left.get(side, set()) | right.get(side, set()) for side in Side}


def _neighbours(jobs: Mapping[Side, set[JobId]]) -> Neighbours:
    return {**NO_NEIGHBOURS, **{side: frozenset(ids) for side, ids in jobs.items()}}


def _first_page(shard: tuple[Shard, Jobs]) -> tuple[DatasetId, NeighbourPage]:
    """The first page by one shard: with its jobs, or split if there are too many."""
    dataset = shard[0].dataset
    page, _ = NeighbourPage(NeighbourPageId(dataset)).with_neighbours(_neighbours(shard[1]))
    return dataset, page


def _shards(dataset: DatasetId, page: NeighbourPage) -> list[Shard]:
    return [Shard(dataset, digit) for digit in _DIGITS] if page.split else []


def _below(shard: tuple[Shard, tuple[Jobs, frozenset[Side]]]) -> Iterator[NeighbourPage]:
    (dataset, digit), (jobs, split) = shard
    moved = {side: ids for side, ids in jobs.items() if side in split and ids}
    if moved:
        yield from _pages_from(NeighbourPageId(dataset, digit), _neighbours(moved))


def _pages_from(page_id: NeighbourPageId, neighbours: Neighbours) -> Iterator[NeighbourPage]:
    """The page with these neighbours, and the pages below it."""
    page, moved = NeighbourPage(page_id).with_neighbours(neighbours)
    yield page
    below: dict[str, dict[Side, frozenset[JobId]]] = {}
    for side, jobs in moved.items():
        for prefix, part in by_page(jobs, len(page_id.prefix) + 1).items():
            below.setdefault(prefix, {})[side] = part
    for prefix, parts in below.items():
        yield from _pages_from(page_id._replace(prefix=prefix), {**NO_NEIGHBOURS, **parts})


def _uses(dataset: DatasetId, page: NeighbourPage) -> Iterator[tuple[DatasetId, Any]]:
    """The ids that a used dataset is linked with: their pages say that it is used."""
    if page.is_used:
        yield from ((other, dataset) for other in page.linked)
