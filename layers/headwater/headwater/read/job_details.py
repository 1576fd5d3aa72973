"""The details of a job: its head and its newest runs."""

from collections.abc import Sequence
from typing import NamedTuple

from headwater.graph.identity import JobId
from headwater.graph.job import JobHead
from headwater.graph.run import Run
from headwater.read.reader import Reader

LATEST_RUNS = 10


class JobDetails(NamedTuple):
    """A job with its newest runs, newest first."""

    head: JobHead
    newest_runs: Sequence[Run]


def read_job_details(reader: Reader, job: JobId) -> JobDetails:
    """The details of a single job: three reads."""
    return JobDetails(reader.jobs([job])[job], reader.newest_runs(job, LATEST_RUNS))
