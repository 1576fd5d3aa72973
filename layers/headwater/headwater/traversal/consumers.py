"""The readers of datasets, their outputs, and their column lineage, read hop by hop.

A hop costs two reads: the jobs, then the datasets that the jobs write, with their readers. With columns, a hop costs a
third read, for the column lineage and the columns of the outputs. Column lineage is kept per job, since two jobs may
write a table and only one of them sends column lineage.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.graph.facets.column_lineage import (
    ORIGINS,
    Column,
    Steps,
    candidates_in,
    column_flows,
    indirect_flows,
    told_columns,
)
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import columns_among, fields_of
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, JobRunId, SchemaId, dataset_id, job_id
from headwater.graph.producers import producer_of
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import Edges, RenamedAway, meant
from headwater.graph.states.generation import Generation
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Neighbours, Side
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name
from headwater.openlineage.instant import FOREVER, Instant
from headwater.read.good_writes import KnownWriters
from headwater.read.neighbourhood import NameSpan
from headwater.read.reader import Reader, SentColumns
from headwater.store.snapshot import ReadRequest
from headwater.traversal.lineage import View
from headwater.traversal.retired_writers import KnownJobs, failed_writes, retired_writes

MAX_WRITERS = 100
"""Writers of the first dataset whose heads are read."""


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
    renamed_away       names that another dataset has by now
    sent_columns       the column lineage of each job, by output: the dataset that it meant by the name
    schema_digests     the digest of the schema with which each job wrote an output, by output
    without_data       the jobs some of whose outputs were left out, since they have no data of these jobs
    """

    def __init__(
        self, reader: Reader, most: int, *, of_columns: bool, as_of: Instant | None = None, view: View = View.CURRENT
    ) -> None:
        self.reader = reader
        self.most = most
        self.is_cut = False
        self.of_columns = of_columns
        self.as_of = as_of
        self.view = view
        self.renamed_away: RenamedAway = {}
        self.heads: dict[DatasetId, DatasetHead] = {}
        self.jobs: dict[JobId, JobHead] = {}
        self.edges: dict[JobId, Edges] = {}
        self.representatives: dict[DatasetId, DatasetId] = {}
        self.sent_columns: dict[JobId, dict[DatasetId, set[SentColumns]]] = {}
        self.schema_digests: dict[JobId, dict[DatasetId, str]] = {}
        self.without_data: set[JobId] = set()
        self._renamed: dict[DatasetId, tuple[NameSpan, ...]] = {}
        self._of_first: dict[JobId, JobHead] = {}
        self._users: dict[DatasetId, Neighbours] = {}
        self._lineages: dict[ColumnLineageId, Any] = {}
        self._links: dict[SentColumns, list[ColumnLink]] = {}
        self._schemas: dict[SchemaId, Any] = {}
        self._ids: dict[Name, DatasetId] = {}

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    def readers(self, datasets: Collection[DatasetId]) -> set[JobId]:
        """The jobs that ever read any of these datasets."""
        return {job for dataset in datasets for job in self._users.get(dataset, NO_NEIGHBOURS)[Side.READS]}

    def read_datasets(self, datasets: Collection[DatasetId]) -> None:
        """Reads datasets that were not read yet, with their readers and, in the current view, their writers."""
        unread = {dataset for dataset in datasets if self.representative(dataset) not in self._users}
        sides = tuple(Side) if self.view is View.CURRENT else (Side.READS,)
        neighbourhood = self.reader.neighbourhood(unread, sides, self.most, self.as_of) if unread else None
        if neighbourhood is None:
            return
        self.is_cut |= neighbourhood.is_cut
        self.representatives |= neighbourhood.representatives
        self._renamed |= neighbourhood.renamed
        self.renamed_away = {**self.renamed_away, **neighbourhood.renamed_away}
        self.heads |= neighbourhood.heads
        self._users |= dict.fromkeys(unread, NO_NEIGHBOURS) | neighbourhood.users

    def drop_writes_without_data(self, jobs: Collection[JobId]) -> None:
        """Leaves out outputs that hold no data from these jobs now, among the datasets that were read."""
        if self.view is View.EVER:
            return
        written = {self.representative(output) for job in jobs for output in self.edges[job].output_ids}
        known = KnownJobs({**self.jobs}, self.edges, self._users, self.representative, self.renamed_away)
        failed = failed_writes(self.reader, written, known, self.as_of, self.most)
        retired = retired_writes(self.reader, written, known, self.as_of, self.most) | failed
        for job in {job for job, _ in retired} & set(jobs):
            self.without_data.add(job)
            gone = {output for output in self.edges[job].output_ids if (job, self.representative(output)) in retired}
            left = self.edges[job].without_outputs(gone)
            has_failed = any((job, self.representative(output)) in failed for output in gone)
            self.edges[job] = left._replace(inputs=self.edges[job].inputs) if has_failed else left  # it reads them
            self.sent_columns[job] = {
                output: sent
                for output, sent in self.sent_columns.get(job, {}).items()
                if (job, self.representative(output)) not in retired
            }

    def known_writers(self, datasets: Collection[DatasetId]) -> dict[DatasetId, KnownWriters]:
        """The writers of datasets: those on the way, and, unless it is of a past time, those of the first dataset."""
        jobs = {**self._of_first, **self.jobs}
        ids = {dataset: {dataset} for dataset in datasets}
        for output in (output for head in jobs.values() for output in head.current.output_ids):
            ids.get(self.representative(output), set()).add(output)
        writers = {dataset: self._users.get(dataset, NO_NEIGHBOURS)[Side.WRITES] for dataset in datasets}
        known = {job: jobs[job] for of_dataset in writers.values() for job in sorted(of_dataset & jobs.keys())}
        heads = self.reader.heads_at(known, self.as_of) if self.as_of else known
        return {
            dataset: KnownWriters(
                ids[dataset],
                [heads[job] for job in sorted(of & heads.keys())],
                of <= heads.keys(),
                self._renamed.get(dataset, ()),
            )
            for dataset, of in writers.items()
        }

    def _writers_of_first(self) -> list[JobId]:
        """The writers of the dataset that was read first, once."""
        is_first = not self.jobs and not self._of_first and not self.as_of
        datasets = self._users.values() if is_first else ()
        return sorted(job for users in datasets for job in users[Side.WRITES])[:MAX_WRITERS]

    def read_jobs(self, ids: Collection[JobId]) -> None:
        """Reads jobs that were not read yet, with their edges, and the digests of their column lineage and of the
        schemas that they wrote. The first read has the writers of the first dataset, too."""
        is_ever = self.view is View.EVER
        unread, of_first = set(ids) - self.jobs.keys(), self._writers_of_first()
        read = self.reader.jobs(sorted(unread.union(of_first)), usages=self.of_columns or is_ever)
        self._of_first |= {job: read[job] for job in of_first if job in read}
        heads = {job: head for job, head in read.items() if job in unread}
        heads = self.reader.in_the_past(heads, self.as_of) if self.as_of else heads
        self.jobs |= heads
        edges = self.reader.edges(heads, self.as_of, self.renamed_away, ever=is_ever)
        self.edges |= edges
        if self.of_columns and self.as_of:
            generations = self.reader.generations_at(heads, self.as_of)
            self.sent_columns |= {job: self._sent_by(_columns_at(generations[job])) for job in heads}
            chosen = [JobRunId(job, of_job.run_id) for job, of_job in edges.items() if of_job.run_id]
            runs = [run.until(self.as_of) for run in self.reader.runs(chosen)]
            self.schema_digests |= {job_id(run.job): _digests_of_run(run, SCHEMA) for run in runs}
        elif self.of_columns:
            self.sent_columns |= {job: self._sent_by(_columns_of(head)) for job, head in heads.items()}
            self.schema_digests |= {job: _schema_digests(head) for job, head in heads.items()}

    def read_columns(self, jobs: Collection[JobId], outputs: Collection[DatasetId]) -> None:
        """Reads the column lineage of these jobs for the datasets that were read, and that in DatasetEvents of these
        outputs; and the schemas that the jobs wrote, unless the datasets still have them."""
        if not self.of_columns:
            return
        wanted = {
            each.id
            for job in jobs
            for output, sent in self.sent_columns.get(job, {}).items()
            if self.representative(output) in self.heads
            for each in sent
        }
        own = {
            ColumnLineageId(self.representative(output), digest) for output in outputs if (digest := self._own(output))
        }
        schemas = {SchemaId(*entry) for job in jobs for entry in self.schema_digests.get(job, {}).items()}
        earlier = {schema for schema in schemas if self._is_earlier(schema)}
        lineages = (wanted | own) - self._lineages.keys()
        read = self.reader.store.read(ReadRequest(column_lineages=lineages, schemas=earlier - self._schemas.keys()))
        self._lineages |= read.column_lineages.all()
        self._schemas |= {key: document.value for key, document in read.schemas.all().items()}

    def links(self, job: JobId, output: DatasetId) -> list[ColumnLink]:
        """The column links of a job to an output. If there are none, those of a DatasetEvent of the output."""
        links: list[ColumnLink] = []
        for lineage in self._lineages_of(job, output):
            if lineage not in self._links:
                self._links[lineage] = self._read_links(lineage)
            links += self._links[lineage]
        return links

    def untold(self, job: JobId, output: DatasetId) -> dict[str, frozenset[str]]:
        """The columns of an output that a job wrote, and for which its column lineage does not name all sources, not
        even none. Where a job wrote the output in several ways, each of them has to name the sources. With each are the
        columns of inputs, in lower case, that it may be made of; without any it may be made of each.

        By itself, the Spark listener has no entry for a column made by a Python UDF, nor for a constant.
        """
        facets = [self._lineages[lineage.id] for lineage in self._lineages_of(job, output)]
        ways = [self.reader.store.made(_named_and_candidates, facet) for facet in facets]
        told = frozenset.intersection(*(told for told, _ in ways)) if ways else frozenset()
        return {
            field: _candidates(field.lower(), ways) for field in self._written(job, output) if field.lower() not in told
        }

    def names_origins(self, job: JobId, output: DatasetId) -> bool:
        """Whether a job says of each column of an output what it may be made of."""
        return any(ORIGINS in self._lineages[lineage.id] for lineage in self._lineages_of(job, output))

    def tells_columns(self, job: JobId, output: DatasetId) -> bool:
        """Whether there is column lineage of a job for an output that the caller may read."""
        dataset = self.heads.get(self.representative(output))
        return dataset is None or dataset.is_foreign or bool(self._lineages_of(job, output))

    def reports_indirect(self, job: JobId) -> bool:
        """Whether the producer of a job reports filters, joins and groupings."""
        return producer_of(values(self.jobs[job].facts.facets)).reports_indirect

    def _lineages_of(self, job: JobId, output: DatasetId) -> list[SentColumns]:
        """The column lineages that count for an output of a job."""
        own = self._own(output) if self.of_columns else None
        sent = self.sent_columns.get(job, {}).get(output, ())
        by_event = [SentColumns(FOREVER, ColumnLineageId(self.representative(output), own))] if own else []
        return [each for each in sorted(sent) if self._has_entries(each)] or list(filter(self._has_entries, by_event))

    def _has_entries(self, lineage: SentColumns) -> bool:
        facet = self._lineages.get(lineage.id)
        return facet is not None and self.reader.store.made(_names_sources, facet)

    def _sent_by(self, columns: Mapping[DatasetId, Mapping[str, Instant]]) -> dict[DatasetId, set[SentColumns]]:
        """Column lineage by the dataset that a job meant by the name of its output, of the digests and times by
        name."""
        sent: dict[DatasetId, set[SentColumns]] = {}
        for name, digests in columns.items():
            for digest, time in digests.items():
                output = meant(name, time, self.renamed_away)
                sent.setdefault(output, set()).add(SentColumns(time, ColumnLineageId(name, digest)))
        return sent

    def _written(self, job: JobId, output: DatasetId) -> list[str]:
        """The columns that a job wrote of an output, as far as it names them."""
        digest = self.schema_digests.get(job, {}).get(output)
        if digest is None:
            usage = self.jobs[job].facts.usages.get(output)
            return sorted(columns_among(usage.facets)) if usage and not usage.reads else []
        schema = SchemaId(output, digest)
        head = self.heads.get(self.representative(output))
        document = self._schemas.get(schema) if self._is_earlier(schema) else head.schema if head else None
        return [field["name"] for field in fields_of(document)]

    def _is_earlier(self, schema: SchemaId) -> bool:
        """Whether a dataset that the caller reads has another schema now."""
        head = self.heads.get(self.representative(schema.dataset))
        return head is not None and not head.is_foreign and head.schema_digest != schema.digest

    def _own(self, output: DatasetId) -> str | None:
        head = self.heads.get(self.representative(output))
        register = head.column_lineage if head else None
        return register.value if register and register.time <= (self.as_of or register.time) else None

    def _read_links(self, lineage: SentColumns) -> list[ColumnLink]:
        return [
            ColumnLink(meant(self._id(source.dataset), lineage.time, self.renamed_away), source.field, output, steps)
            for source, output, steps in _entries(self._lineages[lineage.id])
        ]

    def _id(self, name: Name) -> DatasetId:
        """The id of a dataset by its name as sent. Ids are cached, since a facet repeats the same names many times."""
        if name not in self._ids:
            self._ids[name] = dataset_id(self.reader.naming.identify(name).shown)
        return self._ids[name]


