"""The Connect clusters that a deployment follows, by its settings.

    {"shop-connect": {"workers": ["http://connect-1:8083", "http://connect-2:8083"], "kafka": "broker-1:9092"}}

The name is the namespace of the jobs. With `"groups": true` the consumer groups of the broker are followed, too. A
secret may have the header `Authorization` for the workers of each cluster, by the same names, or that and settings of
kafka-python for the broker:

    {"shop-connect": {"authorization": "Basic ...", "kafka": {"security_protocol": "SASL_SSL", ...}}}
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from headwater.graph.names.naming import kafka_namespace
from headwater.openlineage.event import Name
from headwater.retry import Deadline
from headwater.sources.connect.connector import Connector
from headwater.sources.connect.connector_events import ConnectorStatus, configuration_of
from headwater.sources.connect.connector_lineage import Flow, column_lineage, datasets_of, flows_of
from headwater.sources.connect.connector_update import events_of_connector, events_of_deleted
from headwater.sources.connect.consumer_groups import ConsumerGroups, KafkaBroker
from headwater.sources.connect.last_reported import LastReported, LastRun, last_reported
from headwater.sources.connect.worker import Cluster, Workers, WorkerUrl
from headwater.sources.poller import Comparison, PolledGraph


class Followed(Protocol):
    """What is asked: the workers of a Connect cluster, or the consumer groups of a Kafka cluster."""

    def cluster(self, deadline: Deadline, /) -> Cluster:
        """The connectors as they are now, as many as can be read until the deadline. Raises Unreachable."""

    def are_gone(self, names: Iterable[str]) -> set[str]:
        """Which of some connectors no longer exist. Raises Unreachable."""


@dataclass(frozen=True)
class ConnectCluster:
    """A Connect cluster to poll (`PolledSource`), whose parts are connectors.

    name       the namespace of its jobs
    followed   what lists its connectors
    kafka      the bootstrap servers of its Kafka cluster, which name the topics; without them, the id of
               the Kafka cluster
    """

    name: str
    followed: Followed
    kafka: str = ""

    def compare(self, graph: PolledGraph, deadline: Deadline) -> Comparison:
        cluster = self.followed.cluster(deadline)
        last = last_reported(graph.jobs(self.name))
        gone = {
            name: partial(events_of_deleted, Name(self.name, name), run)
            for name, run in self._gone(cluster, last).items()
        }
        changes = {
            status.connector.name: partial(events_of_connector, self.name, status, last.get(status.connector.name))
            for status in self._statuses(cluster, graph)
        }
        return Comparison(len(cluster.connectors) + len(cluster.partly), {**changes, **gone}, cluster.partly)

    def _gone(self, cluster: Cluster, last: Mapping[str, LastReported]) -> dict[str, LastRun]:
        """The open runs of connectors that were deleted."""
        listed = {*cluster.connectors, *cluster.partly}
        runs = {name: connector.run for name, connector in last.items() if name not in listed}
        missing = {name: run for name, run in runs.items() if run and run.is_open(cluster.kafka_id)}
        gone = self.followed.are_gone(missing) if missing else set()
        return {name: run for name, run in missing.items() if name in gone}

    def _statuses(self, cluster: Cluster, graph: PolledGraph) -> list[ConnectorStatus]:
        kafka = kafka_namespace(self.kafka) or f"kafka://{cluster.kafka_id}"
        flows = {name: flows_of(connector, kafka) for name, connector in cluster.connectors.items()}
        known = graph.columns(sorted(_with_columns(cluster.connectors, flows)))
        return [
            ConnectorStatus(
                kafka_id=cluster.kafka_id,
                configuration=configuration_of(connector, kafka),
                connector=connector,
                flows=flows[name],
                columns=column_lineage(connector, flows[name], known),
            )
            for name, connector in sorted(cluster.connectors.items())
        ]


def _with_columns(connectors: Mapping[str, Connector], flows: Mapping[str, Sequence[Flow]]) -> set[Name]:
    """The datasets whose columns give column lineage: all inputs, and the topics that sources write."""
    pairs = {name: datasets_of(of) for name, of in flows.items()}
    written = {topic for name, (_, outputs) in pairs.items() if connectors[name].is_source for topic in outputs}
    return written.union(*(inputs for inputs, _ in pairs.values()))


def read_clusters(settings: Mapping[str, Mapping[str, Any]], secret: Mapping[str, Any]) -> list[ConnectCluster]:
    """The clusters: of each namespace its connectors, then its consumer groups. Raises ValueError, which names the
    wrong member and repeats no secret."""
    credentials = {namespace: _credentials(members) for namespace, members in secret.items()}
    return [
        cluster
        for namespace, members in settings.items()
        for cluster in _clusters(namespace, members, credentials.get(namespace, Credentials()))
    ]


class Credentials(NamedTuple):
    """The header `Authorization` for the workers of a cluster, and the settings of kafka-python for its broker."""

    authorization: str = ""
    kafka: Mapping[str, Any] = {}


def _credentials(members: Any) -> Credentials:
    match members:
        case str(header):
            return Credentials(header)
        case dict() if not members.keys() - {"authorization", "kafka"}:
            header, kafka = members.get("authorization", ""), members.get("kafka", {})
            if isinstance(header, str) and isinstance(kafka, dict):
                return Credentials(header, kafka)
    raise ValueError("the secret is no JSON object of headers by the names of clusters")


def _clusters(namespace: str, members: Mapping[str, Any], credentials: Credentials) -> list[ConnectCluster]:
    kafka, groups, urls = members.get("kafka", ""), members.get("groups", False), members.get("workers")
    is_known = not members.keys() - {"workers", "kafka", "groups"}
    if not namespace or not isinstance(kafka, str) or not isinstance(groups, bool) or not is_known:
        raise ValueError(
            f"{namespace}: expected the members workers and, as a text such as broker-1:9092, kafka; or groups, true"
        )
    if groups and not kafka:
        raise ValueError(f"{namespace}.kafka: expected the bootstrap server whose consumer groups are followed")
    broker = ConsumerGroups(KafkaBroker(kafka.split(","), credentials.kafka))
    of_broker = [ConnectCluster(kafka_namespace(kafka), broker, kafka)] if groups else []
    if urls is None and groups:
        return of_broker
    if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
        raise ValueError(f"{namespace}.workers: expected an array of URLs")
    workers = WorkerUrl.all_of(f"{namespace}.workers", urls, credentials.authorization)
    return [ConnectCluster(namespace, Workers(workers), kafka), *of_broker]
