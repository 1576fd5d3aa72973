"""Skew: queries of Spark in which one task of a stage read more than all others together, as far as the jar beside the
listener tells it (headwater.graph.facets.members.skewed_stage).

The others wait for that task, so more executors do not help. It counts if it is so in the newest run of the job, or, of
a loop, in one of the runs that the same application started: a job that was mended is not reported.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame

RECENT = timedelta(days=7)
GIGABYTE = 1e9


def skew_insights(graph: Graph) -> DataFrame:
    """An insight for each job. The score is how long the slowest task of the stage took beyond the median: seconds."""
    recent = graph.table("runs").where(fn.col("day") >= fn.lit(graph.as_of - RECENT))
    newest = recent.join(graph.statements, "job_id", "left_semi").join(graph.generations, "job_id")
    skewed = newest.where("started_at >= began AND skewed_stage IS NOT NULL")
    lost = fn.expr("skewed_stage.max_seconds - skewed_stage.median_seconds")
    worst = fn.max(fn.struct(lost.alias("lost"), "started_at", "run_id", "skewed_stage")).alias("worst")
    found = skewed.groupBy("job_id", "job_namespace", "job_name").agg(worst).select("*", "worst.*")
    does = fn.coalesce(fn.concat(fn.lit(" ("), "skewed_stage.operation", fn.lit(")")), fn.lit(""))
    title = fn.format_string(
        "%s: in stage %d%s one task read %.0f GB of %.0f, and took %.0f s where the median took %.0f",
        *("job_name", "skewed_stage.stage", does),
        *(fn.col(f"skewed_stage.{size}") / GIGABYTE for size in ("max_bytes", "bytes")),
        *("skewed_stage.max_seconds", "skewed_stage.median_seconds"),
    )
    nodes = fn.array(fn.expr("named_struct('type', 'job', 'namespace', job_namespace, 'name', job_name)"))
    return insights_frame(found, "skew", Told(fn.col("lost"), title, nodes, fn.struct("run_id", "skewed_stage.*")))
