"""raw customers (CSV) -> customers (a table): what a churn model is trained on.

    spark-submit load_customers.py --raw hdfs://namenode:8020/raw/customers --table lake.crm.customers

The catalog is the first part of the table's name, and is what the cluster's settings define by that name; with
--warehouse the program defines it itself, as an Iceberg catalog in that folder.
"""

import argparse

from pyspark.sql import SparkSession

RAW_SCHEMA = "customer_id string, months int, support_calls int, churned int"


def session(table: str, warehouse: str | None) -> SparkSession:
    """Return a session that knows the table's catalog."""
    builder = SparkSession.builder.appName("load_customers")
    if warehouse:
        catalog = f"spark.sql.catalog.{table.partition('.')[0]}"
        builder = builder.config(catalog, "org.apache.iceberg.spark.SparkCatalog")
        builder = builder.config(f"{catalog}.type", "hadoop").config(f"{catalog}.warehouse", warehouse)
    return builder.getOrCreate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True, help="folder of the customers' CSV files")
    parser.add_argument("--table", required=True, help="the table, as catalog.database.table (replaced)")
    parser.add_argument("--warehouse", help="folder of a Hadoop catalog; without it the cluster defines the catalog")
    arguments = parser.parse_args()
    spark = session(arguments.table, arguments.warehouse)
    try:
        raw = spark.read.schema(RAW_SCHEMA).option("header", True).csv(arguments.raw)
        raw.where("customer_id IS NOT NULL").writeTo(arguments.table).using("iceberg").createOrReplace()
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
