"""A statement that Spark runs as two queries is one job in every graph: the wrapper yields to the query that writes."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after
from tests.lookup.test_cost import body_and_calls, table_of
from tests.producer_records import recorded
from tests.traversal.lineage import LAKE, after, nodes

QUERY = {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")}
CLEAN = {"nodeId": f"dataset:{LAKE}:clean", "direction": "upstream"}
RAW = {"nodeId": f"dataset:{LAKE}:raw", "direction": "downstream"}


def query(
    job: str, begin: float, end: float | None, *, reads: str = "raw", run: int, app: int = 100, kind: str = "COMPLETE"
) -> list[Document]:
    """A query of an application that writes `clean`, from one second to another."""
    events: list[tuple[str, float]] = [("START", begin), *([(kind, end)] if end is not None else [])]
    return [
        factory.run_event(
            event,
            seconds=seconds,
            job=f"app.{job}",
            run=run,
            inputs=[factory.dataset(name) for name in reads.split()],
            outputs=[factory.dataset("clean")],
            run_facets={"parent": factory.parent(app, "app")},
            job_facets=QUERY,
        )
        for event, seconds in events
    ]


def drawn(*events: Document, **about: Any) -> set[str]:
    """The queries in the graph, the same in any order of the events."""
    (graph,) = {
        frozenset(name for name in nodes(after(*order)("lineage", **(about or CLEAN))) if name.startswith("app."))
        for order in (events, events[::-1])
    }
    return {name.removeprefix("app.") for name in graph}


STATEMENT = [*query("ctas", 0, 10, run=1), *query("append", 1, 10, run=2)]


@pytest.mark.parametrize("about", [CLEAN, RAW, {"nodeId": f"dataset:{LAKE}:clean"}])
def test_a_statement_is_the_query_that_writes(about: dict[str, str]) -> None:
    assert drawn(*STATEMENT, **about) == {"append"}
    assert drawn(*STATEMENT, **about, asOf=factory.at(20)) == {"append"}
    assert drawn(*STATEMENT, **about, view="ever") == {"append", "ctas"}


def test_the_wrapper_itself_can_be_asked_for() -> None:
    assert drawn(*STATEMENT, nodeId="job:demo:app.ctas", direction="both") == {"ctas"}


@pytest.mark.parametrize(
    "other",
    [
        query("append", 1, 9, run=2, app=101),
        query("append", 1, 9, run=2, reads="other"),
        query("append", 1, 11, run=2),
        query("append", 0, 10, run=2),
        query("append", 11, 12, run=2),
        query("append", 1, 9, run=2, kind="FAIL"),
    ],
    ids=["another application", "reads something else", "ends later", "same times", "afterwards", "failed alone"],
)
def test_two_queries_that_are_no_statement_stay_two(other: list[Document]) -> None:
    assert drawn(*query("ctas", 0, 10, run=1), *other) == {"append", "ctas"}


def test_two_queries_of_which_the_outer_one_alone_tells_columns_stay_two() -> None:
    told = query("ctas", 0, 10, run=1)
    for event in told:
        event["outputs"][0]["facets"] = {"columnLineage": factory.columns(id=(LAKE, "raw", "id"))}
    assert drawn(*told, *query("append", 1, 9, run=2)) == {"append", "ctas"}


def test_a_statement_that_runs_or_that_failed_is_one_too() -> None:
    assert drawn(*query("ctas", 0, None, run=1), *query("append", 1, 9, run=2)) == {"append"}
    failed = [*query("ctas", 0, 10, run=1, kind="FAIL"), *query("append", 1, 9, run=2, kind="FAIL")]
    assert drawn(*failed) == {"append"}


def test_the_query_within_may_have_run_again_since() -> None:
    later = [event for n in range(3) for event in query("append", 100 + n, 101 + n, run=10 + n, app=101)]
    assert drawn(*STATEMENT, *later) == {"append"}
    (_, two), (_, again) = (
        body_and_calls(table_of(*events), "lineage", **CLEAN) for events in (STATEMENT, [*STATEMENT, *later])
    )
    assert again <= two + 2


def test_queries_of_one_application_that_write_a_dataset_cost_a_read_and_one_for_each_that_ran_after_another() -> None:
    first, second = query("insert", 0, 10, run=1), query("merge", 11, 12, run=2)
    of_another = [{**event, "run": {**event["run"], "facets": {"parent": factory.parent(7, "b")}}} for event in second]
    (_, apart), (_, beside) = (
        body_and_calls(table_of(*first, *events), "lineage", **CLEAN) for events in (of_another, second)
    )
    assert beside <= apart + 2


def test_a_column_that_a_statement_does_not_read_breaks_nothing() -> None:
    """The wrapper sends no column lineage, so it might use any column."""
    wrapper = query("ctas", 0, 10, run=1)
    inner = query("append", 1, 9, run=2)
    for event in inner:
        event["outputs"][0]["facets"] = {"columnLineage": factory.columns(id=(LAKE, "raw", "id"))}
        event["inputs"][0]["facets"] = {"schema": factory.schema("id:long", "note:string")}
    get = LookupClient(table_after(*wrapper, *inner))

    def broken(column: str) -> set[str]:
        owners = get("impact", nodeId=f"datasetField:{LAKE}:raw:{column}")["owners"]
        return {item["nodeId"] for owner in owners for item in owner["items"]}

    assert broken("note") == set()
    assert broken("id") == {"job:demo:app.append", f"datasetField:{LAKE}:clean:id"}


EVENTS = recorded("spark", "statements")


@pytest.mark.parametrize(
    ("table", "writers"),
    [
        ("lake/ice/db/orders", {"append_data.ice_db_orders", "overwrite_by_expression.ice_db_orders"}),
        ("lake/ice/db/orders2", {"overwrite_by_expression.db_orders2"}),
        ("lake/ice/db/byapi", {"overwrite_by_expression.db_byapi"}),
        ("lake/ice/db/daily", {"append_data.ice_db_daily"}),
        ("wh_lake_ddl/pq_orders", {"execute_insert_into_hadoop_fs_relation_command.wh_lake_ddl_pq_orders"}),
        ("wh_lake_ddl/pq_ctas", {"execute_insert_into_hadoop_fs_relation_command.wh_lake_ddl_pq_ctas"}),
        ("wh_lake_ddl/pq_daily", {"adaptive_spark_plan.wh_lake_ddl_pq_daily"}),
    ],
)
def test_each_statement_of_a_recorded_program_is_one_box(table: str, writers: set[str]) -> None:
    answer = LookupClient(table_after(*EVENTS))(
        "lineage", nodeId=f"dataset:file:/srv/{table}", direction="upstream", depth=1
    )
    names = {node["data"]["name"].partition(".")[2] for node in answer["graph"] if node["type"] == "JOB"}
    assert names - {"replace_data.ice_db_orders"} == writers
