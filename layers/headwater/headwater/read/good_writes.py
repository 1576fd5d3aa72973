"""What became of writes: which write of a dataset counts, by the runs that wrote.

A failed or cancelled run made nothing that others should build on. As far as events show, an open run has not written
yet, unless it commits as it goes:

    write by                                    while it is open     after COMPLETE    after FAIL or ABORT
    a batch run                                 OPEN                 GOOD              FAILED
    a stream, a service, a run of a producer
    that reports no ends                        GOOD                 GOOD              GOOD: what it wrote before stays

The newest GOOD write counts. If there is none, an OPEN one is the best we know. A FAILED one never counts.

When Spark runs a statement as two queries, the listener reports both. One only contains the other, and is its wrapper:

    atomic_create_table_as_select.db_orders     |---------------|     reads raw, writes orders
    append_data.ice_db_orders                     |-----------|       reads raw, writes orders

The inner query reports the columns and the snapshot, and only it is the writer. A wrapper reads nothing and reports no
columns that the inner query does not, so no lineage is lost if two threads of an application write a dataset at the
same time.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import IntEnum
from itertools import chain, islice, permutations, takewhile
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.facets.renaming import is_of_rename, renames_from, renames_to
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, WriteId
from headwater.graph.producers import is_query_job, producer_of
from headwater.graph.producers.producer import Producer
from headwater.graph.states.edges import Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.event import Facets
from headwater.openlineage.instant import FOREVER, NEVER, Instant
from headwater.read.neighbourhood import NameSpan
from headwater.read.reader import RUNS_AT_A_TIME, Reader

LOOKED_AT = 50
"""Newest writes of a dataset that are read if none of the first has a run that went well, which is rare."""
FIRST_LOOK = 5
"""Newest writes of a dataset that are looked at first. Usually one of them went well."""
_CONTINUOUS = frozenset({"STREAMING", "SERVICE"})


class Standing(IntEnum):
    """What a write counts for; of two writes the one with the greater standing counts."""

    FAILED = 0
    OPEN = 1
    GOOD = 2


class WriteOfRun(NamedTuple):
    """A write, the time at which it began, and its run."""

    time: Instant
    id: WriteId
    run: Run

    def standing(self, at: Instant | None = None) -> Standing:
        """The standing of the write now, or as it was at a time: a run that failed at 10:05 was open at 10:03."""
        return standing(self.run, at)


def standing(run: Run, at: Instant | None = None) -> Standing:
    """The standing of what a run wrote, now or at a time."""
    ending = run.ending if at is None or (run.ending and run.ending.time <= at) else None
    if (ending and not ending.failed) or commits_as_it_goes(run):
        return Standing.GOOD
    return Standing.FAILED if ending else Standing.OPEN


def commits_as_it_goes(run: Run) -> bool:
    """Whether what a run writes counts from its first write on."""
    job_type = run.job_facets.get("jobType")
    job_facets = {"jobType": job_type.value} if job_type and job_type.value is not None else {}
    return _commits_as_it_goes(job_facets, producer_of(job_facets, run.producer.value))


def _commits_as_it_goes(job_facets: Facets, producer: Producer) -> bool:
    kind = facet_text(job_facets, "jobType", "processingType")
    return kind in _CONTINUOUS or not producer.reports_ends


def renames(run: Run, dataset: DatasetId) -> bool:
    """Whether a run only renamed a dataset. It counts as the writer only if nothing else is known of the dataset."""
    output = run.outputs.get(dataset)
    if output is None or not any(map(is_of_rename, output.facets)):
        return False
    facets = values(output.facets)
    return bool(renames_from(facets) or renames_to(facets))


def write_that_counts(writes: Iterable[WriteOfRun], at: Instant | None = None) -> WriteOfRun | None:
    """The write of a dataset that counts, now or at a time."""
    ranked = [(counts, write) for write in writes if (counts := standing(write.run, at))]
    best = max(ranked, key=lambda each: (each[0], each[1][:2]), default=None)
    return innermost(best[1], [write for _, write in ranked]) if best else None


def innermost(write: WriteOfRun, others: Iterable[WriteOfRun]) -> WriteOfRun:
    """The write; in place of a write by a wrapper, that by the query that the wrapper holds."""
    inner = [other for other in others if wraps(write.run, other.run)] if write.run.parent else []
    return max(inner, key=lambda other: other[:2], default=write)


def wraps(run: Run, other: Run) -> bool:
    """Whether a run is the wrapper of another run, if both write a dataset."""
    return (
        run.parent is not None
        and run.parent == other.parent
        and run.inputs.keys() <= other.inputs.keys()
        and is_query_job(values(run.job_facets))
        and _is_around(run, other)
        and not _tells_more(run, other)
    )


def wrappers(runs: Iterable[Run]) -> set[JobRunId]:
    """Those runs that are wrappers of others, of the runs that write one dataset."""
    by_start = sorted(runs, key=lambda run: run.order)
    return {
        run.id
        for place, run in enumerate(by_start)
        for other in _begun_within(run, by_start[place + 1 :])
        if wraps(run, other) and not _only_inner_failed(run, other)
    }


def _begun_within(run: Run, later: Iterable[Run]) -> Iterable[Run]:
    return takewhile(lambda other: run.ended_at is None or other.started_at <= run.ended_at, later)


def _tells_more(run: Run, other: Run) -> bool:
    """Whether only the first of two runs sent column lineage for a dataset that both write."""
    both = run.outputs.keys() & other.outputs.keys()
    return any(COLUMN_LINEAGE in run.outputs[node].facets.keys() - other.outputs[node].facets.keys() for node in both)


def _is_around(run: Run, other: Run) -> bool:
    """Whether a run began before another one and ended after it; not of two with the same times."""
    begun, ended = run.started_at, run.ended_at
    is_within = begun <= other.started_at and (ended is None or bool(other.ended_at and other.ended_at <= ended))
    return is_within and (begun, ended) != (other.started_at, other.ended_at)


class LastWrite(NamedTuple):
    """The newest write that went well, where it was looked up, and a caution if none did. `time` is that of the last
    write: when the run that ended last of those that went well ended, or the last event of a stream."""

    write: WriteId | None = None
    caution: str = ""
    time: Instant | None = None


class KnownWriters(NamedTuple):
    """The ids of a dataset, and the heads of its writers; `are_all` is whether no writer is missing. Of a dataset that
    was renamed, `spans` are the times of its ids: its writes are looked up."""

    ids: AbstractSet[DatasetId]
    heads: Collection[JobHead]
    are_all: bool = True
    spans: Collection[NameSpan] = ()

    @property
    def names(self) -> Collection[NameSpan]:
        return self.spans or [NameSpan(dataset) for dataset in sorted(self.ids)]


MAX_LOOKED_UP = 20
"""How many datasets of an answer have their writes looked up because the heads of their writers leave doubt."""


def last_writes(
    reader: Reader, datasets: Mapping[DatasetId, KnownWriters], as_of: Instant | None = None
) -> dict[DatasetId, LastWrite]:
    """The last write of each dataset, now or at a time at which the heads of its writers were so. Usually the heads are
    enough; if one of them leaves doubt, up to `MAX_LOOKED_UP` datasets are looked up (`newest_good_writes`)."""
    known = {dataset: last_write_by_heads(writers, as_of) for dataset, writers in datasets.items()}
    unsure = [dataset for dataset, last in known.items() if last is None][:MAX_LOOKED_UP]
    looked_up = newest_good_writes(reader, [datasets[dataset].names for dataset in unsure], as_of) if unsure else []
    found = dict(zip(unsure, looked_up, strict=True))
    return {dataset: last or found.get(dataset, LastWrite()) for dataset, last in known.items()}


def cautions(
    reader: Reader, datasets: Mapping[DatasetId, KnownWriters], as_of: Instant | None = None
) -> dict[DatasetId, str]:
    """The cautions of datasets none of whose writes went well. Only datasets none of whose known writers wrote well
    last are looked up."""
    suspects = {dataset: writers for dataset, writers in datasets.items() if is_suspect(writers, as_of)}
    found = last_writes(reader, suspects, as_of)
    return {dataset: last.caution for dataset, last in found.items() if last.caution}


def is_suspect(writers: KnownWriters, as_of: Instant | None = None) -> bool:
    """Whether a dataset was written, and none of its known writers wrote it well last."""
    newest, _, is_written = _by_heads(writers, as_of)
    return not newest and (is_written or not writers.are_all)


def last_write_by_heads(writers: KnownWriters, as_of: Instant | None = None) -> LastWrite | None:
    """The last write of a dataset by its writers' newest runs; None if that is not enough: such a run may not have gone
    well, or wrote something else, and an earlier run of the job may have written later than all others."""
    newest, doubt, is_written = _by_heads(writers, as_of)
    if not writers.are_all or doubt > newest or (is_written and not newest):
        return None
    return LastWrite(time=newest or None)


class _ByHeads(NamedTuple):
    """The time of the newest good write that heads tell, that until which they leave doubt, and whether a run wrote."""

    newest: Instant = NEVER
    doubt: Instant = NEVER
    is_written: bool = False


def _by_heads(writers: KnownWriters, as_of: Instant | None) -> _ByHeads:
    newest, doubt, is_written = _ByHeads()
    if writers.spans:
        return _ByHeads(doubt=FOREVER, is_written=any(head.latest for head in writers.heads))
    for head in writers.heads:
        latest = head.latest
        if latest is None or head.is_foreign:
            continue
        is_written = True
        edges = next((run.edges for run in head.generation.runs if writers.ids & run.edges.output_ids), None)
        wrote = edges is not None and edges.run_id == latest.run_id
        if wrote and (latest.state == RunState.COMPLETED or _is_continuous(head)):
            newest = max(newest, latest.ended_at or latest.updated)
        elif edges is None or head.facts.first < latest.created:
            doubt = max(doubt, min(head.facts.last, as_of or head.facts.last))
    return _ByHeads(newest, doubt, is_written)


def _is_continuous(head: JobHead) -> bool:
    facets = values(head.facts.facets)
    return _commits_as_it_goes(facets, producer_of(facets))


def newest_good_writes(
    reader: Reader, datasets: Collection[Collection[NameSpan]], as_of: Instant | None = None
) -> list[LastWrite]:
    """The newest write of each dataset that went well, now or at a time. A dataset comes as all its ids, each with the
    time in which it was the dataset's. For each id this takes a call, for a hundred runs one more; twice that for a
    dataset whose first `FIRST_LOOK` writes failed."""
    found = _look(reader, datasets, as_of, FIRST_LOOK)
    unsure = [spans for spans, last in zip(datasets, found, strict=True) if last is None]
    more = iter(_look(reader, unsure, as_of, LOOKED_AT) if unsure else ())
    return [(next(more) or LastWrite(None)) if last is None else last for last in found]


def _look(
    reader: Reader, datasets: Collection[Collection[NameSpan]], as_of: Instant | None, most: int
) -> list[LastWrite | None]:
    """The newest good write among the newest writes of each dataset; None if there may be one among earlier writes."""

    def newest(span: NameSpan) -> list[tuple[Instant, WriteId]]:
        line = reader.store.writes_of(span.id).between(span.since, span.end)
        entries = line.entries(until=as_of, limit=most)
        return [(entry.time, entry.id) for entry in islice(entries, most)]

    names = list(dict.fromkeys(chain.from_iterable(datasets)))
    listed = dict(zip(names, concurrent_map(newest, names), strict=True))
    runs = {run.id: run for run in reader.runs({write.run for writes in listed.values() for _, write in writes})}
    return [
        _last(
            [
                WriteOfRun(time, write, run)
                for name in spans
                for time, write in listed[name]
                if (run := runs.get(write.run))
            ],
            as_of,
            is_whole=all(len(listed[name]) < most for name in spans),
        )
        for spans in datasets
    ]


def _last(writes: Collection[WriteOfRun], as_of: Instant | None, *, is_whole: bool) -> LastWrite | None:
    writes = [write for write in writes if not renames(write.run, write.id.dataset)] or writes
    best = write_that_counts(writes, as_of)
    if best and best.standing(as_of) is Standing.GOOD:
        return LastWrite(best.id, time=time_of_last(writes, as_of))
    return LastWrite(None, _caution(writes, is_open=best is not None)) if is_whole else None


def time_of_last(writes: Iterable[WriteOfRun], as_of: Instant | None = None) -> Instant | None:
    """When the run of the last of those writes that went well ended, or sent its last event until then."""
    runs = [
        write.run.until(as_of) if as_of else write.run for write in writes if write.standing(as_of) is Standing.GOOD
    ]
    return max((run.ended_at or run.updated for run in runs), default=None)


def _caution(writes: Collection[WriteOfRun], *, is_open: bool) -> str:
    """The caution of a dataset if none of these writes went well."""
    if not writes:
        return ""
    told = "no write has succeeded yet" if is_open else "no write succeeded"
    leaves_parts = any(_leaves_parts(write) for write in writes)
    return f"{told}; may hold partial data" if leaves_parts else told


def _leaves_parts(write: WriteOfRun) -> bool:
    return producer_of(values(write.run.job_facets), write.run.producer.value).leaves_parts


Representative = Callable[[DatasetId], DatasetId]


def writes_of_wrappers(
    reader: Reader,
    writers: Mapping[DatasetId, Collection[JobId]],
    heads: Mapping[JobId, JobHead],
    edges: Mapping[JobId, Edges],
    representative: Representative,
) -> set[tuple[JobId, DatasetId]]:
    """Those edges from the writers of datasets that are by wrappers. Only jobs with these edges are writers."""
    groups = [(dataset, group) for dataset, jobs in writers.items() for group in _of_applications(jobs, heads)]
    ids = {JobRunId(job, edges[job].run_id) for _, group in groups for job in group}
    runs = {run.id.job: run for run in reader.runs(sorted(ids))} if ids else {}
    pairs = [
        (dataset, runs[wrapper], inner)
        for dataset, group in groups
        for wrapper, inner in permutations(sorted(runs.keys() & set(group)), 2)
        if edges[wrapper].input_ids <= edges[inner].input_ids
    ]

    def is_wrapped(pair: tuple[DatasetId, Run, JobId]) -> bool:
        dataset, wrapper, inner = pair
        candidates = chain([runs[inner]], _earlier_runs(reader, inner, runs[inner], wrapper))
        return any(
            wraps(wrapper, run) and dataset in map(representative, run.outputs) and not _only_inner_failed(wrapper, run)
            for run in candidates
        )

    found = zip(pairs, concurrent_map(is_wrapped, pairs), strict=True)
    return {(wrapper.id.job, dataset) for (dataset, wrapper, _), is_found in found if is_found}


def _of_applications(jobs: Collection[JobId], heads: Mapping[JobId, JobHead]) -> list[list[JobId]]:
    """The jobs that are queries of one application, if they are several."""
    groups = defaultdict(list)
    for job in jobs:
        if (application := heads[job].parent_name) and is_query_job(values(heads[job].facts.facets)):
            groups[application].append(job)
    return [group for group in groups.values() if len(group) > 1]


def _earlier_runs(reader: Reader, job: JobId, known: Run, wrapper: Run) -> list[Run]:
    """The runs of a job in the time of a wrapper, if the run that is known began later."""
    if wrapper.ended_at is None or known.started_at <= wrapper.ended_at:
        return []
    within = reader.store.runs_of(job).newest(since=wrapper.started_at, until=wrapper.ended_at, limit=RUNS_AT_A_TIME)
    return reader.runs(list(islice(within, RUNS_AT_A_TIME)))


def _only_inner_failed(wrapper: Run, inner: Run) -> bool:
    return bool(inner.ending and inner.ending.failed and not (wrapper.ending and wrapper.ending.failed))
