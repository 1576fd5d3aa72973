"""Puts alerts on the bus for changes in the table's stream: schema changes, failed runs, assertions, emission
latency."""

from typing import Any

import headwater.start
from headwater import metrics
from headwater.alerts.announce import Announcer
from headwater.bootstrap import Root
from headwater.config import AlertsSettings, from_environment
from headwater.store.aws.client import PATIENT_SECONDS

root = Root(from_environment(AlertsSettings), seconds=PATIENT_SECONDS)
announcer = Announcer(
    store=root.graph(), bucket=root.bucket(), bus=root.storing_bus(), naming=root.naming(), log=root.log()
)
headwater.start.end()


class NoAlertSent(Exception):
    """No alert of a batch was put on the bus, and the batch must be delivered again."""


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Announces a batch of the stream. Lambda delivers the batch again, from the record in `batchItemFailures` on.

    Raises NoAlertSent if a record failed before any alert was put: then Lambda delivers the whole batch again, even
    if it ignores `batchItemFailures`, and no alert is put twice.
    """
    outcome = announcer.announce(batch["Records"])
    metrics.count(AlertsSent=outcome.alerts, RecordsQuarantined=outcome.quarantined)
    metrics.corrupt_items(outcome.corrupt)
    if outcome.failed and not outcome.alerts:
        raise NoAlertSent(outcome.failed)
    return {"batchItemFailures": [{"itemIdentifier": outcome.failed}] if outcome.failed else []}
