"""When the queue delivers failed messages again: after seconds at first, then after ever longer pauses.

A failed message is hidden for what is left of the queue's visibility timeout, six minutes, and so is its group. Most
failures are over in seconds: a throttle, a lost connection. A long outage must not use up the deliveries of a message
before it is over: after the fifth, the message goes to the dead-letter queue.
"""

from collections.abc import Callable, Iterable
from typing import Any

from headwater.store.aws.client import translated_errors
from headwater.store.aws.sqs import BATCH_LIMIT
from headwater.store.errors import StorageError

PAUSES_SECONDS = (5, 45, 360, 720)
"""The pauses after the first deliveries of a message, 19 minutes in all; the last one counts for all that follow."""

Receipt = tuple[str, int]
"""The receipt handle of a delivered message, and the number of its deliveries so far."""


class Redelivery:
    """Sets the pause of failed messages. Without the call a message comes again after the visibility timeout."""

    def __init__(self, client: Callable[[], Any], url: str, log: Callable[[str, Exception], object]) -> None:
        self._client = client
        self._url = url
        self._log = log

    def hasten(self, receipts: Iterable[Receipt]) -> None:
        """Delivers messages again after their pauses. A fault of this call is logged alone."""
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
