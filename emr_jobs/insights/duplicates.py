"""Work done twice: jobs that make the same columns of the same sources, under whatever names.

The origin of a column is the set of root columns that it is made of, each with the strongest transformation on the way
(identity < transformation < aggregation) and whether the way masks. Names of columns and datasets between root and
output are not part of it, so a chain through intermediate datasets has the origins of one query that does the same.
The context of an output is the set of filters, joins and groupings on the way, by their root columns.

    raw.price -> TRANSFORMATION -> tmp.p -> AGGREGATION -> report.total     origin of total: raw.price, aggregated
    raw.price -> AGGREGATION -> revenue.amount                              origin of amount: the same

Two works with the same origins and the same context are the same work. Works whose sets overlap by most are found by
MinHash: 8 bands of 4 hashes find a pair with an overlap of 0.8 in 98 of 100 cases. Column lineage does not tell the
constants of a filter: `country = 'DE'` and `country = 'FR'` are one filter on `country`.
"""

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import MOST_ROUNDS, Graph
from emr_jobs.insights.insight import Told, insights_frame

MOST_ROOTS = 32
"""Roots of a column. A column with more is taken as a root itself, by the hash of its origin."""
MOST_ANCESTORS = 512
STRENGTHS = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2}
UNKNOWN_STRENGTH, MASKED = 3, 4
INDIRECT = {"FILTER": 10, "JOIN": 11, "GROUP_BY": 12, "WINDOW": 13, "CONDITIONAL": 14, "SORT": 15}
OTHER_INDIRECT = 16
BANDS, ROWS = 8, 4
NEAR, FEWEST_FEATURES = 0.8, 3
MOST_IN_BUCKET, MOST_IN_GROUP = 50, 20

_KEY = ["job_id", "dataset_id"]


class Resolved(NamedTuple):
    """Origins of columns by job, contexts by job, and of each dataset the datasets upstream."""

    origins: DataFrame
    contexts: DataFrame
    ancestors: DataFrame


def works(graph: Graph) -> DataFrame:
    """A row for each job and each dataset that it writes with column lineage: the origins of the columns, the context,
    the ancestors, the features (hashes of origins and context) and the signature."""
    resolved = resolve(graph)
    columns = resolved.origins.groupBy(*_KEY).agg(
        fn.array_sort(fn.collect_list(fn.xxhash64("origin"))).alias("columns"),
        fn.array_distinct(fn.flatten(fn.collect_list("origin"))).alias("roots"),
    )
    joined = columns.join(resolved.contexts, _KEY, "left").join(resolved.ancestors, "dataset_id")
    context = fn.coalesce("context", fn.array().cast(_ORIGIN))
    features = fn.array_union("columns", fn.transform("context", _hash_of))
    made = joined.withColumn("context", context).withColumn("features", features)
    return made.withColumn("signature", fn.sha2(fn.to_json(fn.struct("columns", "context")), 256)).localCheckpoint()


_ORIGIN = "array<struct<root:bigint,code:int>>"


def resolve(graph: Graph) -> Resolved:
    """Resolve dataset by dataset, the sources first: in each round those whose sources are all resolved. Datasets in a
    cycle, and those behind it, stay roots."""
    edges = graph.column_edges.withColumn("code", _code())
    needs = edges.select("dataset_id", "source_id").distinct().localCheckpoint()
    left = needs.select("dataset_id").distinct().localCheckpoint()
    rounds: list[Resolved] = []
    for _ in range(MOST_ROUNDS):
        waiting = needs.join(left.selectExpr("dataset_id AS source_id"), "source_id", "left_semi").select("dataset_id")
        ready = left.join(waiting, "dataset_id", "left_anti").localCheckpoint()
        if ready.isEmpty():
            break
        rounds.append(_round(edges.join(ready, "dataset_id", "left_semi"), needs, rounds))
        left = left.join(ready, "dataset_id", "left_anti").localCheckpoint()
    if not rounds:
        return _round(edges.limit(0), needs, rounds)
    return _united(rounds)


