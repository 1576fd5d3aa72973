"""Sends the lineage of Kafka Connect's connectors, on a schedule."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater import metrics
from headwater.access.event_sender import EventSender
from headwater.access.principal import Principal, Scope
from headwater.access.secret import SecretsManagerSecret
from headwater.bootstrap import Root
from headwater.config import BadEnvironment, ConnectSettings, from_environment
from headwater.openlineage import exact_json
from headwater.read.reader import Reader
from headwater.rest import Unreachable
from headwater.sources.connect.clusters import read_clusters
from headwater.sources.connect.connector_events import Document
from headwater.sources.connect.poll import ConnectCluster, Poll
from headwater.sources.connect.stored_connectors import StoredConnectors
from headwater.store.aws.client import PATIENT_SECONDS

NO_SECRET = "NONE"  # noqa: S105 - there is none
OURSELVES = Principal("connect", frozenset({Scope.INGEST}), ("*",))

root = Root(from_environment(ConnectSettings), seconds=PATIENT_SECONDS)
graph, queue, bucket = root.graph(), root.queue(), root.bucket()
headwater.start.end()


class ClustersUnreachable(Exception):
    """Clusters of which nothing could be told. The invocation fails, and an alarm counts failures."""


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """Polls each cluster once. Raises ClustersUnreachable after all other clusters were polled."""
    sent, unreachable = 0, []
    for cluster in clusters():
        try:
            sent += poll(cluster)
        except Unreachable as error:
            root.log()(f"nothing is told of {cluster.namespace}, since no worker gave a whole answer", error)
            unreachable.append(cluster.namespace)
    metrics.count(ClustersUnreachable=len(unreachable))
    if unreachable:
        raise ClustersUnreachable(", ".join(unreachable))
    return {"sent": sent}


def clusters() -> list[ConnectCluster]:
    """The clusters, with the newest credentials. Raises BadEnvironment, or StorageError if there is no secret."""
    secret = root.settings.connect_secret
    client = None if secret == NO_SECRET else root.client("secretsmanager")
    try:
        return read_clusters(
            root.settings.connect_clusters, SecretsManagerSecret(client, secret).read() if client else "{}"
        )
    except ValueError as error:
        raise BadEnvironment(f"CONNECT_CLUSTERS: {error}; correct the parameter ConnectClusters") from None


def poll(cluster: ConnectCluster) -> int:
    """The number of events that a poll of a cluster sent."""
    now = datetime.now(UTC)
    sender = EventSender(OURSELVES, queue, bucket, root.naming(), now)

    def send(events: Sequence[Document]) -> None:
        sender.send_all([exact_json.dumps(event) for event in events])

    reader = Reader(graph.for_one_request(), root.naming())
    result = Poll(StoredConnectors(reader), send).poll(cluster, now)
    for name, reason in result.skipped.items():
        root.log().info("a connector is left as it is", cluster=cluster.namespace, connector=name, reason=reason)
    metrics.count(ConnectorsRead=result.connectors, ConnectorsSkipped=len(result.skipped))
    return result.sent
