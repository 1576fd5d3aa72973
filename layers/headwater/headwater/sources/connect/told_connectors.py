"""What the graph says of connectors: the memory of the poll."""

from typing import NamedTuple

from headwater.openlineage.event import Facets
from headwater.openlineage.instant import Instant

RUN_FACET, JOB_FACET = "kafka_run", "kafka_job"
"""The facets of ours: a run's state, tasks and offsets; a job's class and settings."""
RUNNING, FAILED = "RUNNING", "FAILED"
"""The state of an open run; the state of a failed run, and of a failed connector."""


class ToldRun(NamedTuple):
    """The newest run of a connector in the graph, with hashes: of the configuration that the run began with, of its
    failure (empty for none), and of what was sent of the run last."""

    run_id: str
    state: str
    kafka_id: str
    configuration: str
    failure: str
    told: str
    updated: Instant

    def is_open(self, kafka_id: str) -> bool:
        """Whether the run goes on in this Kafka cluster. Another cluster at the same address ends no run of the first:
        it may have taken the place of the first for a moment."""
        return self.state == RUNNING and self.kafka_id == kafka_id


class ToldConnector(NamedTuple):
    """A connector in the graph: the hash of the configuration that was sent of it last, and its newest run."""

    configuration: str
    run: ToldRun | None


def told_run(run_id: str, state: str, facets: Facets, updated: Instant) -> ToldRun | None:
    """The run of a connector, by the facets of its last event; None for a run of another producer."""
    match facets.get(RUN_FACET):
        case {"kafkaCluster": str(kafka_id), "configuration": str(configuration), "told": str(told)}:
            failure = str(facets[RUN_FACET].get("failure") or "")
            return ToldRun(run_id, state, kafka_id, configuration, failure, told, updated)
    return None


def told_connector(facets: Facets, run: ToldRun | None) -> ToldConnector | None:
    """A connector by its job's facets; None for a job of another producer."""
    match facets.get(JOB_FACET):
        case {"configuration": str(configuration)}:
            return ToldConnector(configuration, run)
    return None
