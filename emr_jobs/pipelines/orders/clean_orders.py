"""Raw orders (CSV or JSON) -> orders_clean (parquet): typed columns, an order total, no bad rows.

    spark-submit clean_orders.py --raw s3://lake/raw/orders --clean s3://lake/orders_clean

A row is bad if a number, a date or the order's id is missing or cannot be read, or if the quantity is not positive. Bad
rows are dropped; with --strict the first bad row fails the job. A missing column is null, and a column of another type
is cast: the job goes on, and the lineage shows the effect downstream.
"""

import argparse

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

RAW_COLUMNS = ("order_id", "customer_id", "product", "quantity", "unit_price", "status", "ordered_at")
AS_TEXT = ", ".join(f"{name} string" for name in RAW_COLUMNS)
MONEY = "decimal(12,2)"


def read_raw(spark: SparkSession, path: str, file_format: str, columns: str) -> DataFrame:
    """Read the columns of the feed. A value of another type is null, which makes the row bad."""
    raw = spark.read.format(file_format).schema(columns).option("header", True).load(path)
    missing = (name for name in RAW_COLUMNS if name not in raw.columns)
    return raw.withColumns({name: fn.lit(None).cast("string") for name in missing})


def clean(raw: DataFrame, strict: bool) -> DataFrame:
    """Return the good orders, typed, with `order_total` and `order_date`."""
    typed = raw.select(
        "order_id",
        "customer_id",
        "product",
        as_type("quantity", "int"),
        as_type("unit_price", MONEY),
        "status",
        as_type("ordered_at", "date").alias("order_date"),
    )
    return typed.where(checked(is_good(), strict)).withColumn(
        "order_total", (fn.col("quantity") * fn.col("unit_price")).cast(MONEY)
    )


def as_type(name: str, data_type: str) -> Column:
    """Cast, to null if the cast fails. In Spark's ANSI mode, the default from 4.0 on, a plain cast raises instead."""
    return fn.expr(f"try_cast({name} as {data_type})").alias(name)


def is_good() -> Column:
    present = (fn.col(name).isNotNull() for name in ("order_id", "unit_price", "order_date"))
    condition = fn.coalesce(fn.col("quantity") > 0, fn.lit(False))
    for column_present in present:
        condition = condition & column_present
    return condition


def checked(good: Column, strict: bool) -> Column:
    """Return the filter that drops bad rows, or, if `strict`, the filter that fails on a bad row."""
    if not strict:
        return good
    complaint = fn.concat(fn.lit("bad row in raw orders, order_id "), fn.col("order_id"))
    return fn.when(good, fn.lit(True)).otherwise(fn.raise_error(complaint).cast("boolean"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True, help="path of the raw orders: a folder, any scheme Spark reads")
    parser.add_argument("--clean", required=True, help="path that orders_clean is written to (replaced)")
    parser.add_argument("--format", choices=("csv", "json"), default="csv", help="of the raw orders (default: csv)")
    parser.add_argument(
        "--columns", default=AS_TEXT, help="of the raw orders, in order, as DDL (default: all are text)"
    )
    parser.add_argument("--strict", action="store_true", help="fail on the first bad row instead of dropping it")
    arguments = parser.parse_args()
    spark = SparkSession.builder.appName("clean_orders").getOrCreate()
    try:
        raw = read_raw(spark, arguments.raw, arguments.format, arguments.columns)
        orders = clean(raw, arguments.strict)
        orders.write.mode("overwrite").parquet(arguments.clean)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
