"""The alert of a schema change on its way: HTTP, queue, table, stream, bus, topic, and Datadog."""

import json
import time
import uuid

import pytest

from local.alerts.queue import AlertQueue, SentAlert, subscribe
from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed
from tests.end_to_end.api import Api
from tests.factory import Document

pytestmark = pytest.mark.emulator

ARRIVAL_SECONDS, QUIET_SECONDS = 20, 2
BEFORE = factory.schema("id:long", "amount:double", "note:string")
AFTER = factory.schema("id:long", "amount:string")
OWNED = factory.facet(owners=[{"name": "team:finance", "type": "OWNER"}])


class Feed:
    """A dataset in a namespace of its own, which a job writes and another makes a report of."""

    def __init__(self, api: Api, deployed: Deployed) -> None:
        self.lake = f"s3://{uuid.uuid4().hex}"
        self._api = api
        self._deployed = deployed
        self._runs = [str(uuid.uuid4()) for _ in range(10)]

    def written(self, number: int, schema: Document, kind: str = "COMPLETE") -> Document:
        return self._of(number, kind, "load", [], [factory.dataset("orders", self.lake, schema=schema)])

    def reported(self, number: int) -> Document:
        lineage = factory.columns(total=(self.lake, "orders", "amount"))
        report = factory.dataset("report", self.lake, columnLineage=lineage, ownership=OWNED)
        return self._of(number, "COMPLETE", "report", [factory.dataset("orders", self.lake)], [report])

    def post(self, *documents: Document) -> None:
        for document in documents:
            assert self._api.post_event(document).status == 201
        self._deployed.wait_for_ingestion()

    def _of(self, number: int, kind: str, job: str, inputs: list[Document], outputs: list[Document]) -> Document:
        event = factory.run_event(kind, seconds=number, inputs=inputs, outputs=outputs)
        named = {"namespace": self.lake, "name": job}
        return event | {"run": {"runId": self._runs[number], "facets": {}}, "job": named}


@pytest.fixture
def feed(api: Api, deployed: Deployed) -> Feed:
    return Feed(api, deployed)


@pytest.fixture
def queue(shared_stack: Stack, feed: Feed) -> AlertQueue:
    """A queue that hears of the feed alone, as a team subscribes one."""
    deployment = shared_stack.deployment
    wanted = {"FilterPolicyScope": "MessageBody", "FilterPolicy": json.dumps({"namespace": [feed.lake]})}
    return subscribe(deployment.account, deployment.outputs["AlertTopicArn"], f"drift-{uuid.uuid4().hex}", **wanted)


def test_the_alert_of_a_drift_reaches_subscribers_and_datadog_with_the_broken_nodes(
    shared_stack: Stack, feed: Feed, queue: AlertQueue
) -> None:
    feed.post(feed.written(1, BEFORE), feed.reported(2), feed.written(3, AFTER, "START"), feed.written(3, AFTER))
    (alert,) = received(queue, 1)
    detail = alert.detail
    assert alert.message["alert"] == "Dataset Schema Changed"
    assert (detail["verdict"], detail["severity"], detail["owners"]) == ("BREAKING", "critical", ["team:finance"])
    assert [column["field"] for column in detail["removed"]] == ["note"]
    assert [(column["field"], column["change"]) for column in detail["retyped"]] == [("amount", "incompatible")]
    assert f"datasetField:{feed.lake}:report:total" in {node["nodeId"] for node in detail["breaks"]["items"]}
    assert detail["link"].startswith(shared_stack.url)
    tag = f"id:{detail['id']}"
    assert [event for event in shared_stack.datadog.events() if tag in event["tags"]] != []


def test_an_older_schema_that_arrives_late_and_a_repeated_event_raise_no_alert(feed: Feed, queue: AlertQueue) -> None:
    feed.post(feed.written(1, BEFORE), feed.written(5, AFTER))
    assert len(received(queue, 1)) == 1
    feed.post(feed.written(3, factory.schema("id:long")), feed.written(5, AFTER), feed.written(1, BEFORE))
    assert received(queue, 1, seconds=3) == []


def test_a_failed_run_raises_one_alert(feed: Feed, queue: AlertQueue) -> None:
    feed.post(feed.written(1, BEFORE), feed.written(2, BEFORE, "START"), feed.written(2, BEFORE, "FAIL"))
    feed.post(feed.written(2, BEFORE) | {"eventTime": factory.at(2.1)})
    assert [alert.message["alert"] for alert in received(queue, 1)] == ["Run Failed"]


def test_an_alert_that_failed_is_sent_later(feed: Feed, queue: AlertQueue, deployed: Deployed) -> None:
    with deployed.misconfigured("alerts", TABLE_NAME="not-there"):
        feed.post(feed.written(1, BEFORE), feed.written(2, AFTER))
        assert received(queue, 1, seconds=3) == []
    assert [alert.message["alert"] for alert in received(queue, 1)] == ["Dataset Schema Changed"]


def received(queue: AlertQueue, count: int, seconds: float = ARRIVAL_SECONDS) -> list[SentAlert]:
    """Wait for so many alerts, and a little longer for any that should not come."""
    deadline, alerts = time.monotonic() + seconds, list[SentAlert]()
    while len(alerts) < count and time.monotonic() < deadline:
        alerts += queue.receive(1)
    return alerts + queue.receive(QUIET_SECONDS)
