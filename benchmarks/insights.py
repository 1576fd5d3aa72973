"""Measures the insights on a generated graph: `python -m benchmarks.insights --help`.

The tables of a lakehouse are written as rows: jobs in ten layers, each of which reads three datasets of the layer
before and writes one dataset of 48 columns, each column of two others, with two filters and two groupings; and ten
runs of each job. Then the whole analysis runs. CPU time is that of Java and of Python's workers.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from benchmarks.rebuild import sampled_processes
from emr_jobs.insights.__main__ import analyse
from emr_jobs.insights.__main__ import create_tables as create_result_tables
from emr_jobs.insights.graph import Graph
from emr_jobs.lakehouse import tables
from emr_jobs.lakehouse.increment import create_tables
from emr_jobs.lakehouse.session import DATABASE, session
from emr_jobs.lakehouse.tables import TableForm

LAYERS, INPUTS, COLUMNS, RUNS = 10, 3, 48, 10
SOURCE = (
    "IF(layer = 0, concat('raw', pmod(hash(job, input), {0})), "
    "concat('made', (layer - 1) * {0} + pmod(hash(job, input), {0})))"
)
WRITTEN = (
    "array(named_struct('direction', 'write', 'dataset_id', md5(output), 'namespace', 's3://bench', 'name', output, "
    "'rows', 1000L + pmod(hash(job, run), 9), 'bytes', 9000L, 'schema_digest', 's')) AS datasets"
)


def main() -> int:
    options = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        spark = session("headwater_benchmark", folder)
        create_tables(spark, DATABASE)
        generate(spark, options.jobs)
        edges = spark.table(f"{DATABASE}.column_edges").count()
        print(f"{options.jobs:,} jobs, {edges:,} column edges", flush=True)
        begun = time.monotonic()
        with sampled_processes() as processes:
            graph = Graph(spark, DATABASE)
            create_result_tables(graph)
            rated, found = analyse(graph, 90, ["PII"])
            figures = {
                "jobs": options.jobs,
                "column_edges": edges,
                "nodes": rated.count(),
                "insights": found.count(),
                "seconds": round(time.monotonic() - begun, 1),
            }
        figures["cpu_seconds"] = round(sum(process.cpu_seconds for process in processes.values()), 1)
        spark.stop()
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    document = {"machine": machine, "insights": figures}
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{datetime.now(UTC):%Y-%m-%d-%H%M}-insights.json"
    file.write_text(json.dumps(document, indent=2) + "\n")
    print(json.dumps(figures))
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000, help="with 100 column edges each (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    return parser


def generate(spark: SparkSession, number: int) -> None:
    """Write the tables."""
    wide = number // LAYERS
    source = SOURCE.format(wide)
    jobs = spark.range(number).selectExpr("id AS job", f"id div {wide} AS layer", "concat('made', id) AS output")
    used = jobs.withColumn("input", fn.explode(fn.expr(f"sequence(0, {INPUTS - 1})"))).withColumn(
        "source", fn.expr(source)
    )
    names = used.selectExpr("source AS name").union(jobs.selectExpr("output AS name")).distinct()
    _insert(
        tables.JOBS,
        jobs.selectExpr(
            "md5(concat('job', job)) AS job_id",
            "'bench' AS namespace",
            "concat('job', job) AS name",
            "array(concat('team', job % 50)) AS owners",
            "false AS is_deleted",
        ),
    )
    tagged = "IF(name LIKE 'raw%', array(named_struct('column_name', 'c1', 'tag', 'PII')), array()) AS column_tags"
    _insert(
        tables.DATASETS,
        names.selectExpr(
            "md5(name) AS dataset_id",
            "'s3://bench' AS namespace",
            "name",
            "array() AS owners",
            tagged,
            "false AS is_deleted",
        ),
    )
    columns = jobs.withColumn("column", fn.explode(fn.expr(f"sequence(-1, {COLUMNS})")))
    flows = columns.withColumn("part", fn.explode(fn.array(fn.lit(0), fn.lit(1))))
    flows = flows.withColumn("input", fn.expr(f"(column + part + {INPUTS}) % {INPUTS}")).withColumn(
        "source", fn.expr(source)
    )
    subtypes = "array('IDENTITY', 'IDENTITY', 'TRANSFORMATION', 'AGGREGATION')"
    direct = f"element_at({subtypes}, 1 + pmod(hash(job, column), 4))"
    subtype = f"IF(column > 0, {direct}, IF(column = 0, 'FILTER', 'GROUP_BY'))"
    _insert(
        tables.COLUMN_EDGES,
        flows.selectExpr(
            "md5(concat('job', job)) AS job_id",
            "md5(output) AS dataset_id",
            "'s3://bench' AS dataset_namespace",
            "output AS dataset_name",
            "IF(column > 0, concat('c', column), '*') AS column_name",
            "md5(source) AS source_id",
            "'s3://bench' AS source_namespace",
            "source AS source_name",
            f"concat('c', 1 + pmod(hash(column, part, job % 7), {COLUMNS})) AS source_column",
            "IF(column > 0, 'DIRECT', 'INDIRECT') AS type",
            f"{subtype} AS subtype",
            "job % 97 = 0 AS masking",
            "now() AS first_seen",
            "TIMESTAMP '2026-11-20 08:00:00' AS last_seen",
        ),
    )
    runs = jobs.withColumn("run", fn.explode(fn.expr(f"sequence(1, {RUNS})")))
    day = f"date_add(DATE '2026-11-20', CAST(run AS INT) - {RUNS}) AS day"
    _insert(
        tables.RUNS,
        runs.selectExpr(
            day,
            "md5(concat('job', job)) AS job_id",
            "concat(job, '-', run) AS run_id",
            "'bench' AS job_namespace",
            "concat('job', job) AS job_name",
            "'COMPLETED' AS state",
            "now() AS started_at",
            "CAST(60 + pmod(hash(run, job), 5) AS DOUBLE) AS seconds",
            "1000L + pmod(hash(job, run), 9) AS rows_written",
            "9000L AS bytes_written",
            WRITTEN,
        ),
    )
    reads = used.selectExpr("job", "source AS name", "'read' AS direction").distinct()
    uses = reads.union(jobs.selectExpr("job", "output", "'write'"))
    _insert(
        tables.READS_WRITES,
        uses.selectExpr(
            "DATE '2026-11-20' AS day",
            "md5(concat('job', job)) AS job_id",
            "'bench' AS job_namespace",
            "concat('job', job) AS job_name",
            "md5(name) AS dataset_id",
            "'s3://bench' AS dataset_namespace",
            "name AS dataset_name",
            "direction",
            "false AS is_declared",
            "now() AS first_seen",
            "now() AS last_seen",
            "1L AS runs",
            "0L AS failed_runs",
            "60.0 AS seconds",
            "1000L AS rows",
            "9000L AS bytes",
        ),
    )


def _insert(table: TableForm, rows: DataFrame) -> None:
    """Append rows; a column that they lack is null."""
    names = [fn.col(name) if name in rows.columns else fn.lit(None).alias(name) for name in table.column_names]
    rows.select(*names).writeTo(f"{DATABASE}.{table.name}").append()


if __name__ == "__main__":
    sys.exit(main())