def _round(edges: DataFrame, needs: DataFrame, rounds: list[Resolved]) -> Resolved:
    """The origins, contexts and ancestors of some datasets, by those of their sources."""
    root = fn.array(fn.struct(fn.xxhash64("source_id", "source_column").alias("root"), fn.lit(0).alias("code")))
    origin = root.cast(_ORIGIN)
    parents = needs.join(edges.select("dataset_id").distinct(), "dataset_id", "left_semi")
    lines = parents.select("dataset_id", fn.array("source_id").alias("ancestors"))
    contexts: list[DataFrame] = []
    if rounds:
        known = _united(rounds)
        of_source = known.origins.groupBy("dataset_id", "column_name").agg(_set("origin").alias("known"))
        by_source = of_source.toDF("source_id", "source_column", "known")
        edges = edges.join(by_source, ["source_id", "source_column"], "left")
        origin = fn.coalesce("known", origin)
        above = known.ancestors.toDF("source_id", "ancestors")
        lines = lines.union(parents.join(above, "source_id").select("dataset_id", "ancestors"))
        inherited = known.contexts.groupBy("dataset_id").agg(_set("context").alias("context"))
        read = edges.select(*_KEY, "source_id").distinct()
        contexts = [read.join(inherited.toDF("source_id", "context"), "source_id").select(*_KEY, "context")]
    flows = edges.select(*_KEY, "column_name", fn.transform(origin, _onwards).alias("origin"))
    direct = flows.where("column_name <> '*'").groupBy(*_KEY, "column_name").agg(_set("origin").alias("origin"))
    bounded = fn.array(fn.struct(fn.xxhash64("origin").alias("root"), fn.lit(0).alias("code"))).cast(_ORIGIN)
    small = fn.when(fn.size("origin") <= MOST_ROOTS, fn.col("origin")).otherwise(bounded)
    contexts.append(flows.where("column_name = '*'").selectExpr(*_KEY, "origin AS context"))
    context = reduce(DataFrame.union, contexts).groupBy(*_KEY).agg(_set("context").alias("context"))
    ancestors = lines.groupBy("dataset_id").agg(
        fn.slice(fn.array_distinct(fn.flatten(fn.collect_list("ancestors"))), 1, MOST_ANCESTORS).alias("ancestors")
    )
    return Resolved(
        direct.withColumn("origin", small).localCheckpoint(), context.localCheckpoint(), ancestors.localCheckpoint()
    )


def _united(rounds: list[Resolved]) -> Resolved:
    return Resolved(*(reduce(DataFrame.union, frames) for frames in zip(*rounds, strict=True)))


def _set(arrays: str) -> Column:
    return fn.array_sort(fn.array_distinct(fn.flatten(fn.collect_list(arrays))))


def _code() -> Column:
    """The strength of a direct flow with the mark of masking, or the kind of an indirect flow."""
    strength = reduce(
        lambda when, each: when.when(fn.col("subtype") == each[0], each[1]),
        STRENGTHS.items(),
        fn.when(fn.lit(False), 0),
    ).otherwise(UNKNOWN_STRENGTH)
    kind = reduce(
        lambda when, each: when.when(fn.col("subtype") == each[0], each[1]), INDIRECT.items(), fn.when(fn.lit(False), 0)
    ).otherwise(OTHER_INDIRECT)
    masked = fn.when(fn.col("masking"), MASKED).otherwise(0)
    return fn.when(fn.col("type") == "INDIRECT", kind).otherwise(strength + masked).cast("int")


def _onwards(origin: Column) -> Column:
    """A root of a source column, as a root of the column that a flow makes of it."""
    code, by = origin["code"], fn.col("code")
    strongest = fn.greatest(code.bitwiseAND(3), by.bitwiseAND(3)).bitwiseOR(code.bitwiseOR(by).bitwiseAND(MASKED))
    moved = fn.when(by >= 10, by).when(code >= 10, code).otherwise(strongest)
    return fn.struct(origin["root"].alias("root"), moved.cast("int").alias("code"))


def _hash_of(entry: Column) -> Column:
    """A function of one argument, as Spark wants it."""
    return fn.xxhash64(entry)


def exact(made: DataFrame) -> DataFrame:
    """`signature`, `members`: works with one signature. A work on the result of another is no second work: it is a
    copy."""
    member = fn.struct(*_KEY, "ancestors", fn.slice("roots", 1, 10).alias("roots"))
    groups = made.groupBy("signature").agg(fn.sort_array(fn.collect_list(member)).alias("all"))
    is_copy = fn.expr("filter(all, one -> NOT exists(all, two -> array_contains(one.ancestors, two.dataset_id)))")
    found = groups.where(fn.size("all") > 1).withColumn("members", is_copy)
    jobs = fn.size(fn.array_distinct("members.job_id")) > 1
    return found.where(jobs & (fn.size(fn.array_distinct("members.dataset_id")) > 1)).select("signature", "members")


def near(made: DataFrame) -> DataFrame:
    """Pairs of works whose features overlap by most, with the overlap and what only one of the two has."""
    one_each = made.where(fn.size("features") >= FEWEST_FEATURES).dropDuplicates(["signature"])
    hashes = [fn.array_min(fn.transform("features", _hash(seed))) for seed in range(BANDS * ROWS)]
    bands = [fn.xxhash64(fn.lit(band), *hashes[band * ROWS : (band + 1) * ROWS]) for band in range(BANDS)]
    buckets = one_each.select("signature", fn.explode(fn.array(*bands)).alias("bucket"))
    filled = buckets.groupBy("bucket").agg(fn.sort_array(fn.collect_set("signature")).alias("all"))
    shared = filled.where(fn.size("all").between(2, MOST_IN_BUCKET))
    pairs = shared.select(fn.explode("all").alias("left"), "all").select("left", fn.explode("all").alias("right"))
    named = [one_each.select(*(fn.col(name).alias(f"{side}_{name}") for name in one_each.columns)) for side in _SIDES]
    both = pairs.where("left < right").distinct().join(named[0], fn.col("left") == fn.col("left_signature"))
    both = both.join(named[1], fn.col("right") == fn.col("right_signature"))
    overlap = fn.size(fn.array_intersect("left_features", "right_features")) / fn.size(
        fn.array_union("left_features", "right_features")
    )
    apart = (
        "NOT array_contains(left_ancestors, right_dataset_id) AND NOT array_contains(right_ancestors, left_dataset_id)"
    )
    found = both.withColumn("overlap", overlap).where(fn.col("overlap") >= NEAR).where(apart)
    return found.where("left_dataset_id <> right_dataset_id AND left_job_id <> right_job_id")


