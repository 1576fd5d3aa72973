"""Folds events from the queue into the table."""

import gc
from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import NormaliseSettings, from_environment
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers import producer_name
from headwater.openlineage.instant import instant_of
from headwater.store.aws.client import PATIENT_SECONDS

MARGIN_SECONDS = 15
"""The time for the archive and the report, once folding has to end: the calls of both time out within it."""

root = Root(from_environment(NormaliseSettings), seconds=PATIENT_SECONDS)
normaliser = Normaliser(
    store=root.store(),
    bucket=root.bucket(),
    archive=root.archive(),
    naming=root.naming(),
    thresholds=Thresholds(root.settings.emission_latency_millis, root.settings.emission_latency_by_namespace),
    now=lambda: instant_of(datetime.now(UTC)),
    log=root.log(),
    targets=root.settings.forward_to.split(),
    forward=root.forward_queue(),
)
headwater.start.end()


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Folds a batch of messages. SQS delivers the messages in `batchItemFailures` again, first after seconds.

    Meanwhile Python collects no garbage: a batch leaves hardly any cycles, and each pass would look at all of it.
    """
    root.deadline().begin(context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS)
    deliveries = [Delivery.of(record) for record in batch["Records"]]
    gc.disable()
    try:
        result = normaliser.normalise(deliveries)
    finally:
        gc.enable()
    if result.failed:
        root.redelivery().hasten(each.receipt for each in deliveries if each.message_id in result.failed)
    metrics.count(EventsNormalised=result.folded, EventsQuarantined=result.quarantined)
    metrics.corrupt_items(result.corrupt)
    metrics.durations(result.durations, producer_name)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in result.failed]}
