"""The queue between ingest and normalise."""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from headwater.store.aws.client import translated_errors
from headwater.store.errors import StorageError
from headwater.store.messages import Message

_log = logging.getLogger(__name__)

BATCH_LIMIT = 10
"""Messages a SendMessageBatch."""
BATCH_BYTES = 1024 * 1024
"""The sum of a batch's bodies."""


class Queue:
    """A FIFO queue."""

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
