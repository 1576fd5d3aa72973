"""Lakehouses in tests: jobs, datasets and column lineage, written into the tables as rows."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from emr_jobs.lakehouse import tables
from emr_jobs.lakehouse.tables import TableForm
from headwater.graph.names.identity import dataset_id, job_id
from headwater.openlineage.event import Name

NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)
LAKE, JOBS = "s3://lake", "demo"

Flow = tuple[str, str, str, str]
"""An output column (`*` for the whole output), its source as `dataset.column`, the subtype and the type's first letter;
`D` is direct, `M` direct and masking, `I` indirect."""


class Work(NamedTuple):
    """A job that writes a dataset every day, with the flows between columns."""

    job: str
    output: str
    flows: Sequence[Flow] = ()
    reads: Sequence[str] = ()
    seconds: Sequence[float] = (60.0,)
    executor_seconds: Sequence[float | None] = (None,)
    skewed: Sequence[bool] = (False,)
    rows: Sequence[int] = (100,)
    rows_read: Sequence[int | None] = (None,)
    bytes_a_row: Sequence[int] = (10,)
    owner: str | None = None
    schemas: Sequence[str] = ("s",)
    namespace: str = JOBS
    since: int = 0
    """Days before the newest run on which it wrote the output first; 0 for a job that is as old as its runs."""

    @property
    def id(self) -> str:
        return job_id(Name(self.namespace, self.job))

    @property
    def inputs(self) -> list[str]:
        return sorted({*self.reads, *(source.partition(".")[0] for _, source, _, _ in self.flows)})


def dataset(name: str) -> str:
    return dataset_id(Name(LAKE, name))


def fill(spark: SparkSession, database: str, works: Sequence[Work], tags: Iterable[tuple[str, str, str]] = ()) -> None:
    """Write works, and tags of columns: dataset, column, tag. The newest runs are of the 20th."""
    _insert(spark, database, tables.JOBS, [_job(work) for work in works])
    names = sorted({name for work in works for name in (*work.inputs, work.output)})
    tagged = [(name, [(column, tag) for of, column, tag in tags if of == name]) for name in names]
    _insert(spark, database, tables.DATASETS, [_dataset(name, columns) for name, columns in tagged])
    _insert(spark, database, tables.RUNS, [row for work in works for row in _runs(work)])
    _insert(spark, database, tables.READS_WRITES, [row for work in works for row in _uses(work)])
    _insert(spark, database, tables.COLUMN_EDGES, [row for work in works for row in _edges(work)])


def _insert(spark: SparkSession, database: str, table: TableForm, rows: list[Any]) -> None:
    if rows:
        spark.createDataFrame(rows, table.columns).writeTo(f"{database}.{table.name}").append()


def _job(work: Work) -> tuple[Any, ...]:
    owners = [work.owner] if work.owner else []
    named: tuple[Any, ...] = (
        work.id,
        work.namespace,
        work.job,
        "BATCH",
        "spark",
        None,
        work.owner,
        owners,
        [],
        None,
        NOW,
        NOW,
    )
    return (*named, False, False, b"")


def _dataset(name: str, tags: list[tuple[str, str]]) -> tuple[Any, ...]:
    return dataset(name), LAKE, name, None, None, None, [], [], tags, None, NOW, NOW, False, b""


def _runs(work: Work) -> Iterable[tuple[Any, ...]]:
    number = max(
        map(
            len,
            (
                work.seconds,
                work.executor_seconds,
                work.skewed,
                work.rows,
                work.rows_read,
                work.bytes_a_row,
                work.schemas,
            ),
        )
    )
    for at in range(number):
        started = NOW - timedelta(days=number - 1 - at)
        seconds, rows = work.seconds[at % len(work.seconds)], work.rows[at % len(work.rows)]
        read_rows, size = work.rows_read[at % len(work.rows_read)], rows * work.bytes_a_row[at % len(work.bytes_a_row)]
        written = ("write", dataset(work.output), LAKE, work.output, rows, size, work.schemas[at % len(work.schemas)])
        read = [("read", dataset(name), LAKE, name, None, None, None) for name in work.inputs]
        named = (started.date(), work.id, f"{work.job}-{at}", work.namespace, work.job, "COMPLETED", started)
        times = (started + timedelta(seconds=seconds), seconds, None, None, "spark", None)
        skewed = (
            (7, "join", 200, 2.0, 900.0, 10**8, 41 * 10**9, 43 * 10**9) if work.skewed[at % len(work.skewed)] else None
        )
        tasks = work.executor_seconds[at % len(work.executor_seconds)], skewed
        yield *named, *times, read_rows, None, rows, size, [written, *read], b"", *tasks


def _uses(work: Work) -> Iterable[tuple[Any, ...]]:
    for row in _runs(work):
        for direction, *named, rows, size, _ in row[17]:
            counts = (row[6], row[6], 1, 0, row[8], rows or 0, size or 0)
            yield row[0], row[1], work.namespace, work.job, *named, direction, False, *counts
    if work.since:
        first = NOW - timedelta(days=work.since)
        named = [dataset(work.output), LAKE, work.output]
        yield first.date(), work.id, work.namespace, work.job, *named, "write", False, first, first, 1, 0, 60.0, 1, 1


def _edges(work: Work) -> Iterable[tuple[Any, ...]]:
    for column, source, subtype, kind in work.flows:
        name, _, field = source.partition(".")
        of_source = (dataset(name), LAKE, name, field, "INDIRECT" if kind == "I" else "DIRECT", subtype, kind == "M")
        yield work.id, dataset(work.output), LAKE, work.output, column, *of_source, NOW, NOW
