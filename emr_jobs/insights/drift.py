"""Drift: runs that took another time, or read or wrote another volume, than the runs of their job before; and volumes
that broke when the schema changed.

The robust z-score of a value is its distance from the median, in units of 1.4826 times the median distance from the
median, which is a standard deviation where values are normal. Outliers in the history do not move it. A unit is at
least 5 % of the median, and one second, byte or row: a job that always takes 60 s may take 63.
"""

from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame, node

MEASURES = {"seconds": "seconds", "bytes": "bytes_written", "rows": "rows_written", "rows read": "rows_read"}
VOLUMES = {
    "rows": "used.rows",
    "bytes": "IF(used.rows IS NULL, used.bytes, NULL)",
    "bytes a row": "IF(used.rows > 0, used.bytes / used.rows, NULL)",
}
"""Of a write: bytes alone if the producer counts no rows, and the mean size of a row, which breaks where values are cut
or left out."""
FAR = 3.5
"""Robust z-score from which a value is an outlier (Iglewicz and Hoaglin)."""
FEWEST = 8
"""Runs from which a job has a history, and a weekday a history of its own; with fewer of the weekday, all days are
one."""
FEWEST_OF_WEEKDAY = 3
"""Runs of a weekday from which an outlier among all days must also be one among these: five small Sundays are no
history, but a sixth is no drift."""
HISTORY, RECENT = timedelta(days=90), timedelta(days=7)
AROUND, BREAK = 5, 2.0
"""Writes before and after a change of the schema, and the ratio of their median volumes from which it is a break."""


def drift_insights(graph: Graph) -> DataFrame:
    return outliers(graph).union(breaks(graph))


def outliers(graph: Graph) -> DataFrame:
    """The newest completed run of each job, as far as it is far from the runs before."""
    since, recent = fn.lit(graph.as_of - HISTORY), fn.lit(graph.as_of - RECENT)
    completed = graph.table("runs").where((fn.col("day") >= since) & (fn.col("state") == "COMPLETED"))
    runs = completed.join(graph.live_jobs, "job_id", "left_semi")
    values = fn.explode(fn.array(*(_measured(name, of) for name, of in MEASURES.items()))).alias("measured")
    measured = runs.select("job_id", "run_id", "day", "started_at", "job_namespace", "job_name", values)
    measured = measured.select("*", "measured.*").where("value IS NOT NULL").localCheckpoint()
    by_start = Window.partitionBy("job_id", "measure").orderBy(fn.desc("started_at"), fn.desc("run_id"))
    ranked = measured.withColumn("age", fn.row_number().over(by_start)).withColumn("weekday", fn.dayofweek("day"))
    newest, before = ranked.where((fn.col("age") == 1) & (fn.col("day") >= recent)), ranked.where("age > 1")
    compared = newest.alias("new").join(
        before.select("job_id", "measure", "weekday", fn.col("value").alias("past")).alias("old"), ["job_id", "measure"]
    )
    same_day = fn.when(fn.col("new.weekday") == fn.col("old.weekday"), fn.col("past"))
    keys = ("job_id", "measure", "run_id", "day", "job_namespace", "job_name", "value")
    gathered = compared.groupBy(*keys).agg(
        fn.collect_list(same_day).alias("days"), fn.collect_list("past").alias("all")
    )
    past = gathered.withColumn("is_weekday", fn.size("days") >= FEWEST).withColumn(
        "past", fn.when(fn.col("is_weekday"), fn.col("days")).otherwise(fn.col("all"))
    )
    scored = with_score(past.where(fn.size("past") >= FEWEST), "past", "median", "z").where(fn.abs("z") >= FAR)
    scored = with_score(scored, "days", "median_of_weekday", "z_of_weekday")
    scored = scored.where((fn.size("days") < FEWEST_OF_WEEKDAY) | (fn.abs("z_of_weekday") >= FAR))
    title = fn.format_string(
        "%s: %s of the newest run are %.0f, the median is %.0f (z-score %.1f)",
        "job_name",
        "measure",
        "value",
        "median",
        "z",
    )
    nodes = fn.array(fn.expr("named_struct('type', 'job', 'namespace', job_namespace, 'name', job_name)"))
    details = fn.struct("measure", "value", "median", "z", "run_id", "day", "is_weekday", fn.size("past").alias("runs"))
    return insights_frame(scored, "drift", Told(fn.abs("z"), title, nodes, details))


