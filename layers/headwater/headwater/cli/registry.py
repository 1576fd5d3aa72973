"""Sends the schemas of Kafka topics by their schema registry to a server, again and again until Ctrl-C. Each URL is
that of a node of the registry, such as https://registry-1:8081: if one cannot be reached, the next is asked.
docs/producers/schema-registry.md says what is sent."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from headwater.cli.api import Api
from headwater.cli.endpoint import api_of
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.terminal import told
from headwater.cli.polling import Sending, add_options, authorization_of, listed, poll_again
from headwater.lookup.text.inert import inert
from headwater.rest import Unreachable
from headwater.sources.registry.poll import FollowedRegistry, RegistryPoll, RegistryPollResult
from headwater.sources.registry.registries import read_registries
from headwater.sources.registry.topic import ToldTopic, told_topics
from headwater.store.aws.client import PATIENT_SECONDS, client

NAME = "registry"


@dataclass(frozen=True)
class ServedTopics:
    """`TopicGraph` over the API of a server: the memory of the poll is the graph itself."""

    api: Api

    def told_topics(self, namespace: str) -> Mapping[str, ToldTopic]:
        """Raises CommandFailure."""
        datasets = listed(self.api, namespace, "datasets")
        return dict(told_topics((dataset["name"], dataset["facets"]) for dataset in datasets))


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater registry", description=__doc__)
    parser.add_argument("urls", nargs="*", metavar="URL", help="of a node of the registry")
    parser.add_argument(
        "--glue", metavar="NAME", help="follow this registry of AWS Glue instead (needs headwater[aws])"
    )
    parser.add_argument(
        "--kafka",
        required=True,
        metavar="HOST:PORT",
        help="bootstrap server, by which other engines name the topics: kafka://HOST:PORT",
    )
    parser.add_argument(
        "--topic",
        action="append",
        default=[],
        metavar="SUBJECT=TOPIC",
        help="a topic of a subject that is named after a record alone; may be repeated",
    )
    parser.add_argument(
        "--name", default=NAME, help="of the registry in the facet of its topics (default: %(default)s)"
    )
    add_options(parser, "the registry")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Poll until Ctrl-C. With --once, return 1 if the registry or the server could not be reached, or if a subject
    could not be read."""
    options = parser().parse_args(arguments)
    try:
        registry, api = registry_of(options), api_of(options.url, options.key_file)
    except (OSError, ValueError) as error:
        parser().error(str(error))
    except CommandFailure as failure:
        return told(failure)
    poll = RegistryPoll(ServedTopics(api), Sending(api, "dataset"))
    return poll_again(lambda: polled(poll, registry), options)


def registry_of(options: argparse.Namespace) -> FollowedRegistry:
    """The registry to poll. Raises OSError, or ValueError for a wrong option."""
    if bool(options.urls) == bool(options.glue):
        raise ValueError("name the URL of a registry, or --glue NAME")
    header = authorization_of(options)
    place = {"glue": options.glue} if options.glue else {"urls": options.urls}
    members = {**place, "kafka": options.kafka, "topics": topics_of(options.topic)}
    secret = json.dumps({options.name: header} if header else {})
    (registry,) = read_registries({options.name: members}, secret, glue_client)
    return registry


def topics_of(pairs: Sequence[str]) -> dict[str, list[str]]:
    """The topics of subjects. Raises ValueError."""
    topics: dict[str, list[str]] = {}
    for pair in pairs:
        subject, _, topic = pair.rpartition("=")
        if not subject or not topic:
            raise ValueError("--topic has the form SUBJECT=TOPIC")
        topics.setdefault(subject, []).append(topic)
    return topics


def glue_client() -> Any:
    """A client of Glue. Raises ValueError without botocore, or without a region."""
    if find_spec("botocore") is None:
        raise ValueError("--glue needs botocore: pip install 'headwater[aws]'")
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        return client(Session(), "glue", seconds=PATIENT_SECONDS)
    except BotoCoreError as error:
        raise ValueError(f"--glue: {error}") from None


def polled(poll: RegistryPoll, registry: FollowedRegistry) -> bool:
    """Whether a poll told of all subjects. What kept it from that is printed."""
    try:
        result = poll.poll(registry, datetime.now(UTC))
    except (Unreachable, CommandFailure, OSError) as error:
        print(f"nothing was sent: {inert(str(error))}", file=sys.stderr, flush=True)
        return False
    report(result)
    return not result.skipped


def report(result: RegistryPollResult) -> None:
    for name, reason in result.skipped.items():
        print(f"skipped: {name}: {reason}", file=sys.stderr, flush=True)
    if result.sent:
        for name in result.without_topic:
            print(f"no topic is known of {name}: name it with --topic {name}=TOPIC", file=sys.stderr, flush=True)
        print(f"subjects: {result.subjects}, events sent: {result.sent}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
