"""Waste: data that nobody reads, jobs that only make such data, and data that is read but never written.

Nobody can have read what was first written a short while ago: a dataset is reported once it is as old as the time in
which nobody read it. A dataset that was dropped, and created again, is as old as its first write since.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame, node
from emr_jobs.insights.unwritten import unwritten_insights


def waste_insights(graph: Graph, unread_days: int) -> DataFrame:
    """The datasets that have been written for `unread_days` days and were not read in these, the jobs all of whose
    datasets are such, and the datasets that are read and that no job ever wrote."""
    used = usage_of_datasets(graph).localCheckpoint()
    begin = fn.lit(graph.as_of - timedelta(days=unread_days))
    is_unread = fn.col("last_read").isNull() | (fn.col("last_read") < begin)
    unread = used.where("is_written").where(is_unread & (fn.col("first_write") <= begin))
    unwritten = used.where("is_read AND last_write IS NULL")
    return _unread(unread).union(_idle_jobs(graph, unread)).union(unwritten_insights(graph, unwritten))


def usage_of_datasets(graph: Graph) -> DataFrame:
    """`dataset_id`, `namespace`, `name`, the days of the first write since the dataset was dropped and of the last read
    and write ever, whether it is read and written of late, and the bytes and seconds of late writes; without datasets
    that hold no data. A job that merges into a dataset reads the dataset: a writer's own read is not a use."""
    is_read, is_write = fn.col("direction") == "read", fn.col("direction") == "write"
    writers = graph.history.where(is_write).select("job_id", "dataset_id").distinct()
    reads = graph.history.where(is_read).join(writers, ["job_id", "dataset_id"], "left_anti")
    late_write = is_write & fn.col("is_recent")
    fates = graph.fates.select("dataset_id", "dropped_at")
    used = graph.history.where(is_write).unionByName(reads).join(fates, "dataset_id", "left")
    begun = fn.when(
        is_write & fn.expr("dropped_at IS NULL OR dropped_at < last_seen"), fn.greatest("first_seen", "dropped_at")
    )
    summed = used.groupBy("dataset_id").agg(
        fn.min(fn.to_date(begun)).alias("first_write"),
        fn.max(fn.when(is_read, fn.to_date("last_seen"))).alias("last_read"),
        fn.max(fn.when(is_write, fn.to_date("last_seen"))).alias("last_write"),
        fn.bool_or(is_read & fn.col("is_recent")).alias("is_read"),
        fn.bool_or(late_write).alias("is_written"),
        fn.sum(fn.when(late_write, fn.col("bytes").cast("double"))).alias("bytes_written"),
        fn.sum(fn.when(late_write, fn.col("seconds"))).alias("seconds"),
    )
    named = graph.table("datasets").where("NOT is_deleted").select("dataset_id", "namespace", "name")
    return graph.with_data(summed).join(named, "dataset_id")


def _unread(unread: DataFrame) -> DataFrame:
    since = fn.coalesce(fn.concat(fn.lit("since "), fn.col("last_read").cast("string")), fn.lit("ever"))
    title = fn.format_string("%s is written and no job that reports has read it %s", "name", since)
    times = ("first_write", "last_read", "last_write")
    details = fn.struct(fn.lit("unread").alias("what"), *times, "bytes_written", "seconds")
    return insights_frame(unread, "waste", Told(1 + fn.col("seconds"), title, fn.array(node("dataset")), details))


def _idle_jobs(graph: Graph, unread: DataFrame) -> DataFrame:
    """The jobs that write datasets, none of which is read."""
    writes = graph.usage.where("direction = 'write'").select("job_id", "dataset_id").distinct()
    marked = writes.join(unread.select("dataset_id", fn.lit(1).alias("unread")), "dataset_id", "left")
    idle = marked.groupBy("job_id").agg(fn.count("*").alias("datasets"), fn.count("unread").alias("unread"))
    jobs = graph.table("jobs").select("job_id", "namespace", "name")
    found = idle.where("datasets = unread").join(jobs, "job_id").join(graph.costs, "job_id")
    title = fn.format_string(
        "no job that reports reads what %s makes: %d runs and %.0f s in 30 days", "name", "runs", "seconds"
    )
    details = fn.struct(fn.lit("idle job").alias("what"), "datasets", "runs", "seconds", "bytes", "rows")
    return insights_frame(found, "waste", Told(2 + fn.col("seconds"), title, fn.array(node("job")), details))
