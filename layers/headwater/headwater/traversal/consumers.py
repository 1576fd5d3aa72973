"""The readers of datasets, their outputs, and their column lineage, read hop by hop.

A hop costs two reads: the jobs, then the datasets that the jobs write, with their readers. With columns, a hop costs a
third read, for the column lineage. Column lineage is kept for each job, since two jobs may write a table, and only one
of them sends column lineage.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.graph.column_lineage import Column, Steps, column_flows, indirect_flows
from headwater.graph.dataset import DatasetHead
from headwater.graph.edges import Edges
from headwater.graph.identity import ColumnLineageId, DatasetId, JobId, JobRunId, dataset_id, job_id
from headwater.graph.job import JobHead
from headwater.graph.long_facet import COLUMN_LINEAGE
from headwater.graph.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.register import values
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader


class ColumnLink(NamedTuple):
    """A flow from an input column to an output column. If `output` is None, an indirect flow to a whole dataset."""

    source: DatasetId
    field: str
    output: str | None
    steps: Steps


class Consumers:
    """The datasets, readers and, with `of_columns`, column lineage that were read so far, at a time or now.

    heads, jobs        heads of datasets and of their readers
    edges              the edges of the readers
    representatives    the representative of each id, for datasets with several ids
    column_digests     the digest of the column lineage of each job, by output
    """

    def __init__(self, reader: Reader, most: int, *, of_columns: bool, as_of: Instant | None = None) -> None:
        self.reader = reader
        self.most = most
        self.is_cut = False
        self.of_columns = of_columns
        self.as_of = as_of
        self.heads: dict[DatasetId, DatasetHead] = {}
        self.jobs: dict[JobId, JobHead] = {}
        self.edges: dict[JobId, Edges] = {}
        self.representatives: dict[DatasetId, DatasetId] = {}
        self.column_digests: dict[JobId, dict[DatasetId, str]] = {}
        self._readers: dict[DatasetId, frozenset[JobId]] = {}
        self._links: dict[ColumnLineageId, list[ColumnLink]] = {}
        self._ids: dict[Name, DatasetId] = {}

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    def readers(self, datasets: Collection[DatasetId]) -> set[JobId]:
        """The jobs that ever read any of these datasets."""
        return {job for dataset in datasets for job in self._readers.get(dataset, ())}

    def read_datasets(self, datasets: Collection[DatasetId]) -> None:
        """Reads datasets that were not read yet, with their readers."""
        unread = {dataset for dataset in datasets if self.representative(dataset) not in self._readers}
        neighbourhood = self.reader.neighbourhood(unread, (Side.READS,), self.most) if unread else None
        if neighbourhood is None:
            return
        self.is_cut |= neighbourhood.is_cut
        self.representatives |= neighbourhood.representatives
        self.heads |= neighbourhood.heads
        self._readers |= dict.fromkeys(unread, frozenset())
        self._readers |= {
            dataset: users.get(Side.READS, NO_NEIGHBOURS[Side.READS]) for dataset, users in neighbourhood.users.items()
        }

    def read_jobs(self, ids: Collection[JobId]) -> None:
        """Reads jobs that were not read yet, with their edges and the digests of their column lineage."""
        heads = self.reader.jobs(sorted(set(ids) - self.jobs.keys()), usages=self.of_columns)
        self.jobs |= heads
        edges = self.reader.edges_at(heads, self.as_of) if self.as_of else {job: heads[job].current for job in heads}
        self.edges |= edges
        if self.of_columns:
            self.column_digests |= (
                self._digests_at(edges) if self.as_of else {job: _digests(head) for job, head in heads.items()}
            )

    def read_columns(self, jobs: Collection[JobId], outputs: Collection[DatasetId]) -> None:
        """Reads the column lineage of these jobs for the datasets that were read, and that in DatasetEvents of these
        outputs."""
        if not self.of_columns:
            return
        of_jobs = {ColumnLineageId(*entry) for job in jobs for entry in self.column_digests.get(job, {}).items()}
        wanted = {lineage for lineage in of_jobs if self.representative(lineage.dataset) in self.heads}
        own = {
            ColumnLineageId(self.representative(output), digest) for output in outputs if (digest := self._own(output))
        }
        documents = self.reader.column_lineage((wanted | own) - self._links.keys())
        self._links |= {key: self._read_links(document) for key, document in documents.items()}

    def links(self, job: JobId, output: DatasetId) -> list[ColumnLink]:
        """The column links of a job to an output. If there are none, those of a DatasetEvent of the output."""
        digest = self.column_digests.get(job, {}).get(output)
        by_job = self._links.get(ColumnLineageId(output, digest), []) if digest else []
        own = self._own(output) if self.of_columns else None
        return by_job or (self._links.get(ColumnLineageId(self.representative(output), own), []) if own else [])

    def _digests_at(self, edges: Mapping[JobId, Edges]) -> dict[JobId, dict[DatasetId, str]]:
        """The digests of column lineage at a time, from the runs that give the edges at that time."""
        runs = self.reader.runs([JobRunId(job, of_job.run_id) for job, of_job in edges.items() if of_job.run_id])
        digests = {
            job_id(run.job): {
                output: values(io_dataset.facets).get(COLUMN_LINEAGE) for output, io_dataset in run.outputs.items()
            }
            for run in runs
        }
        return {
            job: {output: digest for output, digest in by_output.items() if digest}
            for job, by_output in digests.items()
        }

    def _own(self, output: DatasetId) -> str | None:
        head = self.heads.get(self.representative(output))
        register = head.column_lineage if head else None
        return register.value if register and register.time <= (self.as_of or register.time) else None

    def _read_links(self, document: Any) -> list[ColumnLink]:
        return [
            ColumnLink(self._id(source.dataset), source.field, output, steps)
            for source, output, steps in _entries(document)
        ]

    def _id(self, name: Name) -> DatasetId:
        """The id of a dataset by its name as sent. Ids are cached, since a facet repeats the same names many times."""
        if name not in self._ids:
            self._ids[name] = dataset_id(self.reader.naming.identify(name).shown)
        return self._ids[name]


def _digests(head: JobHead) -> dict[DatasetId, str]:
    """The digest of the newest column lineage of a job for each output, also for outputs that its newest run does not
    write."""
    registers = {output: head.column_lineage(output) for output in head.facts.usages}
    return {output: register.value for output, register in registers.items() if register}


def _entries(facet: Any) -> Iterator[tuple[Column, str | None, Steps]]:
    nameless = Name("", "")
    yield from ((flow.source, flow.output.field, flow.steps) for flow in column_flows(nameless, facet))
    yield from ((flow.source, None, flow.steps) for flow in indirect_flows(nameless, facet))