_SIDES = ("left", "right")


def _hash(seed: int) -> Callable[[Column], Column]:
    return lambda feature: fn.xxhash64(fn.lit(seed), feature)


def duplicate_insights(graph: Graph) -> DataFrame:
    """The works that are done twice, exactly or nearly, with their sources and what they cost a month."""
    made = works(graph)
    sources = graph.column_edges.select(
        fn.xxhash64("source_id", "source_column").alias("root"),
        fn.struct(
            fn.col("source_namespace").alias("namespace"),
            fn.col("source_name").alias("name"),
            fn.col("source_column").alias("column"),
        ).alias("source"),
    ).dropDuplicates(["root"])
    alike = exact(made).select(
        fn.col("signature").alias("work"),
        fn.lit(1.0).alias("overlap"),
        fn.slice(fn.transform("members", lambda each: fn.struct(each.job_id, each.dataset_id)), 1, MOST_IN_GROUP).alias(
            "members"
        ),
        fn.expr("members[0].roots").alias("of_roots"),
        fn.array().cast(_ORIGIN).alias("differs"),
    )
    both = fn.array(
        *(
            fn.struct(fn.col(f"{side}_job_id").alias("job_id"), fn.col(f"{side}_dataset_id").alias("dataset_id"))
            for side in _SIDES
        )
    )
    differs = fn.array_union(
        fn.array_except("left_context", "right_context"), fn.array_except("right_context", "left_context")
    )
    alike = alike.union(
        near(made).select(
            fn.concat("left", "right"), "overlap", both, fn.slice("left_roots", 1, 10), fn.slice(differs, 1, 10)
        )
    )
    return _told(graph, alike.localCheckpoint(), sources)


def _told(graph: Graph, alike: DataFrame, sources: DataFrame) -> DataFrame:
    """Groups of works as insights."""
    nodes = graph.nodes.select("id", fn.struct("type", "namespace", "name").alias("node"))
    members = alike.select("work", fn.explode("members").alias("member")).select("work", "member.*")
    costs = (
        members.join(graph.costs, "job_id", "left")
        .groupBy("work")
        .agg(
            *(
                fn.coalesce(fn.sum(name) - fn.max(name), fn.lit(0.0)).alias(f"{name}_saved")
                for name in ("seconds", "bytes", "rows")
            )
        )
    )
    ids = members.selectExpr("work", "job_id AS id").union(members.selectExpr("work", "dataset_id AS id")).distinct()
    named = ids.join(nodes, "id").groupBy("work").agg(fn.sort_array(fn.collect_list("node")).alias("nodes"))
    roots = alike.select("work", fn.explode("of_roots.root").alias("root")).distinct().join(sources, "root")
    of_sources = roots.groupBy("work").agg(fn.sort_array(fn.collect_set("source")).alias("sources"))
    kinds = fn.create_map(*(fn.lit(each) for name, code in INDIRECT.items() for each in (code, name)))
    apart = (
        alike.select("work", fn.explode("differs").alias("differs")).select("work", "differs.*").join(sources, "root")
    )
    step = fn.struct(fn.coalesce(kinds[fn.col("code")], fn.lit("OTHER")).alias("kind"), "source.*")
    differences = apart.groupBy("work").agg(fn.sort_array(fn.collect_set(step)).alias("differences"))
    found = alike.select("work", "overlap").join(named, "work").join(costs, "work")
    found = found.join(of_sources, "work", "left").join(differences, "work", "left")
    jobs = fn.array_join(
        fn.transform(fn.filter("nodes", lambda node: node["type"] == "job"), lambda node: node["name"]), ", "
    )
    same = fn.format_string("%s make the same columns of the same sources", jobs)
    alikely = fn.format_string("%s make nearly the same columns (overlap %.2f)", jobs, "overlap")
    title = fn.when(fn.col("overlap") == 1, same).otherwise(alikely)
    details = fn.struct("overlap", "sources", "differences", "seconds_saved", "bytes_saved", "rows_saved")
    score = fn.col("overlap") * (1 + fn.col("seconds_saved"))
    return insights_frame(found, "duplicate", Told(score, title, fn.col("nodes"), details))
