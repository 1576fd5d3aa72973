"""Who reads datasets, what they make of them, and what they say of the columns of it: read hop by hop.

A hop costs two reads, as lineage does: the jobs, then the datasets that they write, with their readers. Where columns
matter it costs a third, for what was said of them. Who said it is kept apart, since one job of two that write a table
may say of columns, and the other may not.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.graph.column_lineage import Column, Steps, flows, indirects
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import COLUMN_LINEAGE
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.job import Edges, JobHead
from headwater.graph.neighbours import NOBODY, Side
from headwater.graph.register import values
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader


class ColumnLink(NamedTuple):
    """An input column, and what it goes into: a column, or (`output` is None) a whole dataset, as that of a filter."""

    source: NodeId
    field: str
    output: str | None
    steps: Steps


class Consumers:
    """What is known of datasets and their readers so far. `of_columns` says whether columns matter; `as_of` a time, or
    now. `same` has the other ids of datasets, `told` the digest of what each job said of the columns of its outputs."""

    def __init__(self, reader: Reader, most: int, *, of_columns: bool, as_of: Instant | None = None) -> None:
        self.reader = reader
        self.most = most
        self.is_cut = False
        self.of_columns = of_columns
        self.as_of = as_of
        self.heads: dict[NodeId, DatasetHead] = {}
        self.jobs: dict[NodeId, JobHead] = {}
        self.edges: dict[NodeId, Edges] = {}
        self.same: dict[NodeId, NodeId] = {}
        self.told: dict[NodeId, dict[NodeId, str]] = {}
        self._readers: dict[NodeId, frozenset[NodeId]] = {}
        self._links: dict[tuple[NodeId, str], list[ColumnLink]] = {}
        self._ids: dict[Name, NodeId] = {}

    def one(self, dataset: NodeId) -> NodeId:
        """The id that stands for a dataset."""
        return self.same.get(dataset, dataset)

    def readers(self, datasets: Collection[NodeId]) -> set[NodeId]:
        """The jobs that ever read one of these datasets."""
        return {job for each in datasets for job in self._readers.get(each, ())}

    def read_datasets(self, datasets: Collection[NodeId]) -> None:
        """Reads datasets that were not read yet, and who reads them."""
        unread = {each for each in datasets if self.one(each) not in self._readers}
        neighbourhood = self.reader.neighbourhood(unread, (Side.READS,), self.most) if unread else None
        if neighbourhood is None:
            return
        self.is_cut |= neighbourhood.is_cut
        self.same |= neighbourhood.same
        self.heads |= neighbourhood.heads
        self._readers |= dict.fromkeys(unread, frozenset())
        self._readers |= {
            each: users.get(Side.READS, NOBODY[Side.READS]) for each, users in neighbourhood.users.items()
        }

    def read_jobs(self, ids: Collection[NodeId]) -> None:
        """Reads jobs that were not read yet, with what they read and write, and which of it they say the columns of."""
        heads = self.reader.jobs(sorted(set(ids) - self.jobs.keys()), usages=self.of_columns)
        self.jobs |= heads
        edges = self.reader.edges_at(heads, self.as_of) if self.as_of else {job: heads[job].current for job in heads}
        self.edges |= edges
        if self.of_columns:
            self.told |= self._told_at(edges) if self.as_of else {job: _told(head) for job, head in heads.items()}

    def read_columns(self, jobs: Collection[NodeId], outputs: Collection[NodeId]) -> None:
        """Reads what these jobs said of the columns of known datasets, and what DatasetEvents said of these outputs."""
        if not self.of_columns:
            return
        told = {each for job in jobs for each in self.told.get(job, {}).items()}
        said = {(output, digest) for output, digest in told if self.one(output) in self.heads}
        own = {(self.one(each), digest) for each in outputs if (digest := self._own(each))}
        documents = self.reader.column_lineage((said | own) - self._links.keys())
        self._links |= {key: self._read_links(document) for key, document in documents.items()}

    def links(self, job: NodeId, output: NodeId) -> list[ColumnLink]:
        """What a job says of an output's columns; if it says nothing, what a DatasetEvent says of them."""
        digest = self.told.get(job, {}).get(output)
        by_job = self._links.get((output, digest), []) if digest else []
        own = self._own(output) if self.of_columns else None
        return by_job or (self._links.get((self.one(output), own), []) if own else [])

    def _told_at(self, edges: Mapping[NodeId, Edges]) -> dict[NodeId, dict[NodeId, str]]:
        """As `_told`, by the runs that say what jobs read and wrote at that time."""
        runs = self.reader.runs_of({job: of_job.run_id for job, of_job in edges.items() if of_job.run_id})
        said = {
            job: {output: values(use.facets).get(COLUMN_LINEAGE) for output, use in run.outputs.items()}
            for job, run in runs.items()
        }
        return {job: {output: each for output, each in of_job.items() if each} for job, of_job in said.items()}

    def _own(self, output: NodeId) -> str | None:
        head = self.heads.get(self.one(output))
        register = head.column_lineage if head else None
        return register.value if register and register.time <= (self.as_of or register.time) else None

    def _read_links(self, document: Any) -> list[ColumnLink]:
        return [
            ColumnLink(self._id(source.dataset), source.field, output, steps)
            for source, output, steps in _entries(document)
        ]

    def _id(self, name: Name) -> NodeId:
        """The id of a dataset by a name as it was sent; a facet has few names, each many times."""
        if name not in self._ids:
            self._ids[name] = dataset_id(self.reader.naming.identify(name).shown)
        return self._ids[name]


def _told(head: JobHead) -> dict[NodeId, str]:
    """The newest that a job said of the columns of each of its outputs; it stays when its newer runs write another."""
    said = {output: head.column_lineage(output) for output in head.facts.usages}
    return {output: register.value for output, register in said.items() if register}


def _entries(facet: Any) -> Iterator[tuple[Column, str | None, Steps]]:
    nameless = Name("", "")
    yield from ((flow.source, flow.output.field, flow.steps) for flow in flows(nameless, facet))
    yield from ((each.source, None, each.steps) for each in indirects(nameless, facet))
