"""The details of a dataset: its head, its newest write and quality result, its column lineage, its other names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from headwater.concurrent import concurrent_map, give_way
from headwater.graph.facets.curation import current_tags
from headwater.graph.facets.dataset_reference import INPUT_STATISTICS
from headwater.graph.facets.members import LIFECYCLE, is_drop, owners_of, ownership_of
from headwater.graph.facets.register import values
from headwater.graph.facets.renaming import renames_from, renames_to
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, JobRunId, QualityId, WriteId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.states.run import Run, RunState
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.good_writes import (
    KnownWriters,
    LastWrite,
    Standing,
    WriteOfRun,
    cautions,
    is_suspect,
    last_write_by_heads,
    newest_good_writes,
    time_of_last,
    write_that_counts,
)
from headwater.read.neighbourhood import NameSpan, Neighbourhood
from headwater.read.reader import Reader
from headwater.read.run_end import with_inferred_ends
from headwater.store.ranges import quality_position, write_position
from headwater.store.snapshot import ReadRequest

MAX_JOBS = 100
"""Jobs, and column lineages, that are read for a list of datasets: one BatchGetItem for each of the two."""
MAX_WRITES = 20
DERIVED_FROM = "headwater_derivedFrom"

Value = TypeVar("Value")


class DatasetDetails(NamedTuple):
    """A dataset with further states of its jobs and runs.

    last_used         the latest time at which one of the dataset's first jobs used it
    last_write        the newest write that went well
    column_lineage    columnLineage facets, the newest first
    input_statistics  the inputStatistics facet of the newest run that read the dataset
    aliases           the other names under which states of the dataset are stored
    ownership         of a dataset without owners: the ownership facet of the job that writes the dataset, with the name
                      of that job as `headwater_derivedFrom`
    written           when it was last written, and a caution if no write went well
    is_dropped        whether the newest lifecycleStateChange is DROP, and no other job has used the dataset since
    """

    head: DatasetHead
    last_used: Instant | None
    column_lineage: Sequence[Any]
    last_write: DatasetWrite | None = None
    quality: QualityResult | None = None
    input_statistics: Any = None
    aliases: Sequence[Name] = ()
    is_dropped: bool = False
    ownership: JsonObject | None = None
    written: LastWrite = LastWrite()


def tags_of_datasets(reader: Reader, datasets: Collection[DatasetId]) -> dict[DatasetId, set[str]]:
    """The tags of datasets and of their columns, under any of their names: one read, and one for renamed datasets."""
    around = reader.neighbourhood(datasets, ())
    heads = {dataset: around.heads.get(around.representative(dataset)) for dataset in datasets}
    return {dataset: current_tags(head.facets) for dataset, head in heads.items() if head}


def read_dataset_details(reader: Reader, dataset: DatasetId) -> DatasetDetails:
    """The details of a single dataset: three reads; more for a dataset with several names or very many writers, or
    whose newest write did not go well."""
    neighbourhood = reader.neighbourhood([dataset], (Side.WRITES,), MAX_JOBS)
    representative = neighbourhood.representative(dataset)
    head, ids = neighbourhood.heads[representative], neighbourhood.ids_of(representative)
    lineages = {ColumnLineageId(name, digest) for name in ids for digest in _digests(head)}
    first = first_jobs(head, neighbourhood.users.get(representative, NO_NEIGHBOURS)[Side.WRITES])
    read = reader.store.read(ReadRequest(jobs=first, column_lineages=lineages))
    jobs = read.jobs.all()
    columns = {lineage.digest: facet for lineage, facet in read.column_lineages.all().items()}
    column_lineage = [columns[digest] for digest in _newest_first(head, jobs.values(), ids) if digest in columns]
    writers = _writers(neighbourhood, representative, jobs)
    write, quality, input_statistics, written = _last_outcome(reader, jobs, writers)
    if writers.spans:
        column_lineage = _columns_of_renamed(reader, jobs.values(), writers.spans, write)
    return DatasetDetails(
        head=head,
        last_used=_last_used(jobs.values(), ids),
        column_lineage=column_lineage,
        last_write=write,
        quality=quality,
        input_statistics=input_statistics,
        aliases=_names_of(reader, ids - {representative}),
        is_dropped=_is_dropped(head, jobs.values(), ids),
        ownership=_derived_ownership(head, jobs.values(), writers.names),
        written=written,
    )


def list_dataset_details(
    reader: Reader, ids: Sequence[DatasetId], *, with_cautions: bool = True
) -> list[DatasetDetails]:
    """The details of datasets, without last writes, last reads and names: three reads for a hundred datasets, and more
    for those of which no writer that was read wrote well last, and for renamed ones. In a long list only a few jobs of
    each dataset are read."""
    heads = reader.datasets(ids)
    reused = [node for node, head in heads.items() if renames_to(head.facets) and not head.renamed]
    shown = dict(zip(reused, concurrent_map(partial(read_dataset_details, reader), reused), strict=True))
    renamed = [node for node, head in heads.items() if renames_from(head.facets) and node not in shown]
    around = reader.neighbourhood(renamed, ()) if renamed else Neighbourhood()
    heads |= {node: around.heads[node] for node in renamed if node in around.heads}
    users = _by_rank([[job for _, job in head.users] for head in heads.values()])
    jobs = _by_dataset(reader.jobs(list(dict.fromkeys(users))[:MAX_JOBS]).values())
    lineages = {
        dataset: [ColumnLineageId(dataset, digest) for digest in _newest_first(head, jobs[dataset], {dataset})]
        for dataset, head in heads.items()
    }
    checks = {dataset: check for dataset in heads for check in _last_quality(jobs[dataset], {dataset})}
    first = _by_rank(lineages.values())[: max(MAX_JOBS, len(heads))]
    read = reader.store.read(ReadRequest(column_lineages=first, quality=checks.values()))
    facets, results = read.column_lineages.all(), read.quality.all()
    known_cautions = _cautions(reader, jobs, heads) if with_cautions else {}
    return [
        shown[dataset]._replace(aliases=())
        if dataset in shown
        else DatasetDetails(
            heads[dataset],
            _last_used(jobs[dataset], {dataset}),
            [facets[lineage] for lineage in lineages[dataset] if lineage in facets],
            quality=results.get(checks[dataset]) if dataset in checks else None,
            is_dropped=_is_dropped(heads[dataset], jobs[dataset], {dataset}),
            ownership=_derived_ownership(heads[dataset], jobs[dataset], [NameSpan(dataset)]),
            written=LastWrite(caution=known_cautions.get(dataset, "")),
        )
        for dataset in ids
        if dataset in heads
    ]


def _cautions(
    reader: Reader, jobs: Mapping[DatasetId, Sequence[JobHead]], datasets: Iterable[DatasetId]
) -> dict[DatasetId, str]:
    """The cautions of datasets, by some of their writers: a read more for the names of those to look up."""
    heads = {dataset: [job for job in jobs[dataset] if job.facts.usages[dataset].writes] for dataset in datasets}
    amiss = [dataset for dataset in datasets if is_suspect(KnownWriters({dataset}, heads[dataset]))]
    around = reader.neighbourhood(amiss, ()) if amiss else Neighbourhood()
    names = {dataset: around.ids_of(around.representative(dataset)) for dataset in amiss}
    return cautions(reader, {dataset: KnownWriters(names[dataset], heads[dataset]) for dataset in amiss})


def _by_dataset(jobs: Iterable[JobHead]) -> defaultdict[DatasetId, list[JobHead]]:
    """The jobs that use a dataset, for each dataset."""
    users: defaultdict[DatasetId, list[JobHead]] = defaultdict(list)
    for job in jobs:
        for dataset in job.facts.usages:
            users[dataset].append(job)
    return users


def _derived_ownership(head: DatasetHead, jobs: Iterable[JobHead], names: Iterable[NameSpan]) -> JsonObject | None:
    """The ownership of the job that writes a dataset: of several such jobs with an owner, of the one that ran last."""
    if owners_of(head.facets):
        return None
    current = [(job, job.current) for job in jobs if not job.facts.is_deleted]
    writers = [job for job, edges in current if _among(names, edges.output_ids, edges.time)]
    owned = [job for job in writers if owners_of(values(job.facts.facets))]
    writer = max(owned, key=lambda job: (job.current.time, job.facts.id), default=None)
    if writer is None:
        return None
    return {**ownership_of(values(writer.facts.facets)), DERIVED_FROM: writer.facts.name.as_json()}


def _writers(neighbourhood: Neighbourhood, dataset: DatasetId, jobs: Mapping[JobId, JobHead]) -> KnownWriters:
    writers = neighbourhood.users.get(dataset, NO_NEIGHBOURS)[Side.WRITES]
    heads = [jobs[job] for job in sorted(writers & jobs.keys())]
    are_all, spans = len(writers) <= MAX_JOBS, neighbourhood.renamed.get(dataset, ())
    return KnownWriters(neighbourhood.ids_of(dataset), heads, are_all, spans)


def _among(names: Iterable[NameSpan], ids: AbstractSet[DatasetId], time: Instant) -> bool:
    """Whether one of these ids named the dataset at a time."""
    return any(span.id in ids and span.has(time) for span in names)


def _columns_of_renamed(
    reader: Reader, jobs: Iterable[JobHead], spans: Iterable[NameSpan], write: DatasetWrite | None
) -> list[Any]:
    """The column lineage of a renamed dataset by its jobs, newest first; if they have sent another since, that of its
    last write."""
    sent = {
        (time, ColumnLineageId(span.id, digest))
        for job in jobs
        for span in spans
        for digest, time in job.column_lineages(span.id).items()
        if span.has(time) and not job.facts.is_deleted
    }
    of_write = [write.column_lineage] if write and write.column_lineage else []
    return list(reader.column_lineage([lineage for _, lineage in sorted(sent, reverse=True)] or of_write).values())


def _last_outcome(
    reader: Reader, jobs: Mapping[JobId, JobHead], writers: KnownWriters
) -> tuple[DatasetWrite | None, QualityResult | None, Any, LastWrite]:
    """A dataset's newest version that went well, its newest quality result, the statistics of its last read, and its
    last write: one read, and up to four more if the heads of the writers leave doubt. Of a renamed dataset, the heads
    do not tell."""
    writes = [] if writers.spans else _last_writes(jobs, writers.ids)
    results = _newest_quality(reader, writers.spans) if writers.spans else _last_quality(jobs.values(), writers.ids)
    last_read = _last_read(jobs, writers.names)
    doubtful = [write.run for write in writes] if _is_doubtful(jobs, writes) else []
    read = reader.store.read(ReadRequest(writes=writes, quality=results, runs=[*doubtful, *last_read]))
    quality = max(read.quality.of(results), key=quality_position, default=None)
    known = read.writes.of(writes)
    by_run = _by_runs(reader, read.runs.of(doubtful), known)
    names = {span.id for span in writers.names}
    inputs = [run.inputs[node].io_facets for run in read.runs.of(last_read) for node in names & run.inputs.keys()]
    statistics = next(filter(None, (values(facets).get(INPUT_STATISTICS) for facets in inputs)), None)
    others = [write for write in known if write.id not in {each.id for each in by_run}]
    newest, written = _settled(known, by_run), last_write_by_heads(writers)
    if newest and written is None:
        written = LastWrite(time=time_of_last(by_run))
    if (by_run and newest is None) or written is None:
        (written,) = newest_good_writes(reader, [writers.names])
    if (by_run or writers.spans) and newest is None and written.write:
        newest = reader.store.read(ReadRequest(writes=[written.write])).writes.get(written.write)
    candidates = [*others, newest] if newest else others
    return max(candidates, key=write_position, default=None), quality, statistics, written


def _by_runs(reader: Reader, runs: Sequence[Run], writes: Iterable[DatasetWrite]) -> list[WriteOfRun]:
    """Those of some writes whose runs were read."""
    by_id = {run.id: run for run in with_inferred_ends(reader.store, runs)}
    return [WriteOfRun(write.output.first, write.id, run) for write in writes if (run := by_id.get(write.id.run))]


def _settled(known: Iterable[DatasetWrite], by_run: Collection[WriteOfRun]) -> DatasetWrite | None:
    """The newest write that went well, if no newer one did not: its job may have a good write between the two."""
    newest = write_that_counts(by_run)
    later = (write for write in by_run if newest and write.time >= newest.time)
    if newest is None or any(write.standing() < Standing.GOOD for write in later):
        return None
    return next(write for write in known if write.id == newest.id)


def _is_doubtful(jobs: Mapping[JobId, JobHead], writes: Collection[WriteId]) -> bool:
    """Whether one of the runs of these writes may not have gone well, or may be a wrapper of another."""
    latest = {write.job: jobs[write.job].latest for write in writes}
    completed = {
        WriteId(write.dataset, run.run_id, write.job)
        for write in writes
        if (run := latest[write.job]) and run.state == RunState.COMPLETED
    }
    parents = [parent for job in latest if (parent := jobs[job].parent_run_id)]
    return not completed.issuperset(writes) or len(set(parents)) < len(parents)


def first_jobs(head: DatasetHead, writers: Collection[JobId]) -> list[JobId]:
    """The jobs whose heads are read for a dataset: its writers, and a few of its readers; not all if there are very
    many."""
    give_way()
    return list(dict.fromkeys([*sorted(writers), *(job for _, job in head.users)]))[:MAX_JOBS]


def _by_rank(lists: Collection[Sequence[Value]]) -> list[Value]:
    """The first entry of each list, then the second of each, then the third."""
    return [entry for rank in range(3) for entries in lists for entry in entries[rank : rank + 1]]


def _digests(head: DatasetHead) -> set[str]:
    own = head.column_lineage
    return {*chain.from_iterable(head.columns.values()), *([own.value] if own else [])}


def _newest_first(head: DatasetHead, jobs: Iterable[JobHead], ids: Collection[DatasetId]) -> list[str]:
    """The digests of a dataset's column lineage, newest first. Digests of jobs whose heads were not read come last."""
    times = [(time, digest) for job in jobs for dataset in ids for digest, time in job.column_lineages(dataset).items()]
    own = [(head.column_lineage.time, head.column_lineage.value)] if head.column_lineage else []
    newest = [digest for _, digest in sorted([*times, *own], reverse=True)]
    known = _digests(head)
    return list(dict.fromkeys([*(digest for digest in newest if digest in known), *sorted(known)]))


