"""The graph that the insights are about: jobs and datasets by the tables of the lakehouse, a dataset under one id."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

MOST_ROUNDS = 500
"""Rounds of an iteration: no chain of jobs and datasets is taken to be longer."""
MONTH = timedelta(days=30)
SUCCEEDED = "(is_declared OR runs > failed_runs)"


@dataclass(frozen=True)
class Graph:
    """The tables of a database, as of a day. Edges that were not seen for `recent` days do not count."""

    spark: SparkSession
    database: str
    recent: int = 90

    def table(self, name: str) -> DataFrame:
        return self.spark.table(f"{self.database}.{name}")

    @cached_property
    def as_of(self) -> date:
        """The newest day of a run; today without any run. A producer's clock may be years ahead: no day counts that
        comes after the newest receipt of an event."""
        received = self.table("events").agg(fn.to_date(fn.max("received_at")).alias("received"))
        newest = self.table("runs").agg(fn.max("day").alias("newest"))
        row = newest.crossJoin(received).select(fn.coalesce(fn.least("newest", "received"), fn.current_date())).first()
        return row[0]  # type: ignore[index,no-any-return]

    @cached_property
    def live_jobs(self) -> DataFrame:
        """`job_id` of the jobs that are not deleted."""
        return self.table("jobs").where("NOT is_deleted").select("job_id").persist()

    @cached_property
    def statements(self) -> DataFrame:
        """`job_id` of the live jobs that are not a wrapper of another."""
        return self.live_jobs.join(self.wrappers, "job_id", "left_anti").persist()

    @cached_property
    def renames(self) -> DataFrame:
        """`dataset_id`, `linked_id`: names that a rename ended, with the name after it. A reused name belongs to
        another table by now."""
        runs = self.table("runs").select("started_at", "datasets").where("exists(datasets, u -> u.direction = 'drop')")
        gone = runs.select("*", fn.inline(fn.expr("filter(datasets, u -> u.direction = 'drop')")))
        renamed = gone.selectExpr("dataset_id", "started_at", "explode(datasets) AS new")
        renamed = renamed.where("new.direction = 'define' AND new.dataset_id <> dataset_id")
        last = renamed.groupBy("dataset_id").agg(fn.max(fn.struct("started_at", "new.dataset_id")).alias("last"))
        made = self.table("reads_writes").where("direction IN ('write', 'define')")
        made = made.groupBy("dataset_id").agg(fn.max("last_seen").alias("made_at"))
        ended = last.join(made, "dataset_id", "left").where("made_at IS NULL OR made_at <= last.started_at")
        return ended.selectExpr("dataset_id", "last.dataset_id AS linked_id").persist()

    @cached_property
    def representatives(self) -> DataFrame:
        """`dataset_id`, `node`: the id that stands for all ids of a dataset, by symlinks and renames. It is the
        smallest that has a row in the table of datasets, and that no rename ended: a symlink may name a table that no
        event reads or writes."""
        renames = self.renames
        links = self.table("links").union(renames).union(renames.select("linked_id", "dataset_id")).persist()
        found = links.groupBy("dataset_id").agg(fn.least(fn.min("linked_id"), fn.col("dataset_id")).alias("node"))
        for _ in range(MOST_ROUNDS):
            found = found.localCheckpoint()
            others = found.select(fn.col("dataset_id").alias("linked_id"), fn.col("node").alias("other"))
            best = links.join(others, "linked_id").groupBy("dataset_id").agg(fn.min("other").alias("other"))
            nearer = found.join(best, "dataset_id").select("dataset_id", fn.least("node", "other").alias("node"))
            if found.join(nearer, ["dataset_id", "node"], "left_anti").isEmpty():
                break
            found = nearer
        is_unknown = fn.coalesce("is_deleted", fn.lit(True))
        rows = found.join(self.table("datasets").select("dataset_id", "is_deleted"), "dataset_id", "left")
        rows = rows.join(renames.withColumnRenamed("linked_id", "later_id"), "dataset_id", "left")
        is_former = fn.col("later_id").isNotNull()
        order = fn.struct(is_former, is_unknown, "dataset_id")
        best = rows.groupBy("node").agg(fn.min_by("dataset_id", order).alias("best"))
        return found.join(best, "node").select("dataset_id", fn.col("best").alias("node")).persist()

    def under_one_id(self, rows: DataFrame, column: str = "dataset_id") -> DataFrame:
        """Rows with the representative in place of the dataset in a column."""
        known = self.representatives.select(fn.col("dataset_id").alias(column), "node")
        named = fn.coalesce("node", column)
        return rows.join(fn.broadcast(known), column, "left").withColumn(column, named).drop("node")

    @cached_property
    def wrappers(self) -> DataFrame:
        """`job_id`, `inner_id`: queries whose newest write lasts from before to after the write of another query of the
        same application into the same dataset. Both are one statement: a CREATE TABLE AS SELECT is reported as
        `atomic_create_table_as_select.T`, and as `append_data.T` within its time."""
        recent = fn.col("day") >= fn.lit(self.as_of - timedelta(days=self.recent))
        queries = self.table("runs").where(recent).where("integration = 'spark' AND parent_run_id IS NOT NULL")
        used = queries.select("*", fn.explode("datasets").alias("used")).where("used.direction = 'write'")
        columns = ("job_id", "run_id", "parent_run_id", "started_at", "ended_at", "used.dataset_id")
        writes = self.under_one_id(used.select(*columns)).persist()
        by_start = Window.partitionBy("job_id").orderBy(fn.desc("started_at"), fn.desc("run_id"))
        newest = writes.withColumn("age", fn.dense_rank().over(by_start)).where("age = 1").alias("outer")
        pairs = newest.join(writes.alias("inner"), ["parent_run_id", "dataset_id"]).where(
            "inner.job_id <> outer.job_id AND outer.started_at <= inner.started_at AND inner.ended_at <= outer.ended_at"
            " AND (outer.started_at < inner.started_at OR inner.ended_at < outer.ended_at)"
        )
        innermost = fn.max_by("inner.job_id", fn.struct("inner.started_at", "inner.job_id"))
        return pairs.groupBy("outer.job_id").agg(innermost.alias("inner_id")).localCheckpoint()

    @cached_property
    def history(self) -> DataFrame:
        """All reads and writes of statements, by the representatives of the datasets, and whether each `is_recent`.
        A write that failed is none. What a wrapper reads is read by the query within it."""
        is_recent = (fn.col("day") >= fn.lit(self.as_of - timedelta(days=self.recent))) | fn.col("is_declared")
        of_live = self.table("reads_writes").join(self.live_jobs, "job_id", "left_semi")
        named = self.under_one_id(of_live.withColumn("is_recent", is_recent))
        writes = named.where(f"direction = 'write' AND {SUCCEEDED}").join(self.wrappers, "job_id", "left_anti")
        return self.by_statement(named.where("direction = 'read'")).unionByName(writes)

    def by_statement(self, rows: DataFrame) -> DataFrame:
        """Rows with the query within a wrapper in place of the wrapper."""
        named = rows.join(fn.broadcast(self.wrappers), "job_id", "left")
        return named.withColumn("job_id", fn.coalesce("inner_id", "job_id")).drop("inner_id")

    @cached_property
    def fates(self) -> DataFrame:
        """`dataset_id`, `dropped_at`, `has_data`: when a dataset was dropped last, and whether it holds data as far as
        is known. A dataset that was dropped after its last write holds none, nor does one of whose writes none
        succeeded."""
        told = self.table("reads_writes").where("direction <> 'read'")
        ended = self.renames.select("dataset_id", fn.lit("drop").alias("direction"))
        told = self.under_one_id(told.join(ended, ["dataset_id", "direction"], "left_anti"))
        good = fn.expr(SUCCEEDED)
        last = {
            "dropped_at": (fn.col("direction") == "drop") & good,
            "made_at": (fn.col("direction") != "drop") & good,
            "written_at": (fn.col("direction") == "write") & good,
            "tried_at": fn.col("direction") == "write",
        }
        times = told.groupBy("dataset_id").agg(
            *(fn.max(fn.when(of, fn.col("last_seen"))).alias(name) for name, of in last.items())
        )
        is_dropped = "dropped_at IS NOT NULL AND (made_at IS NULL OR made_at <= dropped_at)"
        has_failed = "tried_at IS NOT NULL AND written_at IS NULL"
        has_data = fn.expr(f"NOT ({is_dropped}) AND NOT ({has_failed})")
        return times.select("dataset_id", "dropped_at", has_data.alias("has_data")).persist()

    def with_data(self, rows: DataFrame) -> DataFrame:
        """Rows, except those of a `dataset_id` that holds no data."""
        return rows.join(self.fates.where("NOT has_data").select("dataset_id"), "dataset_id", "left_anti")

    @cached_property
    def usage(self) -> DataFrame:
        """The recent reads and writes."""
        return self.history.where("is_recent").persist()

    @cached_property
    def edges(self) -> DataFrame:
        """`source`, `target`: from a dataset to a job that reads it, from a job to a dataset that it writes."""
        used = self.usage.select("job_id", "dataset_id", "direction").distinct()
        reads = used.where("direction = 'read'").selectExpr("dataset_id AS source", "job_id AS target")
        writes = used.where("direction = 'write'").selectExpr("job_id AS source", "dataset_id AS target")
        return reads.union(writes).localCheckpoint()

    @cached_property
    def nodes(self) -> DataFrame:
        """`id`, `type`, `namespace`, `name`, `owners` of the nodes with edges, and whether a dataset `has_data`."""
        own = ("namespace", "name", "owners")
        jobs = self.table("jobs").selectExpr("job_id AS id", "'job' AS type", *own, "true AS has_data")
        datasets = self.table("datasets").where("NOT is_deleted").join(self.fates, "dataset_id", "left")
        has_data = "coalesce(has_data, true) AS has_data"
        datasets = datasets.selectExpr("dataset_id AS id", "'dataset' AS type", *own, has_data)
        used = self.edges.selectExpr("source AS id").union(self.edges.selectExpr("target AS id")).distinct()
        return jobs.union(datasets).join(used, "id", "left_semi").localCheckpoint()

    @cached_property
    def costs(self) -> DataFrame:
        """`job_id`, `runs`, `seconds`, `bytes`, `rows` of each job in the last 30 days."""
        last = self.table("runs").where(fn.col("day") > fn.lit(self.as_of - MONTH))
        sums = {"seconds": "seconds", "bytes": "bytes_written", "rows": "rows_written"}
        summed = [fn.coalesce(fn.sum(fn.col(of).cast("double")), fn.lit(0.0)).alias(name) for name, of in sums.items()]
        return last.groupBy("job_id").agg(fn.count("*").alias("runs"), *summed).persist()

    @cached_property
    def generations(self) -> DataFrame:
        """`job_id`, `began` of the newest run of each job that names a dataset; of a loop, of the first run that the
        same run of the parent started, a day before at most."""
        runs = self.table("runs").where("size(datasets) > 0")
        last = fn.max(fn.struct("started_at", "run_id", "parent_run_id")).alias("last")
        beside = "parent_run_id = last.parent_run_id AND started_at >= last.started_at - INTERVAL 1 DAY"
        together = runs.join(runs.groupBy("job_id").agg(last), "job_id").where(f"run_id = last.run_id OR ({beside})")
        return together.groupBy("job_id").agg(fn.min("started_at").alias("began"))

    @cached_property
    def column_edges(self) -> DataFrame:
        """The flows between columns that the newest generations of jobs reported, or else the last ones reported, by
        the representatives of the datasets; without flows of a dataset into itself."""
        edges = self.table("column_edges")
        newest = edges.groupBy("job_id", "dataset_id").agg(fn.max("last_seen").alias("newest"))
        since = fn.least("newest", "began")  # without a run there is no `began`, and `least` skips it
        known = newest.join(self.generations, "job_id", "left").select("job_id", "dataset_id", since.alias("since"))
        current = edges.join(known, ["job_id", "dataset_id"]).where("last_seen >= since").drop("since")
        deleted = self.table("jobs").where("is_deleted").select("job_id")
        live = current.join(fn.broadcast(deleted), "job_id", "left_anti")  # the edges of a DatasetEvent have no job
        named = self.under_one_id(self.under_one_id(self.by_statement(live)), "source_id")
        return named.where("dataset_id <> source_id").localCheckpoint()
