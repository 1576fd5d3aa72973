"""The Connect clusters that a deployment follows, by its settings.

    {"shop-connect": {"workers": ["http://connect-1:8083", "http://connect-2:8083"], "kafka": "broker-1:9092"}}

The name is the namespace of the jobs. With `"groups": true` the consumer groups of the broker are followed, too. A
secret may have the header `Authorization` for the workers of each cluster, by the same names, or that and settings of
kafka-python for the broker:

    {"shop-connect": {"authorization": "Basic ...", "kafka": {"security_protocol": "SASL_SSL", ...}}}
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.graph.names.naming import kafka_namespace
from headwater.sources.connect.consumer_groups import ConsumerGroups
from headwater.sources.connect.kafka_broker import KafkaBroker
from headwater.sources.connect.poll import ConnectCluster
from headwater.sources.connect.worker import Workers, WorkerUrl

_NO_CREDENTIALS = "the secret is no JSON object of headers by the names of clusters"


def read_clusters(settings: Mapping[str, Mapping[str, Any]], secret: str) -> list[ConnectCluster]:
    """The clusters: of each namespace its connectors, then its consumer groups. Raises ValueError, which names the
    wrong member and repeats no secret."""
    credentials = _credentials(secret)
    return [
        cluster
        for namespace, members in settings.items()
        for cluster in _clusters(namespace, members, credentials.get(namespace, Credentials()))
    ]


class Credentials(NamedTuple):
    """The header `Authorization` for the workers of a cluster, and the settings of kafka-python for its broker."""

    authorization: str = ""
    kafka: Mapping[str, Any] = {}


def _credentials(secret: str) -> Mapping[str, Credentials]:
    try:
        document = json.loads(secret)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ValueError(_NO_CREDENTIALS)  # noqa: TRY004 - a wrong value
    return {namespace: _of_cluster(members) for namespace, members in document.items()}


def _of_cluster(members: Any) -> Credentials:
    match members:
        case str(header):
            return Credentials(header)
        case dict() if not members.keys() - {"authorization", "kafka"}:
            header, kafka = members.get("authorization", ""), members.get("kafka", {})
            if isinstance(header, str) and isinstance(kafka, dict):
                return Credentials(header, kafka)
    raise ValueError(_NO_CREDENTIALS)


def _clusters(namespace: str, members: Mapping[str, Any], credentials: Credentials) -> list[ConnectCluster]:
    kafka, groups, urls = members.get("kafka", ""), members.get("groups", False), members.get("workers")
    is_known = not members.keys() - {"workers", "kafka", "groups"}
    if not namespace or not isinstance(kafka, str) or not isinstance(groups, bool) or not is_known:
        raise ValueError(
            f"{namespace}: expected the members workers and, as a text such as broker-1:9092, kafka; or groups, true"
        )
    if groups and not kafka:
        raise ValueError(f"{namespace}.kafka: expected the bootstrap server whose consumer groups are followed")
    if urls is None and groups:
        return [_groups(kafka, credentials)]
    if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
        raise ValueError(f"{namespace}.workers: expected an array of URLs")
    try:
        workers = [WorkerUrl.of(url, credentials.authorization) for url in urls]
    except ValueError as error:
        raise ValueError(f"{namespace}.workers: {error}") from None
    connectors = ConnectCluster(namespace, Workers(workers), kafka)
    return [connectors, _groups(kafka, credentials)] if groups else [connectors]


def _groups(kafka: str, credentials: Credentials) -> ConnectCluster:
    """The Kafka cluster, whose applications are jobs in the namespace of its topics."""
    broker = KafkaBroker(kafka.split(","), credentials.kafka)
    return ConnectCluster(kafka_namespace(kafka), ConsumerGroups(broker), kafka)
