"""The table of reads and writes: how often, how long and how much a job read or wrote a dataset on a day."""

from collections.abc import Sequence
from datetime import date

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from emr_jobs.lakehouse import tables
from emr_jobs.lakehouse.merge import of_days, replace_groups
from emr_jobs.lakehouse.rows import MOST

FAILED = ("FAILED", "ABORTED")


def reads_writes(spark: SparkSession, database: str, changed: DataFrame, days: Sequence[date]) -> None:
    """Recount the jobs and days of changed runs. A changed run has the day of its stored row, which may be another
    (`old_day`); all these days are `days`."""
    runs, stored_days = changed.drop("old_day"), changed.where("old_day IS NOT NULL")
    groups = runs.select("job_id", "day").union(stored_days.select("job_id", fn.col("old_day").alias("day"))).distinct()
    groups = groups.withColumn("is_declared", fn.lit(False)).persist()
    stored = of_days(spark.table(f"{database}.{tables.RUNS.name}"), days)
    of_groups = stored.join(groups, ["job_id", "day"], "left_semi")
    after = of_groups.join(runs, list(tables.RUNS.keys), "left_anti").unionByName(runs)
    replace_groups(tables.READS_WRITES, database, counted(after).persist(), groups, days)


def counted(runs: DataFrame) -> DataFrame:
    """The rows of the table by some runs."""
    used = runs.withColumn("used", fn.explode("datasets"))
    return (
        used.groupBy("day", "job_id", "used.dataset_id", "used.direction")
        .agg(
            fn.first("job_namespace").alias("job_namespace"),
            fn.first("job_name").alias("job_name"),
            fn.min(fn.struct("used.namespace", "used.name")).alias("dataset"),
            fn.lit(False).alias("is_declared"),
            fn.min("started_at").alias("first_seen"),
            fn.max("started_at").alias("last_seen"),
            fn.count("*").alias("runs"),
            fn.count_if(fn.col("state").isin(*FAILED)).alias("failed_runs"),
            fn.coalesce(fn.sum("seconds"), fn.lit(0.0)).alias("seconds"),
            _total("used.rows").alias("rows"),
            _total("used.bytes").alias("bytes"),
        )
        .withColumns({"dataset_namespace": fn.col("dataset.namespace"), "dataset_name": fn.col("dataset.name")})
        .select(*tables.READS_WRITES.column_names)
    )


def _total(counts: str) -> Column:
    """The sum of counts; the greatest number where the sum is greater, as a producer's counts may be nonsense."""
    return fn.when(fn.count(counts) == 0, 0).otherwise(fn.coalesce(fn.try_sum(counts), fn.lit(MOST)))
