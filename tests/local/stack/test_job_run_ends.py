"""The end of a step ends its run, even if it comes first: curate takes it from the queue that EventBridge fills, again
and again. EventBridge takes no event of a service from a client, hence the test fills the queue."""

import json
import time
from collections.abc import Callable

import pytest

from events.envelopes import step_ended
from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api

pytestmark = pytest.mark.emulator

SECONDS = 60


def test_the_end_of_a_step_ends_its_run_even_if_it_comes_before_the_start() -> None:
    notice = step_ended()
    known_as = {"externalQueryId": notice["detail"]["stepId"], "source": "EMR"}
    facet = {"externalQuery": {**known_as, "_producer": "https://p", "_schemaURL": "https://s"}}
    event = factory.run_event("START", run_facets=facet)
    with embedded_stack("job-run-ends", iam=True) as stack:
        deployed = Deployed(stack.deployment)
        api, queue = Api.of(stack.url, stack.key), deployed.role("JobRunEndQueue")
        deployed.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "2"})
        deployed.sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(notice))
        wait_until(lambda: is_in_flight(deployed, queue))
        assert api.post_event(event).status == 201
        deployed.wait_for_ingestion()
        wait_until(lambda: api.get("jobs", "runs", event["run"]["runId"]).json["state"] == "FAILED")


def is_in_flight(deployed: Deployed, queue: str) -> bool:
    name = "ApproximateNumberOfMessagesNotVisible"
    return int(deployed.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])["Attributes"][name]) > 0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
