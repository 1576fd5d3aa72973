"""Imports owners, descriptions and classifications of tables from the Glue Data Catalog, on a schedule."""

import time
from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.catalog.glue_import import GlueImport
from headwater.config import GlueImportSettings, from_environment
from headwater.store.aws.client import PATIENT_SECONDS

SECONDS = 780
"""The time for pages of tables. The function has 900 seconds; the next import continues with the rest."""

root = Root(from_environment(GlueImportSettings), seconds=PATIENT_SECONDS)
glue_import = GlueImport(
    store=root.store(),
    queue=root.queue(),
    bucket=root.bucket(),
    glue=root.glue(),
    resolver=root.resolver(),
    naming=root.naming(),
    log=root.log(),
    sleep=time.sleep,
)
headwater.start.end()


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """Imports as many pages as there is time for."""
    end = time.monotonic() + SECONDS
    result = glue_import.read(datetime.now(UTC), lambda: time.monotonic() < end)
    metrics.count(TablesRead=result.read, TablesImported=len(result.datasets), DatabasesRefused=result.refused)
    metrics.corrupt_items(result.corrupt)
    root.log().info("read", tables=result.read, told=len(result.datasets), isWhole=result.is_whole)
    return {"read": result.read, "told": len(result.datasets)}
