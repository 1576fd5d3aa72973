"""Who reads and who writes a dataset: pages of job ids that split as they fill, so that a table with 100,000 readers is
many small items and not one hot one.

Readers and writers are a tree each, over the same pages: more than `PAGE_SIZE` readers of a page become sixteen pages
of readers, by the next hex digit of the job's id, and likewise its writers. So the few writers of a table with many
readers are all on its first page. Edges are never taken away, so the trees' shape depends on the set of edges alone.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from headwater.graph.identity import NodeId

PAGE_SIZE = 200
"""Jobs a page: 7 KB of ids."""

ROOT = ""


class Side(StrEnum):
    """What a job does with a dataset."""

    READS = "readers"
    WRITES = "writers"


Neighbours = Mapping[Side, frozenset[NodeId]]
"""Jobs that have ever read or written a dataset."""

NOBODY: Neighbours = {side: frozenset() for side in Side}


def union(left: Neighbours, right: Neighbours) -> dict[Side, frozenset[NodeId]]:
    return {side: left.get(side, frozenset()) | right.get(side, frozenset()) for side in Side}


def everybody(neighbours: Neighbours) -> frozenset[NodeId]:
    return frozenset().union(*neighbours.values())


def by_page(jobs: Collection[NodeId], depth: int) -> Mapping[str, frozenset[NodeId]]:
    """The jobs by the page at that depth which holds them."""
    pages: dict[str, set[NodeId]] = defaultdict(set)
    for job in jobs:
        pages[job[:depth]].add(job)
    return {prefix: frozenset(of_page) for prefix, of_page in sorted(pages.items())}


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """One page: its jobs, and the sides of which it has none any more since they are in pages below it.

    The first page also has the dataset's other names by its symlinks facet, as ids (`linked`), and those of them that
    some job uses or some DatasetEvent describes by themselves (`merged`): only these have to be read for the two to be
    shown as one.
    """

    jobs: Neighbours = field(default_factory=lambda: NOBODY)
    split: frozenset[Side] = frozenset()
    linked: frozenset[NodeId] = frozenset()
    merged: frozenset[NodeId] = frozenset()
    is_described: bool = False
