"""Who reads and who writes a dataset: pages of job ids that split as they fill, so that a table with 100,000 readers is
many small items and not one hot one.

The pages are a tree: a page of more than `PAGE_SIZE` jobs becomes sixteen, by the next hex digit of the job's id. Edges
are never taken away, so the tree's shape depends on the set of edges alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.graph.identity import NodeId

PAGE_SIZE = 200
"""Jobs a page: 7 KB of ids."""

ROOT = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Jobs that have ever read or written a dataset."""

    readers: frozenset[NodeId] = frozenset()
    writers: frozenset[NodeId] = frozenset()

    def __len__(self) -> int:
        return len(self.readers | self.writers)

    def union(self, other: "Neighbours") -> "Neighbours":
        return Neighbours(self.readers | other.readers, self.writers | other.writers)

    def by_page(self, depth: int) -> Mapping[str, "Neighbours"]:
        """The jobs by the page at that depth which holds them."""
        readers, writers = _by_prefix(self.readers, depth), _by_prefix(self.writers, depth)
        return {
            prefix: Neighbours(frozenset(readers[prefix]), frozenset(writers[prefix]))
            for prefix in sorted({*readers, *writers})
        }


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its jobs or, once it has split, none."""

    jobs: Neighbours = Neighbours()
    has_split: bool = False


def _by_prefix(jobs: Iterable[NodeId], depth: int) -> dict[str, set[NodeId]]:
    pages: dict[str, set[NodeId]] = defaultdict(set)
    for job in jobs:
        pages[job[:depth]].add(job)
    return pages
