"""Cleans the orders of the shop's tills."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

RAW = "order_id string, customer_id string, ordered_at string, quantity int, unit_price decimal(10,2), status string"


def clean_orders(spark: SparkSession, raw: str, target: str) -> None:
    """Keeps the orders that were not cancelled, with their day and total."""
    orders = spark.read.schema(RAW).csv(raw, header=True).where("status <> 'CANCELLED' AND quantity > 0")
    orders.select(
        "order_id",
        "customer_id",
        f.to_date("ordered_at").alias("ordered_on"),
        (f.col("quantity") * f.col("unit_price")).cast("decimal(12,2)").alias("total"),
    ).write.parquet(target, mode="overwrite")
