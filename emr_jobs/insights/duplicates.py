"""Work done twice: jobs that make the same columns of the same sources, under whatever names.

The origin of a column is the set of root columns that it is made of, each with the strongest transformation on the way
(identity < transformation < aggregation) and whether the way masks. Names of columns and datasets between root and
output are not part of it, so a chain through intermediate datasets has the origins of one query that does the same.
The context of an output is the set of filters, joins and groupings on the way, by their root columns.

    raw.price -> TRANSFORMATION -> tmp.p -> AGGREGATION -> report.total     origin of total: raw.price, aggregated
    raw.price -> AGGREGATION -> revenue.amount                              origin of amount: the same

Two outputs with the same origins and the same context are the same work, unless

    one is made of the other                             a copy; two copies of one are the same work
    both are of one job, or both jobs write one dataset  one work
    the jobs have one name, in two namespaces            one work: development and production, a backfill

Works whose sets overlap by most are found by MinHash: 8 bands of 4 hashes find a pair with an overlap of 0.8 in 98 of
100 cases. Each work is reported with its nearest one: all pairs of a hundred similar works would be five thousand
findings.

Column lineage does not have the constants of a filter: `country = 'DE'` and `country = 'FR'` are one filter on
`country`. Nor does it distinguish a sum from a maximum: both are an aggregation.
"""

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame
from emr_jobs.insights.origins import CODE, INDIRECT, ORIGIN, WORK, resolve, root_of

BANDS, ROWS = 8, 4
NEAR, FEWEST_FEATURES = 0.8, 3
MOST_IN_BUCKET, MOST_IN_GROUP, MOST_SHOWN = 50, 20, 10
"""Works of a bucket with which all others of the bucket are compared, and members and sources that are reported."""
MOST_SEEN = 100
"""Entries of origins that are kept as evidence, of which the first sources are shown."""
SAME = ("signature", "copied")
"""Works that are equal in these do the same."""
_SIDES = ("left", "right")


def works(graph: Graph) -> DataFrame:
    """A row for each job and each dataset that it writes of late with column lineage: the origins of the columns, the
    context, the features (hashes of both) and the signature, some roots, the ancestors, the datasets of the same
    signature that it is a copy of, and the name of the job."""
    resolved = resolve(graph)
    writes = graph.with_data(graph.usage.where("direction = 'write'")).select(*WORK).distinct()
    columns = (
        resolved.origins.join(writes, [*WORK], "left_semi")
        .groupBy(*WORK)
        .agg(
            fn.array_sort(fn.collect_list(fn.xxhash64("origin"))).alias("columns"),
            fn.slice(fn.array_sort(fn.flatten(fn.collect_list("origin"))), 1, MOST_SEEN).alias("roots"),
        )
    )
    names = graph.table("jobs").select("job_id", fn.col("name").alias("job_name"))
    joined = columns.join(resolved.contexts, [*WORK], "left").join(resolved.ancestors, "dataset_id")
    context = fn.coalesce("context", fn.array().cast(ORIGIN))
    features = fn.array_union("columns", fn.transform("context", _hash_of))
    made = joined.join(names, "job_id").withColumn("context", context).withColumn("features", features)
    signature = fn.sha2(fn.to_json(fn.struct("columns", "context")), 256)
    return with_copied(made.withColumn("signature", signature).localCheckpoint()).localCheckpoint()


def _hash_of(entry: Column) -> Column:
    """A function of one argument, as Spark wants it."""
    return fn.xxhash64(entry)


def with_copied(made: DataFrame) -> DataFrame:
    """Works with `copied`: the hashes of upstream datasets with the same signature, which the work copies."""
    same = made.select("signature", "dataset_id").distinct()
    shared = same.groupBy("signature").count().where("count > 1").select("signature")
    alike = made.join(shared, "signature", "left_semi")
    above = alike.select("signature", "dataset_id", fn.explode("ancestors").alias("upstream"))
    upstream = same.select("signature", fn.xxhash64("dataset_id").alias("upstream"))
    copies = above.join(upstream, ["signature", "upstream"], "left_semi").groupBy("signature", "dataset_id")
    copied = copies.agg(fn.array_sort(fn.collect_set("upstream")).alias("copied"))
    known = fn.coalesce("copied", fn.array().cast(ORIGIN))
    return made.join(copied, ["signature", "dataset_id"], "left").withColumn("copied", known)


