"""Polls a schema registry until Ctrl-C, and sends the schemas of its Kafka topics to a server. Each URL is that of a
node of the registry, such as https://registry-1:8081: if one cannot be reached, the next is asked.
docs/producers/schema-registry.md says what is sent."""

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from headwater.cli.command_line import command_parser
from headwater.cli.polling import add_options, authorization_of, poll_again
from headwater.lookup.text.inert import inert
from headwater.sources.poller import PollResult
from headwater.sources.registry.registries import FollowedRegistry, read_registries
from headwater.store.aws.client import PATIENT_SECONDS, client

NAME = "registry"


def parser() -> argparse.ArgumentParser:
    parser = command_parser("registry", __doc__, "headwater registry https://registry:8081 --kafka broker-1:9092")
    parser.add_argument("urls", nargs="*", metavar="URL", help="a node of the registry")
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
        help="topic for a subject named by record (RecordNameStrategy); repeatable",
    )
    parser.add_argument(
        "--name", default=NAME, help="name of the registry in the facet of its topics (default: %(default)s)"
    )
    add_options(parser, "the registry")
    return parser


def main(arguments: list[str] | None = None) -> int:
    return poll_again(parser(), arguments, registries_of, report)


def registries_of(options: argparse.Namespace) -> list[FollowedRegistry]:
    """The registry to poll. Raises OSError, or ValueError for a wrong option."""
    if bool(options.urls) == bool(options.glue):
        raise ValueError("name the URL of a registry, or --glue NAME")
    header = authorization_of(options)
    place = {"glue": options.glue} if options.glue else {"urls": options.urls}
    members = {**place, "kafka": options.kafka, "topics": topics_of(options.topic)}
    return read_registries({options.name: members}, {options.name: header}, glue_client)


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


def report(result: PollResult) -> None:
    for name in result.unplaced:
        print(
            f"no topic is known for {inert(name)}: name it with --topic {inert(name)}=TOPIC",
            file=sys.stderr,
            flush=True,
        )
    print(f"subjects: {result.read}, events sent: {result.sent}", flush=True)
