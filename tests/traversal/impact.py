"""Requests to GET /impact, and the events for them."""

from collections.abc import Callable
from typing import Any

from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after

Get = Callable[..., Any]


def after(*documents: Document) -> Get:
    """Sends /impact requests to a table that has folded these events."""
    client = LookupClient(table_after(*documents))
    return lambda node, **query: client.answer("impact", nodeId=node, **query)[1]


def reader_after(*documents: Document) -> Reader:
    return Reader(GraphReader(table_after(*documents)), Naming())


def table(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


def column(place: str) -> str:
    return f"datasetField:{LAKE}:{place.replace('.', ':')}"


def column_lineage(*flows: str, whole: str = "") -> Document:
    """A columnLineage facet of `table.column > column` flows, and of columns that bear on the whole dataset."""
    fields: dict[str, Document] = {}
    for flow in flows:
        source, target = flow.split(" > ")
        fields.setdefault(target, {"inputFields": []})["inputFields"].append(_input(source, "DIRECT", "IDENTITY"))
    return factory.facet(fields=fields, dataset=[_input(flow, "INDIRECT", "FILTER") for flow in whole.split()])


def _input(place: str, kind: str, subtype: str) -> Document:
    name, field = place.split(".")
    return {
        "namespace": LAKE,
        "name": name,
        "field": field,
        "transformations": [{"type": kind, "subtype": subtype, "description": "", "masking": False}],
    }


def ran(job: str, reads: str, writes: str = "", *, run: int, seconds: float = 0, **facets: Any) -> Document:
    """A run of a job; `facets` are those of its outputs, `owner` is the job's."""
    owner = facets.pop("owner", None)
    return factory.run_event(
        "COMPLETE",
        job=job,
        run=run,
        seconds=seconds,
        inputs=[factory.dataset(name) for name in reads.split()],
        outputs=[factory.dataset(name, **facets) for name in writes.split()],
        job_facets={"ownership": owned_by(owner)} if owner else {},
    )


def owned_by(*owners: str) -> Document:
    return factory.facet(owners=[{"name": owner, "type": "OWNER"} for owner in owners])


def items(answer: Any) -> dict[str, Any]:
    by_name = {}
    for group in answer["owners"]:
        for item in group["items"]:
            by_name[short_id(item["nodeId"])] = item
    return by_name


def distances(answer: Any) -> dict[str, int]:
    return {name: item["distance"] for name, item in items(answer).items()}


def path(answer: Any, name: str) -> list[str]:
    return [short_id(node) for node in items(answer)[name]["path"]]


def short_id(node: str) -> str:
    return node.replace(f"{LAKE}:", "").replace("demo:", "").replace("datasetField:", "").replace("dataset:", "")


CHAIN = (
    ran("load", "raw", "clean", run=1),
    ran("report", "clean rates", "daily", run=2),
    ran("publish", "daily", "board", run=3),
    ran("audit", "clean", "", run=4),
)
