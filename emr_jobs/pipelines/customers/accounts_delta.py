"""raw accounts (CSV) -> accounts (Delta): written, then merged into from a second folder.

spark-submit accounts_delta.py --raw s3://lake/raw/accounts --updates s3://lake/raw/account_updates \\
    --table s3://lake/accounts
"""

import argparse

from pyspark.sql import SparkSession

RAW_SCHEMA = "customer_id string, name string, country string, spent decimal(12,2)"
EXTENSIONS = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def session() -> SparkSession:
    builder = SparkSession.builder.appName("accounts_delta").config("spark.sql.extensions", EXTENSIONS)
    return builder.config("spark.sql.catalog.spark_catalog", CATALOG).getOrCreate()


def load(spark: SparkSession, raw: str, updates: str, table: str) -> None:
    """Write the raw accounts and merge the updates into them."""
    read = spark.read.schema(RAW_SCHEMA).option("header", True)
    read.csv(raw).write.format("delta").mode("overwrite").save(table)
    read.csv(updates).createOrReplaceTempView("account_updates")
    spark.sql(
        f"MERGE INTO delta.`{table}` AS old USING account_updates AS new ON old.customer_id = new.customer_id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True, help="folder of the accounts' CSV files")
    parser.add_argument("--updates", required=True, help="folder of the CSV files to merge")
    parser.add_argument("--table", required=True, help="path of the Delta table (replaced)")
    arguments = parser.parse_args()
    spark = session()
    try:
        load(spark, arguments.raw, arguments.updates, arguments.table)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
