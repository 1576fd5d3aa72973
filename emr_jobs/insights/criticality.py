"""What depends on each node: the datasets, jobs and owners downstream, and a rank.

Sets of nodes downstream are sketches of HyperLogLog: a sketch lists its members, and so is exact, up to some hundred
members; above that the count is an estimate with an error of 2 %. A sketch has a bounded size, however much is
downstream, and the sketches of several nodes are united in any order.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import MOST_ROUNDS, Graph
from emr_jobs.insights.insight import Told, insights_frame

LOG_SIZE = 12
"""2^12 registers: exact up to some 380 members, an error of 1.6 % above."""
DAMPING, RANK_ROUNDS = 0.85, 15
DIGITS = 6
"""Of a rank after the point: the last bits of its sum depend on the order in which tasks end."""
WIDE = 10
"""From this many nodes downstream on, a single point of failure is reported."""


def criticality(graph: Graph) -> DataFrame:
    """A row for each node: counts downstream, rank, and whether it is a single point of failure."""
    counts = downstream(graph)
    single = single_points(graph)
    nodes = graph.nodes.drop("owners").join(counts, "id", "left").join(ranks(graph), "id", "left")
    wide = (fn.col("downstream_datasets") + fn.col("downstream_jobs")) >= WIDE
    rated = nodes.join(single, "id", "left").withColumn("is_single_point", fn.col("other").isNotNull() & wide)
    return rated.select(
        fn.lit(graph.as_of).alias("as_of"),
        *("id", "type", "namespace", "name", "downstream_datasets", "downstream_jobs", "downstream_owners", "rank"),
        *("is_single_point", "other"),
    ).localCheckpoint()


def downstream(graph: Graph) -> DataFrame:
    """`id` and the counts of the datasets, jobs and owners downstream of each node, without the node itself and its
    owners. The way may lead through a dataset that was dropped, which does not count itself."""
    own = graph.nodes.where("has_data").selectExpr("id", "type AS what", "id AS member")
    owners = graph.nodes.selectExpr("id", "'owner' AS what", "explode(owners) AS member")
    start = own.union(owners).groupBy("id", "what").agg(fn.hll_sketch_agg("member", LOG_SIZE).alias("sketch"))
    known = start.localCheckpoint()
    changed = known
    for _ in range(MOST_ROUNDS):
        come = graph.edges.join(changed, graph.edges.target == changed.id).select("source", "what", "sketch")
        united = known.union(come).groupBy("id", "what").agg(fn.hll_union_agg("sketch").alias("sketch"))
        united = united.localCheckpoint()
        before = known.select("id", "what", fn.hll_sketch_estimate("sketch").alias("before"))
        grown = united.join(before, ["id", "what"], "left")
        is_grown = fn.hll_sketch_estimate("sketch") > fn.coalesce("before", fn.lit(0))
        changed, known = grown.where(is_grown).select("id", "what", "sketch").localCheckpoint(), united
        if changed.isEmpty():
            break
    counted = known.groupBy("id").pivot("what", ["dataset", "job"]).agg(fn.first(fn.hll_sketch_estimate("sketch")))
    of_targets = graph.edges.join(known.where("what = 'owner'"), fn.col("target") == fn.col("id"))
    sketch = fn.hll_sketch_estimate(fn.hll_union_agg("sketch"))
    below = of_targets.groupBy(fn.col("source").alias("id")).agg(sketch.alias("owner"))
    return (
        graph.nodes.select("id", "type", "has_data")
        .join(counted, "id", "left")
        .join(below, "id", "left")
        .selectExpr(
            "id",
            "coalesce(dataset, 0) - CAST(type = 'dataset' AND has_data AS INT) AS downstream_datasets",
            "coalesce(job, 0) - CAST(type = 'job' AS INT) AS downstream_jobs",
            "coalesce(owner, 0) AS downstream_owners",
        )
    )


def ranks(graph: Graph) -> DataFrame:
    """`id`, `rank`: PageRank against the flow of data. A node ranks high if nodes that rank high are made of it, and of
    little else. The mean rank is 1."""
    parts = graph.edges.groupBy("target").agg(fn.count("*").alias("sources"))
    shares = graph.edges.join(parts, "target").localCheckpoint()
    rank = graph.nodes.select("id", fn.lit(1.0).alias("rank")).localCheckpoint()
    for _ in range(RANK_ROUNDS):
        given = shares.join(rank, shares.target == rank.id).groupBy(fn.col("source").alias("id"))
        taken = given.agg(fn.sum(fn.col("rank") / fn.col("sources")).alias("taken"))
        new = fn.lit(1 - DAMPING) + fn.lit(DAMPING) * fn.coalesce("taken", fn.lit(0.0))
        rank = graph.nodes.select("id").join(taken, "id", "left").select("id", new.alias("rank")).localCheckpoint()
    mean = rank.agg(fn.avg("rank").alias("mean"))  # below 1: nodes that are made of nothing give their rank to nobody
    return rank.crossJoin(fn.broadcast(mean)).select(
        "id", fn.round(fn.col("rank") / fn.col("mean"), DIGITS).alias("rank")
    )


def single_points(graph: Graph) -> DataFrame:
    """`id`, `other`: a dataset that only one job writes, with the job; and the job, with such a dataset."""
    writes = graph.with_data(graph.usage.where("direction = 'write'")).select("dataset_id", "job_id").distinct()
    only = writes.groupBy("dataset_id").agg(fn.min("job_id").alias("job_id"), fn.count("*").alias("writers"))
    alone = only.where("writers = 1").select("dataset_id", "job_id")
    jobs = alone.groupBy("job_id").agg(fn.min("dataset_id").alias("other"))
    return alone.selectExpr("dataset_id AS id", "job_id AS other").union(jobs.selectExpr("job_id AS id", "other"))


def critical_insights(rated: DataFrame) -> DataFrame:
    """The datasets on which most depends, and which only one job writes."""
    writers = rated.selectExpr("id AS other", "named_struct('type', type, 'namespace', namespace, 'name', name) AS job")
    found = rated.where("is_single_point AND type = 'dataset'").join(writers, "other")
    title = fn.format_string(
        "%s is written only by %s; %d datasets and %d jobs of %d owners depend on it",
        *("name", "job.name", "downstream_datasets", "downstream_jobs", "downstream_owners"),
    )
    node = fn.expr("named_struct('type', type, 'namespace', namespace, 'name', name)")
    details = fn.struct("downstream_datasets", "downstream_jobs", "downstream_owners", "rank")
    score = (fn.col("downstream_datasets") + fn.col("downstream_jobs")).cast("double")
    return insights_frame(found, "critical", Told(score, title, fn.array(node, fn.col("job")), details))
