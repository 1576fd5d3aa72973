"""Prints the results of the demo: the counts of events, the emission latency, and the lineage from the lookup API."""

import json
import os
import sys
from pathlib import Path
from urllib.parse import urlencode

from headwater.cli.api import Api
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.parser import DEPTH, parser
from headwater.cli.lookups.questions import Reply, reply_to
from headwater.cli.lookups.shell import command
from headwater.cli.lookups.terminal import display_for, shown
from headwater.cli.machine.failure import Failure
from local.stack.metrics import Metrics


def print_counts(metrics: Metrics) -> None:
    received, folded, refused = map(metrics.total, ("EventsReceived", "EventsNormalised", "EventsRefused"))
    twice = f"; {folded - received} came twice from the queue, which changes nothing" if folded > received else ""
    print(f"\nevents: {received} received, {min(folded, received)} folded, {refused} refused{twice}")
    print(f"emission latency, from an event's own time until it was received: {percentiles(metrics)}")


def percentiles(metrics: Metrics) -> str:
    return f"p50 {latency(metrics, 0.5)}, p95 {latency(metrics, 0.95)}"


def latency(metrics: Metrics, share: float) -> str:
    millis = metrics.percentile("EmissionLatency", share)
    return "unknown" if millis is None else f"{millis:,.0f} ms"


def check_counts(metrics: Metrics) -> None:
    """Raise Failure if an event was refused or quarantined."""
    lost = metrics.total("EventsRefused") + metrics.total("EventsQuarantined")
    if lost:
        raise Failure(f"{lost} events were refused or quarantined", "see ingest.log and normalise.log in .local/demo")


def print_upstream(api: Api, dataset: Path) -> None:
    """Print the upstream of a dataset and of its columns, as the command does. Raises Failure if the API shows none."""
    tables, columns = ("lineage", node_of(dataset), "--up"), ("columns", node_of(dataset))
    try:
        replies = {words: reply_to(api, parser().parse_args(words)) for words in (tables, columns)}
    except CommandFailure as failure:
        raise Failure(failure.what, "see lookup.log in .local/demo") from failure
    if not all(map(has_upstream, replies.values())):
        raise Failure(f"the lookup API shows no upstream of {dataset.name}", f"ask it yourself: {api.url}")
    for words, reply in replies.items():
        print(f"\n$ {command('headwater', *words)}")
        print(shown(reply.render, display_for(sys.stdout, os.environ, whole=False)), end="")


def has_upstream(reply: Reply) -> bool:
    return any(node["inEdges"] for node in json.loads(reply.json)["graph"])


def curl_of_columns(api: Api, dataset: Path) -> str:
    """Return the curl command for the upstream of a dataset's columns."""
    return api.curl("column-lineage", nodeId=node_of(dataset), depth=DEPTH)


def page_of(api: Api, dataset: Path) -> str:
    """Return the address of the web page with the lineage of a dataset."""
    return f"{api.url}/#/lineage?{urlencode({'nodeId': node_of(dataset)})}"


def node_of(dataset: Path) -> str:
    return f"dataset:file:{dataset}"
