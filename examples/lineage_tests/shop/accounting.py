"""What the accountants load on the first of the month."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def accounting_export(spark: SparkSession, net: str, target: str) -> None:
    """Gives the columns the names that the accountants' program expects."""
    spark.read.parquet(net).select(
        f.col("ordered_on").alias("booking_date"), f.col("net").cast("decimal(18,2)").alias("amount")
    ).write.parquet(target, mode="overwrite")
