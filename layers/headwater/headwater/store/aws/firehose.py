"""The archive: every event that was received, one line each, through Firehose to S3.

A record is the gzip member of the lines of a batch: Firehose joins records, and joined members are a gzip file. Events
of a batch resemble each other: the 5 KB line of a Spark event takes 1 KB by itself, and 240 bytes in a batch of seven.
Firehose limits and bills the bytes of records.
"""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import simplejson

from headwater.openlineage.instant import Instant
from headwater.store.aws.client import translated_errors
from headwater.store.bodies import Bodies
from headwater.store.errors import StorageError
from headwater.store.messages import ReceivedMessage, archive_line, store_body

MAX_LINES_BYTES = 999 * 1024
"""The lines of a record. A record has at most 1,000 KB, and gzip may add 0.1 KB to text that cannot be compressed. A
longer event is archived as a pointer to its body in S3."""
MAX_BATCH_BYTES = 4 * 1024 * 1024
LEVEL = 6


class ArchiveWithoutDelay:
    """An archive that never makes events wait: those that the delivery stream does not take, because it is throttled or
    unreachable, become an object of their own beside those that the stream writes."""

    def __init__(
        self, stream: "Archive", bucket: Bodies, now: Callable[[], Instant], log: Callable[[str, Exception], object]
    ) -> None:
        self._stream = stream
        self._bucket = bucket
        self._now = now
        self._log = log

    def put(self, events: Sequence[ReceivedMessage]) -> None:
        """Archives events. Raises StorageError if neither the stream nor the bucket took them."""
        try:
            self._stream.put(events)
        except StorageError as error:
            self._log("the archive's stream took not all events: they go to the bucket", error)
            content = _member(map(self._stream.line, events))
            key = f"events/date={self._now()[:10]}/{hashlib.sha256(content).hexdigest()}.gz"
            self._bucket.put(key, content)


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
        members = (_member(lines) for lines in _groups(map(self.line, events), MAX_LINES_BYTES))
        for records in _groups(members, MAX_BATCH_BYTES):
            self._put_batch(records)

    def line(self, event: ReceivedMessage) -> bytes:
        """The line of an event; a body that is too long for a line is in the bucket once this returns."""
        line = archive_line(event)
        if len(line) <= MAX_LINES_BYTES:
            return line
        key = store_body(gzip.compress(event.canonical.encode(), mtime=0), self._bucket)
        return f"{simplejson.dumps({'receivedAt': event.received_at, 's3': key})}\n".encode()

    def _put_batch(self, records: list[bytes]) -> None:
        with translated_errors():
            answer = self._client.put_record_batch(
                DeliveryStreamName=self._stream, Records=[{"Data": record} for record in records]
            )
        if answer["FailedPutCount"]:
            raise StorageError(f"the archive did not take {answer['FailedPutCount']} of {len(records)} records")


def _member(lines: Iterable[bytes]) -> bytes:
    return gzip.compress(b"".join(lines), LEVEL, mtime=0)


def _groups(parts: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """The parts in order, in groups of at most so many bytes."""
    group: list[bytes] = []
    for part in parts:
        if group and sum(map(len, group)) + len(part) > most:
            yield group
            group = []
        group.append(part)
    if group:
        yield group
