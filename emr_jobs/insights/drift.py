"""Drift: runs that took another time, or read or wrote another volume, than the runs of their job before; and volumes
that broke when the schema changed.

The robust z-score of a value is its distance from the median, in units of 1.4826 times the median distance from the
median, which is a standard deviation where values are normal. Outliers in the history do not move it. A unit is at
least 5 % of the median, and one second, byte or row: a job that always takes 60 s may take 63.

A loop of an application that appends five sources to one table is a job with five runs of a run of the application.
Their mean is one value, so the largest source is not an outlier among the others.

What the tasks of a query of Spark took, its executor seconds, depends much less on what else a cluster does. Where a
job has a history of it, its duration is no drift.

A drift is reported once. A run that took longer and wrote more is one insight, with both measures; a volume that broke
with the schema is reported for the dataset, and not again for the job.
"""

from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame, node
from emr_jobs.lakehouse.reads_writes import FAILED

EXECUTOR_SECONDS = "executor seconds"
MEASURES = {
    EXECUTOR_SECONDS: "executor_seconds",
    "seconds": "seconds",
    "bytes": "bytes_written",
    "rows": "rows_written",
    "rows read": "rows_read",
}
VOLUMES = {
    "rows": "used.rows",
    "bytes": "IF(used.rows IS NULL, used.bytes, NULL)",
    "bytes a row": "IF(used.rows > 0, used.bytes / used.rows, NULL)",
}
"""For a write: only bytes if the producer counts no rows, and the mean size of a row, which breaks where values are cut
or left out."""
FAR = 3.5
"""Robust z-score from which a value is an outlier (Iglewicz and Hoaglin)."""
FEWEST = 8
"""Runs from which a job has a history, and a weekday a history of its own; with fewer of the weekday, all days are
one."""
FEWEST_OF_WEEKDAY = 3
"""Runs of a weekday from which an outlier among all days must also be one among these: five small Sundays are not yet a
history, but a sixth is not a drift."""
HISTORY, RECENT = timedelta(days=90), timedelta(days=7)
DAY = timedelta(days=1).total_seconds() * 1000
"""In milliseconds."""
DIGITS = 3
"""Of a mean after the point: the last bits of a sum depend on the order in which tasks end."""
AROUND, BREAK = 5, 2.0
"""Writes before and after a change of the schema, and the ratio of their median volumes from which it is a break."""


def drift_insights(graph: Graph) -> DataFrame:
    broken = breaks(graph).persist()
    return outlier_insights(outliers(graph, broken)).union(break_insights(broken))


def outliers(graph: Graph, broken: DataFrame) -> DataFrame:
    """The measures of the newest runs of each job that are far from the runs before, each with its score."""
    recent = fn.lit(graph.as_of - RECENT)
    by_start = Window.partitionBy("job_id", "measure").orderBy(fn.desc("started_at"), fn.desc("run_id"))
    measured = measured_runs(graph)
    ranked = measured.withColumn("age", fn.row_number().over(by_start)).withColumn("weekday", fn.dayofweek("day"))
    newest, before = ranked.where((fn.col("age") == 1) & (fn.col("day") >= recent)), ranked.where("age > 1")
    compared = newest.alias("new").join(
        before.select("job_id", "measure", "weekday", fn.col("value").alias("past")).alias("old"), ["job_id", "measure"]
    )
    same_day = fn.when(fn.col("new.weekday") == fn.col("old.weekday"), fn.col("past"))
    keys = ("job_id", "measure", "run_id", "day", "started_at", "job_namespace", "job_name", "value")
    gathered = compared.groupBy(*keys).agg(
        fn.collect_list(same_day).alias("days"), fn.collect_list("past").alias("all")
    )
    past = gathered.withColumn("is_weekday", fn.size("days") >= FEWEST).withColumn(
        "past", fn.when(fn.col("is_weekday"), fn.col("days")).otherwise(fn.col("all"))
    )
    has_tasks = fn.max(fn.col("measure") == EXECUTOR_SECONDS).over(Window.partitionBy("job_id", "run_id"))
    known = past.where(fn.size("past") >= FEWEST).withColumn("has_tasks", has_tasks)
    told = known.where("NOT (has_tasks AND measure = 'seconds')").drop("has_tasks")
    scored = with_score(told, "past", "median", "z").where(fn.abs("z") >= FAR)
    scored = with_score(scored, "days", "median_of_weekday", "z_of_weekday")
    scored = scored.where((fn.size("days") < FEWEST_OF_WEEKDAY) | (fn.abs("z_of_weekday") >= FAR))
    return scored.join(broken, _is_told_by(scored, broken), "left_anti")


def measured_runs(graph: Graph) -> DataFrame:
    """The measures of the completed runs of each job: a row for each measure of the runs of a day that have one parent
    run, or of a run without a parent."""
    since = fn.lit(graph.as_of - HISTORY)
    completed = graph.table("runs").where((fn.col("day") >= since) & (fn.col("state") == "COMPLETED"))
    parent = fn.coalesce("parent_run_id", "run_id")
    runs = completed.join(graph.statements, "job_id", "left_semi").withColumn("parent", parent)
    begun = fn.min("started_at").over(Window.partitionBy("job_id", "parent"))
    days = ((fn.unix_millis("started_at") - fn.unix_millis(begun)) / DAY).cast("int")
    means = (fn.round(fn.avg(of), DIGITS).alias(of) for of in MEASURES.values())
    first, newest = ("day", "job_namespace", "job_name"), fn.struct("started_at", "run_id")
    together = (
        runs.withColumn("days", days)
        .groupBy("job_id", "parent", "days")
        .agg(*(fn.min(name).alias(name) for name in first), fn.max(newest).alias("newest"), *means)
    )
    values = fn.explode(fn.array(*(_measured(name, of) for name, of in MEASURES.items()))).alias("measured")
    measured = together.select("job_id", "newest.*", *first, values)
    return measured.select("*", "measured.*").where("value IS NOT NULL").localCheckpoint()


