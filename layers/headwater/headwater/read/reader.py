"""The read model: jobs, datasets and runs as lookups, alerts and the catalogue show them, without deleted ones."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.concurrent import concurrent_map, give_way
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.members import INPUTS
from headwater.graph.facets.schema_diff import columns_diff, columns_of, without_metadata
from headwater.graph.names.identity import (
    ColumnLineageId,
    DatasetId,
    JobId,
    JobRunId,
    NeighbourPageId,
    SchemaId,
    job_id,
)
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import Edges, Ends, RenamedAway
from headwater.graph.states.generation import Generation, Generations, RunOfGeneration, read_back_to
from headwater.graph.states.job import JobHead, LatestRun
from headwater.graph.states.neighbours import NeighbourPage, Side
from headwater.graph.states.run import Run, RunState, joined_in_earliest_namespace
from headwater.graph.states.stored_states import KnownNamespace
from headwater.openlineage.event import Name
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.instant import FOREVER, NEVER, Instant
from headwater.read.neighbourhood import Neighbourhood, PlainDataset, merged, plain_dataset, renamed_ids
from headwater.read.run_end import heads_with_inferred_ends, is_told_by_head, with_inferred_ends
from headwater.store.graph_store import GraphReader
from headwater.store.snapshot import ReadRequest

if TYPE_CHECKING:
    from headwater.graph.expectations.said import Said

RUNS_AT_A_TIME = 5
MOST_RUNS = 300
"""Runs of a job that are read for its generations."""
LOOPS_AMONG = 3
"""How many generations are read to see whether a job is a loop."""


class SentColumns(NamedTuple):
    """Column lineage, and the start of a run that sent it."""

    time: Instant
    id: ColumnLineageId


class PlainJob(NamedTuple):
    """A job of which a graph needs nothing but its head: it was not deleted, and no other run tells how its newest one
    ended. Its edges now, and their ends."""

    head: JobHead
    edges: Edges
    ends: Ends


class Reader:
    """Reads nodes, neighbourhoods and runs from the graph store, now or as of a time."""

    def __init__(self, store: GraphReader, naming: Naming) -> None:
        self.store = store
        self.naming = naming
        self._generations: dict[tuple[JobId, Instant], Generation] = {}
        self._is_in_several_namespaces: dict[str, bool] = {}
        self._plain: dict[JobId, PlainJob] = {}

    @cached_property
    def said(self) -> "Said | None":
        """What people say that they expect, except what this release cannot read of what an earlier one stored."""
        settings = self.store.settings()
        if settings is None:
            return None
        from headwater.graph.expectations.said import Said  # noqa: PLC0415 - most graphs have no settings

        try:
            return Said.of(settings.get("document"))
        except InvalidRequest:
            return None

    def jobs(self, ids: Collection[JobId], *, usages: bool = True, deleted: bool = False) -> dict[JobId, JobHead]:
        """The heads of jobs that are stored, without deleted ones unless `deleted`. The head of a job may be stored a
        moment after its edges.

        Without `usages`, a head lacks the job's usages: a traversal does not need them.
        """
        if not usages:
            return self._shown(self.store.read_heads(jobs=ids).jobs.all(), deleted=deleted)
        known = self.store.kept_nodes(ids)
        unread = [job for job in ids if job not in known]
        heads: dict[JobId, JobHead] = {job: plain.head for job, plain in known.items()}
        if unread:
            read = self.store.read(ReadRequest(jobs=unread)).jobs.all()
            heads |= (found := self._shown(read, deleted=deleted))
            for job, head in found.items():
                if head is read[job] and is_told_by_head(head) and not head.facts.is_deleted:
                    edges = _edges_at(head, head.generation, FOREVER, {})
                    known[job] = PlainJob(head, edges, edges.ends)
                    used = [dataset.name for dataset in edges.inputs + edges.outputs]
                    used += [usage.name for usage in head.facts.usages.values()]
                    self.store.keep_node(job, head, ReadRequest(jobs=[job]), known[job], [head.facts.name, *used])
        self._plain |= known
        return {job: heads[job] for job in ids if job in heads}

    def _shown(self, heads: Mapping[JobId, JobHead], *, deleted: bool) -> dict[JobId, JobHead]:
        known = {job: head for job, head in heads.items() if deleted or not head.facts.is_deleted}
        return heads_with_inferred_ends(self.store, known | self._with_generations(known))

    def _with_generations(self, heads: Mapping[JobId, JobHead]) -> dict[JobId, JobHead]:
        """The heads last written by the previous release, with the generations that it did not know. Their runs are
        read until the next event of the job."""
        unknown = {job: head for job, head in heads.items() if not head.generation.is_known}
        generations = self.generations_at(unknown, FOREVER)
        return {job: replace(head, generation=generations[job]) for job, head in unknown.items()}

    def datasets(self, ids: Collection[DatasetId], *, deleted: bool = False) -> dict[DatasetId, DatasetHead]:
        """The heads of datasets, also under the old names of renamed ones; with `deleted`, also those of deleted
        datasets."""
        heads = self.store.read_heads(datasets=ids).datasets.all()
        return self._as_written(heads if deleted else _present(heads))

    def neighbourhood(
        self,
        ids: Collection[DatasetId],
        sides: Collection[Side] = tuple(Side),
        most: int | None = None,
        as_of: Instant | None = None,
    ) -> Neighbourhood:
        """Datasets with their neighbours on some sides; the several ids of a dataset are merged, under the name that it
        has now or had at a time.

        This takes one read, and further reads if a dataset has other ids, or neighbours on several pages. With `most`,
        only the first `most` neighbours of a side are read. A dataset that the caller may not read has no neighbours,
        and no dataset is merged with it.
        """
        plain: dict[DatasetId, PlainDataset] = self.store.kept_nodes(() if as_of else ids)
        others = [dataset for dataset in ids if dataset not in plain]
        around = self._neighbourhood(others, sides, most, as_of) if others else Neighbourhood()
        if not plain.keys().isdisjoint({*around.used, *around.representatives}):
            return self._neighbourhood(ids, sides, most, as_of)
        around.heads |= {dataset: node.head for dataset, node in plain.items()}
        around.users |= {dataset: node.users for dataset, node in plain.items()}
        around.used |= plain.keys()
        return around

    def _neighbourhood(
        self, ids: Collection[DatasetId], sides: Collection[Side], most: int | None, as_of: Instant | None
    ) -> Neighbourhood:
        heads: dict[DatasetId, DatasetHead] = {}
        first_pages: dict[DatasetId, NeighbourPage] = {}
        unread, seen = set(ids), set[DatasetId]()
        while unread:
            read = self.store.read(ReadRequest(datasets=unread, neighbours=list(map(NeighbourPageId, unread))))
            stored = read.datasets.all()
            present = _present(stored)
            give_way()
            foreign = {dataset for dataset, head in present.items() if head.is_foreign}
            heads |= self._as_written(
                {node: head for node, head in present.items() if node in ids or node not in foreign}
            )
            pages = {page.id.dataset: page for page in read.neighbours.all().values() if page.id.dataset not in foreign}
            first_pages = {node: page.without_links(foreign) for node, page in {**first_pages, **pages}.items()}
            self._keep_plain(stored, pages)
            others = {other for page in pages.values() for other in page.merged} | renamed_ids(present.values())
            seen |= unread
            unread = others - seen
        give_way()
        around = merged(heads, self.store.neighbours_below(first_pages, sides, most), first_pages, as_of).of(ids)
        around.heads |= self._as_last_written(around)
        return around

    def _keep_plain(self, heads: Mapping[DatasetId, DatasetHead], pages: Mapping[DatasetId, NeighbourPage]) -> None:
        for dataset, page in pages.items():
            if plain := plain_dataset(heads.get(dataset), page):
                made_of = ReadRequest(datasets=[dataset], neighbours=[page.id])
                self.store.keep_node(dataset, plain.head, made_of, plain, [plain.head.facts.name])

    def _as_last_written(self, around: Neighbourhood) -> dict[DatasetId, DatasetHead]:
        """The heads of datasets whose former name another dataset has by now, with what their last write under that
        name said of them: the head of that name has what was said since."""
        if not around.renamed_away:
            return {}
        former = {
            dataset: [span for span in spans if span.id in around.renamed_away and span.end]
            for dataset, spans in around.renamed.items()
        }
        spans = [max(of, key=lambda span: span.end or FOREVER) for of in former.values() if of]
        shown = [dataset for dataset, of in former.items() if of]
        lines = [self.store.writes_of(span.id).between(span.since, span.end) for span in spans]
        newest = concurrent_map(lambda line: next(iter(line.newest(limit=1)), None), lines)
        writes = self.store.read(ReadRequest(writes=[write for write in newest if write])).writes
        schemas = self.store.read(
            ReadRequest(schemas=[write.schema for write in writes.all().values() if write.schema])
        ).schemas
        return {
            dataset: around.heads[dataset].with_write(write.output.facets, write.schema and schemas.get(write.schema))
            for dataset, write_id in zip(shown, newest, strict=True)
            if write_id and (write := writes.get(write_id))
        }

    def _as_written(self, heads: dict[DatasetId, DatasetHead]) -> dict[DatasetId, DatasetHead]:
        """Heads of datasets, each with the schema with which the dataset was last written.

        The newest schema may be the schema of a reader: some of the columns, or the columns of an older snapshot. The
        schema of a reader counts only if it adds a column or changes a type: this shows a write that no job reported.
        """
        written = {
            SchemaId(dataset, head.written): head
            for dataset, head in heads.items()
            if head.written and head.schema_digest not in (None, head.written)
        }
        read = self.store.read(ReadRequest(schemas=written))
        for schema, head in written.items():
            if document := read.schemas.get(schema):
                diff = columns_diff(columns_of(document.value), without_metadata(columns_of(head.schema)))
                if not (diff.added or diff.retyped):
                    facets = {**head.facets, SCHEMA: schema.digest}
                    heads[schema.dataset] = replace(head, schema=document.value, facets=facets)
        return heads

    def edges(
        self, jobs: Mapping[JobId, JobHead], as_of: Instant | None, renamed: RenamedAway, *, ever: bool = False
    ) -> dict[JobId, Edges]:
        """The edges of jobs now, of all time (`ever`), or at a time: those of the generation of each job's newest run
        until then. They are edges to the datasets of the time of each run, some of whose names others have by now."""
        if ever and not as_of:
            return {job: head.ever.under_later_names(renamed, ever=True) for job, head in jobs.items()}
        if not as_of and not renamed:
            plain = self._plain
            return {
                job: kept.edges
                if (kept := plain.get(job)) and kept.head is head
                else _edges_at(head, head.generation, FOREVER, {})
                for job, head in jobs.items()
            }
        time = as_of or FOREVER
        known = self.generations_at(jobs, time) if as_of else {job: head.generation for job, head in jobs.items()}
        generations = self._as_of_runs(known, time, renamed) if renamed else known
        return {job: _edges_at(head, generations[job], time, renamed) for job, head in jobs.items()}

    def ends(self, edges: Mapping[JobId, Edges]) -> dict[JobId, Ends]:
        """The ids of the inputs and outputs of jobs with these edges."""
        plain = self._plain
        return {
            job: kept.ends if (kept := plain.get(job)) and kept.edges is of_job else of_job.ends
            for job, of_job in edges.items()
        }

    def _as_of_runs(
        self, generations: Mapping[JobId, Generation], time: Instant, renamed: RenamedAway
    ) -> Mapping[JobId, Generation]:
        """The generations with the datasets of the time of each run. A generation has no run whose edges a newer run
        has, too: since the two may have meant two datasets by one name, all runs of the job are read."""
        used = {job: generation.edges for job, generation in generations.items()}
        touched = [job for job in used if not renamed.keys().isdisjoint(used[job].input_ids | used[job].output_ids)]

        def as_of_runs(job: JobId) -> Generation:
            if generations[job].is_single:
                return Generation(tuple(run.under_later_names(renamed) for run in generations[job].runs))
            return self._generation_at(job, time, renamed)

        return {**generations, **dict(zip(touched, concurrent_map(as_of_runs, touched), strict=True))}

    def generations_at(self, jobs: Collection[JobId], time: Instant) -> dict[JobId, Generation]:
        """The generations of jobs at a time: one call for the runs of each job, and one for the parents of those that
        have several."""
        unread = [job for job in jobs if (job, time) not in self._generations]
        read = concurrent_map(lambda job: self._generation_at(job, time), unread)
        self._generations |= {(job, time): generation for job, generation in zip(unread, read, strict=True)}
        return {job: self._generations[job, time] for job in jobs}

    def in_the_past(self, heads: Mapping[JobId, JobHead], time: Instant) -> dict[JobId, JobHead]:
        """The heads of jobs, which say whether at a time the job only might use its inputs."""
        generations = self.generations_at({job for job, head in heads.items() if INPUTS in head.facts.run_facets}, time)
        of_time = {job: heads[job].in_the_past(time, generation) for job, generation in generations.items()}
        return {**heads, **of_time}

    def heads_at(self, heads: Mapping[JobId, JobHead], time: Instant) -> dict[JobId, JobHead]:
        """The heads of jobs with their generations and newest runs that name a dataset at a time: one call more than
        `generations_at`."""
        generations = self.generations_at(heads, time)
        newest = [JobRunId(job, run_id) for job in heads if (run_id := generations[job].newest.edges.run_id)]
        latest = {run.id.job: LatestRun.of(run.until(time)) for run in self.runs(newest)}
        return {job: replace(head, latest=latest.get(job), generation=generations[job]) for job, head in heads.items()}

    def _generation_at(self, job: JobId, time: Instant, renamed: RenamedAway | None = None) -> Generation:
        runs: list[RunOfGeneration] = []
        earliest = NEVER
        for run in self.runs_until(job, time):
            if run.names_datasets:
                of_job = RunOfGeneration.of(run)
                runs.append(of_job.under_later_names(renamed) if renamed else of_job)
            if len(runs) == 1 and runs[0].parent is None:
                break
            if runs and run.order != runs[0].order:
                earliest = earliest or read_back_to(runs[0], self._parent_of(runs[0]))
                if run.started_at < earliest:
                    break
        return Generation.of(runs)

    def _parent_of(self, run: RunOfGeneration) -> Run | None:
        parents = [run.parent] if run.parent else []
        return next(iter(self.store.read(ReadRequest(runs=parents)).runs.of(parents)), None)

    def columns_at(
        self,
        writers: Mapping[DatasetId, Collection[JobId]],
        ids: Mapping[DatasetId, Collection[DatasetId]],
        time: Instant,
    ) -> set[SentColumns]:
        """The column lineage of datasets at a time: for each writer, that of its generation; if that has none, of its
        newest run with column lineage.

        `ids` are the ids of each dataset: a writer may name the dataset by any of them.
        """
        generations = self.generations_at({job for jobs in writers.values() for job in jobs}, time)

        def lineage_by(writer: tuple[DatasetId, JobId]) -> set[SentColumns]:
            dataset, job = writer
            digests = _column_lineages(generations[job], ids[dataset])
            if digests or digests is None:
                return digests or set()
            earlier = (Generation((RunOfGeneration.of(run),)) for run in self.runs_until(job, time))
            return next((lineage for run in earlier if (lineage := _column_lineages(run, ids[dataset]))), set())

        pairs = [(dataset, job) for dataset, jobs in writers.items() for job in sorted(jobs)]
        return set().union(*concurrent_map(lineage_by, pairs))

    def datasets_at(self, heads: Mapping[DatasetId, DatasetHead], time: Instant) -> dict[DatasetId, DatasetHead]:
        """Heads of datasets with the schema at a time: that of the last write, else the last schema of a reader."""

        def head_at(dataset: DatasetId) -> DatasetHead:
            if heads[dataset].is_foreign:
                return heads[dataset]
            facets = {name: facet for name, facet in heads[dataset].facets.items() if name != SCHEMA}
            schema = self._schema_at(dataset, time)
            if schema is None:
                return replace(heads[dataset], facets=facets, schema=None)
            return replace(heads[dataset], facets={**facets, SCHEMA: schema.digest}, schema=schema.value)

        return dict(zip(heads, concurrent_map(head_at, heads), strict=True))

    def version_time(self, dataset: DatasetId, version: str) -> Instant | None:
        """The last event time of a version of a dataset; None if the version is the id of a schema."""
        written = list(self.store.writes_with_version(dataset, version))
        runs = self.runs([write.run for write in written])
        read = self.store.read(ReadRequest(writes=written))
        firsts = [write.output.first for write in read.writes.of(written)]
        return max([*firsts, *(run.updated for run in runs)], default=None)

    def run(self, run_id: str) -> Run | None:
        """A run by its run id. The index may lack a very new run; then the events of the run give its job.

        The runs of several jobs of one namespace are joined: some producers rename a job while it runs. Of runs in
        several namespaces, which only a mistake or a forger sends, the earliest is returned.
        """
        runs = self.runs(self.store.runs_with_id(run_id)) or self.runs(self._run_of_events(run_id))
        self._is_in_several_namespaces[run_id] = len({run.job.namespace for run in runs}) > 1
        return joined_in_earliest_namespace(runs)

    def is_in_several_namespaces(self, run_id: str) -> bool:
        """Whether jobs of several namespaces have a run with an id that this reader has read."""
        return self._is_in_several_namespaces[run_id]

    def runs(self, ids: Collection[JobRunId]) -> list[Run]:
        """The runs that are stored, in the order of the ids."""
        read = self.store.read(ReadRequest(runs=ids))
        return with_inferred_ends(self.store, read.runs.of(ids))

    def newest_runs(self, job: JobId, most: int) -> list[Run]:
        """The last runs of a job by start, newest first."""
        return self.runs(list(islice(self.store.runs_of(job).newest(limit=most), most)))

    def newest_generations(self, job: JobId, most: int, until: Instant | None = None) -> list[list[Run]]:
        """The last generations of a job until a time, newest first, each with its runs, newest first: two calls if they
        have one run each. Of loops with very many runs there are fewer than `most`."""
        generations = Generations()
        newest = self.store.runs_of(job).newest(until=until, limit=most)
        read = 0
        while len(generations.all) <= most and read < MOST_RUNS and (page := list(islice(newest, max(most, read)))):
            read += len(page)
            for run in self.runs(page):
                generations.add(run)
        return generations.all[:most]

    def is_of_a_loop(self, job: JobId) -> bool:
        """Whether a run of the parent starts the job more than once, as its newest generations show, not counting a
        try that failed."""
        generations = self.newest_generations(job, LOOPS_AMONG)
        return any(sum(run.state is not RunState.FAILED for run in runs) > 1 for runs in generations)

    def newest_runs_of_each(self, jobs: Collection[JobId], most: int) -> dict[JobId, list[Run]]:
        """The last runs of several jobs by start, newest first: one call for each job, and one for a hundred runs."""
        ids = concurrent_map(lambda job: list(islice(self.store.runs_of(job).newest(limit=most), most)), jobs)
        runs: dict[JobId, list[Run]] = {job: [] for job in jobs}
        for run in self.runs([run_id for ids_of_job in ids for run_id in ids_of_job]):
            runs[run.id.job].append(run)
        return runs

    def latest_runs(self, heads: Mapping[JobId, JobHead]) -> dict[JobId, Run]:
        """The latest run of each job that has a run."""
        newest = [JobRunId(job, head.latest.run_id) for job, head in heads.items() if head.latest]
        return {job_id(run.job): run for run in self.runs(newest)}

    def runs_until(self, job: JobId, time: Instant) -> Iterable[Run]:
        """The runs of a job that started until a time, as they were then, newest first. A read returns `RUNS_AT_A_TIME`
        runs."""
        newest = self.store.runs_of(job).newest(until=time, limit=RUNS_AT_A_TIME)
        while page := list(islice(newest, RUNS_AT_A_TIME)):
            runs = self.runs(page)
            if not runs and self.store.visibility:
                return  # the caller may not read the job: its earlier runs are absent, too
            yield from (run.until(time) for run in runs)

    def column_lineage(self, ids: Collection[ColumnLineageId]) -> dict[ColumnLineageId, Any]:
        read = self.store.read(ReadRequest(column_lineages=ids))
        return {lineage: facet for lineage in ids if (facet := read.column_lineages.get(lineage)) is not None}

    def namespaces(self) -> list[KnownNamespace]:
        """Every namespace, by name."""
        return sorted(self.store.all_namespaces())

    def _run_of_events(self, run_id: str) -> list[JobRunId]:
        events = list(islice(self.store.events_of_run(run_id), 1))
        read = self.store.read(ReadRequest(events=events))
        named = [event["job"] for event in read.events.of(events)]
        return [JobRunId(job_id(Name(job["namespace"], job["name"])), run_id) for job in named]

    def _schema_at(self, dataset: DatasetId, time: Instant) -> Document | None:
        for write_id in self.store.writes_of(dataset).newest(until=time, limit=1):
            write = self.store.read(ReadRequest(writes=[write_id])).writes.get(write_id)
            if write and write.schema:
                return self.store.read(ReadRequest(schemas=[write.schema])).schemas.get(write.schema)
            break
        ids = list(self.store.schemas_of(dataset))
        read = self.store.read(ReadRequest(schemas=ids))
        known = [document for document in read.schemas.of(ids) if document.time <= time]
        return max(known, key=lambda document: document.time, default=None)


def _present(heads: Mapping[DatasetId, DatasetHead]) -> dict[DatasetId, DatasetHead]:
    return {dataset: head for dataset, head in heads.items() if not head.is_deleted or head.renamed}


def _edges_at(head: JobHead, generation: Generation, time: Instant, renamed: RenamedAway) -> Edges:
    declared = head.declared.under_later_names(renamed)
    return declared if declared and generation.newest.edges.time <= declared.time <= time else generation.edges


def _column_lineages(generation: Generation, ids: Iterable[DatasetId]) -> set[SentColumns] | None:
    """The column lineage of a dataset by a generation, under the ids of its names; None if there is too much to be
    known."""
    by_name = {name: generation.columns(name) for name in ids}
    if any(digests is None for digests in by_name.values()):
        return None
    return {
        SentColumns(time, ColumnLineageId(name, digest))
        for name, digests in by_name.items()
        for digest, time in (digests or {}).items()
    }
