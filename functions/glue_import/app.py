"""Tells the graph what the Glue Data Catalog says of tables: owners, descriptions, classifications. On a schedule."""

import time
from datetime import UTC, datetime
from typing import Any

from headwater import metrics
from headwater.bootstrap import Root
from headwater.catalog.glue_import import GlueImport
from headwater.config import GlueImportSettings, from_environment
from headwater.store.aws import PATIENT_SECONDS

SECONDS = 780
"""For pages; the function has 900. What is not read by then is read the next time."""

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


@root.log().handler
def handler(schedule: dict[str, Any], context: Any) -> dict[str, int]:
    """One reading."""
    end = time.monotonic() + SECONDS
    result = glue_import.read(datetime.now(UTC), lambda: time.monotonic() < end)
    metrics.count(
        TablesRead=result.read,
        TablesTold=len(result.datasets),
        DatabasesRefused=result.refused,
    )
    metrics.corrupt_items(result.corrupt)
    root.log().info("read", tables=result.read, told=len(result.datasets), isWhole=result.is_whole)
    return {"read": result.read, "told": len(result.datasets)}
