"""A Kafka topic of customers (JSON) -> a topic of predictions, by the model of train_churn.py.

spark-submit --py-files headwater_spark.zip score_customers.py --bootstrap broker:9092 --customers customers \\
    --scores churn-scores --model s3://lake/models/churn --checkpoint s3://lake/checkpoints/scores
"""

import argparse

from pyspark.ml import PipelineModel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from headwater.spark import lineage, model, session, topic

CUSTOMER = "customer_id string, months int, support_calls int"


def customers(spark: SparkSession, bootstrap: str, name: str) -> DataFrame:
    """Return the stream of the customers in a topic, from its beginning on. Other messages are dropped."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", name)
    messages = source.option("startingOffsets", "earliest").load()
    read = messages.select(fn.from_json(fn.col("value").cast("string"), CUSTOMER).alias("customer"))
    return read.select("customer.*").where("customer_id IS NOT NULL")


def scored(rows: DataFrame, fitted: PipelineModel) -> DataFrame:
    """Return Kafka messages with the prediction whether a customer leaves."""
    leaves = (fn.col("prediction") == 1).alias("leaves")
    return fitted.transform(rows).select(
        fn.col("customer_id").alias("key"), fn.to_json(fn.struct("customer_id", leaves)).alias("value")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bootstrap", required=True, help="Kafka's bootstrap servers, as host:port,host:port")
    parser.add_argument("--customers", required=True, help="the topic to read")
    parser.add_argument("--scores", required=True, help="the topic to write")
    parser.add_argument("--model", required=True, help="path of the model, as train_churn.py saved it")
    parser.add_argument("--checkpoint", required=True, help="path where the stream keeps how far it is")
    parser.add_argument("--every", default="10 seconds", help="time between micro-batches (default: %(default)s)")
    parser.add_argument("--once", action="store_true", help="take what the topic holds now, then end")
    arguments = parser.parse_args()
    spark = session(SparkSession.builder, "score_customers")
    try:
        reads = [topic(arguments.bootstrap, arguments.customers), model(arguments.model)]
        with lineage(spark, reads=reads, writes=[topic(arguments.bootstrap, arguments.scores)]):
            rows = customers(spark, arguments.bootstrap, arguments.customers)
            messages = scored(rows, PipelineModel.load(arguments.model))
            writer = messages.writeStream.format("kafka").option("kafka.bootstrap.servers", arguments.bootstrap)
            writer = writer.option("topic", arguments.scores).option("checkpointLocation", arguments.checkpoint)
            often = {"availableNow": True} if arguments.once else {"processingTime": arguments.every}
            writer.trigger(**often).start().awaitTermination()
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