def _last_used(jobs: Iterable[JobHead], ids: Collection[DatasetId]) -> Instant | None:
    usages = [job.facts.usages for job in jobs]
    return max((seen[dataset].last for seen in usages for dataset in ids if dataset in seen), default=None)


def _is_dropped(head: DatasetHead, jobs: Iterable[JobHead], ids: Collection[DatasetId]) -> bool:
    if not is_drop(head.facets):
        return False
    usages = [usage for job in jobs for dataset in ids if (usage := job.facts.usages.get(dataset))]
    said = [each[LIFECYCLE] for each in (head.facts.own, *(usage.facets for usage in usages)) if LIFECYCLE in each]
    drop = max(said, key=lambda register: register.stamp, default=None)
    others = [usage.last for usage in usages if usage.facets.get(LIFECYCLE) != drop]
    return drop is not None and max(others, default=NEVER) <= drop.time


def _last_writes(jobs: Mapping[JobId, JobHead], ids: AbstractSet[DatasetId]) -> list[WriteId]:
    """The last writes of a dataset, by the jobs whose runs began last.

    The newest version of the dataset is among these writes, if it went well. The run of that version need not have
    begun last: a Spark application begins before its queries.
    """
    runs = [(job, run) for job, head in jobs.items() for run in head.generation.runs if run.edges.run_id]
    written = [(run.order, job, dataset) for job, run in runs for dataset in ids & run.edges.output_ids]
    return [WriteId(dataset, run_id, job) for (_, run_id), job, dataset in sorted(written, reverse=True)[:MAX_WRITES]]


