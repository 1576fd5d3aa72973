"""Tells, on the bus, of runs that have not ended and are silent."""

from datetime import UTC, datetime
from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.alerts.abandoned_runs import Sweeper
from headwater.alerts.bus import EventBus
from headwater.config import SweepSettings, from_environment
from headwater.graph.naming import Naming
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import instant_of
from headwater.store.aws import PATIENT_SECONDS, client
from headwater.store.dynamodb import DynamoTable
from headwater.store.s3 import Bucket

logger = Logger()
settings = from_environment(SweepSettings)
bucket = Bucket(client("s3", seconds=PATIENT_SECONDS), settings.archive_bucket)
table = DynamoTable(client("dynamodb", seconds=PATIENT_SECONDS), settings.table_name, bucket)
bus = EventBus(client("events", seconds=PATIENT_SECONDS), settings.alert_bus, settings.api_url)
minutes = Thresholds(settings.abandoned_after_minutes, settings.abandoned_after_by_namespace)


def _log(message: str, error: BaseException) -> None:
    logger.warning(message, reason=f"{type(error).__name__}: {error}"[:1000])


ENOUGH_MILLIS = 15_000
"""What is left of the function's time when the last run may be begun: its calls are given up before that is over."""


def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """One sweep over the open runs."""
    sweeper = Sweeper(
        table, bus, Naming(), minutes, _log, has_time=lambda: context.get_remaining_time_in_millis() > ENOUGH_MILLIS
    )
    swept = sweeper.sweep(instant_of(datetime.now(UTC)))
    metrics.count(AlertsSent=swept.abandoned)
    return {"openRuns": swept.open_runs, "abandoned": swept.abandoned}
