"""Sends the schemas of Kafka topics by their schema registries, on a schedule."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater import metrics
from headwater.access.event_sender import EventSender
from headwater.access.principal import Principal, Scope
from headwater.access.secret import SecretsManagerSecret
from headwater.bootstrap import Root
from headwater.config import BadEnvironment, RegistrySettings, from_environment
from headwater.openlineage import exact_json
from headwater.read.reader import Reader
from headwater.rest import Unreachable
from headwater.sources.registry.poll import FollowedRegistry, RegistryPoll
from headwater.sources.registry.registries import read_registries
from headwater.sources.registry.stored_topics import StoredTopics
from headwater.sources.registry.topic_events import Document
from headwater.store.aws.client import PATIENT_SECONDS

NO_SECRET = "NONE"  # noqa: S105 - there is none
OURSELVES = Principal("registry", frozenset({Scope.INGEST}), ("*",))

root = Root(from_environment(RegistrySettings), seconds=PATIENT_SECONDS)
graph, queue, bucket = root.graph(), root.queue(), root.bucket()
headwater.start.end()


class RegistriesUnreachable(Exception):
    """Registries of which nothing could be told. The invocation fails, and an alarm counts failures."""


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """Polls each registry once. Raises RegistriesUnreachable after all other registries were polled."""
    sent, unreachable = 0, []
    for registry in registries():
        try:
            sent += poll(registry)
        except Unreachable as error:
            root.log()(f"nothing is told of {registry.name}, since it gave no whole answer", error)
            unreachable.append(registry.name)
    metrics.count(RegistriesUnreachable=len(unreachable))
    if unreachable:
        raise RegistriesUnreachable(", ".join(unreachable))
    return {"sent": sent}


def registries() -> list[FollowedRegistry]:
    """The registries, with the newest credentials. Raises BadEnvironment, or StorageError if there is no secret."""
    secret = root.settings.registry_secret
    client = None if secret == NO_SECRET else root.client("secretsmanager")
    text = SecretsManagerSecret(client, secret).read() if client else "{}"
    try:
        return read_registries(root.settings.registries, text, lambda: root.client("glue"))
    except ValueError as error:
        raise BadEnvironment(f"REGISTRIES: {error}; correct the parameter Registries") from None


def poll(registry: FollowedRegistry) -> int:
    """The number of events that a poll of a registry sent."""
    now = datetime.now(UTC)
    sender = EventSender(OURSELVES, queue, bucket, root.naming(), now)

    def send(events: Sequence[Document]) -> None:
        sender.send_all([exact_json.dumps(event) for event in events])

    reader = Reader(graph.for_one_request(), root.naming())
    result = RegistryPoll(StoredTopics(reader), send).poll(registry, now)
    for name, reason in result.skipped.items():
        root.log().info("a subject or topic is left as it is", registry=registry.name, subject=name, reason=reason)
    metrics.count(
        SubjectsRead=result.subjects,
        SubjectsSkipped=len(result.skipped),
        SubjectsWithoutTopic=len(result.without_topic),
    )
    return result.sent
