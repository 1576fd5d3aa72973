"""orders (Iceberg, as orders_stream.py fills it) -> orders_by_product (parquet).

spark-submit orders_report.py --table lake.shop.orders --report s3://lake/orders_by_product
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn


def session(table: str, warehouse: str | None) -> SparkSession:
    """Return a session with the table's catalog."""
    builder = SparkSession.builder.appName("orders_report")
    if warehouse:
        catalog = f"spark.sql.catalog.{table.partition('.')[0]}"
        builder = builder.config(catalog, "org.apache.iceberg.spark.SparkCatalog")
        builder = builder.config(f"{catalog}.type", "hadoop").config(f"{catalog}.warehouse", warehouse)
    return builder.getOrCreate()


def by_product(orders: DataFrame) -> DataFrame:
    revenue = (fn.col("quantity") * fn.col("unit_price")).cast("decimal(14,2)")
    return orders.groupBy("product").agg(fn.count("order_id").alias("orders"), fn.sum(revenue).alias("revenue"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", required=True, help="the Iceberg table of orders, as catalog.database.table")
    parser.add_argument("--report", required=True, help="path of the report (replaced)")
    parser.add_argument("--warehouse", help="folder of a Hadoop catalog; without it the cluster defines the catalog")
    arguments = parser.parse_args()
    spark = session(arguments.table, arguments.warehouse)
    try:
        by_product(spark.table(arguments.table)).coalesce(1).write.mode("overwrite").parquet(arguments.report)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
