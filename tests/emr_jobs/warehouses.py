"""Warehouses in tests: a catalog of a folder, and the rows of its tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from emr_jobs.lakehouse.increment import create_tables, new_objects, take
from emr_jobs.lakehouse.session import CATALOG, catalog_settings
from emr_jobs.lakehouse.tables import TABLES, TAKEN_OBJECTS
from headwater.store.archive_location import Location

Rows = Mapping[str, Sequence[Any]]


def database(spark: SparkSession, folder: Path) -> str:
    """A database with empty tables, in a catalog of the folder's name."""
    catalog = f"c{abs(hash(folder))}"
    for name, value in catalog_settings(str(folder)).items():
        if f"catalog.{CATALOG}" in name:
            spark.conf.set(name.replace(f"catalog.{CATALOG}", f"catalog.{catalog}"), value)
    create_tables(spark, f"{catalog}.headwater")
    return f"{catalog}.headwater"


def take_all(spark: SparkSession, archive: Location, into: str) -> int:
    """One increment. Returns the number of the objects that were taken."""
    new = new_objects(spark, archive, into, {})
    if new.number:
        take(spark, new, into, {})
    return new.number


def rows_in(spark: SparkSession, of: str) -> Rows:
    """The rows of all tables, but for the list of objects."""
    tables = [table for table in TABLES if table is not TAKEN_OBJECTS]
    return {table.name: sorted(map(repr, spark.table(f"{of}.{table.name}").collect())) for table in tables}
