"""What was last reported of connectors: the graph has it."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.openlineage.instant import Instant
from headwater.sources.poller import ReportedJob, ReportedRun

RUN_FACET, JOB_FACET = "kafka_run", "kafka_job"
"""The facets of ours: a run's state, tasks and offsets; a job's class and settings."""
RUNNING, FAILED = "RUNNING", "FAILED"
"""The state of an open run; the state of a failed run, and of a failed connector."""


class LastRun(NamedTuple):
    """The newest run of a connector in the graph, with hashes: of the configuration that the run began with, of its
    failure (empty for none), and of all that was reported of the run last."""

    run_id: str
    state: str
    kafka_id: str
    configuration: str
    failure: str
    reported: str
    updated: Instant

    def is_open(self, kafka_id: str) -> bool:
        """Whether the run continues in this Kafka cluster. Another cluster at the same address does not end the first
        one's runs: it may only have replaced it for a moment."""
        return self.state == RUNNING and self.kafka_id == kafka_id


class LastReported(NamedTuple):
    """What was last reported of a connector: the hash of its configuration, and its newest run."""

    configuration: str
    run: LastRun | None


def last_reported(jobs: Iterable[ReportedJob]) -> dict[str, LastReported]:
    """The connectors by name, without the jobs of other producers."""
    connectors: dict[str, LastReported] = {}
    for job in jobs:
        match job.facets.get(JOB_FACET):
            case {"configuration": str(configuration)}:
                connectors[job.name] = LastReported(configuration, _last_run(job.run) if job.run else None)
    return connectors


def _last_run(run: ReportedRun) -> LastRun | None:
    """The run by the facets of its last event; None for a run of another producer."""
    match run.facets.get(RUN_FACET):
        case {"kafkaCluster": str(kafka_id), "configuration": str(configuration), "told": str(reported)}:
            failure = str(run.facets[RUN_FACET].get("failure") or "")
            return LastRun(run.id, run.state, kafka_id, configuration, failure, reported, run.updated)
    return None
