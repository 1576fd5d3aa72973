"""Keeps tables of the Glue Data Catalog in step with the graph, off the table's stream."""

import time
from typing import Any

from headwater import metrics
from headwater.bootstrap import Root
from headwater.catalog.creation import Creation
from headwater.catalog.synchroniser import Synchroniser
from headwater.config import CatalogSettings, from_environment
from headwater.store.aws import PATIENT_SECONDS

SECONDS = 240
"""For tables; the function has 300, and the call that is being made then may take some."""

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


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """One window of the stream; Lambda delivers it again from the first of the records in `batchItemFailures` on."""
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
