"""The topics that MirrorMaker copies from one Kafka cluster to another.

MirrorSourceConnector names a copy `SOURCE.orders`, or `orders` with the IdentityReplicationPolicy. Its offsets name
the topics of the source cluster, and its topics in use are the copies.
"""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.graph.names.naming import kafka_namespace
from headwater.openlineage.event import Name
from headwater.sources.connect.connector import Connector


class MirroredTopic(NamedTuple):
    """A topic of the source cluster, and its copy."""

    source: Name
    copy: Name


def mirrored_topics(connector: Connector, kafka: str) -> Iterator[MirroredTopic]:
    """The copied topics. `kafka` is the namespace of the worker's own cluster, which is usually the target."""
    source = kafka_namespace(connector.setting("source.cluster.bootstrap.servers")) or "kafka://" + connector.setting(
        "source.cluster.alias"
    )
    target = kafka_namespace(connector.setting("target.cluster.bootstrap.servers")) or kafka
    for topic in sorted(set(_source_topics(connector))):
        yield MirroredTopic(Name(source, topic), Name(target, _prefix(connector) + topic))


def _source_topics(connector: Connector) -> Iterator[str]:
    for entry in connector.offsets:
        match entry.get("partition"):
            case {"topic": str() as topic}:
                yield topic
    yield from (topic for topic in connector.listed("topics") if topic.replace("_", "").replace("-", "").isalnum())
    prefix = _prefix(connector)
    yield from (topic.removeprefix(prefix) for topic in connector.topics if prefix and topic.startswith(prefix))


def _prefix(connector: Connector) -> str:
    if connector.setting("replication.policy.class").endswith("IdentityReplicationPolicy"):
        return ""
    separator = connector.setting("replication.policy.separator") or "."
    return f"{connector.setting('source.cluster.alias')}{separator}"
