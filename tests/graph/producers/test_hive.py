"""Hive: two INSERTs of one table are two jobs, and a table is one whether Hive names it or Spark its path."""

import pytest

from headwater.graph.producers import producer_of
from headwater.openlineage.event import JobReference, Name
from tests import factory
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded

METASTORE, FILES = "hive://metastore.shop:9083", "hdfs://nn.shop:8020"


def job_of(name: str, sql: str) -> str:
    facets = {"jobType": factory.facet(integration="HIVE", jobType="QUERY"), "sql": factory.facet(query=sql)}
    return producer_of(facets).stable_name(JobReference(Name("hive.shop", name), facets))


def test_an_insert_of_another_day_is_the_same_job_and_one_of_another_table_is_not() -> None:
    sql = "INSERT OVERWRITE TABLE orders PARTITION (day='{}') SELECT id FROM {} WHERE day = '{}'"
    assert job_of("query.shop.orders", sql.format(1, "a", 1)) == job_of("query.shop.orders", sql.format(2, "a", 2))
    assert job_of("query.shop.orders", sql.format(1, "a", 1)) != job_of("query.shop.orders", sql.format(1, "b", 1))


@pytest.mark.parametrize("name", ["nightly.shop.orders", "createtable_as_select.shop.orders", "load.shop.orders"])
def test_a_job_that_has_a_name_of_its_own_or_makes_a_table_keeps_its_name(name: str) -> None:
    assert job_of(name, "INSERT INTO orders SELECT 1") == name


def test_two_inserts_write_a_table_side_by_side() -> None:
    get = LookupClient(table_after(*recorded("hive", "insert_of_two_days"), *recorded("hive", "another_insert")))
    found = get("lineage", nodeId=f"dataset:{METASTORE}:shop.orders", depth=1, direction="upstream")
    names = {node["id"] for node in found["graph"] if node["type"] == "DATASET"}
    assert names == {f"dataset:{METASTORE}:shop.{table}" for table in ("landing", "orders", "returns")}


def test_a_column_is_followed_from_a_loaded_file_through_a_join_to_an_export() -> None:
    scenarios = ("load", "create_table_as", "export", "import")
    get = LookupClient(table_after(*(event for scenario in scenarios for event in recorded("hive", scenario))))
    found = get("column-lineage", nodeId=f"datasetField:{METASTORE}:shop.revenue_copy:country", depth=5)
    fields = {node["id"].removeprefix("datasetField:") for node in found["graph"]}
    tables = [f"{METASTORE}:shop.{table}:country" for table in ("customers", "revenue", "revenue_copy")]
    assert {f"{FILES}:/in/customers:country", *tables, f"{FILES}:/out/revenue:country"} <= fields


@pytest.mark.parametrize("hive_first", [True, False])
def test_a_table_of_hive_and_its_path_in_spark_are_one_dataset(*, hive_first: bool) -> None:
    path = "/warehouse/shop.db/revenue"
    symlink = {"namespace": METASTORE, "name": "shop.revenue", "type": "TABLE"}
    written = factory.dataset(path, FILES, symlinks=factory.facet(identifiers=[symlink]))
    spark = factory.run_event("COMPLETE", job="reports", inputs=[written], outputs=[factory.dataset("report")])
    hive = recorded("hive", "create_table_as")
    get = LookupClient(table_after(*([*hive, spark] if hive_first else [spark, *hive])))
    up = get("lineage", nodeId=f"dataset:{FILES}:{path}", depth=1)
    jobs = {node["data"]["simpleName"] for node in up["graph"] if node["type"] == "JOB"}
    assert jobs == {"reports", "createtable_as_select.shop.revenue"}
    (found,) = get("search", q="shop.revenue", filter="DATASET")["results"]
    assert found["displayName"] == "shop.revenue"