def _last_read(jobs: Mapping[JobId, JobHead], names: Collection[NameSpan]) -> list[JobRunId]:
    """The run that began last of those that read a dataset, if there is any."""
    runs = [(job, run) for job, head in jobs.items() for run in head.generation.runs if run.edges.run_id]
    reads = [(run.order, job) for job, run in runs if _among(names, run.edges.input_ids, run.edges.time)]
    return [JobRunId(job, run_id) for (_, run_id), job in sorted(reads)[-1:]]


def _last_quality(jobs: Iterable[JobHead], ids: AbstractSet[DatasetId]) -> list[QualityId]:
    """The newest quality result of a dataset, if it has any."""
    checks = [
        (check, head.facts.id, dataset)
        for head in jobs
        for dataset in ids & head.facts.usages.keys()
        if (check := head.facts.usages[dataset].quality)
    ]
    return [QualityId(dataset, check.run_id, job) for check, job, dataset in sorted(checks)[-1:]]


def _newest_quality(reader: Reader, spans: Iterable[NameSpan]) -> list[QualityId]:
    """The newest quality result under each name of a dataset."""
    lines = [reader.store.quality_of(span.id).between(span.since, span.end) for span in spans]
    return [newest for line in lines for newest in islice(line.newest(limit=1), 1)]


def _names_of(reader: Reader, ids: Collection[DatasetId]) -> list[Name]:
    heads = reader.datasets(ids) if ids else {}
    return sorted(head.facts.name for head in heads.values())
