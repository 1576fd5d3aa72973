"""What the tables of the shop are made of. `pytest --lineage-update` writes the snapshots in `__lineage__`."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.cli.testing.lineage import LineageOfTest
from shop.customers import pseudonymous_customers
from shop.orders import clean_orders
from shop.revenue import daily_revenue


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """What the tills and the shop's page export."""
    (tmp_path / "orders.csv").write_text(
        "order_id,customer_id,ordered_at,quantity,unit_price,status\n"
        "1,ada,2026-11-20T08:00:00,2,3.50,PAID\n"
        "2,bob,2026-11-20T09:00:00,1,9.00,CANCELLED\n"
    )
    (tmp_path / "customers.csv").write_text("customer_id,mail,country\nada,ada@example.com,gb\n")
    return tmp_path


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
