"""The details of a job: its head and its newest runs."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

from headwater.graph.names.identity import JobId
from headwater.graph.states.job import JobHead
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.reader import Reader
from headwater.read.run_details import RunDetails, read_run_details

LATEST_RUNS = 10


class JobDetails(NamedTuple):
    """A job with its newest runs, newest first."""

    head: JobHead
    newest_runs: Sequence[RunDetails]


def newest_runs(reader: Reader, jobs: Collection[JobId], now: Instant = NEVER) -> list[list[RunDetails]]:
    """The newest runs of each job, newest first: the reads of `newest_runs_of_each`, and those for the versions of the
    inputs, for all jobs together."""
    runs = reader.newest_runs_of_each(jobs, LATEST_RUNS)
    details = iter(read_run_details(reader, [run for job in jobs for run in runs[job]], now))
    return [list(islice(details, len(runs[job]))) for job in jobs]


def read_job_details(reader: Reader, job: JobId, now: Instant = NEVER) -> JobDetails:
    """The details of a single job: three reads, and those for the versions of the inputs."""
    return JobDetails(reader.jobs([job])[job], newest_runs(reader, [job], now)[0])
