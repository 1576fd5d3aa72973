"""raw customers (CSV) -> customers (a table), the training data of a churn model.

    spark-submit load_customers.py --raw hdfs://namenode:8020/raw/customers --table lake.crm.customers

The first part of the table's name is the catalog, which the cluster's settings define; with --warehouse the program
defines the catalog, as an Iceberg catalog in that folder.
"""

import argparse

from pyspark.sql import SparkSession

RAW_SCHEMA = "customer_id string, months int, support_calls int, churned int"


def session(table: str, warehouse: str | None) -> SparkSession:
    """Return a session with the table's catalog."""
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
