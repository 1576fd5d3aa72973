"""Whom the shop may write to."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

RAW = "mail string, wants string"


def mailing(spark: SparkSession, subscribers: str, customers: str, target: str) -> None:
    """Joins customers and subscribers of the newsletter by the hash of their mails."""
    wanted = spark.read.schema(RAW).csv(subscribers, header=True).where("wants = 'yes'")
    hashed = wanted.select(f.sha2("mail", 256).alias("mail_hash"))
    hashed.union(spark.read.parquet(customers).select("mail_hash")).distinct().write.parquet(target, mode="overwrite")
