"""The revenue of each day and country."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def daily_revenue(spark: SparkSession, orders: str, customers: str, target: str) -> None:
    """Sums the totals of orders by the country of their customers."""
    joined = spark.read.parquet(orders).join(spark.read.parquet(customers), "customer_id")
    revenue = joined.groupBy("ordered_on", "country").agg(f.sum("total").alias("revenue"))
    revenue.write.parquet(target, mode="overwrite")
