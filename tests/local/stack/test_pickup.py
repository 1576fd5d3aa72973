"""Events in a bucket reach the graph: S3 notifies the queue of the stack, and pickup takes the objects."""

import json
import time
from typing import Any

import pytest

from tests import factory
from tests.embedded import Deployed, embedded_stack, key_entry
from tests.end_to_end.api import Api

pytestmark = pytest.mark.emulator

BUCKET = "headwater-test-drops"
SECONDS = 60


def test_an_object_in_the_bucket_becomes_lineage() -> None:
    with embedded_stack("pickup", iam=True, PickupBucketName=BUCKET) as stack:
        deployed = Deployed(stack.deployment)
        deployed.register_api_keys(key_entry("drops", scopes=["ingest"]))
        s3, queue = deployed.account.s3, deployed.outputs["PickupQueueArn"]
        s3.create_bucket(Bucket=BUCKET)
        notified: Any = {"QueueConfigurations": [{"QueueArn": queue, "Events": ["s3:ObjectCreated:*"]}]}
        s3.put_bucket_notification_configuration(Bucket=BUCKET, NotificationConfiguration=notified)
        event = factory.run_event(outputs=[factory.dataset("raw/orders")])
        s3.put_object(Bucket=BUCKET, Key="drops/a file.json", Body=json.dumps(event).encode())
        api, deadline = Api.of(stack.url, stack.key), time.monotonic() + SECONDS
        job = event["job"]
        while api.get("namespaces", job["namespace"], "jobs", job["name"]).status != 200:
            assert time.monotonic() < deadline, f"no job after {SECONDS} seconds"
            time.sleep(0.5)
