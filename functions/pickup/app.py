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
    max_event_bytes=root.settings.max_body_bytes,
)
headwater.start.end()


@log.handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Takes the objects that a notification names, one. SQS delivers what is in `batchItemFailures` again."""
    failed = [record["messageId"] for record in batch["Records"] if not is_taken(record["body"])]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def is_taken(notification: str) -> bool:
    try:
        for put in objects_in(notification):
            pickup.take(put)
    except Exception as error:  # noqa: BLE001 - one object does not hold up the others
        log("an object is tried again", error)
        return False
    return True
