"""Writes lineage into tables of the Glue Data Catalog, for changes in the table's stream."""

import time
from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.catalog.synchroniser import Synchroniser
from headwater.catalog.table_writer import Creation
from headwater.config import CatalogSettings, from_environment
from headwater.store.aws.client import PATIENT_SECONDS

SECONDS = 240
"""The time for tables. The function has 300 seconds; the last call may take the rest."""

root = Root(from_environment(CatalogSettings), seconds=PATIENT_SECONDS)
settings = root.settings
synchroniser = Synchroniser(
    store=root.graph(),
    bucket=root.bucket(),
    glue=root.glue(),
    resolver=root.resolver(),
    creation=Creation(settings.catalog_database if settings.create_missing_tables else "", root.catalog_arn()),
    api_url=settings.api_url,
    naming=root.naming(),
    log=root.log(),
    sleep=time.sleep,
)
headwater.start.end()


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Synchronises the tables of a window of the stream. Lambda delivers the window again, from the first record in
    `batchItemFailures` on."""
    end = time.monotonic() + SECONDS
    result = synchroniser.synchronise(batch["Records"], lambda: time.monotonic() < end)
    metrics.count(
        TablesUpdated=result.updated,
        TablesCreated=result.created,
        TablesRefused=result.refused,
        TablesPostponed=result.postponed,
        PartitionsWritten=result.partitions,
    )
    metrics.corrupt_items(result.corrupt)
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in sorted(result.failed, key=int)]}