def _is_told_by(scored: DataFrame, broken: DataFrame) -> Column:
    """Whether the volume of a run is that after a break of its job."""
    of_job = (scored.job_namespace == broken.job_namespace) & (scored.job_name == broken.job_name)
    is_after = (scored.measure == broken.measure) & (scored.started_at >= broken.started_at)
    return of_job & is_after & scored.value.between(broken.after / BREAK, broken.after * BREAK)


def outlier_insights(scored: DataFrame) -> DataFrame:
    """An insight for each job: its measure with the greatest score, and the others."""
    of_measure = fn.struct("measure", "value", "median", "z", "is_weekday", fn.size("past").alias("runs"))
    sorted_first = fn.struct(-fn.abs("z"), "measure", of_measure.alias("of"))
    by_run = scored.groupBy("job_id", "run_id", "day", "job_namespace", "job_name").agg(
        fn.transform(fn.sort_array(fn.collect_list(sorted_first)), lambda each: each["of"]).alias("measures")
    )
    told = by_run.withColumn("first", fn.col("measures")[0]).withColumn("also", fn.expr("slice(measures, 2, 9)"))
    others = fn.concat(fn.lit("; also "), fn.array_join("also.measure", ", "))
    title = fn.format_string(
        "%s: %s of the newest run are %.0f, the median is %.0f (z-score %.1f)%s",
        *("job_name", "first.measure", "first.value", "first.median", "first.z"),
        fn.when(fn.size("also") > 0, others).otherwise(""),
    )
    nodes = fn.array(fn.expr("named_struct('type', 'job', 'namespace', job_namespace, 'name', job_name)"))
    measures = ("first.measure", "first.value", "first.median", "first.z")
    details = fn.struct(*measures, "run_id", "day", "first.is_weekday", "first.runs", "also")
    return insights_frame(told, "drift", Told(fn.abs("first.z"), title, nodes, details))


def with_score(rows: DataFrame, past: str, median: str, z: str) -> DataFrame:
    """Rows with the median and the z-score of `value` against an array; null where the array is empty."""
    middle = "get(array_sort({0}), CAST((size({0}) - 1) div 2 AS INT))"
    rows = rows.withColumn(median, fn.expr(middle.format(past)))
    rows = rows.withColumn("apart", fn.transform(past, lambda each: fn.abs(each - fn.col(median))))
    deviation = fn.expr(middle.format("apart")) * 1.4826
    unit = fn.greatest(deviation, fn.abs(median) * 0.05, fn.lit(1.0))
    return rows.withColumn(z, (fn.col("value") - fn.col(median)) / unit)


def breaks(graph: Graph) -> DataFrame:
    """The volumes of datasets that broke with the first write of a schema: the median of five writes before and after.
    A schema that comes again is not a change: two jobs may write a dataset in turn."""
    runs = graph.table("runs").where(fn.col("day") >= fn.lit(graph.as_of - HISTORY)).where(f"state NOT IN {FAILED}")
    used = runs.join(graph.statements, "job_id", "left_semi").select(
        "run_id", "started_at", "job_namespace", "job_name", fn.explode("datasets").alias("used")
    )
    writes = used.where("used.direction = 'write' AND used.schema_digest IS NOT NULL")
    writes = graph.with_data(graph.under_one_id(writes.withColumn("dataset_id", fn.col("used.dataset_id"))))
    values = fn.explode(fn.array(*(_measured(name, of) for name, of in VOLUMES.items()))).alias("measured")
    measured = writes.select("*", values).select("*", "measured.*").where("value IS NOT NULL")
    by_start = Window.partitionBy("dataset_id", "measure").orderBy("started_at", "run_id")
    of_schema = Window.partitionBy("dataset_id", "measure", "used.schema_digest").orderBy("started_at", "run_id")
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
    return changes.withColumn("ratio", ratio).where(fn.col("ratio") >= BREAK)


def break_insights(broken: DataFrame) -> DataFrame:
    """An insight for each change of a schema: the volume that broke most, and the others."""
    of_measures = (
        fn.max(fn.when(fn.col("measure") == name, fn.col(side))).alias(f"{name.replace(' ', '_')}_{side}")
        for name in VOLUMES
        for side in ("before", "after")
    )
    most = fn.max_by(fn.struct("measure", "before", "after"), fn.struct("ratio", "measure")).alias("most")
    written = fn.first(fn.struct("used.namespace", "used.name", "job_namespace", "job_name")).alias("written")
    of_change = broken.groupBy("dataset_id", "run_id", "started_at")
    found = of_change.agg(fn.max("ratio").alias("ratio"), most, written, fn.struct(*of_measures).alias("volumes"))
    title = fn.format_string(
        "%s: %.0f %s before its schema changed, %.0f after (medians of the writes)",
        *("written.name", "most.before", "most.measure", "most.after"),
    )
    details = fn.struct("most.measure", "volumes.*", fn.col("started_at").alias("changed_at"), "run_id")
    job = "named_struct('type', 'job', 'namespace', written.job_namespace, 'name', written.job_name)"
    return insights_frame(
        found, "drift", Told(fn.col("ratio"), title, fn.array(node("dataset", "written"), fn.expr(job)), details)
    )


def _measured(name: str, of: str) -> Column:
    return fn.struct(fn.lit(name).alias("measure"), fn.expr(of).cast("double").alias("value"))
