"""What Airflow's parser read out of a SQL text is corrected by the text and by the table's columns."""

import time
from typing import Any

import pytest

from headwater.graph.facets.members import MAX_SQL
from headwater.graph.producers.airflow import with_corrections
from headwater.openlineage.event import DatasetReference, Name
from tests import factory
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded

SHOP = "postgres://db.shop:5432"
PAID = {"namespace": SHOP, "name": "shop.public.paid", "field": "amount"}


def outputs(query: str, *tables: str) -> list[str]:
    named = [DatasetReference(Name(SHOP, f"shop.public.{table}"), {}, {}) for table in tables]
    return [output.name.name.rpartition(".")[2] for output in with_corrections(named, {"sql": {"query": query}})]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("DROP TABLE IF EXISTS a, b CASCADE; CREATE TABLE a (x int)", ["a"]),
        ("drop table public.b;\ndrop view a; insert into a select 1", ["a"]),
        ('DROP TABLE "b" RESTRICT', ["a"]),
        ("DROP TABLE a; SELECT * INTO b FROM c", ["b"]),
        ("INSERT INTO a SELECT * FROM b -- DROP TABLE a", ["a", "b"]),
        ("CREATE TABLE a AS SELECT 1", ["a", "b"]),
        ("", ["a", "b"]),
    ],
)
def test_a_table_that_is_only_dropped_is_no_output(query: str, left: list[str]) -> None:
    assert outputs(query, "a", "b") == left


def columns(query: str, *names: str, schema: tuple[str, ...] = ("country", "revenue", "orders")) -> dict[str, Any]:
    """The column lineage after the correction; each of the columns is made of `amount`."""
    facets = {
        "columnLineage": {"fields": {name: {"inputFields": [PAID]} for name in names}},
        "schema": factory.schema(*(f"{column}:text" for column in schema)),
    }
    (output,) = with_corrections([DatasetReference(Name(SHOP, "t"), facets, {})], {"sql": {"query": query}})
    facet: dict[str, Any] = output.facets["columnLineage"]
    return facet


@pytest.mark.parametrize(
    ("query", "column", "meant"),
    [
        ("INSERT INTO t SELECT country, sum(amount), count(*) FROM paid GROUP BY country", "_0", "revenue"),
        ("INSERT INTO t SELECT NULL, sum(amount), count(*) FROM paid", "_1", "revenue"),
        ("INSERT INTO t SELECT p.country, 1 AS one, max(amount) FROM paid p", "_0", "orders"),
        ("INSERT INTO t SELECT p.country, f(1, ',') one, max(amount) FROM paid p", "_0", "orders"),
        ('insert into public.t ("orders", revenue) select count(*), sum(amount) from paid', "_1", "revenue"),
        ("INSERT INTO t (revenue) SELECT coalesce(sum(amount), 0) FROM paid", "_0", "revenue"),
    ],
)
def test_a_column_without_a_name_is_the_one_that_it_is_written_to(query: str, column: str, meant: str) -> None:
    facet = columns(query, "country", column)
    assert set(facet["fields"]) == {"country", meant}
    assert facet["dataset"] == []


@pytest.mark.parametrize(
    "query",
    ["INSERT INTO t SELECT *, sum(amount) FROM paid", "CREATE TABLE t AS SELECT sum(amount) FROM paid", "SELECT"],
)
def test_where_the_text_does_not_tell_the_sources_are_those_of_the_whole_table(query: str) -> None:
    facet = columns(query, "country", "_0")
    assert (set(facet["fields"]), facet["dataset"]) == ({"country"}, [PAID])


def test_a_column_that_has_such_a_name_keeps_its_name() -> None:
    facet = columns("CREATE TABLE t AS SELECT sum(amount) AS _0 FROM paid", "_0", schema=("_0",))
    assert (set(facet["fields"]), facet["dataset"]) == ({"_0"}, [])


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE a" + " " * MAX_SQL,
        "DROP TABLE " * (MAX_SQL // 11),
        "INSERT INTO t (" * (MAX_SQL // 15),
        "INSERT INTO t SELECT " + "a " * (MAX_SQL // 2),
        "INSERT INTO t SELECT " + "a AS " * (MAX_SQL // 5) + "(",
        "INSERT INTO t SELECT " + "(" * MAX_SQL,
    ],
)
def test_a_long_text_takes_no_long_time(query: str) -> None:
    begin = time.monotonic()
    columns(query, "_0")
    assert time.monotonic() - begin < 2


def test_of_airflows_events_comes_no_column_without_a_name() -> None:
    for scenario in ("sql", "sql_column_removed"):
        get = LookupClient(table_after(*recorded("airflow", scenario)))
        answer = get("column-lineage", nodeId=f"dataset:{SHOP}:shop.public.paid_orders", direction="downstream")
        written = {node["data"]["field"] for node in answer["graph"] if node["data"]["dataset"].endswith("revenue")}
        assert "revenue" in written
        assert written <= {"country", "revenue", "orders"}


def test_what_airflow_drops_is_no_output_of_the_task_at_any_time() -> None:
    get = LookupClient(table_after(*recorded("airflow", "sql")))
    (job,) = [job for job in get("jobs")["jobs"] if job["name"] == "shop.load"]
    ever = get("lineage", nodeId=f"job:{job['namespace']}:shop.load", view="ever", direction="downstream", depth=0)
    tables = {node["data"]["name"].rpartition(".")[2] for node in ever["graph"] if node["type"] == "DATASET"}
    assert tables == {"customers", "orders", "revenue"}


def test_a_dbt_test_writes_no_table() -> None:
    for scenario in ("structured_logs_build", "structured_logs_build_failing_test"):
        table = table_after(*recorded("dbt", scenario))
        assert LookupClient(table)("search", q="dbt_test__audit", filter="DATASET")["totalCount"] == 0
