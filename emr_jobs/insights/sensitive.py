"""Sensitive reach: the columns that hold what a tagged column held, masked or not.

A tag flows along direct flows: what is made of a column holds it. A flow that masks (a hash, a count) masks all that is
behind it. A filter or a join on a column copies nothing.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import MOST_ROUNDS, Graph
from emr_jobs.insights.insight import Told, insights_frame, node

MOST_ORIGINS = 5
_COLUMN = ("dataset_id", "column_name")


def sensitive_insights(graph: Graph, tags: Sequence[str]) -> DataFrame:
    """An insight for each dataset with reached columns; unmasked columns are the most important."""
    tagged = tagged_columns(graph, tags)
    reached = graph.with_data(reach(graph, tagged)).join(tagged, list(_COLUMN), "left_anti")
    line = fn.struct(fn.col("column_name").alias("column"), "is_masked", "origins")
    by_dataset = reached.groupBy("dataset_id").agg(
        fn.sort_array(fn.collect_list(line)).alias("columns"), fn.count_if(~fn.col("is_masked")).alias("unmasked")
    )
    names = graph.table("datasets").where("NOT is_deleted").select("dataset_id", "namespace", "name")
    found = by_dataset.join(names, "dataset_id")
    title = fn.format_string(
        "%s holds tagged data in %d columns, %d of them not masked", "name", fn.size("columns"), "unmasked"
    )
    details = fn.struct("unmasked", fn.slice("columns", 1, 50).alias("columns"))
    score = fn.col("unmasked") + fn.lit(0.0)
    return insights_frame(found, "sensitive", Told(score, title, fn.array(node("dataset")), details))


def tagged_columns(graph: Graph, tags: Sequence[str]) -> DataFrame:
    """`dataset_id`, `column_name` of the tagged columns, and `origin`, the column with its names. The tag
    `classification=PII` counts by its text, by its key, and by its value."""
    wanted = fn.array(*(fn.lit(tag.upper()) for tag in tags))
    tag = fn.upper("tagged.tag")
    each = graph.table("datasets").select("dataset_id", "namespace", "name", fn.explode("column_tags").alias("tagged"))
    own = graph.under_one_id(each.where(fn.arrays_overlap(fn.concat(fn.array(tag), fn.split(tag, "=", 2)), wanted)))
    origin = fn.struct("namespace", "name", fn.col("tagged.column_name").alias("column"))
    return own.select(
        "dataset_id", fn.col("tagged.column_name").alias("column_name"), origin.alias("origin")
    ).distinct()


def reach(graph: Graph, tagged: DataFrame) -> DataFrame:
    """The columns that tagged columns flow into, whether all ways there mask, and some of the tagged columns."""
    flows = graph.column_edges.where("type <> 'INDIRECT' AND column_name <> '*'")
    flows = flows.groupBy(*_COLUMN, "source_id", "source_column").agg(fn.min("masking").alias("masking")).persist()
    start = tagged.select(*_COLUMN, fn.lit(False).alias("is_masked"), fn.array("origin").alias("origins"))
    known = start.localCheckpoint()
    changed = known
    for _ in range(MOST_ROUNDS):
        source = changed.toDF("source_id", "source_column", "was_masked", "origins")
        come = flows.join(source, ["source_id", "source_column"])
        come = come.select(*_COLUMN, (fn.col("masking") | fn.col("was_masked")).alias("is_masked"), "origins")
        united = known.union(come).groupBy(*_COLUMN).agg(fn.min("is_masked").alias("is_masked"), _origins())
        united = united.localCheckpoint()
        changed = united.exceptAll(known).localCheckpoint()
        known = united
        if changed.isEmpty():
            break
    return known


def _origins() -> Column:
    every = fn.array_sort(fn.array_distinct(fn.flatten(fn.collect_list("origins"))))
    return fn.slice(every, 1, MOST_ORIGINS).alias("origins")
