"""The quarantine and the dead-letter queue of a deployed stack. Region, endpoint and credentials come from the
environment."""

import uuid
from collections.abc import Iterator
from typing import Any

from headwater.cli.redrive.held_message import HeldMessage, Wanted
from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors
from headwater.store.errors import StorageError

QUARANTINE, OF_THE_STREAM = "quarantine/", "quarantine/stream/"
SECONDS_IN_FLIGHT = 120
"""How long a received dead letter is hidden from others; a message that is not replayed is put back at once."""


class QueueForReplay:
    """The queue to which messages go once more."""

    def __init__(self, sqs: Any, url: str) -> None:
        self._sqs = sqs
        self._url = url

    def send(self, message: HeldMessage) -> None:
        """Sends a message. Its deduplication id is new: SQS would drop a message that was sent a moment ago."""
        with translated_errors():
            self._sqs.send_message(
                QueueUrl=self._url,
                MessageBody=message.body_again,
                MessageGroupId=message.group,
                MessageDeduplicationId=uuid.uuid4().hex,
            )


class Quarantine:
    """`HeldMessages` over the folder quarantine/ of the archive bucket."""

    def __init__(self, s3: Any, bucket: str, queue: QueueForReplay) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._queue = queue

    def messages(self, wanted: Wanted) -> Iterator[HeldMessage]:
        """The messages that are in quarantine now, without those that return meanwhile."""
        with translated_errors():
            pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=QUARANTINE)
            keys = [found["Key"] for page in pages for found in page.get("Contents", [])]
        yield from filter(wanted.has, (self._read(key) for key in keys if not key.startswith(OF_THE_STREAM)))

    def replay(self, message: HeldMessage) -> None:
        self._queue.send(message)
        with translated_errors():
            self._s3.delete_object(Bucket=self._bucket, Key=message.handle)

    def _read(self, key: str) -> HeldMessage:
        with translated_errors():
            return HeldMessage.of_entry(key, self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read())


class DeadLetters:
    """`HeldMessages` over the dead-letter queue. While a message of a group is received and neither replayed nor put
    back, SQS hides the rest of its group: a listing has the first messages of each group."""

    def __init__(self, sqs: Any, url: str, queue: QueueForReplay) -> None:
        self._sqs = sqs
        self._url = url
        self._queue = queue
        self._received: set[str] = set()

    def messages(self, wanted: Wanted) -> Iterator[HeldMessage]:
        try:
            while messages := [_dead_letter(received) for received in self._receive()]:
                self._received.update(message.handle for message in messages)
                yield from filter(wanted.has, messages)
        finally:
            while self._received:
                self._put_back(self._received.pop())

    def replay(self, message: HeldMessage) -> None:
        self._queue.send(message)
        with translated_errors():
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message.handle)
        self._received.discard(message.handle)

    def _receive(self) -> list[dict[str, Any]]:
        with translated_errors():
            answer = self._sqs.receive_message(
                QueueUrl=self._url,
                AttributeNames=["All"],
                MaxNumberOfMessages=10,
                VisibilityTimeout=SECONDS_IN_FLIGHT,
                WaitTimeSeconds=1,
            )
        messages: list[dict[str, Any]] = answer.get("Messages", [])
        return messages

    def _put_back(self, handle: str) -> None:
        with translated_errors():
            self._sqs.change_message_visibility(QueueUrl=self._url, ReceiptHandle=handle, VisibilityTimeout=0)


def of_stack(stack: str) -> list[Quarantine | DeadLetters]:
    """The quarantine and the dead letters of a stack. Raises StorageError."""
    from botocore.session import Session  # noqa: PLC0415 - an extra of the wheel, only for stacks

    session = Session()
    with translated_errors():  # no region is set
        cloudformation, s3, sqs = (
            client(session, service, seconds=PATIENT_SECONDS) for service in ("cloudformation", "s3", "sqs")
        )

    def physical(logical_id: str) -> str:
        with translated_errors():
            found = cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
        name: str = found["StackResourceDetail"].get("PhysicalResourceId", "")
        if not name:
            raise StorageError(f"the stack {stack} has no {logical_id}")
        return name

    queue = QueueForReplay(sqs, physical("EventQueue"))
    return [DeadLetters(sqs, physical("DeadLetterQueue"), queue), Quarantine(s3, physical("ArchiveBucket"), queue)]


def _dead_letter(received: dict[str, Any]) -> HeldMessage:
    attributes = received.get("Attributes", {})
    return HeldMessage(
        received["ReceiptHandle"],
        "dead letter: failed for now each time it was delivered; the log of normalise has the reasons",
        attributes.get("MessageGroupId", ""),
        received["Body"],
    )
