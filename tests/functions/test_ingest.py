"""ingest answers 201 once the queue has the event, with as few calls as possible."""

import base64
import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from events.envelopes import post, post_gzip
from headwater.access.principal import Principal, Scope
from headwater.cli.machine.ports import free_port
from tests import factory
from tests.embedded import Deployed
from tests.functions.handlers import Function, function, recorded_calls
from tests.functions.own_queue import OwnQueue

pytestmark = pytest.mark.emulator

EVENT = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"
NOT_AVAILABLE = {"code": 503, "message": "not available for the moment; try again", "details": "", "faults": []}
NOT_QUEUED = {"code": 503, "message": "the event could not be queued; send it again", "details": "", "faults": []}

CALLER = Principal("test", frozenset({Scope.INGEST}), ("*",)).to_context()

NOISE = random.Random(20261120)


def event_of(size: int, run: int = 1) -> factory.Document:
    """An event of about `size` bytes that do not compress well."""
    return factory.run_event(run=run, run_facets={"noise": factory.facet(hex=NOISE.randbytes(size // 2).hex())})


def posted(ingest: Function, document: Any, path: str = EVENT) -> tuple[int, Any]:
    answer = ingest(post(path, document, CALLER))
    return answer["statusCode"], json.loads(answer["body"])


def ingest_with(deployed: Deployed, variables: Mapping[str, str], endpoint: str | None = None) -> Function:
    return function("ingest", endpoint or deployed.account.endpoint, deployed.environment("ingest") | dict(variables))


def test_a_warm_function_takes_an_event_of_15_kb_in_one_call(ingest: Function) -> None:
    posted(ingest, event_of(15_000))
    with recorded_calls() as calls:
        status, _ = posted(ingest, event_of(15_000, run=2))
    assert (status, calls.made) == (201, ["SendMessageBatch"])


@pytest.mark.parametrize(("events", "expected"), [(10, 1), (11, 2), (40, 4)])
def test_a_batch_takes_one_call_for_ten_events(ingest: Function, events: int, expected: int) -> None:
    with recorded_calls() as calls:
        status, body = posted(ingest, [event_of(15_000, run) for run in range(events)], BATCH)
    assert (status, body["summary"]["successful"]) == (200, events)
    assert calls.made == ["SendMessageBatch"] * expected


def test_once_it_answers_the_event_is_in_the_queue(ingest: Function, queue: OwnQueue) -> None:
    document = event_of(15_000)
    assert posted(ingest, document)[0] == 201
    assert queue.events() == [document]


@pytest.mark.parametrize("reading", ["base64", "text", "inflated"])
def test_gzip_is_accepted_in_each_form_that_the_documents_of_aws_allow(
    ingest: Function, queue: OwnQueue, reading: str
) -> None:
    """A listener's headers, and the body in base64, as text with one character a byte, or inflated by API Gateway."""
    document = event_of(15_000)
    request = post_gzip(EVENT, document, CALLER)
    packed = base64.b64decode(request["body"])
    if reading != "base64":
        text = packed.decode("latin-1") if reading == "text" else json.dumps(document)
        request |= {"body": text, "isBase64Encoded": False}
    assert request["headers"]["content-encoding"] == "gzip"
    assert ingest(request)["statusCode"] == 201
    assert queue.events() == [document]


def test_an_event_too_long_for_a_message_goes_to_s3_first(ingest: Function, queue: OwnQueue) -> None:
    document = event_of(900_000)
    with recorded_calls() as calls:
        assert posted(ingest, document)[0] == 201
    stored, sent = calls.made
    assert stored.startswith("PUT /")
    assert sent == "SendMessageBatch"
    (pointer,) = (json.loads(body) for body in queue.bodies())
    assert pointer.keys() == {"receivedAt", "s3"}
    assert stored.endswith(pointer["s3"])
    assert pointer["s3"].startswith("bodies/")
    assert queue.events() == [document]


def test_an_event_that_s3_does_not_take_is_not_queued(deployed: Deployed, queue: OwnQueue) -> None:
    ingest = ingest_with(deployed, {"QUEUE_URL": queue.url, "ARCHIVE_BUCKET": "there-is-no-such-bucket"})
    answer = ingest(post(EVENT, event_of(900_000), CALLER))
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "1")
    assert json.loads(answer["body"]) == NOT_AVAILABLE
    assert queue.bodies() == []


@pytest.mark.parametrize(
    ("path", "document", "body"), [(EVENT, event_of(1_000), NOT_AVAILABLE), (BATCH, [event_of(1_000)], NOT_QUEUED)]
)
def test_a_queue_that_is_not_there_is_503(
    deployed: Deployed, queue: OwnQueue, path: str, document: Any, body: Any
) -> None:
    answer = ingest_with(deployed, {"QUEUE_URL": f"{queue.url}-gone"})(post(path, document, CALLER))
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "1")
    assert answer["headers"]["content-type"] == "application/json"
    assert json.loads(answer["body"]) == body


def test_a_service_that_cannot_be_reached_is_503(deployed: Deployed) -> None:
    ingest = ingest_with(deployed, {}, endpoint=f"http://127.0.0.1:{free_port()}")
    with recorded_calls() as calls:
        answer = ingest(post(EVENT, event_of(1_000), CALLER))
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "1")
    assert json.loads(answer["body"]) == NOT_AVAILABLE
    assert 1 < len(calls.made) < 5, "it is tried again, but not for long: clients wait 5 s"


def test_once_the_queue_is_back_the_same_function_takes_the_event(deployed: Deployed, queue: OwnQueue) -> None:
    url = f"{queue.url.removesuffix('.fifo')}-again.fifo"
    ingest = ingest_with(deployed, {"QUEUE_URL": url})
    assert posted(ingest, event_of(1_000))[0] == 503
    deployed.sqs.create_queue(QueueName=url.rpartition("/")[2], Attributes={"FifoQueue": "true"})
    assert posted(ingest, event_of(1_000))[0] == 201
    deployed.sqs.delete_queue(QueueUrl=url)