def with_score(rows: DataFrame, past: str, median: str, z: str) -> DataFrame:
    """Rows with the median and the z-score of `value` against an array; null where the array is empty."""
    middle = "get(array_sort({0}), CAST((size({0}) - 1) div 2 AS INT))"
    rows = rows.withColumn(median, fn.expr(middle.format(past)))
    rows = rows.withColumn("apart", fn.transform(past, lambda each: fn.abs(each - fn.col(median))))
    deviation = fn.expr(middle.format("apart")) * 1.4826
    unit = fn.greatest(deviation, fn.abs(median) * 0.05, fn.lit(1.0))
    return rows.withColumn(z, (fn.col("value") - fn.col(median)) / unit)


def breaks(graph: Graph) -> DataFrame:
    """Schemas with whose first write a volume of the dataset broke: the median of five writes before and after. A
    schema that comes again is no change: two jobs may write a dataset in turn."""
    runs = graph.table("runs").where(fn.col("day") >= fn.lit(graph.as_of - HISTORY))
    used = runs.join(graph.live_jobs, "job_id", "left_semi").select(
        "run_id", "started_at", "job_namespace", "job_name", fn.explode("datasets").alias("used")
    )
    writes = used.where("used.direction = 'write' AND used.schema_digest IS NOT NULL")
    values = fn.explode(fn.array(*(_measured(name, of) for name, of in VOLUMES.items()))).alias("measured")
    measured = writes.select("*", values).select("*", "measured.*").where("value IS NOT NULL")
    by_start = Window.partitionBy("used.dataset_id", "measure").orderBy("started_at", "run_id")
    of_schema = Window.partitionBy("used.dataset_id", "measure", "used.schema_digest").orderBy("started_at", "run_id")
    before, after = by_start.rowsBetween(-AROUND, -1), by_start.rowsBetween(0, AROUND - 1)
    median = fn.expr("percentile(value, 0.5)")
    changes = measured.select(
        "*",
        fn.row_number().over(of_schema).alias("write_of_schema"),
        median.over(before).alias("before"),
        median.over(after).alias("after"),
        fn.count("value").over(before).alias("writes_before"),
        fn.count("value").over(after).alias("writes_after"),
    ).where("write_of_schema = 1 AND writes_before >= 3 AND writes_after >= 3")
    ratio = fn.greatest("before", "after") / fn.greatest(fn.least("before", "after"), fn.lit(1.0))
    found = changes.withColumn("ratio", ratio).where(fn.col("ratio") >= BREAK)
    title = fn.format_string(
        "%s: %.0f %s before its schema changed, %.0f after (medians of the writes)",
        *("used.name", "before", "measure", "after"),
    )
    of_measures = (
        fn.when(fn.col("measure") == name, fn.col(side)).alias(f"{name.replace(' ', '_')}_{side}")
        for name in VOLUMES
        for side in ("before", "after")
    )
    details = fn.struct("measure", *of_measures, fn.col("started_at").alias("changed_at"), "run_id")
    nodes = fn.array(
        node("dataset", "used"), fn.expr("named_struct('type', 'job', 'namespace', job_namespace, 'name', job_name)")
    )
    return insights_frame(found, "drift", Told(fn.col("ratio"), title, nodes, details))


def _measured(name: str, of: str) -> Column:
    return fn.struct(fn.lit(name).alias("measure"), fn.expr(of).cast("double").alias("value"))
