"""What the tables of the shop are made of. `pytest --lineage-update` writes the snapshots in `__lineage__`."""

from pathlib import Path

from pyspark.sql import SparkSession

from headwater.cli.testing.lineage import LineageOfTest
from shop.customers import pseudonymous_customers
from shop.orders import clean_orders
from shop.revenue import daily_revenue


def test_mails_do_not_leave_the_shop(lineage_spark: SparkSession, lineage: LineageOfTest, raw: Path) -> None:
    pseudonymous_customers(lineage_spark, f"{raw}/customers.csv", f"{raw}/customers")
    lineage.assert_matches_snapshot()


def test_daily_revenue(lineage_spark: SparkSession, lineage: LineageOfTest, raw: Path) -> None:
    pseudonymous_customers(lineage_spark, f"{raw}/customers.csv", f"{raw}/customers")
    clean_orders(lineage_spark, f"{raw}/orders.csv", f"{raw}/orders")
    daily_revenue(lineage_spark, f"{raw}/orders", f"{raw}/customers", f"{raw}/revenue")
    (row,) = lineage_spark.read.parquet(f"{raw}/revenue").collect()
    assert (row.country, str(row.revenue)) == ("GB", "7.00")

    lineage.column("revenue.revenue").comes_from("orders.csv.unit_price")
    lineage.table("revenue").reads("orders")
    lineage.assert_matches_snapshot()
