"""Keeps tables of the Glue Data Catalog in step with the graph, off the table's stream."""

import time
from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.catalog.creation import Creation
from headwater.catalog.glue import GlueCatalog
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import CatalogArn
from headwater.catalog.locations import Locations
from headwater.catalog.resolver import Resolver
from headwater.catalog.synchroniser import Synchroniser
from headwater.config import CatalogSettings, from_environment
from headwater.graph.naming import Naming
from headwater.store.aws import PATIENT_SECONDS, client
from headwater.store.dynamodb import DynamoTable
from headwater.store.s3 import Bucket
from headwater.store.stream_records import read_change

SECONDS = 240
"""For tables; the function has 300, and the call that is being made then may take some."""

logger = Logger()
settings = from_environment(CatalogSettings)
bucket = Bucket(client("s3", seconds=PATIENT_SECONDS), settings.archive_bucket)
glue = GlueCatalog(client("glue", seconds=PATIENT_SECONDS))
naming = Naming(settings.namespace_aliases)
catalog = CatalogArn(settings.catalog_arn)


def _log(message: str, error: BaseException) -> None:
    logger.warning(message, reason=f"{type(error).__name__}: {error}"[:1000])


synchroniser = Synchroniser(
    table=DynamoTable(client("dynamodb", seconds=PATIENT_SECONDS), settings.table_name, bucket),
    glue=glue,
    resolver=Resolver(catalog, naming, Locations(glue, GlueRetry(time.sleep), _log)),
    creation=Creation(settings.catalog_database if settings.create_missing_tables else "", catalog),
    api_url=settings.api_url,
    naming=naming,
    log=_log,
    sleep=time.sleep,
)


def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """One window of the stream; Lambda delivers it again from the first of the records in `batchItemFailures` on."""
    end = time.monotonic() + SECONDS
    changes = [read_change(record, bucket) for record in batch["Records"]]
    result = synchroniser.synchronise(changes, lambda: time.monotonic() < end)
    metrics.count(
        TablesUpdated=result.updated,
        TablesCreated=result.created,
        TablesRefused=result.refused,
        TablesPostponed=result.postponed,
        PartitionsWritten=result.partitions,
    )
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in sorted(result.failed, key=int)]}
