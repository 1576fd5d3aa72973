"""Trino: a query has one name in every run, though each run is sent under an id of its own."""

import pytest

from headwater.graph.producers import producer_of
from headwater.openlineage.event import JobReference, Name
from tests import factory
from tests.factory import Document


def name_of(facets: Document, sent: str = "sent") -> str:
    return producer_of(facets).stable_name(JobReference(Name("demo", sent), facets))


def query(sql: str) -> str:
    return name_of({"jobType": factory.facet(integration="TRINO", jobType="QUERY"), "sql": factory.facet(query=sql)})


@pytest.mark.parametrize(
    "sql",
    [
        "insert into lake.aud (order_id) select id from orders where day = DATE '2026-11-20' and price > 10.5",
        "-- nightly\nINSERT INTO lake.aud (order_id)\n SELECT id FROM orders WHERE day = DATE '2026-11-21' AND price>7",
        "INSERT INTO lake.aud (order_id) /* it's */ SELECT id FROM orders WHERE day = DATE 'it''s' AND price > 1e9",
    ],
)
def test_a_query_of_another_day_is_the_same_job(sql: str) -> None:
    assert query(sql) == query("INSERT INTO lake.aud(order_id) SELECT id FROM orders WHERE day=DATE '' AND price>0")


def test_a_query_that_reads_or_writes_something_else_is_another_job() -> None:
    queries = [
        "INSERT INTO a SELECT x FROM b",
        "INSERT INTO a SELECT y FROM b",
        "INSERT INTO a SELECT x FROM c",
        "INSERT INTO c SELECT x FROM b",
        "DELETE FROM a",
    ]
    assert len(set(map(query, queries))) == len(queries)


@pytest.mark.parametrize(
    ("sql", "beginning"),
    [
        ("INSERT INTO lake.shop.audit VALUES (1)", "insert lake.shop.audit "),
        ("UPDATE lake.shop.orders SET a = 1", "update lake.shop.orders "),
        ("DELETE FROM orders", "delete orders "),
        ("MERGE INTO lake.shop.orders t USING x", "merge lake.shop.orders "),
        ('CREATE OR REPLACE TABLE IF NOT EXISTS lake."my shop".orders AS SELECT 1', "create lake.myshop.orders "),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1", "create v "),
        ("SELECT 1", "query "),
    ],
)
def test_the_name_of_a_query_tells_the_statement_and_the_table(sql: str, beginning: str) -> None:
    assert query(sql).startswith(beginning)


def test_rows_of_values_do_not_make_another_job() -> None:
    assert query("INSERT INTO a VALUES (1, 'x')") == query("INSERT INTO a VALUES (2, 'y'), (3, 'z')")
    assert query("DELETE FROM a WHERE id IN (1, 2, 3)") == query("DELETE FROM a WHERE id IN (4)")


@pytest.mark.parametrize("facets", [{}, {"jobType": 5}, {"jobType": {"integration": "TRINO"}, "sql": {"query": 5}}])
def test_any_other_job_keeps_its_name(facets: Document) -> None:
    assert name_of(facets, "a.b") == "a.b"


@pytest.mark.parametrize(
    "text", ["/*" * 50_000, "'" * 99_999, " " * 99_999 + "x", "-- " * 30_000, "(" * 99_999, "?," * 50_000]
)
def test_a_hostile_query_takes_no_time(text: str) -> None:
    assert query(f"INSERT INTO a {text}").startswith("insert a ")
