"""The products as they are now."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as f

RAW = "product_id string, category string, price decimal(10,2), changed_at timestamp"


def current_products(spark: SparkSession, raw: str, target: str) -> None:
    """Keeps the newest version of each product."""
    newest = Window.partitionBy("product_id").orderBy(f.desc("changed_at"))
    products = spark.read.schema(RAW).csv(raw, header=True).withColumn("version", f.row_number().over(newest))
    products.where("version = 1").select("product_id", "category", "price").write.parquet(target, mode="overwrite")
