"""Who buys often."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def loyal_customers(spark: SparkSession, orders: str, target: str) -> None:
    """Gives each customer a tier by the number and the sum of orders."""
    customers = (
        spark.read.parquet(orders)
        .groupBy("customer_id")
        .agg(f.count("order_id").alias("orders"), f.sum("total").alias("spent"))
    )
    tier = f.when(f.col("spent") > 1000, "gold").when(f.col("orders") > 3, "silver").otherwise("new")
    customers.select("customer_id", "orders", tier.alias("tier")).write.parquet(target, mode="overwrite")
