"""Lineage that the Spark listener does not see, reported by the job itself.

The listener sees queries. The listener does not see that a stream's micro-batches are one flow from a topic to a table,
nor that a model was fitted on a table and scores the messages of a topic. A job reports this in one line around its
work:

    spark = session(SparkSession.builder, "score_customers")
    with lineage(spark, reads=[topic(bootstrap, "customers"), model(path)], writes=[topic(bootstrap, "scores")]):
        query.awaitTermination()

The events are sent in the background to the URL of the listener. They are about the application's own run, which the
listener starts and ends. A fault of the reporting fails no job, and delays a job by six seconds at most.
"""

from headwater.spark.application import Lineage, Training, lineage, session, training
from headwater.spark.datasets import Dataset, folder, model, table, topic
from headwater.spark.training import Code

__all__ = [
    "Code",
    "Dataset",
    "Lineage",
    "Training",
    "folder",
    "lineage",
    "model",
    "session",
    "table",
    "topic",
    "training",
]
