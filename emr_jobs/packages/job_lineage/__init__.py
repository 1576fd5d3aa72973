"""What the Spark listener cannot see of a job, told by the job itself.

The listener sees queries. It does not see that a stream's micro-batches are one flow from a topic to a table, nor that
what was fitted on one table and saved is the model that scores another topic. A job says so in one line around it:

    spark = session(SparkSession.builder, "score_customers")
    with lineage(spark, reads=[topic(bootstrap, "customers"), model(path)], writes=[topic(bootstrap, "scores")]):
        query.awaitTermination()

It goes to where the listener sends, as a part of the application's own run, which the listener starts and ends. It
is sent in the background; whatever becomes of it, the job does not fail and is held up by a few seconds at most.
"""

from job_lineage.application import Lineage, Training, lineage, session, training
from job_lineage.datasets import Dataset, folder, model, table, topic
from job_lineage.training import Code

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
