"""Tells, on the bus, what the stream of the table shows has changed, failed or come late."""

from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.alerts.announce import Announcer
from headwater.alerts.bus import EventBus
from headwater.config import AlertsSettings, from_environment
from headwater.graph.naming import Naming
from headwater.store.aws import PATIENT_SECONDS, client
from headwater.store.dynamodb import DynamoTable
from headwater.store.s3 import Bucket

logger = Logger()
settings = from_environment(AlertsSettings)
bucket = Bucket(client("s3", seconds=PATIENT_SECONDS), settings.archive_bucket)


def _log(message: str, error: BaseException) -> None:
    logger.warning(message, reason=f"{type(error).__name__}: {error}"[:1000])


announcer = Announcer(
    table=DynamoTable(client("dynamodb", seconds=PATIENT_SECONDS), settings.table_name, bucket),
    bucket=bucket,
    bus=EventBus(client("events", seconds=PATIENT_SECONDS), settings.alert_bus, settings.api_url),
    naming=Naming(settings.namespace_aliases),
    log=_log,
)


class NothingTold(Exception):
    """Not one alert of a batch could be put: all of it is to come again."""


def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """One batch of the stream; from the record in `batchItemFailures` on, it is delivered again. Raises NothingTold if
    nothing would be told twice by that: who follows a stream then tries again, even if it knows of no single failures.
    """
    outcome = announcer.announce(batch["Records"])
    metrics.count(AlertsSent=outcome.alerts, RecordsQuarantined=outcome.quarantined)
    if outcome.failed and not outcome.alerts:
        raise NothingTold(outcome.failed)
    return {"batchItemFailures": [{"itemIdentifier": outcome.failed}] if outcome.failed else []}
