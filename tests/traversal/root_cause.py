"""Requests to GET /rootcause, and the events for them."""

from collections.abc import Callable
from typing import Any

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after

Get = Callable[..., Any]
DAY = 86_400
KAFKA = "kafka://broker:9092"


def after(*documents: Document) -> Get:
    """Sends /rootcause requests to a table that has folded these events."""
    client = LookupClient(table_after(*documents))
    return lambda node, **query: client.answer("rootcause", nodeId=node, **query)[1]


def table(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


def ran(
    job: str, reads: str = "", writes: str = "", *, run: int, seconds: float, ended: str = "COMPLETE", **changes: Any
) -> list[Document]:
    """A run of ten seconds, with the names of its datasets a word each; without an end for `ended=""`."""
    sides = {"inputs": reads.split(), "outputs": writes.split()}
    datasets = {side: [factory.dataset(name) for name in names] for side, names in sides.items()}
    return [
        factory.run_event(kind, job=job, run=run, seconds=seconds + more, **{**datasets, **changes})
        for kind, more in [("START", 0), *([(ended, 10)] if ended else [])]
    ]


def error(message: str) -> Document:
    return {"errorMessage": factory.facet(message=message, programmingLanguage="python")}


def checked(name: str, *assertions: Document) -> Document:
    return {**factory.dataset(name), "inputFacets": {"dataQualityAssertions": factory.facet(assertions=assertions)}}


def findings(answer: Any) -> list[tuple[str, str, int]]:
    return [
        (finding["kind"], finding["nodeId"].rpartition(":")[2], finding["distance"]) for finding in answer["findings"]
    ]


def kinds(answer: Any) -> list[str]:
    return [finding["kind"] for finding in answer["findings"]]


def a_day(number: int, amount: str, *, failed: bool) -> list[Document]:
    """Every night the topic becomes a table, which is checked, and with the rates becomes what the dashboard shows."""
    night, run = number * DAY, 10 * number
    topic = factory.dataset("orders", KAFKA, schema=factory.schema("id:long", f"amount:{amount}"))
    orders = factory.dataset("orders", schema=factory.schema("id:long", f"amount:{amount}"))
    assertions = [
        {"assertion": "not_null", "column": "amount", "success": not failed},
        {"assertion": "unique", "column": "id", "success": True},
    ]
    rates = {"run_facets": error("no route to rates.example.com\nTraceback")} if failed else {}
    return [
        *ran("ingest", run=run, seconds=night, inputs=[topic], outputs=[orders]),
        *ran("check", run=run + 1, seconds=night + 100, inputs=[checked("orders", *assertions)]),
        *ran("rate", "", "rates", run=run + 2, seconds=night + 200, ended="FAIL" if failed else "COMPLETE", **rates),
        *ran("report", "orders rates", "daily", run=run + 3, seconds=night + 300),
        *ran("dashboard", "daily", "board", run=run + 4, seconds=night + 400),
    ]


DRIFT = [*a_day(0, "long", failed=False), *a_day(1, "long", failed=False), *a_day(2, "string", failed=True)]


def wrote(run: int, seconds: float, *fields: str) -> list[Document]:
    return ran("load", "raw", run=run, seconds=seconds, outputs=[factory.dataset("t", schema=factory.schema(*fields))])
