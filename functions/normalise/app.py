"""Folds events from the queue into the table."""

from datetime import UTC, datetime
from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.config import NormaliseSettings, from_environment
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.naming import Naming
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import Instant, instant_of
from headwater.store.aws import PATIENT_SECONDS, client
from headwater.store.dynamodb import DynamoTable
from headwater.store.firehose import Archive
from headwater.store.item_codec import Retention
from headwater.store.s3 import Bucket

logger = Logger()
settings = from_environment(NormaliseSettings)
bucket = Bucket(client("s3", seconds=PATIENT_SECONDS), settings.archive_bucket)


def _now() -> Instant:
    return instant_of(datetime.now(UTC))


def _log(message: str, error: BaseException) -> None:
    logger.warning(message, reason=f"{type(error).__name__}: {error}"[:1000])


normaliser = Normaliser(
    table=DynamoTable(client("dynamodb", seconds=PATIENT_SECONDS), settings.table_name, bucket),
    bucket=bucket,
    archive=Archive(client("firehose", seconds=PATIENT_SECONDS), settings.archive_stream, bucket),
    retention=Retention(settings.run_retention_days, settings.event_retention_days),
    naming=Naming(settings.namespace_aliases),
    thresholds=Thresholds(settings.emission_latency_millis, settings.emission_latency_by_namespace),
    now=_now,
    log=_log,
)


def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """One batch of messages; those in `batchItemFailures` are delivered again."""
    deliveries = [
        Delivery(record["messageId"], record["attributes"]["MessageGroupId"], record["body"])
        for record in batch["Records"]
    ]
    result = normaliser.normalise(deliveries)
    metrics.count(EventsNormalised=result.folded, EventsQuarantined=result.quarantined)
    metrics.durations(result.durations)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in result.failed]}
