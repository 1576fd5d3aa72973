"""Retired writers: jobs that have not run since another job took over their output.

A dataset keeps every job that ever wrote the dataset. `load_v1` ran every day until `load_v2` took over:

    load_v1    x  x  x  x  |
    load_v2             x  x  x  x  x          silence of load_v1, by event times: from its last event
                           |--------|          to the last event of load_v2

`load_v1` is retired once the silence is longer than `LONGEST_GAPS` times the longest gap between its newest runs. The
runs of a generation are one here: a loader of twelve appends a day runs once a day. The clock plays no part: without
new events nothing retires, hence the result is a function of the events.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.edges import Edges, RenamedAway
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Neighbours, Side
from headwater.openlineage.instant import Instant, to_datetime
from headwater.read.good_writes import writes_of_wrappers
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
    writers = {dataset: known.users[dataset][Side.WRITES] for dataset in datasets if dataset in known.users}
    several = {dataset: jobs for dataset, jobs in writers.items() if len(jobs) > 1}
    unread = sorted(frozenset().union(*several.values()) - known.heads.keys())[:most]
    others = reader.jobs(unread, usages=False) if unread else {}
    edges = {**known.edges, **reader.edges(others, as_of, known.renamed_away)}
    known.heads.update(others)
    heads = {job: head for job, head in known.heads.items() if head.latest and not head.is_foreign}
    silences: dict[JobId, timedelta] = {}

    def allowed(job: JobId) -> timedelta:
        if job not in silences:
            silences[job] = allowed_silence(reader, job, as_of)
        return silences[job]

    now = {
        dataset: [job for job in jobs & heads.keys() if dataset in map(known.representative, edges[job].output_ids)]
        for dataset, jobs in several.items()
    }
    found = writes_of_wrappers(reader, now, heads, edges, known.representative)
    for dataset, jobs in now.items():
        written_by = [_writer(reader, known, heads[job], edges[job], as_of) for job in jobs]
        found |= {(writer.job, dataset) for writer in written_by if _is_retired(dataset, writer, written_by, allowed)}
    return found


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
    silence = _between(writer.last, newest)
    return silence > LEAST_SILENCE and silence > allowed(writer.job)


def _took_over(dataset: DatasetId, other: WriterTimes, writer: WriterTimes) -> bool:
    """Whether another job is the newer one, and makes the dataset of other data: OPTIMIZE or DELETE read at most the
    dataset itself, and take no load's place."""
    is_newer = other.first > writer.first and other.last > writer.last
    return is_newer and bool(other.reads - {dataset} or not writer.reads - {dataset})


def _between(earlier: Instant, later: Instant) -> timedelta:
    return to_datetime(later) - to_datetime(earlier)
