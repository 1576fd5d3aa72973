"""Polls a Kafka Connect cluster until Ctrl-C, and sends the lineage of its connectors to a server. Each WORKER is the
URL of a worker of the cluster, such as http://connect-1:8083: if one cannot be reached, the next is asked. --groups
also follows the consumer groups of applications; without a WORKER, only those.
docs/producers/kafka-connect.md says what is sent."""

import argparse
import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.command_line import command_parser
from headwater.cli.polling import add_options, authorization_of, poll_again
from headwater.sources.connect.clusters import ConnectCluster, read_clusters
from headwater.sources.connect.worker import WorkerUrl
from headwater.sources.poller import PollResult


def parser() -> argparse.ArgumentParser:
    examples = ("headwater connect http://connect-1:8083 http://connect-2:8083 --kafka broker-1:9092",)
    parser = command_parser("connect", __doc__, *examples)
    parser.add_argument("workers", nargs="*", metavar="WORKER", help="the URL of a worker's REST API")
    parser.add_argument(
        "--namespace",
        metavar="NAME",
        help="namespace of the jobs (default: kafka-connect://HOST:PORT of the first worker)",
    )
    parser.add_argument(
        "--kafka",
        default="",
        metavar="HOST:PORT",
        help="bootstrap server, by which other engines name the topics: kafka://HOST:PORT "
        "(default: the id of the Kafka cluster)",
    )
    parser.add_argument(
        "--groups", action="store_true", help="follow consumer groups of the broker --kafka (needs headwater[kafka])"
    )
    parser.add_argument(
        "--kafka-settings", type=Path, metavar="FILE", help="settings of kafka-python for that broker, as a JSON object"
    )
    add_options(parser, "the workers")
    return parser


def main(arguments: list[str] | None = None) -> int:
    return poll_again(parser(), arguments, clusters_of, report)


def clusters_of(options: argparse.Namespace) -> list[ConnectCluster]:
    """The Connect cluster, and the Kafka cluster with its consumer groups. Raises OSError or ValueError."""
    if not options.workers and not options.groups:
        raise ValueError("name a WORKER, or --groups and --kafka HOST:PORT")
    if options.groups and not options.kafka:
        raise ValueError("--groups needs --kafka HOST:PORT")
    if options.groups and find_spec("kafka") is None:
        raise ValueError("--groups needs kafka-python: pip install 'headwater[kafka]'")
    WorkerUrl.all_of("WORKER", options.workers, "")  # so that a fault names what was typed
    address = urlsplit(options.workers[0].strip() if options.workers else "").netloc.rpartition("@")[2]
    namespace = options.namespace or f"kafka-connect://{address}"
    members = {"kafka": options.kafka, "groups": options.groups}
    credentials = {"authorization": authorization_of(options), "kafka": read_settings(options.kafka_settings)}
    workers = {"workers": options.workers} if options.workers else {}
    return read_clusters({namespace: {**members, **workers}}, {namespace: credentials})


def read_settings(file: Path | None) -> Mapping[str, Any]:
    """The settings of kafka-python in a file. Raises OSError, or ValueError."""
    if file is None:
        return {}
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise ValueError(f'{file} is not a JSON object such as {{"security_protocol": "SSL"}}')  # noqa: TRY004 - its text
    return settings


def report(result: PollResult) -> None:
    print(f"connectors: {result.read}, events sent: {result.sent}", flush=True)
