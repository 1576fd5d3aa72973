"""The customers, without what names a person."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

RAW = "customer_id string, mail string, country string"


def pseudonymous_customers(spark: SparkSession, raw: str, target: str) -> None:
    """Replaces the mail of each customer by its hash."""
    customers = spark.read.schema(RAW).csv(raw, header=True)
    hashed = customers.select(
        "customer_id", f.sha2("mail", 256).alias("mail_hash"), f.upper("country").alias("country")
    )
    hashed.write.parquet(target, mode="overwrite")
