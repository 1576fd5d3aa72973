"""One SendMessageBatch sends ten messages, or fewer if they are long."""

from typing import Any

from botocore.exceptions import EndpointConnectionError

from headwater.openlineage.instant import NEVER
from headwater.store.aws.sqs import Queue
from headwater.store.messages import Message, ReceivedMessage


class FakeSqs:
    """Keeps the batches; refuses messages by their body, and fails while `away` is set."""

    def __init__(self) -> None:
        self.batches: list[list[dict[str, Any]]] = []
        self.away = False

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        if self.away:
            raise EndpointConnectionError(endpoint_url=QueueUrl)
        self.batches.append(Entries)
        taken = [entry for entry in Entries if entry["MessageBody"] != "refuse"]
        return {"Successful": [{"Id": entry["Id"]} for entry in taken]}


def message(body: str = "x", group: str = "g") -> Message:
    return Message(body, group, body, ReceivedMessage(body, NEVER))


def sizes(sqs: FakeSqs) -> list[int]:
    return [len(batch) for batch in sqs.batches]


def test_ten_messages_are_one_call() -> None:
    sqs = FakeSqs()
    assert Queue(sqs, "q").send([message(group=str(number)) for number in range(25)]) == [True] * 25
    assert sizes(sqs) == [10, 10, 5]


def test_a_batch_stays_under_a_mebibyte() -> None:
    sqs = FakeSqs()
    Queue(sqs, "q").send([message("x" * 240_000, str(number)) for number in range(9)])
    assert sizes(sqs) == [4, 4, 1]


def test_nothing_to_send_is_no_call() -> None:
    sqs = FakeSqs()
    assert Queue(sqs, "q").send([]) == []
    assert sqs.batches == []


def test_behind_a_refused_message_its_group_waits_and_the_others_go_on() -> None:
    sqs = FakeSqs()
    messages = [message("refuse", "a"), *(message(group=str(number)) for number in range(9))]
    later = [message("later", "a"), message("later", "b")]
    assert Queue(sqs, "q").send([*messages, *later]) == [False, *[True] * 9, False, True]


def test_a_queue_that_is_away_took_nothing() -> None:
    sqs = FakeSqs()
    sqs.away = True
    assert Queue(sqs, "q").send([message()]) == [False]
