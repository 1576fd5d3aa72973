"""The Spark of the programs on the lakehouse, with its catalog."""

import os
import time
from collections.abc import Mapping

from pyspark import SparkConf
from pyspark.sql import SparkSession

from headwater.spark import session as reported_session
from headwater.store.archive_location import S3

CATALOG = "lake"
DATABASE = f"{CATALOG}.{os.environ.get('CATALOG_DATABASE', 'headwater')}"
"""The database of the tables. Each stack has its own in the Glue Data Catalog, and its job runs get the name."""
_BEGUN = time.monotonic()
_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def session(name: str, warehouse: str) -> SparkSession:
    """The Spark of spark-submit; without it, a Spark of this machine."""
    given = SparkConf()
    settings = dict(catalog_settings(warehouse))
    if not given.contains("spark.master"):
        from emr_jobs.local_spark import spark_settings  # noqa: PLC0415 - a cluster has what this machine has to find

        settings |= spark_settings(name)
    builder = SparkSession.builder
    for setting, value in settings.items():
        builder = builder.config(setting, value)
    return reported_session(builder, name)


def catalog_settings(warehouse: str) -> Mapping[str, str]:
    """The settings of the catalog: the Glue Data Catalog for a warehouse on S3, a Hadoop catalog for a folder."""
    catalog = f"spark.sql.catalog.{CATALOG}"
    settings = {
        "spark.sql.extensions": _EXTENSIONS,
        "spark.sql.session.timeZone": "UTC",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.warehouse": warehouse,
    }
    if not warehouse.startswith(S3):
        return settings | {f"{catalog}.type": "hadoop"}
    return settings | {f"{catalog}.type": "glue", f"{catalog}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}


def progress(line: str) -> None:
    print(f"{time.monotonic() - _BEGUN:7.1f} s  {line}", flush=True)
