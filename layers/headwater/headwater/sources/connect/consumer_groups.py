"""Consumer groups of a Kafka cluster, followed like connectors: an application without any integration is a job that
reads the topics whose offsets it commits.

Some groups belong to engines that report themselves. Kafka Connect's become connectors, and Flink's and Spark's have no
members: their clients take partitions by themselves. A group without members only ends a run.

The broker is asked through kafka-python's admin client, which is only imported then.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.connect.connector import Connector, ConnectorState
from headwater.sources.connect.worker import Cluster

SECONDS = 15
CONSUMER = "consumer"
"""The protocol of consumers; workers of Kafka Connect and schema registries have protocols of their own."""
_TOLD_BY_OTHERS = re.compile(r"connect-.+|spark-(?:kafka|executor)-.+|console-consumer-\d+|_.*")
"""Groups of sinks of Kafka Connect, of Spark, of Kafka's command line, and of Kafka's own services."""
_STATES = {"Stable": ConnectorState.RUNNING, "Empty": ConnectorState.STOPPED}
"""All other states last for a moment: the members of a group change."""


class ConsumerGroup(NamedTuple):
    """A group as the broker has it. `offsets` are the committed offsets by topic and partition."""

    id: str
    protocol: str
    state: str
    offsets: Mapping[tuple[str, int], int]


class GroupBroker(Protocol):
    """The admin API of a Kafka cluster."""

    def groups(self) -> tuple[str, Sequence[ConsumerGroup]]:
        """The id of the Kafka cluster and its groups. Raises Unreachable."""


@dataclass(frozen=True)
class ConsumerGroups:
    """The consumer groups of a Kafka cluster, in the place of the connectors of a Connect cluster."""

    broker: GroupBroker

    def cluster(self, _deadline: Deadline) -> Cluster:
        """The groups as they are now. Raises Unreachable."""
        kafka_id, groups = self.broker.groups()
        told = [group for group in groups if _is_application(group)]
        return Cluster(kafka_id, {group.id: _as_connector(group) for group in told}, {})

    def are_gone(self, names: Iterable[str]) -> set[str]:
        """Which of some groups the broker no longer has. Raises Unreachable."""
        _, groups = self.broker.groups()
        return set(names) - {group.id for group in groups}


def _is_application(group: ConsumerGroup) -> bool:
    return group.protocol == CONSUMER and bool(group.offsets) and not _TOLD_BY_OTHERS.fullmatch(group.id)


def _as_connector(group: ConsumerGroup) -> Connector:
    topics = sorted({topic for topic, _ in group.offsets})
    offsets = [
        {"partition": {"kafka_topic": topic, "kafka_partition": partition}, "offset": {"kafka_offset": offset}}
        for (topic, partition), offset in sorted(group.offsets.items())
    ]
    state = _STATES.get(group.state, ConnectorState.UNASSIGNED)
    settings = {"topics": ",".join(topics)}
    return Connector(group.id, False, settings, state, (), "", "", topics, offsets, is_group=True)


@dataclass(frozen=True)
class KafkaBroker:
    """`GroupBroker` over a connection for each look. `settings` are kafka-python's, such as `security_protocol`."""

    bootstrap: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def groups(self) -> tuple[str, Sequence[ConsumerGroup]]:
        """The id of the cluster and its groups of consumers. Raises Unreachable."""
        from kafka import KafkaAdminClient  # type: ignore[import-untyped]
        from kafka.errors import KafkaError  # type: ignore[import-untyped]

        limits = {"request_timeout_ms": SECONDS * 1_000, "bootstrap_timeout_ms": SECONDS * 1_000}
        try:
            client = KafkaAdminClient(bootstrap_servers=list(self.bootstrap), **{**limits, **self.settings})
            with closing(client):
                listed = [group for group in client.list_groups() if group["protocol_type"] == CONSUMER]
                offsets = client.list_group_offsets([group["group_id"] for group in listed])
                cluster: str = client.describe_cluster()["cluster_id"]
        except (KafkaError, OSError, ValueError) as error:
            raise Unreachable(f"kafka://{self.bootstrap[0]}: {type(error).__name__}") from None
        return cluster, [_group(group, offsets.get(group["group_id"], {})) for group in listed]


def _group(group: Mapping[str, Any], offsets: Mapping[Any, Any]) -> ConsumerGroup:
    committed = {(partition.topic, partition.partition): entry.offset for partition, entry in offsets.items()}
    known = {partition: offset for partition, offset in committed.items() if offset >= 0}
    return ConsumerGroup(group["group_id"], group["protocol_type"], group["group_state"], known)