def _names_sources(facet: Any) -> bool:
    return (isinstance(facet, dict) and ORIGINS in facet) or next(_entries(facet), None) is not None


def _named_and_candidates(facet: Any) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """The columns that a facet names the sources of, and what it says the others may be made of."""
    return told_columns(facet), candidates_in(facet)


def _candidates(column: str, ways: Iterable[tuple[frozenset[str], dict[str, frozenset[str]]]]) -> frozenset[str]:
    """What a column may be made of, in those ways of writing it that do not say."""
    candidates = [candidates.get(column, frozenset()) for told, candidates in ways if column not in told]
    return frozenset().union(*candidates) if all(candidates) else frozenset()


def _columns_of(head: JobHead) -> dict[DatasetId, Mapping[str, Instant]]:
    """The column lineage of a job for each output, even those that it no longer writes."""
    return {output: head.column_lineages(output) for output in head.facts.usages}


def _columns_at(generation: Generation) -> dict[DatasetId, Mapping[str, Instant]]:
    outputs = {output for run in generation.runs for output, _ in run.columns}
    return {output: generation.columns(output) or {} for output in outputs}


def _schema_digests(head: JobHead) -> dict[DatasetId, str]:
    return {output: usage.wrote.value for output, usage in head.facts.usages.items() if usage.wrote}


def _digests_of_run(run: Run, facet: str) -> dict[DatasetId, str]:
    digests = {output: values(io_dataset.facets).get(facet) for output, io_dataset in run.outputs.items()}
    return {output: digest for output, digest in digests.items() if digest}


def _entries(facet: Any) -> Iterator[tuple[Column, str | None, Steps]]:
    nameless = Name("", "")
    yield from ((flow.source, flow.output.field, flow.steps) for flow in column_flows(nameless, facet))
    yield from ((flow.source, None, flow.steps) for flow in indirect_flows(nameless, facet))
