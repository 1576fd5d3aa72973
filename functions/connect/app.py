"""Sends the lineage of Kafka Connect's connectors, on a schedule."""

from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import BadEnvironment, ConnectSettings, from_environment
from headwater.sources.connect.clusters import ConnectCluster, read_clusters
from headwater.store.aws.client import PATIENT_SECONDS

root = Root(from_environment(ConnectSettings), seconds=PATIENT_SECONDS)
polls = root.polls("connect")
headwater.start.end()


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """Polls each cluster once. Raises SourcesUnreachable after all other clusters were polled."""
    polled = polls.poll(clusters(), context.get_remaining_time_in_millis())
    metrics.count(
        ConnectorsRead=polled.read, ConnectorsSkipped=polled.skipped, ClustersUnreachable=len(polled.unreachable)
    )
    return polled.answer()


def clusters() -> list[ConnectCluster]:
    """The clusters, with the newest credentials. Raises BadEnvironment, or StorageError if there is no secret."""
    settings = root.settings
    try:
        return read_clusters(settings.connect_clusters, root.credentials(settings.connect_secret))
    except ValueError as error:
        raise BadEnvironment(f"CONNECT_CLUSTERS: {error}; correct the parameter ConnectClusters") from None