def exact(made: DataFrame) -> DataFrame:
    """`signature`, `copied`, `members` of the works that are done twice. A member has its `work`: members with the same
    job, job name or dataset have the same."""
    named = made.select(*SAME, *WORK, "job_name", fn.col("job_id").alias("work"))
    for shared in ("job_name", "dataset_id", "job_name"):
        least = fn.min("work").over(Window.partitionBy(*SAME, shared))
        named = named.withColumn("work", least)
    groups = named.groupBy(*SAME).agg(
        fn.countDistinct("work").alias("works"),
        fn.slice(fn.sort_array(fn.collect_list(fn.struct("work", *WORK))), 1, MOST_IN_GROUP).alias("members"),
    )
    return groups.where("works > 1").select(*SAME, "members")


def near(made: DataFrame) -> DataFrame:
    """Pairs of works whose features overlap by most, each work with the nearest, with the overlap and what both have.
    Of the works with one signature, one stands for all, and no copy."""
    same = Window.partitionBy("signature")
    first = fn.row_number().over(same.orderBy("job_name", *WORK)) == 1
    group = fn.collect_set(fn.xxhash64("dataset_id")).over(same)
    wide = made.where(fn.size("features") >= FEWEST_FEATURES).withColumn("group", group).where(fn.size("copied") == 0)
    one_each = wide.withColumn("is_first", first).where("is_first").drop("is_first").localCheckpoint()
    hashes = [fn.array_min(fn.transform("features", _hash(seed))) for seed in range(BANDS * ROWS)]
    bands = [fn.xxhash64(fn.lit(band), *hashes[band * ROWS : (band + 1) * ROWS]) for band in range(BANDS)]
    buckets = one_each.select("signature", fn.explode(fn.array(*bands)).alias("bucket"))
    filled = buckets.groupBy("bucket").agg(fn.sort_array(fn.collect_set("signature")).alias("all"))
    few = fn.slice("all", 1, MOST_IN_BUCKET)
    pairs = filled.select(fn.explode(few).alias("left"), "all").select("left", fn.explode("all").alias("right"))
    named = [one_each.select(*(fn.col(name).alias(f"{side}_{name}") for name in one_each.columns)) for side in _SIDES]
    both = pairs.where("left < right").distinct().join(named[0], fn.col("left") == fn.col("left_signature"))
    both = both.join(named[1], fn.col("right") == fn.col("right_signature"))
    overlap = fn.size(fn.array_intersect("left_features", "right_features")) / fn.size(
        fn.array_union("left_features", "right_features")
    )
    found = both.withColumn("overlap", overlap).where(fn.col("overlap") >= NEAR)
    apart = "NOT arrays_overlap(left_ancestors, right_group) AND NOT arrays_overlap(right_ancestors, left_group)"
    return nearest(found.where(apart).where("left_dataset_id <> right_dataset_id AND left_job_name <> right_job_name"))


def nearest(pairs: DataFrame) -> DataFrame:
    """Of pairs those in which one of the two has no work that is nearer."""
    pairs = pairs.localCheckpoint()
    ends = [pairs.selectExpr(f"{side} AS work", "left", "right", "overlap") for side in _SIDES]
    by_overlap = Window.partitionBy("work").orderBy(fn.desc("overlap"), "left", "right")
    ranked = ends[0].union(ends[1]).withColumn("rank", fn.row_number().over(by_overlap))
    return pairs.join(ranked.where("rank = 1").select(*_SIDES).distinct(), [*_SIDES], "left_semi")


def _hash(seed: int) -> Callable[[Column], Column]:
    return lambda feature: fn.xxhash64(fn.lit(seed), feature)


