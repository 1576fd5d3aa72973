"""What customers got back."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

RAW = "order_id string, returned_at string, reason string"


def refunds(spark: SparkSession, raw: str, orders: str, target: str) -> None:
    """Gives each order that was returned its total and customer."""
    returned = spark.read.schema(RAW).csv(raw, header=True).join(spark.read.parquet(orders), "order_id")
    returned.select(
        "order_id", "customer_id", f.to_date("returned_at").alias("returned_on"), f.col("total").alias("refund")
    ).write.parquet(target, mode="overwrite")
