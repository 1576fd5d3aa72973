"""Every event is archived: as one line, or as a pointer if the line would be too long."""

import gzip
import json
import random
import string
from typing import Any

import pytest

from headwater.openlineage.instant import Instant
from headwater.store.aws.firehose import MAX_BATCH_BYTES, Archive
from headwater.store.errors import StorageError
from headwater.store.messages import ReceivedMessage
from tests.fakes import FakeBucket

AT = Instant("2026-11-20T08:00:00.000000000Z")


class FakeFirehose:
    def __init__(self) -> None:
        self.batches: list[list[bytes]] = []
        self.failed = 0

    def put_record_batch(self, *, DeliveryStreamName: str, Records: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        self.batches.append([record["Data"] for record in Records])
        return {"FailedPutCount": self.failed}


def event(length: int) -> ReceivedMessage:
    return ReceivedMessage(json.dumps({"x": "y" * length}), AT)


def lines(record: bytes) -> list[bytes]:
    return gzip.decompress(record).splitlines(keepends=True)


def test_a_batch_of_events_is_a_gzip_member_of_lines_with_the_time_they_were_received() -> None:
    firehose = FakeFirehose()
    Archive(firehose, "s", FakeBucket()).put([event(1), event(2)])
    ((record,),) = firehose.batches
    assert [json.loads(line) for line in lines(record)] == [
        {"receivedAt": AT, "event": {"x": "y" * length}} for length in (1, 2)
    ]
    assert all(line.endswith(b"\n") for line in lines(record))


def test_joined_records_are_one_gzip_file() -> None:
    firehose = FakeFirehose()
    archive = Archive(firehose, "s", FakeBucket())
    for length in (1, 2, 3):
        archive.put([event(length)])
    joined = b"".join(record for batch in firehose.batches for record in batch)
    assert [len(json.loads(line)["event"]["x"]) for line in gzip.decompress(joined).splitlines()] == [1, 2, 3]


def noise(seed: int) -> ReceivedMessage:
    """An event of 900 KB that gzip makes a quarter smaller."""
    letters = random.Random(seed).choices(string.ascii_letters + string.digits, k=900_000)
    return ReceivedMessage(json.dumps({"x": "".join(letters)}), AT)


def test_a_batch_stays_under_the_service_s_limits() -> None:
    firehose = FakeFirehose()
    Archive(firehose, "s", FakeBucket()).put([noise(seed) for seed in range(8)])
    assert len(firehose.batches) > 1
    assert max(sum(map(len, batch)) for batch in firehose.batches) <= MAX_BATCH_BYTES
    assert max(len(record) for batch in firehose.batches for record in batch) <= 1_000 * 1024
    assert sum(len(lines(record)) for batch in firehose.batches for record in batch) == 8


def test_a_long_event_is_a_pointer_to_its_body() -> None:
    firehose, bucket = FakeFirehose(), FakeBucket()
    long = event(1_100_000)
    Archive(firehose, "s", bucket).put([long])
    line = json.loads(gzip.decompress(firehose.batches[0][0]))
    assert line["receivedAt"] == AT
    assert gzip.decompress(bucket.objects[line["s3"]]).decode() == long.canonical


def test_a_record_that_the_archive_did_not_accept_is_an_error() -> None:
    firehose = FakeFirehose()
    firehose.failed = 1
    with pytest.raises(StorageError, match="1 of 1"):
        Archive(firehose, "s", FakeBucket()).put([event(1)])


def test_nothing_to_archive_is_no_call() -> None:
    firehose = FakeFirehose()
    Archive(firehose, "s", FakeBucket()).put([])
    assert firehose.batches == []
