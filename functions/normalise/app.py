"""Folds events from the queue into the table."""

from datetime import UTC, datetime
from typing import Any

from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import NormaliseSettings, from_environment
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import instant_of
from headwater.store.aws import PATIENT_SECONDS

root = Root(from_environment(NormaliseSettings), seconds=PATIENT_SECONDS)
normaliser = Normaliser(
    store=root.store(),
    bucket=root.bucket(),
    archive=root.archive(),
    naming=root.naming(),
    thresholds=Thresholds(root.settings.emission_latency_millis, root.settings.emission_latency_by_namespace),
    now=lambda: instant_of(datetime.now(UTC)),
    log=root.log(),
)


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Folds a batch of messages. SQS delivers the messages in `batchItemFailures` again."""
    result = normaliser.normalise([Delivery.of(record) for record in batch["Records"]])
    metrics.count(EventsNormalised=result.folded, EventsQuarantined=result.quarantined)
    metrics.corrupt_items(result.corrupt)
    metrics.durations(result.durations)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in result.failed]}
