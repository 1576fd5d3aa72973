"""GET /column-lineage: columns upstream and downstream, at a time, and through a symlink."""

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import after as client_after
from tests.traversal.lineage import LAKE, TABLE, after, nodes, ran


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


def test_the_columns_of_a_version_are_those_of_its_time_and_each_has_its_version() -> None:
    def of(column: str, run: int) -> Document:
        source = factory.dataset("a", schema=factory.schema(f"{column}:long"))
        lineage = factory.columns(y=(LAKE, "a", column))
        output = factory.dataset("b", schema=factory.schema("y:long"), columnLineage=lineage)
        return ran("load", "", "", run=run, seconds=100 * run, inputs=[source], outputs=[output])

    get, version = after(of("old", 1), of("new", 2)), factory.run_id(1)
    (read,) = get(f"namespaces/{LAKE}/datasets/a/versions")["versions"][1:]
    source, target = f"datasetField:{LAKE}:a:old#{read['version']}", f"datasetField:{LAKE}:b:y#{version}"
    for start in (f"dataset:{LAKE}:b#{version}", target):
        first, second = get("column-lineage", nodeId=start)["graph"]
        assert (first["id"], second["id"]) == (source, target)
        assert second["inEdges"] == [{"origin": target, "destination": source}]
        assert first["data"]["datasetVersion"] == second["data"]["inputFields"][0]["datasetVersion"] == read["version"]
        assert second["data"]["datasetVersion"] == version


def test_a_column_whose_name_ends_like_a_version_is_a_column() -> None:
    column = f"x#{factory.run_id(7)}"
    output = factory.dataset(
        "b", schema=factory.schema(f"{column}:long"), columnLineage=factory.columns(**{column: (LAKE, "a", "x")})
    )
    get = after(ran("load", "a", "", run=1, outputs=[output]))
    assert len(get("column-lineage", nodeId=f"datasetField:{LAKE}:b:{column}")["graph"]) == 2


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
    deletion = {"headwater_deleted": {"through": "2026-11-20T08:00:00.000000000Z"}}
    gone = factory.job_event(seconds=5, facets=deletion)
    again = ran("load", "a", "", run=2, seconds=10)
    answers = [
        after(*events)("column-lineage", nodeId=f"dataset:{LAKE}:b") for events in ([run, gone], [run, gone, again])
    ]
    assert [len(answer["graph"]) for answer in answers] == [0, 2]


def test_a_source_column_that_no_schema_has_is_a_column() -> None:
    output = factory.dataset("b", columnLineage=factory.columns(y=(LAKE, "a", "x")))
    get = client_after(ran("load", "a", "", run=1, outputs=[output]))
    for direction in ("upstream", "downstream", "both"):
        get("column-lineage", nodeId=f"datasetField:{LAKE}:a:x", direction=direction)
    assert get.answer("column-lineage", nodeId=f"datasetField:{LAKE}:a:none")[0] == 404


def test_a_column_that_was_removed_since_is_a_column_of_the_past() -> None:
    def made(*columns: str, run: int) -> Document:
        output = factory.dataset("a", schema=factory.schema(*columns))
        return ran("make", "", "", run=run, seconds=run * 100, outputs=[output])

    get = client_after(made("x:long", "y:long", run=1), made("y:long", run=2))
    column = f"datasetField:{LAKE}:a:x"
    for direction in ("upstream", "downstream", "both"):
        assert get.answer("column-lineage", nodeId=column, direction=direction)[0] == 404
        assert get("column-lineage", nodeId=column, direction=direction, asOf=factory.at(150))["graph"] == []
