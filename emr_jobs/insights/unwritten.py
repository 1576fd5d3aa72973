"""Data that is read and never written, grouped by folder: a landing zone is one finding, not one a file.

Spark reads a file to infer the columns of the folder that it is in, and lists the folder that a file is in. The
listener names both:

    raw/sales              id, customer, amount     the dataset
    raw/sales/part.csv     value                    a file of it, read as text by the same application
    raw                    no columns               the folder above it, listed by the same application
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import Told, insights_frame, node
from headwater.graph.names.naming import FILE_SYSTEMS

MOST_SHOWN = 50
"""How many datasets of a folder are reported."""
_DATES = r"(/[0-9][0-9_.:T-]*)+$"
"""Folders of days or hours at the end of a path: each is a part of the folder above."""


def unwritten_insights(graph: Graph, unwritten: DataFrame) -> DataFrame:
    """An insight for each folder (of a database, each schema) with datasets that no job is known to write."""
    told = unwritten.join(renamed(graph), "dataset_id", "left_anti").join(parts(graph), "dataset_id", "left_anti")
    by_folder = told.withColumn("folder", _folder()).groupBy("namespace", "folder")
    found = by_folder.agg(
        fn.slice(fn.sort_array(fn.collect_list(node("dataset"))), 1, MOST_SHOWN).alias("nodes"),
        fn.count("*").alias("datasets"),
        fn.max("last_read").alias("last_read"),
    )
    one = fn.format_string("%s is read and no job is known to write it", fn.expr("nodes[0].name"))
    place = fn.when(fn.col("folder") == "", fn.col("namespace")).otherwise(fn.col("folder"))
    many = fn.format_string("%d datasets in %s are read and no job is known to write them", "datasets", place)
    title = fn.when(fn.col("datasets") == 1, one).otherwise(many)
    details = fn.struct(fn.lit("unwritten").alias("what"), "folder", "datasets", "last_read")
    return insights_frame(found, "waste", Told(fn.lit(0.0), title, fn.col("nodes"), details))


def renamed(graph: Graph) -> DataFrame:
    """`dataset_id` of tables that had another name before: their data was written under that name."""
    runs = graph.table("runs").where("exists(datasets, used -> used.direction = 'drop')")
    new = runs.select(fn.explode("datasets").alias("used")).where("used.direction = 'define'")
    return graph.under_one_id(new.select("used.dataset_id")).distinct()


def parts(graph: Graph) -> DataFrame:
    """`dataset_id` of what is read as a file or folder of another dataset by all applications that read it."""
    jobs = graph.table("jobs").select("job_id", fn.coalesce("parent_job_id", "job_id").alias("application"))
    reads = graph.usage.where("direction = 'read'").join(jobs, "job_id").select("dataset_id", "application").distinct()
    reads = reads.persist()
    with_columns = graph.under_one_id(graph.table("schemas").select("dataset_id")).distinct()
    known = with_columns.withColumn("is_known", fn.lit(True))
    names = graph.table("datasets").select("dataset_id", "namespace", "name").join(reads, "dataset_id", "left_semi")
    named = names.join(known, "dataset_id", "left").withColumn("is_known", fn.col("is_known").isNotNull()).persist()
    above = named.toDF("above_id", "namespace", "folder", "is_above_known")
    pairs = named.withColumn("folder", fn.explode(_folders())).join(above, ["namespace", "folder"])
    part = fn.when(fn.col("is_above_known"), fn.col("dataset_id")).when(fn.col("is_known"), fn.col("above_id"))
    whole = fn.when(fn.col("is_above_known"), fn.col("above_id")).otherwise(fn.col("dataset_id"))
    pairs = pairs.select(part.alias("part_id"), whole.alias("dataset_id")).where("part_id IS NOT NULL")
    told = pairs.join(reads, "dataset_id").select(fn.col("part_id").alias("dataset_id"), "application")
    alone = reads.join(told, ["dataset_id", "application"], "left_anti")
    return told.select("dataset_id").distinct().join(alone, "dataset_id", "left_anti")


def _folders() -> Column:
    """The folders above a path."""
    steps = fn.split("name", "/")
    numbers = fn.sequence(fn.lit(1), fn.greatest(fn.size(steps) - 1, fn.lit(1)))
    every = fn.transform(numbers, lambda number: fn.array_join(fn.slice(steps, 1, number), "/"))
    return fn.filter(every, lambda folder: (folder != "") & (folder != fn.col("name")))


def _folder() -> Column:
    """The folder of a path, or what is before the last dot of another name."""
    is_path = fn.substring_index("namespace", ":", 1).isin(sorted(FILE_SYSTEMS)) | fn.contains("name", fn.lit("/"))
    of_path = fn.regexp_replace(fn.regexp_replace("name", "/?[^/]*$", ""), _DATES, "")
    return fn.when(is_path, of_path).otherwise(fn.regexp_replace("name", r"\.?[^.]*$", ""))
