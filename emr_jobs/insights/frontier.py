"""The frontier of an analysis: what it looked at, and what no analysis of lineage can see."""

from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.waste import usage_of_datasets
from headwater.openlineage.instant import NEVER, instant_of
from headwater.read.frontier import BlindSpot, Frontier, blind_spots


def frontier_of(graph: Graph) -> Frontier:
    """Only counts: someone who may read an insight may not be allowed to read all namespaces."""
    jobs = graph.table("jobs").where("NOT is_deleted AND NOT is_view")
    parents = jobs.selectExpr("parent_job_id AS job_id")
    used = graph.history.select("job_id")
    makers = graph.usage.groupBy("job_id").agg(fn.count_distinct("direction").alias("sides")).where("sides = 2")
    datasets = usage_of_datasets(graph)
    first = graph.history.agg(fn.min(fn.unix_timestamp("first_seen")).cast("timestamp").alias("since")).first()
    unseen = blind_spots(
        (
            BlindSpot.JOBS_WITHOUT_COLUMNS,
            makers.join(graph.table("column_edges").select("job_id"), "job_id", "left_anti").count(),
        ),
        (
            BlindSpot.JOBS_WITHOUT_DATASETS,
            jobs.join(used, "job_id", "left_anti").join(parents, "job_id", "left_anti").count(),
        ),
        (BlindSpot.READERS, datasets.where("last_read IS NULL").count()),
    )
    since = instant_of(first["since"]) if first and first["since"] else NEVER
    return Frontier(since, jobs.count(), datasets.count(), unseen)
