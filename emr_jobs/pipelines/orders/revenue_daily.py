"""orders_clean (parquet) -> revenue_daily (parquet): one row a day and product, from completed orders only.

spark-submit revenue_daily.py --clean s3://lake/orders_clean --revenue s3://lake/revenue_daily
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

MONEY = "decimal(14,2)"


def revenue_daily(orders: DataFrame) -> DataFrame:
    """Return orders, units and revenue by day and product."""
    completed = orders.where(fn.col("status") == "completed")
    return completed.groupBy("order_date", "product").agg(
        fn.count("order_id").alias("orders"),
        fn.sum("quantity").alias("units"),
        fn.sum("order_total").cast(MONEY).alias("total_revenue"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clean", required=True, help="path of orders_clean, as clean_orders.py wrote it")
    parser.add_argument("--revenue", required=True, help="path that revenue_daily is written to (replaced)")
    arguments = parser.parse_args()
    spark = SparkSession.builder.appName("revenue_daily").getOrCreate()
    try:
        revenue = revenue_daily(spark.read.parquet(arguments.clean))
        revenue.coalesce(1).write.mode("overwrite").parquet(arguments.revenue)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
