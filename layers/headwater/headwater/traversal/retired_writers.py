"""Retired writers: jobs that have not run since another job took over their output.

A dataset keeps every job that ever wrote the dataset. `load_v1` ran every day until `load_v2` took over:

    load_v1    x  x  x  x  |
    load_v2             x  x  x  x  x          silence of load_v1, by event times: from its last event
                           |--------|          to the last event of load_v2

`load_v1` is retired once the silence is longer than `LONGEST_GAPS` times the longest gap between its newest runs. The
runs of a generation are one here: a loader of twelve appends a day runs once a day. The clock plays no part: without
new events nothing retires, so the result is a function of the events.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from itertools import islice, pairwise
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.edges import Edges, RenamedAway, meant
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Neighbours, Side
from headwater.graph.states.run import Run
from headwater.openlineage.instant import FOREVER, Instant, to_datetime
from headwater.read.good_writes import LOOKED_AT, Standing, standing, writes_of_wrappers
from headwater.read.reader import Reader

LONGEST_GAPS, NEWEST, LEAST = 3, 10, 3
"""A writer may be silent for `LONGEST_GAPS` times the longest gap between its `NEWEST` generations. Fewer than `LEAST`
have no rhythm."""
WITHOUT_RHYTHM = timedelta(days=31)
"""The silence of a writer without a rhythm: a monthly job may have run once or twice."""
LEAST_SILENCE = timedelta(hours=1)
"""Runs that a person starts by hand come within minutes; no writer retires sooner."""


class WriterTimes(NamedTuple):
    """A job that writes a dataset: the times of the job's first and last event, and the datasets that the job reads."""

    job: JobId
    first: Instant
    last: Instant
    reads: frozenset[DatasetId]


class KnownJobs(NamedTuple):
    """What a walk has read: the heads and edges of jobs, the neighbours of datasets, the representative of each id of a
    dataset, and the names that other datasets have by now. Heads that are read later are added."""

    heads: dict[JobId, JobHead]
    edges: Mapping[JobId, Edges]
    users: Mapping[DatasetId, Neighbours]
    representative: Callable[[DatasetId], DatasetId]
    renamed_away: RenamedAway


def retired_writes(
    reader: Reader, datasets: Collection[DatasetId], known: KnownJobs, as_of: Instant | None, most: int
) -> set[tuple[JobId, DatasetId]]:
    """The edges from retired writers to some of their outputs, and from wrappers, now or as of a time: one rule for all
    graphs.

    Datasets with several writers cost a read of the writers that the walk has not read, up to `most`.
    """
    writers = _writers_now(reader, datasets, known, as_of, most)
    silences: dict[JobId, timedelta] = {}

    def allowed(job: JobId) -> timedelta:
        if job not in silences:
            silences[job] = allowed_silence(reader, job, as_of)
        return silences[job]

    found = writes_of_wrappers(reader, writers.of, writers.heads, writers.edges, known.representative)
    for dataset, jobs in writers.of.items():
        written_by = [_writer(reader, known, writers.heads[job], writers.edges[job], as_of) for job in jobs]
        found |= {(writer.job, dataset) for writer in written_by if _is_retired(dataset, writer, written_by, allowed)}
    return found


def failed_writes(
    reader: Reader, datasets: Collection[DatasetId], known: KnownJobs, as_of: Instant | None, most: int
) -> set[tuple[JobId, DatasetId]]:
    """The edges to outputs from jobs none of whose runs wrote them well, while another job did or is doing so, now or
    as of a time. A graph of jobs shows them, with their states; columns and impact have none.

    A job whose newest run went amiss costs a read of its `LOOKED_AT` newest runs. Example:

        repair     FAILED today                         reads dump    its edge: no row of `orders` is from `dump`
        load       COMPLETED                            reads raw
        tonight    COMPLETED yesterday, FAILED today    reads late    no such edge: what it wrote yesterday is there
    """
    writers = _writers_now(reader, datasets, known, as_of, most)
    asked = sorted(job for job in frozenset().union(*writers.of.values()) if _went_amiss(reader, writers, job, as_of))
    runs = dict(zip(asked, concurrent_map(lambda job: _newest(reader, job, as_of), asked), strict=True))

    def wrote(job: JobId, dataset: DatasetId) -> bool:
        good = (run for run in runs[job] if standing(run) is not Standing.FAILED)
        names = ((name, run.started_at) for run in good for name in run.outputs)
        return any(known.representative(meant(name, time, known.renamed_away)) == dataset for name, time in names)

    found: set[tuple[JobId, DatasetId]] = set()
    for dataset, jobs in writers.of.items():
        failed = {(job, dataset) for job in jobs if job in runs and not wrote(job, dataset)}
        found |= failed if len(failed) < len(jobs) else set()
    return found


