"""The revenue of each day, less what was refunded on it."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def net_revenue(spark: SparkSession, revenue: str, refunds: str, target: str) -> None:
    """Subtracts the refunds of a day from its revenue in all countries."""
    sold = spark.read.parquet(revenue).groupBy("ordered_on").agg(f.sum("revenue").alias("sold"))
    back = spark.read.parquet(refunds).groupBy("returned_on").agg(f.sum("refund").alias("refunded"))
    days = sold.join(back, sold.ordered_on == back.returned_on, "left")
    net = f.col("sold") - f.coalesce("refunded", f.lit(0))
    days.select("ordered_on", net.alias("net")).write.parquet(target, mode="overwrite")
