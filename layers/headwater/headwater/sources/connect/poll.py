"""A poll: the connectors of a cluster as they are now, held against the newest run of each in the graph.

now, in the worker      newest run in the graph    sent
RUNNING, PAUSED         none, or ended             START of a new run
RUNNING, PAUSED         open, says the same        nothing; RUNNING after ten minutes
RUNNING, PAUSED         open, says something else  RUNNING: progress, a pause, other datasets
FAILED                  open                       FAIL with the trace of the task
FAILED                  none, or ended otherwise   START and FAIL
STOPPED                 open                       ABORT
STOPPED                 none                       the job, without a run
UNASSIGNED, RESTARTING  any                        nothing: the state lasts for a moment
(deleted)               open                       ABORT
(not reached)           any                        nothing
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from headwater.graph.names.naming import kafka_namespace
from headwater.openlineage.event import EventType, Name
from headwater.openlineage.instant import Instant, instant_of, to_datetime
from headwater.sources.connect.connector import Connector, ConnectorState
from headwater.sources.connect.connector_events import (
    ConnectorStatus,
    Document,
    configuration_of,
    end_event,
    failure_of,
    job_event,
    run_event,
    run_facet,
    run_id_of,
)
from headwater.sources.connect.connector_lineage import Flow, column_lineage, datasets_of, flows_of
from headwater.sources.connect.told_connectors import FAILED, ToldConnector, ToldRun
from headwater.sources.connect.worker import Cluster

HEARTBEAT = timedelta(minutes=10)
"""The longest silence of a connector that is alive: a run that is silent for 15 minutes may be told abandoned."""
_PASSING = (ConnectorState.UNASSIGNED, ConnectorState.RESTARTING)


class ConnectorGraph(Protocol):
    """What a poll asks the graph."""

    def told_connectors(self, namespace: str) -> Mapping[str, ToldConnector]:
        """The connectors of a cluster by name."""

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        """The columns of datasets whose schema is known, nested columns by their paths (schema_diff.py)."""


class Followed(Protocol):
    """What a poll follows: the workers of a Connect cluster, or the consumer groups of a Kafka cluster."""

    def cluster(self) -> Cluster:
        """The connectors as they are now. Raises Unreachable."""

    def are_gone(self, names: Iterable[str]) -> set[str]:
        """Those of some connectors that no longer exist. Raises Unreachable."""


@dataclass(frozen=True)
class ConnectCluster:
    """A Connect cluster to poll.

    namespace   of its jobs
    followed    what lists its connectors
    kafka       the bootstrap servers of its Kafka cluster, in whose name the topics are told; without them, the id of
                the Kafka cluster
    """

    namespace: str
    followed: Followed
    kafka: str = ""


@dataclass
class PollResult:
    """The outcome of a poll: the connectors that exist, the events that were sent, and the connectors about which
    nothing could be told, with the reasons."""

    connectors: int = 0
    sent: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Poll:
    """Polls Connect clusters. `send` puts events into the queue like those of any producer, and raises if it cannot."""

    graph: ConnectorGraph
    send: Callable[[Sequence[Document]], None]

    def poll(self, cluster: ConnectCluster, now: datetime) -> PollResult:
        """Sends what has changed since the last poll. Raises Unreachable if no worker gave a whole answer: then
        nothing is told of any connector."""
        read = cluster.followed.cluster()
        told = self.graph.told_connectors(cluster.namespace)
        gone = self._gone(cluster, read, told)
        statuses = self._statuses(read, kafka_namespace(cluster.kafka) or f"kafka://{read.kafka_id}")
        at = instant_of(now)
        events = [
            event
            for status in statuses
            for event in _news(cluster.namespace, status, told.get(status.connector.name), at)
        ]
        events += [
            end_event(EventType.ABORT, run, Name(cluster.namespace, name), "DELETED", at) for name, run in gone.items()
        ]
        if events:
            self.send(events)
        return PollResult(len(read.connectors) + len(read.partly), len(events), dict(read.partly))

    def _gone(self, cluster: ConnectCluster, read: Cluster, told: Mapping[str, ToldConnector]) -> dict[str, ToldRun]:
        """The open runs of connectors that were deleted."""
        listed = {*read.connectors, *read.partly}
        runs = {name: connector.run for name, connector in told.items() if name not in listed}
        missing = {name: run for name, run in runs.items() if run and run.is_open(read.kafka_id)}
        gone = cluster.followed.are_gone(missing) if missing else set()
        return {name: run for name, run in missing.items() if name in gone}

    def _statuses(self, read: Cluster, kafka: str) -> list[ConnectorStatus]:
        flows = {name: flows_of(connector, kafka) for name, connector in read.connectors.items()}
        known = self.graph.columns(sorted(_with_columns(read.connectors, flows)))
        return [
            ConnectorStatus(
                kafka_id=read.kafka_id,
                configuration=configuration_of(connector, kafka),
                connector=connector,
                flows=flows[name],
                columns=column_lineage(connector, flows[name], known),
            )
            for name, connector in sorted(read.connectors.items())
        ]


def _with_columns(connectors: Mapping[str, Connector], flows: Mapping[str, Sequence[Flow]]) -> set[Name]:
    """The datasets whose columns tell of column lineage: all inputs, and the topics that sources write."""
    pairs = {name: datasets_of(of) for name, of in flows.items()}
    written = {topic for name, (_, outputs) in pairs.items() if connectors[name].is_source for topic in outputs}
    return written.union(*(inputs for inputs, _ in pairs.values()))


def _news(namespace: str, status: ConnectorStatus, told: ToldConnector | None, at: Instant) -> Iterator[Document]:
    """The events that bring the graph in step with a connector."""
    connector, job = status.connector, Name(namespace, status.connector.name)
    run = told.run if told else None
    if connector.state in _PASSING:
        return
    if run and run.is_open(status.kafka_id):
        if run.configuration == status.configuration:
            kind = _next_event(connector, run, run_facet(status)["told"], at)
            if kind:
                yield run_event(kind, run.run_id, job, status, at)
            return
        yield end_event(EventType.COMPLETE, run, job, "RECONFIGURED", at)
    is_known = told is not None and told.configuration == status.configuration
    is_told = run is not None and run.state == FAILED and (is_known or run.failure == failure_of(connector))
    if connector.state == ConnectorState.STOPPED:
        yield from [] if is_known or connector.is_group else [job_event(job, status, at)]
    elif not (connector.state == ConnectorState.FAILED and is_told):
        run_id = run_id_of(job, status.kafka_id, run.run_id if run else at[:10])
        yield run_event(EventType.START, run_id, job, status, at)
        if connector.state == ConnectorState.FAILED:
            yield run_event(EventType.FAIL, run_id, job, status, at)


def _next_event(connector: Connector, told: ToldRun, says: str, at: Instant) -> EventType | None:
    """The event that an open run needs, if any."""
    if connector.state == ConnectorState.FAILED:
        return EventType.FAIL
    if connector.state == ConnectorState.STOPPED:
        return EventType.ABORT
    is_silent = to_datetime(at) - to_datetime(told.updated) >= HEARTBEAT
    return EventType.RUNNING if says != told.told or is_silent else None