def _went_amiss(reader: Reader, writers: "_Writers", job: JobId, as_of: Instant | None) -> bool:
    """Whether the edges of a job are those of runs one of which failed; never those of a JobEvent."""
    generation = reader.generations_at([job], as_of)[job] if as_of else writers.heads[job].generation
    return bool(writers.edges[job].run_id) and any(run.has_failed for run in generation.runs)


def _newest(reader: Reader, job: JobId, as_of: Instant | None) -> list[Run]:
    return list(islice(reader.runs_until(job, as_of or FOREVER), LOOKED_AT))


class _Writers(NamedTuple):
    """The writers of each dataset that has several, and the heads and edges of all."""

    of: Mapping[DatasetId, list[JobId]]
    heads: Mapping[JobId, JobHead]
    edges: Mapping[JobId, Edges]


def _writers_now(
    reader: Reader, datasets: Collection[DatasetId], known: KnownJobs, as_of: Instant | None, most: int
) -> _Writers:
    writers = {dataset: known.users[dataset][Side.WRITES] for dataset in datasets if dataset in known.users}
    several = {dataset: jobs for dataset, jobs in writers.items() if len(jobs) > 1}
    if not several:
        return _Writers({}, {}, {})
    unread = sorted(frozenset().union(*several.values()) - known.heads.keys())[:most]
    others = reader.jobs(unread, usages=False) if unread else {}
    known.heads.update(others)
    without_edges = {job: head for job, head in known.heads.items() if job not in known.edges}
    edges = {**known.edges, **reader.edges(without_edges, as_of, known.renamed_away)}
    heads = {job: head for job, head in known.heads.items() if head.latest and not head.is_foreign}
    now = {
        dataset: [job for job in jobs & heads.keys() if dataset in map(known.representative, edges[job].output_ids)]
        for dataset, jobs in several.items()
    }
    return _Writers(now, heads, edges)


def allowed_silence(reader: Reader, job: JobId, until: Instant | None = None) -> timedelta:
    """The silence that the rhythm of a job allows, by its newest generations until a time."""
    generations = reader.newest_generations(job, NEWEST, until)
    starts = sorted((runs[-1].started_at for runs in generations), reverse=True)
    if len(starts) < LEAST:
        return WITHOUT_RHYTHM
    return LONGEST_GAPS * max(_between(earlier, later) for later, earlier in pairwise(starts))


def _writer(reader: Reader, known: KnownJobs, head: JobHead, edges: Edges, as_of: Instant | None) -> WriterTimes:
    """A writer, now or as of a time."""
    last = head.facts.last
    if as_of and last > as_of:
        newest = next(iter(reader.runs_until(head.facts.id, as_of)), None)
        last = min(as_of, newest.updated) if newest else edges.time
    reads = frozenset(map(known.representative, edges.input_ids))
    return WriterTimes(head.facts.id, head.facts.first, last, reads)


def _is_retired(
    dataset: DatasetId, writer: WriterTimes, writers: Collection[WriterTimes], allowed: Callable[[JobId], timedelta]
) -> bool:
    newest = max((other.last for other in writers if _took_over(dataset, other, writer)), default=writer.last)
    silence = _between(writer.last, newest) if writer.last else timedelta(0)  # as of a time before its known runs
    return silence > LEAST_SILENCE and silence > allowed(writer.job)


def _took_over(dataset: DatasetId, other: WriterTimes, writer: WriterTimes) -> bool:
    """Whether another job is newer and makes the dataset from other data. A job that reads only its own output
    (OPTIMIZE, DELETE) never succeeds a load."""
    is_newer = other.first > writer.first and other.last > writer.last
    return is_newer and bool(other.reads - {dataset} or not writer.reads - {dataset})


def _between(earlier: Instant, later: Instant) -> timedelta:
    return to_datetime(later) - to_datetime(earlier)
