"""The consumer groups of a Kafka cluster, by the admin client of kafka-python: imported when a broker is asked."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from headwater.rest import Unreachable
from headwater.sources.connect.consumer_groups import CONSUMER, ConsumerGroup

SECONDS = 15


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