def duplicate_insights(graph: Graph) -> DataFrame:
    """The works that are done twice, exactly or nearly, with their sources and what they cost a month."""
    made = works(graph)
    sources = graph.column_edges.select(
        root_of("source_id", "source_column").alias("root"),
        fn.struct(
            fn.col("source_namespace").alias("namespace"),
            fn.col("source_name").alias("name"),
            fn.col("source_column").alias("column"),
        ).alias("source"),
    ).dropDuplicates(["root"])
    alike = exact(made).join(made.groupBy("signature").agg(fn.first("roots").alias("roots")), "signature")
    finding = fn.concat_ws(" ", "signature", fn.xxhash64("copied"))
    alike = alike.select(finding, fn.lit(1.0).alias("overlap"), "members", "roots", fn.array().cast(ORIGIN))
    both = fn.array(*(_member(fn.col(f"{side}_job_id"), fn.col(f"{side}_dataset_id")) for side in _SIDES))
    differs = fn.array_union(
        fn.array_except("left_context", "right_context"), fn.array_except("right_context", "left_context")
    )
    pairs = near(made).select(
        fn.concat("left", "right"), "overlap", both, "left_roots", fn.slice(differs, 1, MOST_SHOWN)
    )
    alike = alike.union(pairs).toDF("finding", "overlap", "members", "roots", "differs")
    return _told(graph, alike.localCheckpoint(), sources)


def _told(graph: Graph, alike: DataFrame, sources: DataFrame) -> DataFrame:
    """Findings as insights."""
    nodes = graph.nodes.select("id", fn.struct("type", "namespace", "name").alias("node"))
    members = alike.select("finding", fn.explode("members").alias("member")).select("finding", "member.*")
    ids = members.selectExpr("finding", "job_id AS id").union(members.selectExpr("finding", "dataset_id")).distinct()
    named = ids.join(nodes, "id").groupBy("finding").agg(fn.sort_array(fn.collect_list("node")).alias("nodes"))
    roots = alike.select("finding", fn.explode("roots").alias("entry")).select("finding", _root()).distinct()
    of_sources = (
        roots.join(sources, "root")
        .groupBy("finding")
        .agg(fn.slice(fn.sort_array(fn.collect_set("source")), 1, MOST_SHOWN).alias("sources"))
    )
    kinds = fn.create_map(*(fn.lit(each) for name, code in INDIRECT.items() for each in (code, name)))
    kind = fn.coalesce(kinds[fn.col("entry").bitwiseAND(CODE).cast("int")], fn.lit("OTHER"))
    apart = alike.select("finding", fn.explode("differs").alias("entry")).withColumn("root", _root())
    step = fn.struct(kind.alias("kind"), "source.*")
    differences = (
        apart.join(sources, "root").groupBy("finding").agg(fn.sort_array(fn.collect_set(step)).alias("differences"))
    )
    found = alike.select("finding", "overlap").join(named, "finding").join(_savings(graph, members), "finding")
    found = found.join(of_sources, "finding", "left").join(differences, "finding", "left")
    jobs = fn.array_join(
        fn.array_distinct(
            fn.transform(fn.filter("nodes", lambda node: node["type"] == "job"), lambda node: node["name"])
        ),
        ", ",
    )
    same = fn.format_string("%s make the same columns of the same sources", jobs)
    alikely = fn.format_string("%s make nearly the same columns (overlap %.2f)", jobs, "overlap")
    title = fn.when(fn.col("overlap") == 1, same).otherwise(alikely)
    details = fn.struct("overlap", "sources", "differences", "seconds_saved", "bytes_saved", "rows_saved")
    score = fn.col("overlap") * (1 + fn.col("seconds_saved"))
    return insights_frame(found, "duplicate", Told(score, title, fn.col("nodes"), details))


def _member(job: Column, dataset: Column) -> Column:
    """A member of a pair, which is a work of its own."""
    return fn.struct(job.alias("work"), job.alias("job_id"), dataset.alias("dataset_id"))


def _root() -> Column:
    return fn.col("entry").bitwiseAND(~CODE).alias("root")


def _savings(graph: Graph, members: DataFrame) -> DataFrame:
    """What all but the costliest work of a finding cost in a month."""
    names = ("seconds", "bytes", "rows")
    of_jobs = members.select("finding", "work", "job_id").distinct().join(graph.costs, "job_id", "left")
    of_works = of_jobs.groupBy("finding", "work").agg(
        *(fn.coalesce(fn.sum(name), fn.lit(0.0)).alias(name) for name in names)
    )
    saved = ((fn.sum(name) - fn.max(name)).alias(f"{name}_saved") for name in names)
    return of_works.groupBy("finding").agg(*saved)
