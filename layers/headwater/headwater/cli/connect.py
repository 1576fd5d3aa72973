"""Sends the lineage of the connectors of a Kafka Connect cluster to a server, again and again until Ctrl-C. Each WORKER
is the URL of a worker of the cluster, such as http://connect-1:8083: if one cannot be reached, the next is asked.
With --groups, the consumer groups of applications are followed, too, or alone. docs/producers/kafka-connect.md says
what is sent."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.api import Api
from headwater.cli.endpoint import api_of
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.terminal import told
from headwater.cli.polling import Sending, add_options, authorization_of, listed, poll_again
from headwater.cli.refusal import NotFoundFailure
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.kafka_cluster import kafka_namespace
from headwater.lookup.text.inert import inert
from headwater.openlineage.event import Name
from headwater.openlineage.instant import parse_instant
from headwater.rest import Unreachable
from headwater.sources.connect.consumer_groups import ConsumerGroups
from headwater.sources.connect.kafka_broker import KafkaBroker
from headwater.sources.connect.poll import ConnectCluster, Poll, PollResult
from headwater.sources.connect.told_connectors import ToldConnector, ToldRun, told_connector, told_run
from headwater.sources.connect.worker import Workers, WorkerUrl


@dataclass(frozen=True)
class ServedConnectors:
    """`ConnectorGraph` over the API of a server: the memory of the poll is the graph itself."""

    api: Api

    def told_connectors(self, namespace: str) -> Mapping[str, ToldConnector]:
        """The connectors by name. Raises CommandFailure."""
        jobs = {job["name"]: told_connector(job["facets"], _latest(job)) for job in listed(self.api, namespace, "jobs")}
        return {name: connector for name, connector in jobs.items() if connector}

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        """The columns of datasets. Raises CommandFailure."""
        return {name: columns for name in datasets if (columns := self._columns(name))}

    def _columns(self, name: Name) -> list[str]:
        try:
            dataset = self.api.ask("namespaces", name.namespace, "datasets", name.name).document
        except NotFoundFailure:
            return []
        return list(columns_of(dataset["facets"].get("schema") or {"fields": dataset["fields"]}))


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater connect", description=__doc__)
    parser.add_argument("workers", nargs="*", metavar="WORKER", help="the URL of a worker's REST API")
    parser.add_argument(
        "--namespace", metavar="NAME", help="of the jobs (default: kafka-connect://HOST:PORT of the first worker)"
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
    """Poll until Ctrl-C. With --once, return 1 if the workers or the server could not be reached, or if a connector
    could not be read."""
    options = parser().parse_args(arguments)
    try:
        clusters, api = clusters_of(options), api_of(options.url, options.key_file)
    except (OSError, ValueError) as error:
        parser().error(str(error))
    except CommandFailure as failure:
        return told(failure)
    poll = Poll(ServedConnectors(api), Sending(api, "job"))

    def polled_all() -> bool:
        done = [polled(poll, cluster) for cluster in clusters]  # each, also after one that failed
        return all(done)

    return poll_again(polled_all, options)


def clusters_of(options: argparse.Namespace) -> list[ConnectCluster]:
    """The Connect cluster, and the Kafka cluster with its consumer groups. Raises OSError or ValueError."""
    if not options.workers and not options.groups:
        raise ValueError("name a WORKER, or --groups and --kafka HOST:PORT")
    clusters = [cluster_of(options)] if options.workers else []
    return [*clusters, groups_of(options)] if options.groups else clusters


def groups_of(options: argparse.Namespace) -> ConnectCluster:
    """The Kafka cluster, whose applications are jobs in the namespace of its topics. Raises OSError or ValueError."""
    if not options.kafka:
        raise ValueError("--groups needs --kafka HOST:PORT")
    if find_spec("kafka") is None:
        raise ValueError("--groups needs kafka-python: pip install 'headwater[kafka]'")
    settings = read_settings(options.kafka_settings) if options.kafka_settings else {}
    broker = KafkaBroker(options.kafka.split(","), settings)
    return ConnectCluster(kafka_namespace(options.kafka), ConsumerGroups(broker), options.kafka)


def read_settings(file: Path) -> Mapping[str, Any]:
    """The settings of kafka-python in a file. Raises OSError, or ValueError."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise ValueError(f'{file} is no JSON object, such as {{"security_protocol": "SSL"}}')  # noqa: TRY004 - its text
    return settings


def cluster_of(options: argparse.Namespace) -> ConnectCluster:
    """The cluster to poll. Raises OSError, or ValueError for a wrong URL."""
    workers = [WorkerUrl.of(url, authorization_of(options)) for url in options.workers]
    namespace = options.namespace or f"kafka-connect://{urlsplit(workers[0].url).netloc}"
    return ConnectCluster(namespace, Workers(workers), options.kafka)


def polled(poll: Poll, cluster: ConnectCluster) -> bool:
    """Whether a poll told of all connectors. What kept it from that is printed."""
    try:
        result = poll.poll(cluster, datetime.now(UTC))
    except (Unreachable, CommandFailure, OSError) as error:
        print(f"nothing was sent: {inert(str(error))}", file=sys.stderr, flush=True)
        return False
    report(result)
    return not result.skipped


def report(result: PollResult) -> None:
    for name, reason in result.skipped.items():
        print(f"skipped: {name}: {reason}", file=sys.stderr, flush=True)
    if result.sent:
        print(f"connectors: {result.connectors}, events sent: {result.sent}", flush=True)


def _latest(job: dict[str, Any]) -> ToldRun | None:
    run = job["latestRun"]
    return told_run(run["id"], run["state"], run["facets"], parse_instant(run["updatedAt"])) if run else None


if __name__ == "__main__":
    sys.exit(main())
