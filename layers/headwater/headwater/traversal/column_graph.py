"""Which column flows into which: what each job that ever wrote a dataset, or a DatasetEvent, said of it last.

The heads of datasets have the digests of that, so a hop upstream costs two reads: the datasets, then what is said of
their columns. A hop downstream costs two as well: the datasets with their readers, then those, whose outputs come next,
along with what is said of the columns. Columns are kept by their dataset's id, since a facet may call it otherwise.
"""

import time as clock
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from headwater.graph.column_lineage import Steps, flows, indirects
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.neighbours import NOBODY, Side
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.lineage import MAX_SECONDS

MAX_COLUMNS = 20_000
MAX_READERS = 5_000
"""Jobs of a hop that are asked what they make of the columns."""


class ColumnId(NamedTuple):
    """A column of a dataset."""

    dataset: NodeId
    field: str


class ColumnGraph:
    """What is known of columns so far, read hop by hop; `as_of` a time, or now."""

    def __init__(self, reader: Reader, as_of: Instant | None = None) -> None:
        self.reader = reader
        self.as_of = as_of
        self.into: dict[ColumnId, dict[ColumnId, Steps]] = defaultdict(dict)
        self.out_of: dict[ColumnId, set[ColumnId]] = defaultdict(set)
        self.indirect: dict[NodeId, dict[ColumnId, Steps]] = defaultdict(dict)
        self.bears_on: dict[ColumnId, set[NodeId]] = defaultdict(set)
        self.heads: dict[NodeId, DatasetHead] = {}
        self.users: dict[NodeId, Mapping[Side, frozenset[NodeId]]] = {}
        self.same: dict[NodeId, NodeId] = {}
        self.names: dict[NodeId, Name] = {}
        self.is_truncated = False
        self._deadline = clock.monotonic() + MAX_SECONDS
        self._downstream: set[NodeId] = set()
        self._ids: dict[NodeId, set[NodeId]] = {}

    def name(self, dataset: NodeId) -> Name:
        """What a dataset is shown as: a facet may name one that nothing else is known of."""
        head = self.heads.get(dataset)
        return head.facts.name if head else self.names[dataset]

    def read_upstream(self, datasets: Collection[NodeId]) -> None:
        """What flows into the columns of these datasets."""
        self._read_columns(self._read(datasets))

    def read_downstream(self, datasets: Collection[NodeId]) -> None:
        """What flows out of the columns of these datasets."""
        self._read_columns(self._read(datasets))
        unread = {self.one(each) for each in datasets} - self._downstream
        self._downstream |= unread
        readers = {job for each in unread & self.users.keys() for job in self.users[each][Side.READS]}
        self.is_truncated |= len(readers) > MAX_READERS
        heads = self.reader.jobs(sorted(readers)[:MAX_READERS])
        edges = (
            self.reader.edges_at(heads, self.as_of) if self.as_of else {job: head.ever for job, head in heads.items()}
        )
        self._read_columns(self._read({each for of_job in edges.values() for each in of_job.output_ids}))

    def reached(self, begin: Collection[ColumnId], depth: int, *, upstream: bool) -> dict[ColumnId, int]:
        """The columns up to `depth` steps from some, and how far each is."""
        read: Callable[[Collection[NodeId]], None] = self.read_upstream if upstream else self.read_downstream
        found = dict.fromkeys(sorted(begin), 0)
        frontier = set(begin)
        for hop in range(1, depth + 1):
            edges: Mapping[ColumnId, Iterable[ColumnId]] = self.into if upstream else self.out_of
            frontier = {column for each in frontier for column in edges.get(each, ())} - found.keys()
            found |= dict.fromkeys(sorted(frontier), hop)
            self.is_truncated |= len(found) > MAX_COLUMNS or clock.monotonic() > self._deadline
            if not frontier or self.is_truncated or hop == depth:
                break
            read({column.dataset for column in frontier})
            found = {self._known_as(column): distance for column, distance in reversed(found.items())}
            frontier = set(map(self._known_as, frontier))
        return found

    def columns_of(self, datasets: Iterable[NodeId]) -> set[ColumnId]:
        """The columns of datasets that have lineage on either side."""
        wanted = {self.one(each) for each in datasets}
        return {column for column in [*self.into, *self.out_of] if column.dataset in wanted}

    def one(self, dataset: NodeId) -> NodeId:
        """The id that stands for a dataset."""
        return self.same.get(dataset, dataset)

    def read_heads(self, datasets: Iterable[NodeId]) -> None:
        """The datasets among these of which nothing was read yet, for what they are shown as."""
        self.heads |= self.reader.datasets(set(datasets) - self.heads.keys())

    def _read(self, datasets: Collection[NodeId]) -> dict[NodeId, DatasetHead]:
        """Datasets and their users, those that were not read before."""
        unread = {each for each in datasets if self.one(each) not in self.users}
        neighbourhood = self.reader.neighbourhood(unread, most=MAX_READERS) if unread else None
        if neighbourhood is None:
            return {}
        self.is_truncated |= neighbourhood.is_cut
        if neighbourhood.same:
            self.same |= neighbourhood.same
            self._unite_names()
        self._ids |= {dataset: neighbourhood.ids_of(dataset) for dataset in neighbourhood.heads}
        self.heads |= neighbourhood.heads
        self.users |= dict.fromkeys(unread, NOBODY) | neighbourhood.users
        return neighbourhood.heads

    def _read_columns(self, heads: Mapping[NodeId, DatasetHead]) -> None:
        facets = self.reader.column_lineage(self._digests(heads))
        for (dataset, _), facet in sorted(facets.items(), key=lambda each: each[0]):
            self._add(self.one(dataset), heads[self.one(dataset)].facts.name, facet)

    def _digests(self, heads: Mapping[NodeId, DatasetHead]) -> set[tuple[NodeId, str]]:
        """What is said of columns, by the ids under which it is said."""
        ids = {dataset: self._ids[dataset] for dataset in heads}
        if self.as_of:
            writers = {dataset: self.users[dataset][Side.WRITES] for dataset in heads}
            by_jobs = self.reader.columns_at(writers, ids, self.as_of)
        else:
            said = {(dataset, digest) for dataset, head in heads.items() for digest in head.columns.values()}
            by_jobs = {(each, digest) for dataset, digest in said for each in ids[dataset]}
        own = {dataset: head.column_lineage for dataset, head in heads.items()}
        known = {dataset: each for dataset, each in own.items() if each and not each.time > (self.as_of or each.time)}
        return by_jobs | {(each, register.value) for dataset, register in known.items() for each in ids[dataset]}

    def _add(self, dataset: NodeId, name: Name, facet: Any) -> None:
        for flow in flows(name, facet):
            output, source = ColumnId(dataset, flow.output.field), self._column(flow.source.dataset, flow.source.field)
            _unite(self.into[output].setdefault(source, []), flow.steps)
            self.out_of[source].add(output)
        for each in indirects(name, facet):
            source = self._column(each.source.dataset, each.source.field)
            _unite(self.indirect[dataset].setdefault(source, []), each.steps)
            self.bears_on[source].add(dataset)

    def _known_as(self, column: ColumnId) -> ColumnId:
        return ColumnId(self.one(column.dataset), column.field)

    def _unite_names(self) -> None:
        """A facet may have named a dataset by what has turned out to be another name of one."""
        into, self.into = self.into, defaultdict(dict)
        for output, sources in into.items():
            for source, steps in sources.items():
                _unite(self.into[self._known_as(output)].setdefault(self._known_as(source), []), steps)
        indirect, self.indirect = self.indirect, defaultdict(dict)
        for dataset, sources in indirect.items():
            for source, steps in sources.items():
                _unite(self.indirect[self.one(dataset)].setdefault(self._known_as(source), []), steps)
        self.out_of, self.bears_on = defaultdict(set), defaultdict(set)
        for output, sources in self.into.items():
            for source in sources:
                self.out_of[source].add(output)
        for dataset, sources in self.indirect.items():
            for source in sources:
                self.bears_on[source].add(dataset)

    def _column(self, dataset: Name, field: str) -> ColumnId:
        shown = self.reader.naming.identify(dataset).shown
        node = dataset_id(shown)
        self.names.setdefault(node, shown)
        return ColumnId(self.one(node), field)


def _unite(steps: Steps, more: Steps) -> None:
    steps += [step for step in more if step not in steps]
