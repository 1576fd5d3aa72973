"""Tells, on the bus, what the stream of the table shows has changed, failed or come late."""

from typing import Any

from headwater import metrics
from headwater.alerts.announce import Announcer
from headwater.bootstrap import Root
from headwater.config import AlertsSettings, from_environment
from headwater.store.aws import PATIENT_SECONDS

root = Root(from_environment(AlertsSettings), seconds=PATIENT_SECONDS)
announcer = Announcer(store=root.graph(), bucket=root.bucket(), bus=root.bus(), naming=root.naming(), log=root.log())


class NothingTold(Exception):
    """Not one alert of a batch could be put: all of it is to come again."""


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """One batch of the stream; from the record in `batchItemFailures` on, it is delivered again.

    Raises NothingTold if no alert would be put twice by that: then Lambda delivers the batch again even where single
    failures cannot be reported.
    """
    outcome = announcer.announce(batch["Records"])
    metrics.count(AlertsSent=outcome.alerts, RecordsQuarantined=outcome.quarantined)
    metrics.corrupt_items(outcome.corrupt)
    if outcome.failed and not outcome.alerts:
        raise NothingTold(outcome.failed)
    return {"batchItemFailures": [{"itemIdentifier": outcome.failed}] if outcome.failed else []}
