"""Runs of a job that one run of its parent started count together: a loop of appends, a MERGE and a DELETE."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.items.compression import pack, unpack
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.traversal.lineage import LAKE, RETENTION, after, edges, nodes, ran

DAY = 86_400
SHOPS = [f"shop{number}" for number in range(5)]
UP = {"nodeId": f"dataset:{LAKE}:all", "direction": "upstream"}
EVERY_SHOP = {(shop, "load.append.all") for shop in SHOPS} | {("load.append.all", "all")}


def append(source: str, *, application: int, number: int, seconds: float = 0, end: str = "COMPLETE") -> Document:
    """A query of the application `load` that appends a source to `all`."""
    lineage = factory.columns(id=(LAKE, source, "id"))
    schema = factory.schema("id:long")
    return factory.run_event(
        end,
        job="load.append.all",
        run=application * 100 + number,
        seconds=seconds + number * 10,
        inputs=[factory.dataset(source, schema=schema)],
        outputs=[factory.dataset("all", schema=schema, columnLineage=lineage)],
        run_facets={"parent": factory.parent(application, "load")},
    )


def loop(application: int, sources: Sequence[str] = SHOPS, *, seconds: float = 0) -> list[Document]:
    return [append(source, application=application, number=n, seconds=seconds) for n, source in enumerate(sources)]


def columns_upstream(get: Any, **query: Any) -> set[str]:
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}:all:id", direction="upstream", **query)
    return {node["id"].split(":")[-2] for node in answer["graph"]}


def test_a_loop_of_appends_has_the_edges_of_all_its_runs() -> None:
    get = after(*loop(1))
    assert edges(get("lineage", rollup="none", **UP)) == EVERY_SHOP
    assert columns_upstream(get) == {*SHOPS, "all"}
    for shop in SHOPS:
        assert "all" in nodes(get("lineage", nodeId=f"dataset:{LAKE}:{shop}", direction="downstream", rollup="none"))
        (of_nobody,) = get("impact", nodeId=f"datasetField:{LAKE}:{shop}:id")["owners"]
        at_risk = {item["nodeId"]: item["possible"] for item in of_nobody["items"]}
        assert at_risk == {f"datasetField:{LAKE}:all:id": False, "job:demo:load.append.all": False}


def test_another_run_of_the_application_starts_anew() -> None:
    get = after(*loop(1), *loop(2, SHOPS[:2], seconds=DAY))
    assert edges(get("lineage", rollup="none", **UP)) == EVERY_SHOP - {(s, "load.append.all") for s in SHOPS[2:]}
    assert columns_upstream(get) == {*SHOPS[:2], "all"}


def test_a_time_in_a_loop_shows_the_runs_until_then() -> None:
    get = after(*loop(1), *loop(2, SHOPS[:2], seconds=DAY))
    seen = [len(nodes(get("lineage", rollup="none", asOf=factory.at(10 * n + 1), **UP))) - 2 for n in range(5)]
    assert seen == [1, 2, 3, 4, 5]
    assert columns_upstream(get, asOf=factory.at(41)) == {*SHOPS, "all"}
    assert columns_upstream(get, asOf=factory.at(DAY + 1)) == {SHOPS[0], "all"}


def test_a_run_that_failed_counts_for_outputs_of_no_other() -> None:
    failed = append("shop9", application=1, number=9, end="FAIL")
    assert edges(after(*loop(1), failed)("lineage", rollup="none", **UP)) == EVERY_SHOP
    alone = {("shop9", "load.append.all"), ("load.append.all", "all")}
    assert edges(after(failed)("lineage", rollup="none", **UP)) == alone


def test_a_statement_that_writes_the_table_to_itself_leaves_its_sources() -> None:
    """An SCD2 dimension: two MERGEs and a DELETE of one application."""
    merge = append("staged", application=1, number=0)
    get = after(merge, append("all", application=1, number=1))
    assert nodes(get("lineage", rollup="none", **UP)) == {"staged", "load.append.all", "all"}


def test_more_than_a_day_before_is_another_generation() -> None:
    """A stream's application runs for months."""
    get = after(append("shop0", application=1, number=0), append("shop1", application=1, number=1, seconds=DAY + 60))
    assert nodes(get("lineage", rollup="none", **UP)) == {"shop1", "load.append.all", "all"}


def test_a_generation_is_one_version() -> None:
    get = after(*loop(1), *loop(2, SHOPS[:2], seconds=DAY))
    path = "namespaces/demo/jobs/load.append.all"
    versions = get(f"{path}/versions")["versions"]
    assert [len(version["inputs"]) for version in versions] == [2, 5]
    assert get(path)["currentVersion"] == versions[0]["version"]
    for run in get(f"{path}/runs")["runs"]:
        assert get(f"{path}/versions/{run['jobVersion']['version']}")["inputs"], "the run's own inputs"


def test_more_column_lineages_than_can_be_kept_are_unknown_and_the_tables_whole() -> None:
    sources = [f"shop{number}" for number in range(60)]
    get = after(*loop(1, sources))
    assert len(nodes(get("lineage", rollup="none", depth=1, **UP))) >= 60
    assert columns_upstream(get) == set()


@pytest.mark.parametrize("corrections", [1, 3])
def test_a_loop_beside_a_younger_daily_job_keeps_its_sources(corrections: int) -> None:
    """Its runs are seconds apart, but it runs once a day."""
    sources = [f"shop{number}" for number in range(12)]
    days = range(5)
    loads = [event for day in days for event in loop(10 + day, sources, seconds=day * DAY)]
    fixes = [
        ran("fix", f"fixes{n}", "all", run=5000 + day * 10 + n, seconds=day * DAY + 7200 + n)
        for day in days[2:]
        for n in range(corrections)
    ]
    drawn = nodes(after(*loads, *fixes)("lineage", rollup="none", depth=1, **UP))
    assert {*sources, "fix", "load.append.all"} <= drawn


def test_a_loop_that_another_job_replaced_retires() -> None:
    loads = [event for day in range(5) for event in loop(10 + day, seconds=day * DAY)]
    new = [ran("v2", "new", "all", run=6000 + day, seconds=day * DAY) for day in range(5, 12)]
    assert nodes(after(*loads, *new)("lineage", rollup="none", **UP)) == {"new", "v2", "all"}


def test_a_head_of_the_release_before_has_the_runs_beside_it_at_once() -> None:
    table = MemoryTable()
    store = GraphStore(table, RETENTION)
    fold(factory.received(*loop(1)), store)
    for key, item in list(table.items.items()):
        if item.labels["kind"] == "job":
            document = unpack(item.parts["doc"])
            document.pop("generation", None)
            table.items[key] = replace(item, parts={**item.parts, "doc": pack(document)})
    (head,) = Reader(GraphReader(table), Naming()).jobs([job_id(Name("demo", "load.append.all"))]).values()
    assert {used.name.name for used in head.current.inputs} == set(SHOPS)
