"""raw customers (CSV) -> customers (Iceberg): CTAS, a new column, an append, a merge, time travel.

A further run keeps the table, and brings the table up to date.

    spark-submit customers_iceberg.py --raw s3://lake/raw/customers --updates s3://lake/raw/customer_updates \\
        --table lake.crm.customers --first-report s3://lake/customers_at_first

The first part of the table's name is the catalog, which the cluster's settings define (on EMR and Glue: the Glue Data
Catalog). With --warehouse the program defines the catalog, as a Hadoop catalog in that folder.
"""

import argparse

from pyspark.sql import SparkSession

RAW_SCHEMA = "customer_id string, name string, country string, spent decimal(12,2)"
EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def session(table: str, warehouse: str | None) -> SparkSession:
    """Return a session with the table's catalog."""
    builder = SparkSession.builder.appName("customers_iceberg").config("spark.sql.extensions", EXTENSIONS)
    if warehouse:
        catalog = f"spark.sql.catalog.{table.partition('.')[0]}"
        builder = builder.config(catalog, "org.apache.iceberg.spark.SparkCatalog")
        builder = builder.config(f"{catalog}.type", "hadoop").config(f"{catalog}.warehouse", warehouse)
    return builder.getOrCreate()


def load(spark: SparkSession, raw: str, updates: str, table: str) -> int:
    """Create the table from the raw customers, merge the updates, and return the id of the first snapshot."""
    for name, path in (("raw_customers", raw), ("customer_updates", updates)):
        spark.read.schema(RAW_SCHEMA).option("header", True).csv(path).createOrReplaceTempView(name)
    of_known = "SELECT * FROM raw_customers WHERE country IS NOT NULL"
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} USING iceberg AS {of_known}")
    if "tier" not in spark.table(table).columns:
        spark.sql(f"ALTER TABLE {table} ADD COLUMN tier string")
    spark.sql(
        f"INSERT INTO {table} SELECT raw.*, CAST(NULL AS string) FROM raw_customers raw "
        f"LEFT ANTI JOIN {table} old ON old.customer_id = raw.customer_id"
    )
    spark.sql(
        f"MERGE INTO {table} AS old USING customer_updates AS new ON old.customer_id = new.customer_id "
        "WHEN MATCHED THEN UPDATE SET old.spent = new.spent, old.tier = 'known' "
        "WHEN NOT MATCHED THEN INSERT (customer_id, name, country, spent, tier) "
        "VALUES (new.customer_id, new.name, new.country, new.spent, 'new')"
    )
    return first_snapshot(spark, table)


def first_snapshot(spark: SparkSession, table: str) -> int:
    """Return the id of the table's oldest snapshot."""
    row = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at LIMIT 1").first()
    return int(row["snapshot_id"]) if row else 0


def report(spark: SparkSession, table: str, at: int, path: str) -> None:
    """Write the sum that each country had spent as of a snapshot."""
    then = spark.sql(f"SELECT country, sum(spent) AS spent FROM {table} VERSION AS OF {at} GROUP BY country")
    then.coalesce(1).write.mode("overwrite").parquet(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True, help="folder of the customers' CSV files")
    parser.add_argument("--updates", required=True, help="folder of the CSV files to merge")
    parser.add_argument("--table", required=True, help="the Iceberg table, as catalog.database.table")
    parser.add_argument("--first-report", required=True, help="path for the report of the first snapshot (replaced)")
    parser.add_argument("--warehouse", help="folder of a Hadoop catalog; without it the cluster defines the catalog")
    arguments = parser.parse_args()
    spark = session(arguments.table, arguments.warehouse)
    try:
        first = load(spark, arguments.raw, arguments.updates, arguments.table)
        report(spark, arguments.table, first, arguments.first_report)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
