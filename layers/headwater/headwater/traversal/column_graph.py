"""The column graph: the flows between columns.

The flows into a dataset come from the newest column lineage of every job that ever wrote the dataset, and from its
DatasetEvents. The heads of datasets have the digests of the column lineage. A hop upstream costs two reads: the
datasets, then their column lineage. A hop downstream costs three: the readers, the readers' outputs with their
neighbours, and the column lineage of the outputs. A column is identified by the id of its dataset, since a facet may
give the dataset another name.
"""

import time as clock
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from headwater.graph.facets.column_lineage import (
    Column,
    Steps,
    candidates_in,
    column_flows,
    indirect_flows,
    told_columns,
)
from headwater.graph.facets.curation import HIDDEN
from headwater.graph.facets.dataset_reference import sources_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.producers import is_test
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import RenamedAway, meant
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Neighbours, Side
from headwater.openlineage.event import Name
from headwater.openlineage.instant import FOREVER, Instant
from headwater.read.reader import Reader, SentColumns
from headwater.traversal.lineage import MAX_SECONDS, View
from headwater.traversal.retired_writers import KnownJobs, failed_writes, retired_writes

MAX_COLUMNS = 20_000
MAX_READERS = 5_000
"""Readers of datasets that are read in one hop."""


class ColumnId(NamedTuple):
    dataset: DatasetId
    field: str


