"""Sends the schemas of Kafka topics by their schema registries, on a schedule."""

from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import BadEnvironment, RegistrySettings, from_environment
from headwater.sources.registry.registries import FollowedRegistry, read_registries
from headwater.store.aws.client import PATIENT_SECONDS

root = Root(from_environment(RegistrySettings), seconds=PATIENT_SECONDS)
polls = root.polls("registry")
headwater.start.end()


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """Polls each registry once. Raises SourcesUnreachable after all other registries were polled."""
    polled = polls.poll(registries(), context.get_remaining_time_in_millis())
    metrics.count(
        SubjectsRead=polled.read,
        SubjectsSkipped=polled.skipped,
        SubjectsWithoutTopic=polled.unplaced,
        RegistriesUnreachable=len(polled.unreachable),
    )
    return polled.answer()


def registries() -> list[FollowedRegistry]:
    """The registries, with the newest credentials. Raises BadEnvironment, or StorageError if there is no secret."""
    settings = root.settings
    try:
        secret = root.credentials(settings.registry_secret)
        return read_registries(settings.registries, secret, lambda: root.client("glue"))
    except ValueError as error:
        raise BadEnvironment(f"REGISTRIES: {error}; correct the parameter Registries") from None
