"""What sells best."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

RAW = "order_id string, product_id string, units int"


def bestsellers(spark: SparkSession, lines: str, products: str, target: str) -> None:
    """Counts the units of each category, and what they would cost today."""
    sold = spark.read.schema(RAW).csv(lines, header=True).join(spark.read.parquet(products), "product_id")
    worth = f.sum(f.col("units") * f.col("price")).alias("worth")
    sold.groupBy("category").agg(f.sum("units").alias("units"), worth).write.parquet(target, mode="overwrite")
