"""An increment: the objects of the archive that were not taken yet become rows of the tables.

All states are joins, so the same objects may be taken twice. A killed increment has some tables merged and others not,
and its objects are not noted as taken: the next increment takes them again, and ends with the same tables.

The tables that follow from runs (reads and writes, quality) are merged before the runs themselves. What they need to
know is which stored runs change, and after the runs are merged nobody could tell:

    runs (stored)     r1 started on the 20th
    event             START of r1, on the 19th at 23:59
    reads_writes      r1 counts for the 19th, and no longer for the 20th
    runs              r1 started on the 19th
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from pyspark import RDD, StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from emr_jobs.archive.events import LineFault, archive_objects, read_objects
from emr_jobs.lakehouse import rows, tables
from emr_jobs.lakehouse.merge import (
    EARLIEST,
    EARLIEST_AND_LATEST,
    FIRST_RECEIPT,
    REPLACE,
    merge,
    of_days,
    replace_groups,
)
from emr_jobs.lakehouse.reads_writes import reads_writes
from emr_jobs.lakehouse.states import states_of
from emr_jobs.lakehouse.tables import TABLES, TableForm
from headwater.fold.runs import reported_to_parents
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.run import Run
from headwater.store.archive_location import ArchiveObject, Location
from headwater.store.bulk import packed, unpacked

KEPT = StorageLevel.MEMORY_AND_DISK
Telling = Callable[[str], None]


class NewObjects(NamedTuple):
    """The objects of an archive that were not taken yet, their events as states, and what could not be read."""

    objects: DataFrame
    states: RDD[Any]
    faults: RDD[LineFault]
    number: int


def create_tables(spark: SparkSession, database: str) -> None:
    """Make the database, and the tables and columns that do not exist yet."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {database}")
    stored = {row["tableName"] for row in spark.sql(f"SHOW TABLES IN {database}").collect()}
    for table in TABLES:
        full_name = f"{database}.{table.name}"
        if table.name not in stored:
            for statement in table.ddl(full_name):
                spark.sql(statement)
        elif new := table.new_columns(spark.table(full_name).columns):
            spark.sql(f"ALTER TABLE {full_name} ADD COLUMNS ({new})")


def new_objects(spark: SparkSession, archive: Location, database: str, aliases: Mapping[str, str]) -> NewObjects:
    """The objects of an archive that are not in `taken_objects`. An object that has grown is new."""
    listed = archive_objects(spark.sparkContext, archive).map(lambda found: (archive.url, *found))
    known = spark.table(f"{database}.{tables.TAKEN_OBJECTS.name}")
    objects = frame(spark, listed, tables.TAKEN_OBJECTS).join(known, list(tables.TAKEN_OBJECTS.keys), "left_anti")
    objects = objects.persist(KEPT)
    read = read_objects(archive, objects.rdd.map(lambda row: ArchiveObject(row["key"], row["size"])))
    said: RDD[Any] = read.mapPartitions(lambda part: states_of(part, aliases)).persist(KEPT)
    keyed = said.filter(lambda each: type(each) is tuple)
    joined = keyed.reduceByKey(lambda left, right: left.join(right), read.getNumPartitions()).persist(KEPT)
    faults = said.filter(lambda each: isinstance(each, LineFault)).distinct()
    return NewObjects(objects, joined, faults, objects.count())


def take(
    spark: SparkSession, new: NewObjects, database: str, aliases: Mapping[str, str], tell: Telling = lambda _: None
) -> None:
    """Merge new objects into the tables, and note the objects as taken. An object that could not be read to its end
    is taken again by the next increment."""

    def of(kind: str, make: Callable[[Any], Any], table: TableForm) -> DataFrame:
        states = new.states.filter(lambda pair: pair[0][0] == kind).values()
        return frame(spark, states.flatMap(make), table).persist(KEPT)

    events = of("ReceivedEvent", lambda each: [rows.event_row(each)], tables.EVENTS)
    tell(f"{events.count():,} events")
    merge(tables.EVENTS, database, events, FIRST_RECEIPT, days_of(events))
    schemas = of("Document", lambda each: list(rows.schema_rows(each)), tables.SCHEMAS)
    merge(tables.SCHEMAS, database, schemas.dropDuplicates(list(tables.SCHEMAS.keys)), EARLIEST)
    merge(tables.LINKS, database, of("Link", lambda each: [each], tables.LINKS))
    edges = of("SentLineage", lambda each: list(rows.edge_rows(each, aliases)), tables.COLUMN_EDGES)
    merge(tables.COLUMN_EDGES, database, seen(edges, tables.COLUMN_EDGES).persist(KEPT), EARLIEST_AND_LATEST)
    declared = of("Declaration", lambda each: [rows.declared_row(each)], tables.READS_WRITES)
    merge(tables.READS_WRITES, database, declared, EARLIEST_AND_LATEST, days_of(declared))
    tell("column lineage and schemas")
    facts = new.states.filter(lambda pair: pair[0][0] == "JobFacts").map(lambda pair: (pair[0][1:], pair[1]))
    take_jobs(spark, facts.union(take_runs(spark, new.states, database, tell)), database)
    described = new.states.filter(lambda pair: pair[0][0] == "DatasetFacts").map(lambda pair: (pair[0][1:], pair[1]))
    changed = changed_states(spark, described, database, tables.DATASETS, DatasetHead)
    datasets = frame(spark, changed.map(rows.dataset_row), tables.DATASETS).persist(KEPT)
    merge(tables.DATASETS, database, datasets, REPLACE)
    tell("jobs and datasets")
    unfinished = frame_of(
        spark, new.faults.map(lambda fault: (fault.unfinished_object,)).distinct(), "key string"
    ).filter("key <> ''")
    merge(tables.TAKEN_OBJECTS, database, new.objects.join(unfinished, "key", "left_anti"))


