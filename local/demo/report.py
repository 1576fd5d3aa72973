"""Prints the results of the demo: the counts of events, the emission latency, and the lineage from the lookup API."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode

from headwater.cli.machine.failure import Failure
from local.demo.lineage_tree import Tree, column_trees, indirect_trees, short_names, table_tree
from local.stack.api import Api
from local.stack.metrics import Metrics

TABLES, COLUMNS = "/api/v1/lineage", "/api/v1/column-lineage"
DEPTH = 20


def print_counts(metrics: Metrics) -> None:
    received, folded, refused = map(metrics.total, ("EventsReceived", "EventsNormalised", "EventsRefused"))
    print(f"\nevents: {received} received, {folded} folded, {refused} refused")
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
    """Print the upstream of a dataset and of its columns. Raises Failure if the API shows none."""
    node = f"dataset:file:{dataset}"
    tables = api.get(TABLES, nodeId=node, depth=DEPTH)["graph"]
    columns = api.get(COLUMNS, nodeId=node, depth=DEPTH)
    label = short_names(entry["data"]["name"] for entry in tables if entry["type"] == "DATASET")
    table, fields = table_tree(tables, node, label), list(column_trees(columns["graph"], str(dataset), label))
    if not table.upstream or not any(field.upstream for field in fields):
        raise Failure(f"the lookup API shows no upstream of {dataset.name}", f"ask it yourself: {api.url}")
    print_trees(f"upstream of {dataset.name}, as GET {TABLES} answers:", [table])
    print_trees(f"and of its columns, as GET {COLUMNS} answers:", fields)
    print_trees(
        "columns that decide which rows a table has (filters, joins, groupings), from the same answer:",
        indirect_trees(columns["indirect"], label),
    )


def curl_of_columns(api: Api, dataset: Path) -> str:
    """Return the curl command for the upstream of a dataset's columns."""
    return api.curl(COLUMNS, nodeId=f"dataset:file:{dataset}", depth=DEPTH)


def page_of(api: Api, dataset: Path) -> str:
    """Return the address of the web page with the lineage of a dataset."""
    return f"{api.url}/#/lineage?{urlencode({'nodeId': f'dataset:file:{dataset}'})}"


def print_trees(title: str, trees: Iterable[Tree]) -> None:
    print(f"\n{title}")
    for tree in trees:
        for line in tree.lines("  "):
            print(line)
