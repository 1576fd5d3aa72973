"""What all tables of the shop are made of, together: `headwater ci` compares this snapshot with that of the base."""

from pathlib import Path

from pyspark.sql import SparkSession

from headwater.cli.testing.lineage import LineageOfTest
from shop.nightly import run

MORE = {
    "products.csv": "product_id,category,price,changed_at\np1,tea,4.00,2026-11-01\np1,tea,5.00,2026-11-02\n",
    "lines.csv": "order_id,product_id,units\n1,p1,2\n",
    "returns.csv": "order_id,returned_at,reason\n1,2026-11-20T18:00:00,broken\n",
    "subscribers.csv": "mail,wants\ngrace@example.com,yes\n",
}


def test_the_night(lineage_spark: SparkSession, lineage: LineageOfTest, raw: Path) -> None:
    for name, text in MORE.items():
        (raw / name).write_text(text)
    run(lineage_spark, str(raw), str(raw))
    (row,) = lineage_spark.read.parquet(f"{raw}/bestsellers").collect()
    assert (row.category, row.units, str(row.worth)) == ("tea", 2, "10.00")

    lineage.column("accounting.amount").comes_from("orders.csv.unit_price")
    lineage.column("accounting.amount").comes_from("refunds.refund")
    lineage.assert_matches_snapshot()
