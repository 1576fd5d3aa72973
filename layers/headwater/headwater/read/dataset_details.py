"""The details of a dataset: its head, its newest write and quality result, its column lineage, its other names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, TypeVar

from headwater.graph.facets.dataset_reference import INPUT_STATISTICS
from headwater.graph.facets.members import LIFECYCLE, is_drop, owners_of, ownership_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, JobRunId, QualityId, WriteId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Neighbours, Side
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.store.ranges import write_position
from headwater.store.snapshot import ReadRequest

MAX_JOBS = 100
"""Jobs, and column lineages, that are read for a list of datasets: one BatchGetItem for each of the two."""
MAX_WRITES = 20
DERIVED_FROM = "headwater_derivedFrom"

Value = TypeVar("Value")


class DatasetDetails(NamedTuple):
    """A dataset with further states of its jobs and runs.

    last_used         the latest time at which a job is known to have used the dataset
    column_lineage    columnLineage facets, the newest first
    input_statistics  the inputStatistics facet of the newest run that read the dataset
    aliases           the other names under which states of the dataset are stored
    ownership         of a dataset without owners: the ownership facet of the job that writes the dataset, with the name
                      of that job as `headwater_derivedFrom`
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


def read_dataset_details(reader: Reader, dataset: DatasetId) -> DatasetDetails:
    """The details of a single dataset: three reads; more for a dataset with several names or very many writers."""
    neighbourhood = reader.neighbourhood([dataset], (Side.WRITES,), MAX_JOBS)
    representative = neighbourhood.representative(dataset)
    head, ids = neighbourhood.heads[representative], neighbourhood.ids_of(representative)
    lineages = {ColumnLineageId(name, digest) for name in ids for digest in _digests(head)}
    read = reader.store.read(ReadRequest(jobs=_first_jobs(neighbourhood, representative), column_lineages=lineages))
    jobs = read.jobs.all()
    columns = {lineage.digest: facet for lineage, facet in read.column_lineages.all().items()}
    write, quality, input_statistics = _last_outcome(reader.store, jobs, ids)
    return DatasetDetails(
        head=head,
        last_used=_last_used(jobs.values(), ids),
        column_lineage=[columns[digest] for digest in _newest_first(head, jobs.values(), ids) if digest in columns],
        last_write=write,
        quality=quality,
        input_statistics=input_statistics,
        aliases=_names_of(reader, ids - {representative}),
        is_dropped=_is_dropped(head, jobs.values(), ids),
        ownership=_derived_ownership(head, jobs.values(), ids),
    )


def list_dataset_details(reader: Reader, ids: Sequence[DatasetId]) -> list[DatasetDetails]:
    """The details of datasets, without last writes, last reads and names: three reads for a hundred datasets. In a long
    list only a few jobs of each dataset are read."""
    heads = reader.datasets(ids)
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
    return [
        DatasetDetails(
            heads[dataset],
            _last_used(jobs[dataset], {dataset}),
            [facets[lineage] for lineage in lineages[dataset] if lineage in facets],
            quality=results.get(checks[dataset]) if dataset in checks else None,
            is_dropped=_is_dropped(heads[dataset], jobs[dataset], {dataset}),
            ownership=_derived_ownership(heads[dataset], jobs[dataset], {dataset}),
        )
        for dataset in ids
        if dataset in heads
    ]


def _by_dataset(jobs: Iterable[JobHead]) -> defaultdict[DatasetId, list[JobHead]]:
    """The jobs that use a dataset, for each dataset."""
    users: defaultdict[DatasetId, list[JobHead]] = defaultdict(list)
    for job in jobs:
        for dataset in job.facts.usages:
            users[dataset].append(job)
    return users


def _derived_ownership(head: DatasetHead, jobs: Iterable[JobHead], ids: AbstractSet[DatasetId]) -> JsonObject | None:
    """The ownership of the job that writes a dataset: of several such jobs with an owner, of the one that ran last."""
    if owners_of(head.facets):
        return None
    writers = [job for job in jobs if ids & job.current.output_ids and not job.facts.is_deleted]
    owned = [job for job in writers if owners_of(values(job.facts.facets))]
    writer = max(owned, key=lambda job: (job.current.time, job.facts.id), default=None)
    if writer is None:
        return None
    return {**ownership_of(values(writer.facts.facets)), DERIVED_FROM: writer.facts.name.as_json()}


def _last_outcome(
    store: GraphReader, jobs: Mapping[JobId, JobHead], ids: AbstractSet[DatasetId]
) -> tuple[DatasetWrite | None, QualityResult | None, Any]:
    """A dataset's newest version, its newest quality result, and the statistics of its last read: one read."""
    writes, results, runs = _last_writes(jobs, ids), _last_quality(jobs.values(), ids), _last_read(jobs, ids)
    read = store.read(ReadRequest(writes=writes, quality=results, runs=runs))
    known = read.writes.of(writes)
    inputs = [run.inputs[dataset].io_facets for run in read.runs.of(runs) for dataset in ids & run.inputs.keys()]
    statistics = [values(facets).get(INPUT_STATISTICS) for facets in inputs]
    newest = max(known, key=write_position, default=None)
    return newest, next(iter(read.quality.of(results)), None), next(filter(None, statistics), None)


def _first_jobs(neighbourhood: Neighbourhood, dataset: DatasetId) -> list[JobId]:
    """The jobs whose heads are read for a dataset: its writers, and some of its readers if there are very many."""
    users: Neighbours = neighbourhood.users.get(dataset, NO_NEIGHBOURS)
    first = [job for _, job in neighbourhood.heads[dataset].users]
    return list(dict.fromkeys([*sorted(users[Side.WRITES]), *first, *sorted(users[Side.READS])]))[:MAX_JOBS]


def _by_rank(lists: Collection[Sequence[Value]]) -> list[Value]:
    """The first entry of each list, then the second of each, then the third."""
    return [entry for rank in range(3) for entries in lists for entry in entries[rank : rank + 1]]


def _digests(head: DatasetHead) -> set[str]:
    own = head.column_lineage
    return {*head.columns.values(), *([own.value] if own else [])}


def _newest_first(head: DatasetHead, jobs: Iterable[JobHead], ids: Collection[DatasetId]) -> list[str]:
    """The digests of a dataset's column lineage, newest first. Digests of jobs whose heads were not read come last."""
    by_jobs = [job.column_lineage(dataset) for job in jobs for dataset in sorted(ids)]
    registers = [register for register in (*by_jobs, head.column_lineage) if register]
    newest = [register.value for register in sorted(registers, key=lambda register: register.stamp, reverse=True)]
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

    The newest version of the dataset is among these writes. The run of that version need not have begun last: a
    Spark application begins before its queries.
    """
    written = [(head.chosen, job, dataset) for job, head in jobs.items() for dataset in ids & head.chosen.output_ids]
    newest = sorted(written, key=lambda write: (write[0][:2], write[1:]), reverse=True)[:MAX_WRITES]
    return [WriteId(dataset, edges.run_id, job) for edges, job, dataset in newest]


def _last_read(jobs: Mapping[JobId, JobHead], ids: AbstractSet[DatasetId]) -> list[JobRunId]:
    """The run that began last of those that read a dataset, if there is any."""
    reads = [(head.chosen[:2], job) for job, head in jobs.items() if ids & head.chosen.input_ids and head.chosen.run_id]
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


def _names_of(reader: Reader, ids: Collection[DatasetId]) -> list[Name]:
    heads = reader.datasets(ids) if ids else {}
    return sorted(head.facts.name for head in heads.values())
