"""The origins of columns: the root columns that a column is made of, dataset by dataset, the sources first.

An origin is an array of numbers, one for each root: 59 bits of the root's hash, and the code of what happens to the
root on the way. Arrays of numbers are compared and united in linear time, arrays of structs in quadratic time.

    code 0 to 3     the strongest transformation: identity, transformation, aggregation, unknown
    code + 4        and the way masks
    code 10 to 16   an indirect flow: a filter, a join, ...
"""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import MOST_ROUNDS, Graph

MOST_ROOTS = 32
"""Roots of a column. A column with more is taken as a root itself, by the hash of its origin."""
MOST_STEPS = 512
"""Filters, joins and groupings of a context. A context with more is taken as one step, by its hash."""
MOST_ANCESTORS = 512
STRENGTHS = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2}
UNKNOWN_STRENGTH, MASKED = 3, 4
INDIRECT = {"FILTER": 10, "JOIN": 11, "GROUP_BY": 12, "WINDOW": 13, "CONDITIONAL": 14, "SORT": 15}
OTHER_INDIRECT = 16
CODE = 31
ORIGIN = "array<bigint>"
WORK = ("job_id", "dataset_id")


class ResolvedOrigins(NamedTuple):
    """What is known of datasets: `origin` by job, dataset and column; `context` by job and dataset; and by dataset
    `ancestors`, the hashes of the datasets upstream, the nearest first."""

    origins: DataFrame
    contexts: DataFrame
    ancestors: DataFrame

    def union(self, other: "ResolvedOrigins") -> "ResolvedOrigins":
        return ResolvedOrigins(
            self.origins.union(other.origins),
            self.contexts.union(other.contexts),
            self.ancestors.union(other.ancestors),
        )


def resolve(graph: Graph) -> ResolvedOrigins:
    """Resolve all datasets with column lineage: in each round those whose sources are all resolved. Without any such
    dataset, those of the cycles, which are roots of one another."""
    edges = graph.column_edges.withColumn("code", _code())
    needs = edges.select("dataset_id", "source_id").distinct().localCheckpoint()
    left = needs.select("dataset_id").distinct().localCheckpoint()
    known = _nothing(graph.spark)
    for _ in range(MOST_ROUNDS):
        waiting = needs.join(left.toDF("source_id"), "source_id", "left_semi").select("dataset_id")
        ready = left.join(waiting, "dataset_id", "left_anti").localCheckpoint()
        if ready.isEmpty():
            ready = _of_cycles(left, needs)
            if ready.isEmpty():
                break
        now = edges.join(ready, "dataset_id", "left_semi")
        known = known.union(_round(now, needs.join(ready, "dataset_id", "left_semi"), known))
        left = left.join(ready, "dataset_id", "left_anti").localCheckpoint()
    return known


def _nothing(spark: SparkSession) -> ResolvedOrigins:
    return ResolvedOrigins(
        spark.createDataFrame([], f"job_id string, dataset_id string, column_name string, origin {ORIGIN}"),
        spark.createDataFrame([], f"job_id string, dataset_id string, context {ORIGIN}"),
        spark.createDataFrame([], f"dataset_id string, ancestors {ORIGIN}"),
    )


def _of_cycles(left: DataFrame, needs: DataFrame) -> DataFrame:
    """Of datasets that all wait for one another, those in a cycle or between two cycles: the ends are taken off until
    each is read by another."""
    for _ in range(MOST_ROUNDS):
        read = needs.join(left, "dataset_id", "left_semi").selectExpr("source_id AS dataset_id").distinct()
        inside = left.join(read, "dataset_id", "left_semi").localCheckpoint()
        if inside.count() == left.count():
            break
        left = inside
    return left


def _round(edges: DataFrame, needs: DataFrame, known: ResolvedOrigins) -> ResolvedOrigins:
    """The origins, contexts and ancestors of some datasets, by those of their sources."""
    sources = needs.selectExpr("source_id AS dataset_id").distinct()
    origins, contexts, ancestors = (frame.join(sources, "dataset_id", "left_semi") for frame in known)
    of_source = origins.groupBy("dataset_id", "column_name").agg(_set("origin").alias("known"))
    by_source = of_source.toDF("source_id", "source_column", "known")
    origin = fn.coalesce("known", fn.array(root_of("source_id", "source_column")))
    joined = edges.join(by_source, ["source_id", "source_column"], "left")
    flows = joined.select(*WORK, "column_name", fn.transform(origin, _onwards).alias("origin"))
    direct = flows.where("column_name <> '*'").groupBy(*WORK, "column_name").agg(_bounded("origin", MOST_ROOTS))
    inherited = contexts.groupBy("dataset_id").agg(_set("context").alias("context")).toDF("source_id", "context")
    read = edges.select(*WORK, "source_id").distinct().join(inherited, "source_id").select(*WORK, "context")
    own = flows.where("column_name = '*'").selectExpr(*WORK, "origin AS context")
    context = own.union(read).groupBy(*WORK).agg(_bounded("context", MOST_STEPS))
    above = needs.join(ancestors.toDF("source_id", "above"), "source_id", "left").groupBy("dataset_id")
    lines = above.agg(
        fn.array_sort(fn.collect_list(fn.xxhash64("source_id"))).alias("sources"),
        fn.flatten(fn.array_sort(fn.collect_list(fn.coalesce("above", fn.array().cast(ORIGIN))))).alias("above"),
    ).select("dataset_id", fn.slice(fn.array_union("sources", "above"), 1, MOST_ANCESTORS).alias("ancestors"))
    return ResolvedOrigins(direct.localCheckpoint(), context.localCheckpoint(), lines.localCheckpoint())


def root_of(*columns: str) -> Column:
    """A root, as a number without a code: of a column, or of what is too large to be described by its roots."""
    return fn.xxhash64(*columns).bitwiseAND(~CODE)


def _set(arrays: str) -> Column:
    return fn.array_sort(fn.array_distinct(fn.flatten(fn.collect_list(arrays))))


def _bounded(arrays: str, most: int) -> Column:
    whole = _set(arrays)
    by_hash = fn.array(fn.xxhash64(whole).bitwiseAND(~CODE))
    return fn.when(fn.size(whole) <= most, whole).otherwise(by_hash).alias(arrays)


def _code() -> Column:
    """The strength of a direct flow with the mark of masking, or the kind of an indirect flow."""
    masked = fn.when(fn.col("masking"), MASKED).otherwise(0)
    strength, kind = _number(STRENGTHS, UNKNOWN_STRENGTH), _number(INDIRECT, OTHER_INDIRECT)
    return fn.when(fn.col("type") == "INDIRECT", kind).otherwise(strength + masked).cast("bigint")


def _number(numbers: dict[str, int], other: int) -> Column:
    known = fn.create_map(*(fn.lit(each) for pair in numbers.items() for each in pair))
    return fn.coalesce(known[fn.col("subtype")], fn.lit(other))


def _onwards(entry: Column) -> Column:
    """An entry of a source column's origin, as an entry of the column that a flow makes of it."""
    code, by = entry.bitwiseAND(CODE), fn.col("code")
    strongest = fn.greatest(code.bitwiseAND(3), by.bitwiseAND(3)).bitwiseOR(code.bitwiseOR(by).bitwiseAND(MASKED))
    moved = fn.when(by >= min(INDIRECT.values()), by).when(code >= min(INDIRECT.values()), code).otherwise(strongest)
    return entry.bitwiseAND(~CODE).bitwiseOR(moved)
