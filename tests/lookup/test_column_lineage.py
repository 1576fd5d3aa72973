"""GET /column-lineage: columns upstream and downstream, at a time, and through a symlink."""

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.lineage import LAKE, TABLE, after, nodes, ran
from tests.lookup.requests import LookupClient, table_after


def test_explicit_lineage_of_columns_is_column_lineage() -> None:
    source = {"namespace": LAKE, "name": "a", "type": "DATASET", "field": "x"}
    entry = {**factory.made_of("c"), "fields": {"y": {"inputs": [source]}}}
    get = after(ran("bulk", "a", "c", run=1, job_facets={"lineage": factory.facet(entries=[entry])}))
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}:c:y")
    assert [node["id"] for node in answer["graph"]] == [f"datasetField:{LAKE}:a:x", f"datasetField:{LAKE}:c:y"]


def test_columns_downstream_and_as_of_a_time() -> None:
    def of(column: str, run: int, seconds: float) -> Document:
        output = factory.dataset(
            "b", schema=factory.schema("y:long"), columnLineage=factory.columns(y=(LAKE, "a", column))
        )
        return ran("load", "a", "", run=run, seconds=seconds, outputs=[output])

    get = after(of("old", 1, 0), of("new", 2, 100))

    def sources(**query: str) -> set[str]:
        answer = get("column-lineage", nodeId=f"datasetField:{LAKE}:b:y", **query)
        return {node["data"]["field"] for node in answer["graph"]} - {"y"}

    assert (sources(), sources(asOf=factory.at(50)), sources(asOf=factory.at(-1))) == ({"new"}, {"old"}, set())
    downstream = get("column-lineage", nodeId=f"datasetField:{LAKE}:a:new", direction="downstream")
    assert [node["data"]["field"] for node in downstream["graph"]] == ["new", "y"]


def statuses(*events: Document, column: str, **query: str) -> set[int]:
    """The statuses of the column lineage of a column, in all directions."""
    get = LookupClient(table_after(*events))
    node = f"datasetField:{LAKE}:a:{column}"
    directions = ("upstream", "downstream", "both")
    return {get.answer("column-lineage", nodeId=node, direction=each, **query)[0] for each in directions}


@pytest.mark.parametrize("column", ["old", "unused"])
def test_a_source_that_was_removed_since_is_known_in_the_past(column: str) -> None:
    def extracted(run: int, seconds: float, *fields: str) -> Document:
        output = factory.dataset("a", schema=factory.schema(*fields))
        return ran("extract", "", "", run=run, seconds=seconds, outputs=[output])

    def loaded(run: int, seconds: float, source: str) -> Document:
        output = factory.dataset("b", columnLineage=factory.columns(y=(LAKE, "a", source)))
        return ran("load", "a", "", run=run, seconds=seconds, outputs=[output])

    before = [extracted(1, 0, "id:long", "old:long", "unused:long"), loaded(2, 10, "old")]
    events = [*before, extracted(3, 100, "id:long"), loaded(4, 110, "id")]
    assert statuses(*events, column=column, asOf=factory.at(50)) == {200}
    assert statuses(*events, column=column) == {404}


@pytest.mark.parametrize(("column", "status"), [("x", 200), ("no_column", 404)])
def test_a_source_that_only_column_lineage_names_is_known_in_each_direction(column: str, status: int) -> None:
    output = factory.dataset("b", columnLineage=factory.columns(y=(LAKE, "a", "x")))
    assert statuses(ran("load", "a", "", run=1, outputs=[output]), column=column) == {status}


@pytest.mark.parametrize("is_used", [True, False])
def test_columns_are_followed_through_a_symlink(*, is_used: bool) -> None:
    path = factory.dataset(
        "wh/orders",
        symlinks=factory.symlinks("sales.orders", namespace="hive://h:9083"),
        columnLineage=factory.columns(id=(LAKE, "raw", "id")),
    )
    report = factory.dataset("daily", columnLineage=factory.columns(n=("hive://h:9083", "sales.orders", "id")))
    get = after(
        ran("load", "raw", "", run=1, outputs=[path]),
        ran("report", "", "", run=2, inputs=[TABLE if is_used else path], outputs=[report]),
    )
    columns = [f"datasetField:{LAKE}:{column}" for column in ("daily:n", "raw:id", "wh/orders:id")]
    up = get("column-lineage", nodeId=f"datasetField:{LAKE}:daily:n")
    down = get("column-lineage", nodeId=f"datasetField:{LAKE}:raw:id", direction="downstream")
    assert [node["id"] for node in up["graph"]] == [node["id"] for node in down["graph"]] == columns


def test_a_source_that_only_column_lineage_names_is_an_input_too() -> None:
    output = factory.dataset("b", columnLineage=factory.columns(y=(LAKE, "undeclared", "x")))
    get = after(ran("load", "", "", run=1, outputs=[output]))
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}:b:y")
    assert [node["data"]["dataset"] for node in answer["graph"]] == ["b", "undeclared"]
    assert nodes(get("lineage", nodeId="job:demo:load")) == {"load", "b", "undeclared"}


def test_column_lineage_of_a_deleted_job_is_gone_until_a_newer_event() -> None:
    output = factory.dataset("b", columnLineage=factory.columns(y=(LAKE, "a", "x")))
    run = ran("load", "a", "", run=1, seconds=0, outputs=[output])
    gone = {**factory.job_event(seconds=5), "job": {"namespace": "demo", "name": "load", "facets": {}}}
    gone["job"]["facets"] = {"headwater_deleted": {"through": "2026-11-20T08:00:00.000000000Z"}}
    again = ran("load", "a", "", run=2, seconds=10)
    answers = [
        after(*events)("column-lineage", nodeId=f"dataset:{LAKE}:b") for events in ([run, gone], [run, gone, again])
    ]
    assert [len(answer["graph"]) for answer in answers] == [0, 2]
