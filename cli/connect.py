"""Sends the lineage of the connectors of a Kafka Connect cluster to a server, again and again until Ctrl-C. Each WORKER
is the URL of a worker of the cluster, such as http://connect-1:8083: if one cannot be reached, the next is asked.
With --groups, the consumer groups of applications are followed, too, or alone. docs/producers/kafka-connect.md says
what is sent."""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cli.consumer_groups import KafkaBroker, read_settings
from cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from cli.load import URL, sending
from cli.load.api import MarquezApi
from cli.load.sources import SentEvent
from cli.lookups.api import Api, NotFoundFailure
from cli.lookups.failure import LookupFailure
from headwater.connect.connector_events import Document
from headwater.connect.consumer_groups import ConsumerGroups
from headwater.connect.mirror import kafka_namespace
from headwater.connect.poll import ConnectCluster, Poll, PollResult
from headwater.connect.told_connectors import ToldConnector, ToldRun, told_connector, told_run
from headwater.connect.worker import Unreachable, Workers, WorkerUrl
from headwater.openlineage.event import Name
from headwater.openlineage.instant import parse_instant

PAGE = 100
INTERVAL = 60.0


@dataclass(frozen=True)
class ServedConnectors:
    """`ConnectorGraph` over the API of a server: the memory of the poll is the graph itself."""

    api: Api

    def told_connectors(self, namespace: str) -> Mapping[str, ToldConnector]:
        """The connectors by name. Raises LookupFailure."""
        told: dict[str, ToldConnector] = {}
        cursor: str | None = None
        while True:
            try:
                answer = self.api.ask("namespaces", namespace, "jobs", limit=PAGE, cursor=cursor).document
            except NotFoundFailure:
                return told
            connectors = {job["name"]: told_connector(job["facets"], _latest(job)) for job in answer["jobs"]}
            told |= {name: connector for name, connector in connectors.items() if connector}
            cursor = answer.get("cursor")
            if not cursor:
                return told

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        """The columns of datasets. Raises LookupFailure."""
        return {name: columns for name in datasets if (columns := self._columns(name))}

    def _columns(self, name: Name) -> list[str]:
        try:
            dataset = self.api.ask("namespaces", name.namespace, "datasets", name.name).document
        except NotFoundFailure:
            return []
        return [field["name"] for field in dataset["fields"]]


@dataclass(frozen=True)
class Sending:
    """Posts events like any producer."""

    api: Api

    def __call__(self, events: Sequence[Document]) -> None:
        """Raises OSError if the server did not take all events."""
        sent = sending.Sending(MarquezApi(self.api.url, self.api.key))
        sent.send(SentEvent(event["job"]["name"], json.dumps(event)) for event in events)
        if sent.refused:
            raise OSError(f"{self.api.url} refused {len(sent.refused)} events: {sent.refused[0][1]}")


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
    parser.add_argument("--once", action="store_true", help="poll once, and end")
    parser.add_argument(
        "--interval", type=float, default=INTERVAL, metavar="SECONDS", help="between polls (default: %(default)g)"
    )
    parser.add_argument(
        "--authorization-file", type=Path, metavar="FILE", help="has the header Authorization for the workers"
    )
    parser.add_argument(
        "--url", default=os.environ.get(URL_VARIABLE, URL), help=f"of the server (default: ${URL_VARIABLE}, else {URL})"
    )
    parser.add_argument("--key-file", type=Path, metavar="FILE", help=f"has the API key (default: ${KEY_VARIABLE})")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Poll until Ctrl-C. With --once, return 1 if the workers or the server could not be reached, or if a connector
    could not be read."""
    options = parser().parse_args(arguments)
    try:
        clusters, api = clusters_of(options), api_of(options)
    except (OSError, ValueError) as error:
        parser().error(str(error))
    poll = Poll(ServedConnectors(api), Sending(api))
    try:
        while True:
            done = [polled(poll, cluster) for cluster in clusters]
            if options.once:
                return 0 if all(done) else 1
            time.sleep(options.interval)
    except KeyboardInterrupt:
        return 0


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


def cluster_of(options: argparse.Namespace) -> ConnectCluster:
    """The cluster to poll. Raises OSError, or ValueError for a wrong URL."""
    authorization = options.authorization_file.read_text().strip() if options.authorization_file else ""
    workers = [WorkerUrl.of(url, authorization) for url in options.workers]
    namespace = options.namespace or f"kafka-connect://{urlsplit(workers[0].url).netloc}"
    return ConnectCluster(namespace, Workers(workers), options.kafka)


def api_of(options: argparse.Namespace) -> Api:
    key = options.key_file.read_text().strip() if options.key_file else os.environ.get(KEY_VARIABLE, "")
    return Api(options.url.rstrip("/"), key)


def polled(poll: Poll, cluster: ConnectCluster) -> bool:
    """Whether a poll told of all connectors. What kept it from that is printed."""
    try:
        result = poll.poll(cluster, datetime.now(UTC))
    except (Unreachable, LookupFailure, OSError) as error:
        print(f"nothing was sent: {error}", file=sys.stderr, flush=True)
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
