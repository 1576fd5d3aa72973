"""The stack over the items of an earlier release: their lookups, and an item that cannot be read until it is mended."""

import time
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from headwater.graph.names.identity import job_id
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.items.codec import SCHEMA
from headwater.store.items.jobs import JOB
from headwater.store.keys import Key
from local.stack.function_logs import log_lines
from local.stack.lifecycle import Stack
from local.stack.metrics import Metrics
from tests import factory
from tests.embedded import INGESTION_SECONDS, Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.fakes import FakeBucket
from tests.lookup.changed_answers import without_changes
from tests.lookup.golden_answers import GoldenAnswer, answers_of
from tests.store import golden

pytestmark = pytest.mark.emulator

RELEASE = golden.RELEASES[0]
HEAD = keys.job_head(job_id(Name("demo", "nightly")))


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with embedded_stack("items") as running:
        deployed = Deployed(running.deployment)
        table = DynamoTable(deployed.dynamodb, deployed.outputs["TableName"], FakeBucket())
        table.put(golden.table_of(RELEASE).items.values())
        yield running


@pytest.fixture
def deployed(stack: Stack) -> Deployed:
    return Deployed(stack.deployment)


@pytest.fixture
def api(stack: Stack) -> Api:
    return Api.of(stack.url, stack.key)


def test_lookups_answer_as_the_last_release_did(api: Api) -> None:
    given = [answer for answer in answers_of(RELEASE) if not answer.path.startswith(("stats/", "tags"))]
    for answer in given:
        response = api.request("GET", _target(answer))
        old, new = without_changes(answer.path, answer.body, response.body.decode())
        assert (response.status, new) == (answer.status, old), answer


def test_an_event_waits_until_the_item_that_it_meets_is_mended(api: Api, deployed: Deployed, stack: Stack) -> None:
    sound = deployed.items()[HEAD]
    _change(deployed, HEAD, {"doc": {"B": b"damaged"}})
    with deployed.visibility(seconds=2):
        assert api.post_event(factory.run_event("COMPLETE", seconds=3_600, run=900, job="nightly")).status == 201
        deployed.wait_until_logged("normalise", f"{HEAD.pk}/{HEAD.sk}")
        damaged = api.get("namespaces", "demo", "jobs", "nightly")
        assert (damaged.status, damaged.headers["retry-after"]) == (503, "1")
        assert api.get("namespaces", "demo", "jobs", "ingest").status == 200
        _wait_for_dead_letter(deployed)
    assert deployed.objects("quarantine/") == {}
    _wait_for_corrupt_items(stack, 5 + 1)  # each delivery, and the lookup
    _change(deployed, HEAD, {"doc": sound["doc"]})
    _redrive(deployed)
    assert deployed.items()[HEAD][SCHEMA] == {"S": str(JOB.schema)}
    assert api.get("namespaces", "demo", "jobs", "nightly").json["latestRun"]["id"] == factory.run_id(900)


def _target(answer: GoldenAnswer) -> str:
    path = answer.path if answer.path.startswith("/") else f"/api/v1/{answer.path}"
    return quote(path, safe="/:") + (f"?{urlencode(answer.query)}" if answer.query else "")


def _change(deployed: Deployed, key: Key, attributes: dict[str, dict[str, bytes]]) -> None:
    """Changes attributes of an item by hand; its version `v` stays."""
    item = {**deployed.items()[key], **attributes}
    deployed.dynamodb.put_item(TableName=deployed.outputs["TableName"], Item=item)


def _wait_for_dead_letter(deployed: Deployed) -> None:
    deadline = time.monotonic() + INGESTION_SECONDS
    while not deployed.dead_letters():
        assert time.monotonic() < deadline, "no dead letter came"
        time.sleep(0.2)


def _wait_for_corrupt_items(stack: Stack, count: int) -> None:
    """A slow delivery may still write its log when the message is a dead letter already."""
    groups, deadline = stack.deployment.resources["AWS::Logs::LogGroup"], time.monotonic() + INGESTION_SECONDS
    while (found := Metrics(log_lines(stack.deployment.account, groups)).total("CorruptItems")) < count:
        assert time.monotonic() < deadline, f"{found} of {count} corrupt items are counted"
        time.sleep(0.2)


def _redrive(deployed: Deployed) -> None:
    """Moves the dead letters back, as an operator does, and waits until they are folded."""
    source, target = deployed.outputs["DeadLetterQueueUrl"], deployed.outputs["QueueUrl"]
    for message in deployed.sqs.receive_message(QueueUrl=source, AttributeNames=["All"])["Messages"]:
        group = message["Attributes"]["MessageGroupId"]
        deployed.sqs.send_message(
            QueueUrl=target, MessageBody=message["Body"], MessageGroupId=group, MessageDeduplicationId="once more"
        )
        deployed.sqs.delete_message(QueueUrl=source, ReceiptHandle=message["ReceiptHandle"])
    deployed.wait_for_ingestion()
