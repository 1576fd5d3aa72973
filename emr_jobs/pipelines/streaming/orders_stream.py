"""A Kafka topic of orders (JSON) -> orders (Iceberg), micro-batch by micro-batch, until the stream is stopped.

    spark-submit orders_stream.py --bootstrap broker:9092 --topic orders --table lake.shop.orders \\
        --checkpoint s3://lake/checkpoints/orders

With --once the program ends after the messages that are in the topic. The first part of the table's name is the
catalog, which the cluster's settings define; with --warehouse the program defines the catalog, as a Hadoop catalog in
that folder.
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

ORDER = "order_id string, product string, quantity int, unit_price decimal(12,2), ordered_at timestamp"
EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def with_catalog(builder: SparkSession.Builder, name: str, warehouse: str | None) -> SparkSession.Builder:
    """Return a builder of a session with the catalog of a table."""
    builder = builder.config("spark.sql.extensions", EXTENSIONS)
    if warehouse:
        catalog = f"spark.sql.catalog.{name.partition('.')[0]}"
        builder = builder.config(catalog, "org.apache.iceberg.spark.SparkCatalog")
        builder = builder.config(f"{catalog}.type", "hadoop").config(f"{catalog}.warehouse", warehouse)
    return builder


def orders(spark: SparkSession, bootstrap: str, topic: str) -> DataFrame:
    """Return the stream of the orders in a topic, from its beginning on. Other messages are dropped."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", topic)
    messages = source.option("startingOffsets", "earliest").load()
    read = messages.select(fn.from_json(fn.col("value").cast("string"), ORDER).alias("order"))
    return read.select("order.*").where("order_id IS NOT NULL")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bootstrap", required=True, help="Kafka's bootstrap servers, as host:port,host:port")
    parser.add_argument("--topic", required=True, help="the topic to read")
    parser.add_argument("--table", required=True, help="the Iceberg table to append to, as catalog.database.table")
    parser.add_argument("--checkpoint", required=True, help="path where the stream keeps how far it is")
    parser.add_argument("--warehouse", help="folder of a Hadoop catalog; without it the cluster defines the catalog")
    parser.add_argument("--every", default="10 seconds", help="time between micro-batches (default: %(default)s)")
    parser.add_argument("--once", action="store_true", help="take what the topic holds now, then end")
    arguments = parser.parse_args()
    builder = SparkSession.builder.appName("orders_stream")
    spark = with_catalog(builder, arguments.table, arguments.warehouse).getOrCreate()
    try:
        rows = orders(spark, arguments.bootstrap, arguments.topic)
        spark.sql(f"CREATE TABLE IF NOT EXISTS {arguments.table} ({ORDER}) USING iceberg")
        writer = rows.writeStream.format("iceberg").option("checkpointLocation", arguments.checkpoint)
        writer = writer.trigger(availableNow=True) if arguments.once else writer.trigger(processingTime=arguments.every)
        writer.toTable(arguments.table).awaitTermination()
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