class ColumnGraph:
    """The flows between columns that were read so far, at a time or now.

    into        the sources of each output column, with the transformations
    out_of      the output columns of each source
    indirect    the sources of indirect flows to each dataset, with the transformations
    bears_on    the output datasets of the indirect flows from each source
    told        the columns of each dataset that its column lineage describes, in lower case
    opaque      the datasets of which some columns are known to be made by opaque code
    downstream  the datasets from which the walk went downstream
    readers     the heads of the readers of these datasets
    without_data  the writers whose flows the current view leaves out, with the dataset; never `begin`
    renamed_away  names that another dataset has by now. Once one is known, flows are those of the time of their runs
    """

    def __init__(
        self,
        reader: Reader,
        as_of: Instant | None = None,
        view: View = View.CURRENT,
        begin: JobId | None = None,
        renamed_away: RenamedAway | None = None,
    ) -> None:
        self.renamed_away = {**(renamed_away or {})}
        self.reader = reader
        self.as_of = as_of
        self.view = view
        self.begin = begin
        self.without_data: set[tuple[JobId, DatasetId]] = set()
        self.into: dict[ColumnId, dict[ColumnId, Steps]] = defaultdict(dict)
        self.out_of: dict[ColumnId, set[ColumnId]] = defaultdict(set)
        self.indirect: dict[DatasetId, dict[ColumnId, Steps]] = defaultdict(dict)
        self.bears_on: dict[ColumnId, set[DatasetId]] = defaultdict(set)
        self.opaque: set[DatasetId] = set()
        self.told: dict[DatasetId, set[str]] = defaultdict(set)
        self.readers: dict[JobId, JobHead] = {}
        self.heads: dict[DatasetId, DatasetHead] = {}
        self.users: dict[DatasetId, Neighbours] = {}
        self.representatives: dict[DatasetId, DatasetId] = {}
        self.names: dict[DatasetId, Name] = {}
        self.is_truncated = False
        self.is_ended_by_depth = False
        self._deadline = clock.monotonic() + MAX_SECONDS
        self.downstream: set[DatasetId] = set()
        self._ids: dict[DatasetId, set[DatasetId]] = {}

    def name(self, dataset: DatasetId) -> Name:
        """The name to show for a dataset; without a head that the caller may read, the name in a facet."""
        head = self.heads.get(dataset)
        return head.facts.name if head and not (head.is_foreign and dataset in self.names) else self.names[dataset]

    def read_upstream(self, datasets: Collection[DatasetId]) -> None:
        """Reads the flows into the columns of these datasets."""
        self._read_columns(self._read(datasets))

    def read_downstream(self, datasets: Collection[DatasetId]) -> None:
        """Reads the flows out of the columns of these datasets."""
        self._read_columns(self._read(datasets))
        unread = {self.representative(dataset) for dataset in datasets} - self.downstream
        self.downstream |= unread
        readers = {job for dataset in unread & self.users.keys() for job in self.users[dataset][Side.READS]}
        self.is_truncated |= len(readers) > MAX_READERS
        heads = self.reader.jobs(sorted(readers)[:MAX_READERS])
        self.readers |= heads
        self._read_columns(self._read({output for head in heads.values() for output in head.ever_written}))

    def reached(self, begin: Collection[ColumnId], depth: int, *, upstream: bool) -> dict[ColumnId, int]:
        """The columns up to `depth` hops from the columns `begin`, each with its distance."""
        read: Callable[[Collection[DatasetId]], None] = self.read_upstream if upstream else self.read_downstream
        distances = dict.fromkeys(sorted(begin), 0)
        frontier = set(begin)
        for hop in range(1, depth + 1):
            edges: Mapping[ColumnId, Iterable[ColumnId]] = self.into if upstream else self.out_of
            frontier = {
                column for column_before in frontier for column in edges.get(column_before, ())
            } - distances.keys()
            distances |= dict.fromkeys(sorted(frontier), hop)
            self.is_truncated |= len(distances) > MAX_COLUMNS or clock.monotonic() > self._deadline
            if not frontier or self.is_truncated or hop == depth:
                break
            read({column.dataset for column in frontier})
            if self.representatives:
                distances = {self._canonical(column): distance for column, distance in reversed(distances.items())}
            frontier = set(map(self._canonical, frontier))
        self.is_ended_by_depth |= bool(frontier)
        return distances

    def columns_of(self, datasets: Iterable[DatasetId]) -> set[ColumnId]:
        """The columns of datasets that have a flow into or out of the column."""
        wanted = {self.representative(dataset) for dataset in datasets}
        return {column for column in [*self.into, *self.out_of] if column.dataset in wanted}

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    def unread(self) -> set[DatasetId]:
        """The datasets that the walk went downstream from and that, except for their writers and tests, no known job
        has read."""
        tests = {job for job, head in self.readers.items() if is_test(values(head.facts.facets))}
        users = {
            dataset: self.users.get(dataset, NO_NEIGHBOURS) for dataset in self.downstream if self._is_own(dataset)
        }
        return {dataset for dataset, jobs in users.items() if not jobs[Side.READS] - jobs[Side.WRITES] - tests}

    def _is_own(self, dataset: DatasetId) -> bool:
        return dataset in self.heads and not self.heads[dataset].is_foreign

    def read_heads(self, datasets: Iterable[DatasetId]) -> None:
        """Reads the heads of datasets that were not read yet, for their names and schemas: of a time, if one is asked
        for."""
        wanted = set(datasets)
        self.heads |= self.reader.datasets(wanted - self.heads.keys())
        if self.as_of:
            heads = {dataset: self.heads[dataset] for dataset in wanted & self.heads.keys()}
            self.heads |= self.reader.datasets_at(heads, self.as_of)

    def _read(self, datasets: Collection[DatasetId]) -> dict[DatasetId, DatasetHead]:
        """Reads datasets not read yet, with their neighbours, and the datasets that had their names before. Returns the
        heads."""
        asked = {*datasets, *(later for each in datasets for _, later in self.renamed_away.get(each, ()))}
        unread = {dataset for dataset in asked if self.representative(dataset) not in self.users}
        neighbourhood = self.reader.neighbourhood(unread, most=MAX_READERS, as_of=self.as_of) if unread else None
        if neighbourhood is None:
            return {}
        self.is_truncated |= neighbourhood.is_cut
        if neighbourhood.representatives:
            self.representatives |= neighbourhood.representatives
            self._unite_names()
        self.renamed_away |= neighbourhood.renamed_away
        self._ids |= {dataset: {span.id for span in neighbourhood.spans_of(dataset)} for dataset in neighbourhood.heads}
        self.heads |= neighbourhood.heads
        self.users |= dict.fromkeys(unread, NO_NEIGHBOURS) | neighbourhood.users
        return neighbourhood.heads

    def _read_columns(self, heads: Mapping[DatasetId, DatasetHead]) -> None:
        sent = self._column_lineages(heads)
        wanted = {each.id for each in sent}
        facets = self.reader.column_lineage(wanted)
        if self.reader.store.visibility and any(
            source.namespace == HIDDEN for facet in facets.values() for source in sources_of(facet)
        ):
            self.reader.jobs({job for head in heads.values() for job in head.columns})
            facets = self.reader.column_lineage(wanted)  # now with the names that these jobs use for hidden datasets
        for time, lineage in sorted(sent):
            dataset = self.representative(meant(lineage.dataset, time, self.renamed_away))
            if lineage in facets and dataset in heads:
                self._add(dataset, heads[dataset].facts.name, facets[lineage], time)

    def _column_lineages(self, heads: Mapping[DatasetId, DatasetHead]) -> set[SentColumns]:
        """The ids of the column lineage of datasets, under all ids of each dataset."""
        ids = {dataset: self._ids[dataset] for dataset in heads}
        if self.view is View.CURRENT:
            known = KnownJobs({}, {}, self.users, self.representative, self.renamed_away)
            gone = retired_writes(self.reader, heads, known, self.as_of, MAX_READERS)
            gone |= failed_writes(self.reader, heads, known, self.as_of, MAX_READERS)
            self.without_data |= {(job, dataset) for job, dataset in gone if job != self.begin}
        if self.as_of or self.renamed_away:
            writers = {
                dataset: [job for job in self.users[dataset][Side.WRITES] if (job, dataset) not in self.without_data]
                for dataset in heads
            }
            by_jobs = self.reader.columns_at(writers, ids, self.as_of or FOREVER)
        else:
            digests = {
                (dataset, digest)
                for dataset, head in heads.items()
                for job, of_job in head.columns.items()
                for digest in of_job
                if (job, dataset) not in self.without_data
            }
            by_jobs = {
                SentColumns(FOREVER, ColumnLineageId(name_id, digest))
                for dataset, digest in digests
                for name_id in ids[dataset]
            }
        registers = {dataset: head.column_lineage for dataset, head in heads.items()}
        by_events = {
            SentColumns(register.time, ColumnLineageId(name_id, register.value))
            for dataset, register in registers.items()
            if register and register.time <= (self.as_of or register.time)
            for name_id in ids[dataset]
        }
        return by_jobs | by_events

    def _add(self, dataset: DatasetId, name: Name, facet: Any, time: Instant) -> None:
        said = self.reader.store.made(_said_by, facet, name, self.reader.naming)
        self.told[dataset] |= said.columns
        self.opaque |= {dataset} if said.has_candidates else set()
        node_of = {node: meant(node, time, self.renamed_away) for node in said.names}
        for node, shown in said.names.items():
            self.names.setdefault(node_of[node], shown)
        is_as_sent = not self.renamed_away and not self.representatives

        def here(column: ColumnId) -> ColumnId:
            return ColumnId(self.representative(node_of[column.dataset]), column.field)

        for field, sent, steps in said.flows:
            output, source = ColumnId(dataset, field), sent if is_as_sent else here(sent)
            _unite(self.into[output].setdefault(source, []), steps)
            self.out_of[source].add(output)
        for sent, steps in said.indirect:
            source = sent if is_as_sent else here(sent)
            _unite(self.indirect[dataset].setdefault(source, []), steps)
            self.bears_on[source].add(dataset)

    def _canonical(self, column: ColumnId) -> ColumnId:
        return ColumnId(self.representative(column.dataset), column.field)

    def _unite_names(self) -> None:
        """Merges the flows of ids that now have a representative: a facet may have used another name of the
        dataset."""
        into, self.into = self.into, defaultdict(dict)
        for output, sources in into.items():
            for source, steps in sources.items():
                _unite(self.into[self._canonical(output)].setdefault(self._canonical(source), []), steps)
        indirect, self.indirect = self.indirect, defaultdict(dict)
        for dataset, sources in indirect.items():
            for source, steps in sources.items():
                _unite(self.indirect[self.representative(dataset)].setdefault(self._canonical(source), []), steps)
        told, self.told = self.told, defaultdict(set)
        for dataset, columns in told.items():
            self.told[self.representative(dataset)] |= columns
        self.opaque = set(map(self.representative, self.opaque))
        self.out_of, self.bears_on = defaultdict(set), defaultdict(set)
        for output, sources in self.into.items():
            for source in sources:
                self.out_of[source].add(output)
        for dataset, sources in self.indirect.items():
            for source in sources:
                self.bears_on[source].add(dataset)


class _FacetColumns(NamedTuple):
    """What a column lineage facet says of a dataset: output columns with their sources, sources that bear on all of
    it, and the names to show for the datasets of sources."""

    columns: frozenset[str]
    has_candidates: bool
    flows: tuple[tuple[str, ColumnId, Steps], ...]
    indirect: tuple[tuple[ColumnId, Steps], ...]
    names: Mapping[DatasetId, Name]


def _said_by(facet: Any, name: Name, naming: Naming) -> _FacetColumns:
    names: dict[DatasetId, Name] = {}

    def sent(source: Column) -> ColumnId:
        shown = naming.identify(source.dataset).shown
        node = dataset_id(shown)
        names.setdefault(node, shown)
        return ColumnId(node, source.field)

    flows = tuple((flow.output.field, sent(flow.source), flow.steps) for flow in column_flows(name, facet))
    indirect = tuple((sent(flow.source), flow.steps) for flow in indirect_flows(name, facet))
    return _FacetColumns(frozenset(told_columns(facet)), bool(candidates_in(facet)), flows, indirect, names)


def _unite(steps: Steps, more: Steps) -> None:
    steps += [step for step in more if step not in steps] if steps else more
