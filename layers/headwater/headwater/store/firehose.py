"""The archive: every event that was received, one line each, through Firehose to S3."""

import gzip
from collections.abc import Sequence
from typing import Any

import simplejson

from headwater.store.aws import translated_errors
from headwater.store.errors import StorageError
from headwater.store.messages import ReceivedMessage, archive_line, store_body
from headwater.store.s3 import Bodies

MAX_RECORD_BYTES = 1_000 * 1024
"""A record's limit; a longer event is archived as a pointer to its body in S3."""
MAX_BATCH_BYTES = 4 * 1024 * 1024


class Archive:
    """A delivery stream. A line is `{"receivedAt": ..., "event": ...}`, or `"s3": key` in place of the event.

    An event that is delivered again is archived again: replaying it twice changes nothing.
    """

    def __init__(self, client: Any, stream: str, bucket: Bodies) -> None:
        self._client = client
        self._stream = stream
        self._bucket = bucket

    def put(self, events: Sequence[ReceivedMessage]) -> None:
        """Archives events. Raises StorageError if any was not taken."""
        batch: list[bytes] = []
        for line in map(self._line, events):
            if batch and sum(map(len, batch)) + len(line) > MAX_BATCH_BYTES:
                self._put_batch(batch)
                batch = []
            batch.append(line)
        if batch:
            self._put_batch(batch)

    def _line(self, event: ReceivedMessage) -> bytes:
        line = archive_line(event)
        if len(line) <= MAX_RECORD_BYTES:
            return line
        key = store_body(gzip.compress(event.canonical.encode(), mtime=0), self._bucket)
        return f"{simplejson.dumps({'receivedAt': event.received_at, 's3': key})}\n".encode()

    def _put_batch(self, lines: list[bytes]) -> None:
        records = [{"Data": line} for line in lines]
        with translated_errors():
            answer = self._client.put_record_batch(DeliveryStreamName=self._stream, Records=records)
        if answer["FailedPutCount"]:
            raise StorageError(f"the archive did not take {answer['FailedPutCount']} of {len(lines)} records")
