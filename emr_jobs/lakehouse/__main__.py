"""Keeps the lineage of an archive as Iceberg tables: each run takes what is new in the archive.

    python -m emr_jobs.lakehouse ARCHIVE --warehouse /data/lake
    python -m emr_jobs.lakehouse s3://ARCHIVE --warehouse s3://BUCKET/lake

ARCHIVE is a folder or s3://BUCKET with events/ and bodies/ below it: the archive bucket of a deployed stack, or what
`headwater export` writes. The tables are in the database `headwater`: of the Glue Data Catalog for a warehouse on S3,
of a Hadoop catalog for a folder; CATALOG_DATABASE may name another. docs/lakehouse.md has the tables. A run that was
killed is simply started again; two runs on one warehouse must not work at the same time. NAMESPACE_ALIASES must be that
of the function normalise.
"""

import argparse
import sys

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark import RDD
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from emr_jobs.archive.events import LineFault
from emr_jobs.lakehouse.increment import create_tables, new_objects, take
from emr_jobs.lakehouse.session import CATALOG, DATABASE, progress, session
from emr_jobs.lakehouse.tables import TABLES
from headwater.process_settings import read_settings
from headwater.spark import folder, lineage, table
from headwater.store.archive_location import Location
from headwater.store.errors import StorageError

SHOWN_FAULTS = 100
STRICT = 1


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lakehouse", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archive", metavar="ARCHIVE", type=Location)
    parser.add_argument("--warehouse", required=True, metavar="DIR|s3://...", help="of the tables")
    parser.add_argument("--strict", action="store_true", help="take nothing if anything new cannot be read")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if --strict found something that cannot be read, or the archive or the warehouse cannot be used."""
    options = parser().parse_args(arguments)
    aliases = dict(read_settings().namespace_aliases)
    spark = session("headwater_lakehouse", options.warehouse)
    try:
        usable_tables(spark, options.warehouse)
        new = new_objects(spark, options.archive, DATABASE, aliases)
        progress(f"{new.number:,} new objects in {options.archive.url}")
        if not new.number:
            return 0
        if tell_faults(new.faults) and options.strict:
            progress("--strict: nothing was taken")
            return STRICT
        made = [table(spark, f"{DATABASE}.{form.name}") for form in TABLES]
        with lineage(spark, reads=[folder(f"{options.archive.url}/events")], writes=made):
            take(spark, new, DATABASE, aliases, progress)
        progress(f"the tables of {CATALOG} are up to date")
    except StorageError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def usable_tables(spark: SparkSession, warehouse: str) -> None:
    """Make the tables that do not exist yet. Raises StorageError if the warehouse cannot be written."""
    try:
        create_tables(spark, DATABASE)
    except (PySparkException, Py4JJavaError) as error:
        cause = getattr(error, "java_exception", error)
        raise StorageError(f"--warehouse {warehouse}: {str(cause).splitlines()[0]}") from error


def tell_faults(faults: RDD[LineFault]) -> int:
    """List what could not be read, and return the number."""
    number = faults.count()
    for fault in faults.take(SHOWN_FAULTS):
        print(f"could not be read: {fault.place}: {fault.reason}", file=sys.stderr)
    if number:
        print(f"{number:,} lines or objects could not be read; all others count", file=sys.stderr)
    return number


if __name__ == "__main__":
    sys.exit(main())