def take_runs(spark: SparkSession, states: RDD[Any], database: str, tell: Telling) -> RDD[Any]:
    """Merge the runs of events, with what children report to their parents. Return the facts of the parents' jobs."""
    sent = states.filter(lambda pair: pair[0][0] == "Run").map(lambda pair: (pair[0][1:], pair[1]))
    known = with_stored(spark, sent, database, tables.RUNS).mapValues(lambda pair: _join(pair[0], pair[1]))
    reported = known.values().mapPartitions(lambda part: ((tuple(k), v) for k, v in reported_to_parents(part).items()))
    joined = known.union(reported).reduceByKey(Run.join)
    both = with_stored(spark, joined, database, tables.RUNS)
    changed = both.flatMap(lambda each: _changed_run(*each[1])).persist(KEPT)
    form = f"{tables.RUNS.columns}, old_day date"
    runs = frame_of(spark, changed.map(lambda pair: (*rows.run_row(pair[0]), pair[1])), form).persist(KEPT)
    days = sorted({*days_of(runs), *days_of(runs, "old_day")})
    after = runs.drop("old_day")
    quality = frame(spark, changed.flatMap(lambda pair: list(rows.quality_rows(pair[0]))), tables.QUALITY)
    replace_groups(tables.QUALITY, database, quality.persist(KEPT), after.select("job_id", "run_id"))
    if days:
        reads_writes(spark, database, runs, days)
    tell("reads, writes and quality")
    merge(tables.RUNS, database, after, REPLACE, days)
    tell(f"{after.count():,} changed runs")
    return reported.reduceByKey(Run.join).values().map(JobFacts.only_named).map(lambda facts: ((facts.id,), facts))


def take_jobs(spark: SparkSession, facts: RDD[Any], database: str) -> None:
    """Merge what events say of jobs."""
    joined = facts.reduceByKey(lambda left, right: left.join(right))
    changed = changed_states(spark, joined, database, tables.JOBS, JobHead)
    jobs = frame(spark, changed.map(rows.job_row), tables.JOBS).persist(KEPT)
    merge(tables.JOBS, database, jobs, REPLACE)


def changed_states(
    spark: SparkSession, facts: RDD[Any], database: str, table: TableForm, head_of: Callable[[Any], Any]
) -> RDD[Any]:
    """The joins of facts with those of the stored heads, as far as they differ from these. `head_of` makes the head
    that is stored for facts."""
    both = with_stored(spark, facts, database, table).values()
    joined = both.map(lambda pair: (pair[0].join(pair[1][0].facts), pair[1][0]) if pair[1] else (pair[0], None))
    changed = joined.filter(lambda pair: pair[1] is None or packed(head_of(pair[0])) != packed(pair[1]))
    return changed.keys()


def with_stored(spark: SparkSession, states: RDD[Any], database: str, table: TableForm) -> RDD[Any]:
    """States by their keys, each with the stored state and the day of its row, or None."""
    columns = ", ".join(f"{key} string" for key in table.keys)
    keys = frame_of(spark, states.keys(), columns).persist(KEPT)
    stored = spark.table(f"{database}.{table.name}").join(keys, list(table.keys), "left_semi")
    if table.partition:
        days = days_of(stored)  # the keys of all rows are read, but only the states of these days
        stored = of_days(stored, days) if days else stored.limit(0)
    day = fn.col("day") if table.partition else fn.lit(None)
    of_keys = stored.select(*table.keys, day.alias("day"), "joined").rdd
    number = len(table.keys)
    loaded = of_keys.map(lambda row: (tuple(row[:number]), (unpacked(bytes(row[number + 1])), row[number])))
    return states.leftOuterJoin(loaded)


def seen(edges: DataFrame, table: TableForm) -> DataFrame:
    """The rows of a table with first and last times, each key once."""
    others = [name for name in table.column_names if name not in (*table.keys, "first_seen", "last_seen")]
    known = [fn.first(name).alias(name) for name in others]
    times = [fn.min("first_seen").alias("first_seen"), fn.max("last_seen").alias("last_seen")]
    return edges.groupBy(*table.keys).agg(*known, *times).select(*table.column_names)


def frame(spark: SparkSession, values: RDD[Any], table: TableForm) -> DataFrame:
    return frame_of(spark, values, table.columns)


def frame_of(spark: SparkSession, values: RDD[Any], columns: str) -> DataFrame:
    return spark.createDataFrame(values, columns, verifySchema=False)


def days_of(values: DataFrame, column: str = "day") -> Sequence[date]:
    return [row[0] for row in values.select(column).where(f"{column} IS NOT NULL").distinct().collect()]


def _join(state: Any, stored: tuple[Any, Any] | None) -> Any:
    return state.join(stored[0]) if stored else state


def _changed_run(run: Run, stored: tuple[Run, date] | None) -> list[tuple[Run, date | None]]:
    joined: Run = _join(run, stored)
    if stored and joined == stored[0]:
        return []
    return [(joined, stored[1] if stored else None)]
