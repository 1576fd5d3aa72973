"""A batch of events to forward: what is forwarded, left out, rejected, and delivered again."""

from hashlib import sha256
from typing import Any

import pytest

from events.envelopes import forwarded
from headwater.forward.forwarder import LEAST_SECONDS, Forwarder, ForwardResult
from headwater.openlineage import exact_json
from headwater.rest import Unreachable
from headwater.store.errors import Rejected, StorageError
from tests import factory
from tests.fakes import FakeBucket

FAULTS = {
    "silent": Unreachable("timed out"),
    "away": StorageError("no answer"),
    "wrong": Rejected("status 400"),
    "bug": KeyError("x"),
}


class FakeTarget:
    """Wants no RUNNING, and fails for jobs that are called like a fault."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def wants(self, event: str) -> bool:
        return '"RUNNING"' not in event

    def send(self, event: str, token: str) -> None:
        job = exact_json.loads(event)["job"]["name"]
        if job in FAULTS:
            raise FAULTS[job]
        self.sent.append((event, token))


@pytest.fixture
def target() -> FakeTarget:
    return FakeTarget()


def forward(target: FakeTarget, *events: factory.Document, seconds: float = 60) -> tuple[ForwardResult, list[int]]:
    """The result, and the places of the messages that are delivered again."""
    records = forwarded("url", *events)["Records"]
    for number, record in enumerate(records):
        record["messageId"] = str(number)
    logged: list[Any] = []
    forwarder = Forwarder({"url": target}, FakeBucket(), lambda *fault, **_: logged.append(fault))
    result = forwarder.forward(records, lambda: seconds)
    return result, [int(message_id) for message_id in result.failed]


def test_an_event_is_forwarded_as_it_came_with_a_token_that_stays(target: FakeTarget) -> None:
    event = factory.run_event()
    for _ in range(2):
        result, failed = forward(target, event)
        assert (result.forwarded, failed) == (1, [])
    text = exact_json.dumps(event)
    assert target.sent == [(text, sha256(text.encode()).hexdigest())] * 2


def test_what_a_target_does_not_want_is_filtered(target: FakeTarget) -> None:
    result, failed = forward(target, factory.run_event(), factory.run_event("RUNNING", seconds=1))
    assert (result.forwarded, result.filtered, failed) == (1, 1, [])


def test_what_a_target_can_never_take_holds_up_nothing(target: FakeTarget) -> None:
    result, failed = forward(target, factory.run_event(job="wrong"), factory.run_event(seconds=1))
    assert (result.forwarded, result.rejected, failed) == (1, 1, [])


@pytest.mark.parametrize("fault", ["away", "bug"])
def test_a_run_waits_for_its_first_event_and_other_runs_do_not(fault: str, target: FakeTarget) -> None:
    events = [factory.run_event(job=fault), factory.run_event(seconds=1), factory.run_event(run=2)]
    result, failed = forward(target, *events)
    assert (result.forwarded, failed) == (1, [0, 1])


def test_near_the_end_of_an_invocation_no_event_is_begun(target: FakeTarget) -> None:
    result, failed = forward(target, factory.run_event(), factory.run_event(run=2), seconds=LEAST_SECONDS - 1)
    assert (result.forwarded, failed) == (0, [0, 1])


def test_a_message_that_nobody_can_read_is_rejected(target: FakeTarget) -> None:
    (record,) = forwarded("url", factory.run_event())["Records"]
    result = Forwarder({"url": target}, FakeBucket(), lambda *_, **__: None).forward(
        [record | {"body": "{}"}], lambda: 60
    )
    assert (result.rejected, result.failed) == (1, [])


def test_a_target_that_does_not_answer_is_asked_once_a_batch(target: FakeTarget) -> None:
    events = [factory.run_event(run=number, job="silent" if number == 1 else "load") for number in range(3)]
    result, failed = forward(target, *events)
    assert (result.forwarded, failed, len(target.sent)) == (1, [1, 2], 1)
