"""pickup on the embedded stack: the events of an object reach the queue, and an object that fails comes again."""

import json

import pytest

from events.envelopes import notified
from tests import factory
from tests.embedded import Deployed, key_entry
from tests.functions.handlers import function
from tests.functions.own_queue import OwnQueue

pytestmark = pytest.mark.emulator


def test_the_objects_of_a_batch_are_taken_and_those_that_fail_come_again(deployed: Deployed, queue: OwnQueue) -> None:
    deployed.register_api_keys(key_entry("drops"))
    s3, bucket = deployed.account.s3, "headwater-test-drops"
    s3.create_bucket(Bucket=bucket)
    event = factory.run_event()
    s3.put_object(Bucket=bucket, Key="drops/a b.json", Body=json.dumps(event).encode())
    environment = deployed.environment("pickup") | {"PICKUP_BUCKET": bucket, "QUEUE_URL": queue.url}
    pickup = function("pickup", deployed.account.endpoint, environment)
    turned_on = {"Service": "Amazon S3", "Event": "s3:TestEvent"}
    objects = [[{"s3": {"object": {"key": key, "size": 9}}}] for key in ("drops/gone.json", "drops/a+b.json")]
    answer = pickup(notified(turned_on, *({"Records": records} for records in objects)))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "notification-1"}]}
    assert queue.events() == [event]
