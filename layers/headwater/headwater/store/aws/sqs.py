"""The queue between ingest and normalise, and when it delivers failed messages again."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from headwater.store.aws.client import translated_errors
from headwater.store.errors import StorageError
from headwater.store.messages import Message

_log = logging.getLogger(__name__)

BATCH_LIMIT = 10
"""Messages a SendMessageBatch."""
BATCH_BYTES = 1024 * 1024
"""The sum of a batch's bodies."""
PAUSES_SECONDS = (5, 45, 360, 720)
"""The pauses after the first deliveries of a message; the last one counts for all that follow: two hours in all."""

Receipt = tuple[str, int]
"""The receipt handle of a delivered message, and the number of its deliveries so far."""


class Queue:
    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Whether each message is safe in the queue. After a failed message no later message of its group is sent."""
        safe = [False] * len(messages)
        broken: set[str] = set()
        for batch in _batches(messages):
            entries = [index for index in batch if messages[index].group not in broken]
            sent = self._send_batch({index: messages[index] for index in entries})
            for index in entries:
                safe[index] = index in sent
                if not safe[index]:
                    broken.add(messages[index].group)
        return safe

    def _send_batch(self, messages: dict[int, Message]) -> set[int]:
        entries = [
            {
                "Id": str(index),
                "MessageBody": message.body,
                "MessageGroupId": message.group,
                "MessageDeduplicationId": message.deduplication_id,
            }
            for index, message in messages.items()
        ]
        try:
            with translated_errors():
                answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
        except StorageError as error:
            _log.warning("the queue took nothing: %s", error)
            return set()
        return {int(entry["Id"]) for entry in answer.get("Successful", [])}


class Redelivery:
    """Sets the pause of failed messages: seconds at first, then ever longer.

    Otherwise a failed message and its group stay hidden for the rest of the queue's visibility timeout, two minutes.
    Most failures are over in seconds: a throttle, a lost connection. A long outage must not use up the deliveries of a
    message before it is over: after the fifteenth, the message goes to the dead-letter queue.
    """

    def __init__(self, client: Callable[[], Any], url: str, log: Callable[[str, Exception], object]) -> None:
        self._client = client
        self._url = url
        self._log = log

    def hasten(self, receipts: Iterable[Receipt]) -> None:
        """Delivers messages again after their pauses. If this call fails, that is only logged."""
        entries = [
            {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": pause_after(deliveries)}
            for number, (handle, deliveries) in enumerate(receipts)
        ]
        try:
            for start in range(0, len(entries), BATCH_LIMIT):
                batch = entries[start : start + BATCH_LIMIT]
                with translated_errors():
                    self._client().change_message_visibility_batch(QueueUrl=self._url, Entries=batch)
        except StorageError as error:
            self._log("messages come again after the queue's visibility timeout", error)


def pause_after(deliveries: int) -> int:
    """The seconds until a message is delivered again that failed so many times."""
    return PAUSES_SECONDS[min(max(deliveries, 1), len(PAUSES_SECONDS)) - 1]


def _batches(messages: Sequence[Message]) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for index, message in enumerate(messages):
        if batch and (len(batch) == BATCH_LIMIT or size + len(message.body) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(index)
        size += len(message.body)
    if batch:
        yield batch
