"""Takes events from the objects that are put into a bucket, for clusters that reach S3 and no API."""

from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater.access.keys import KeyRing
from headwater.bootstrap import Root
from headwater.config import PickupSettings, from_environment
from headwater.ingest.pickup import Pickup, objects_in
from headwater.store.aws.client import PATIENT_SECONDS
from headwater.store.aws.s3 import Bucket

ENOUGH_MILLIS = 60_000
"""The remaining time of the function without which no further object is taken. The function has 300 seconds."""

root = Root(from_environment(PickupSettings), seconds=PATIENT_SECONDS)
log = root.log()
pickup = Pickup(
    keys=KeyRing(root.secret(), failed=log),
    objects=Bucket(root.client("s3"), root.settings.pickup_bucket),
    queue=root.queue(),
    bodies=root.bucket(),
    naming=root.naming(),
    refusals=root.refusals,
    log=log,
    now=lambda: datetime.now(UTC),
)
headwater.start.end()


@log.handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Takes the objects that a batch of notifications names. SQS delivers those in `batchItemFailures` again."""
    failed = [
        record["messageId"]
        for record in batch["Records"]
        if context.get_remaining_time_in_millis() < ENOUGH_MILLIS or not is_taken(record["body"])
    ]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def is_taken(notification: str) -> bool:
    try:
        for put in objects_in(notification):
            pickup.take(put)
    except Exception as error:  # noqa: BLE001 - one object does not hold up the others
        log("an object is tried again", error)
        return False
    return True
