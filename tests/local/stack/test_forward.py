"""Folded events go on to another system, with the roles enforced: in their order, and again until they are taken."""

import random
import time

import pytest

from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.forward.receivers import Receiver, receiving

pytestmark = pytest.mark.emulator

SECONDS = 120


def test_events_go_on_to_another_system_and_wait_for_it_if_it_is_down() -> None:
    receiver = Receiver(answers=[503, 429])
    with receiving(receiver) as url, embedded_stack("forward", iam=True, ForwardToUrl=f"{url}/api/v1/lineage") as stack:
        deployed, api = Deployed(stack.deployment), Api.of(stack.url, stack.key)
        (queue,) = [name for name in deployed.sqs.list_queues()["QueueUrls"] if "ForwardQueue" in name]
        deployed.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "2"})
        text = random.Random(37).randbytes(400_000).hex()
        long = {"description": text, "_producer": factory.PRODUCER, "_schemaURL": "https://example.com"}
        events = [
            factory.run_event(kind, run=run, seconds=seconds, job_facets={"documentation": long} if run == 2 else None)
            for run in (1, 2)
            for seconds, kind in enumerate(("START", "RUNNING", "COMPLETE"))
        ]
        for event in events:
            assert api.post_event(event).status == 201
        deadline = time.monotonic() + SECONDS
        while len(receiver.requests) < len(events) + 2:
            assert time.monotonic() < deadline, f"{len(receiver.requests)} requests after {SECONDS} seconds"
            time.sleep(0.2)
        taken = receiver.events[2:]
        for run in (factory.run_id(1), factory.run_id(2)):
            assert [e for e in taken if e["run"]["runId"] == run] == [e for e in events if e["run"]["runId"] == run]
