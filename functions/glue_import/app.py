"""Tells the graph what the Glue Data Catalog says of tables: owners, descriptions, classifications. On a schedule."""

import time
from datetime import UTC, datetime
from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.catalog.glue import GlueCatalog
from headwater.catalog.glue_import import GlueImport
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import CatalogArn
from headwater.catalog.locations import Locations
from headwater.catalog.resolver import Resolver
from headwater.config import GlueImportSettings, from_environment
from headwater.graph.naming import Naming
from headwater.store.aws import PATIENT_SECONDS, client
from headwater.store.dynamodb import DynamoTable
from headwater.store.s3 import Bucket
from headwater.store.sqs import Queue

SECONDS = 780
"""For pages; the function has 900. What is not read by then is read the next time."""

logger = Logger()
settings = from_environment(GlueImportSettings)
bucket = Bucket(client("s3", seconds=PATIENT_SECONDS), settings.archive_bucket)
glue = GlueCatalog(client("glue", seconds=PATIENT_SECONDS))
naming = Naming(settings.namespace_aliases)


def _log(message: str, error: BaseException) -> None:
    logger.warning(message, reason=f"{type(error).__name__}: {error}"[:1000])


glue_import = GlueImport(
    table=DynamoTable(client("dynamodb", seconds=PATIENT_SECONDS), settings.table_name, bucket),
    queue=Queue(client("sqs", seconds=PATIENT_SECONDS), settings.queue_url),
    bucket=bucket,
    glue=glue,
    resolver=Resolver(CatalogArn(settings.catalog_arn), naming, Locations(glue, GlueRetry(time.sleep), _log)),
    naming=naming,
    log=_log,
    sleep=time.sleep,
)


def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """One reading."""
    end = time.monotonic() + SECONDS
    result = glue_import.read(datetime.now(UTC), lambda: time.monotonic() < end)
    metrics.count(TablesRead=result.read, TablesTold=len(result.datasets), DatabasesRefused=result.refused)
    logger.info("read", tables=result.read, told=len(result.datasets), isWhole=result.is_whole)
    return {"read": result.read, "told": len(result.datasets)}
