"""A faulty request is answered with its faults in JSON, within the clients' timeouts, and changes nothing."""

import uuid
from collections.abc import Iterator

import pytest

from tests.embedded import Deployed
from tests.end_to_end.api import Answer, Api
from tests.end_to_end.bad_requests import EVERYTHING, Bad, bad_requests, event, text

pytestmark = [pytest.mark.emulator, pytest.mark.usefixtures("undisturbed")]

SECONDS = 5
"""How long OpenLineage's clients wait for an answer."""

MAX_ANSWER_BYTES = 100_000
"""Far below the 6 MB that may leave a Lambda: beyond, API Gateway answers 500 in its place."""


@pytest.fixture(scope="module")
def undisturbed(deployed: Deployed) -> Iterator[None]:
    """Nothing is taken out of the queue meanwhile; in the end the table and the bucket are as they were."""
    deployed.wait_for_ingestion()
    items, bodies = deployed.items(), deployed.objects("")
    with deployed.queue_paused():
        yield
    assert deployed.items() == items
    assert deployed.objects("") == bodies


def response_to(api: Api, bad: Bad) -> Answer:
    headers = {"Content-Type": "application/json", **bad.headers}
    if bad.key:
        headers["Authorization"] = api.headers["Authorization"] if bad.key == EVERYTHING else f"Bearer {bad.key}"
    return Api(api.url, {}).request(
        bad.method, bad.path, in_parts(bad.body) if bad.chunked else bad.body or None, headers
    )


def in_parts(body: bytes) -> Iterator[bytes]:
    return (body[at : at + 65_536] for at in range(0, len(body), 65_536))


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.what) for bad in bad_requests()])
def test_it_is_refused(api: Api, deployed: Deployed, bad: Bad) -> None:
    queued = deployed.queued()
    answer = response_to(api, bad)
    assert answer.status == bad.status, answer.body
    assert answer.headers["content-type"].startswith("application/json")
    assert bad.message in answer.json["message"]
    if not bad.by_gateway:
        assert answer.json.keys() == {"code", "message", "details", "faults"}
        assert answer.json["code"] == bad.status
        assert all(isinstance(fault, str) for fault in answer.json["faults"])
    assert answer.seconds < SECONDS
    assert len(answer.body) < MAX_ANSWER_BYTES
    assert deployed.queued() == queued


def test_a_good_request_would_have_been_seen(api: Api, deployed: Deployed) -> None:
    queued = deployed.queued()
    fresh = event(run={"runId": str(uuid.uuid4())})  # the queue drops what it has seen in the last five minutes
    assert api.post(text(fresh)).status == 201
    assert deployed.queued() == queued + 1
