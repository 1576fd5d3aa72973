"""Throttles are waited out while there is time, then the next delivery goes on; a dead archive delays nothing."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from headwater.fold.normalise import WIDE_EVENT, BatchResult, Delivery, Normaliser
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.retry import Deadline
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.aws.firehose import Archive, ArchiveWithoutDelay
from headwater.store.aws.sqs import PAUSES_SECONDS, Redelivery
from headwater.store.errors import DeadlinePassed, StorageError, Throttled
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.messages import ReceivedMessage, write_message
from headwater.store.table import ConditionalPut, Item
from tests import factory
from tests.factory import RETENTION, Document
from tests.fakes import FakeArchive, FakeBucket
from tests.faults.functions import Clock

AT = Instant("2026-11-20T08:00:02.000000000Z")
WIDE = [factory.dataset(f"output {number}", schema=factory.schema("id:long")) for number in range(WIDE_EVENT + 1)]


class ThrottlingClient:
    """A client of DynamoDB that throttles until a time."""

    def __init__(self, clock: Clock, until: float) -> None:
        self._clock = clock
        self._until = until
        self.calls = 0

    def put_item(self, **_: Any) -> dict[str, Any]:
        self.calls += 1
        if self._clock() < self._until:
            raise ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, "PutItem")
        return {}


class TableWithDeadline(MemoryTable):
    """A table that takes a number of writes in each invocation."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.writes = self.left = writes

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        for change in changes:
            self._take()
            super().change([change])

    def _take(self) -> None:
        if not self.left:
            raise DeadlinePassed("the invocation has no time left")
        self.left -= 1


class BrokenStream:
    def put_record_batch(self, **_: Any) -> dict[str, Any]:
        raise ClientError({"Error": {"Code": "ServiceUnavailableException", "Message": "slow down"}}, "PutRecordBatch")


def table_of(client: ThrottlingClient, clock: Clock, seconds: float | None) -> DynamoTable:
    deadline = Deadline(clock, clock.sleep)
    if seconds is not None:
        deadline.begin(seconds)
    return DynamoTable(client, "t", FakeBucket(), deadline=deadline)


def put(table: DynamoTable) -> None:
    table.change([ConditionalPut(Item(Key("a", "b"), {}, {}), None)])


def delivery(document: Document, message_id: str) -> Delivery:
    event = read_event(document, now=datetime(2026, 11, 20, 12, tzinfo=UTC))
    message = write_message(event, exact_json.dumps(document), AT, FakeBucket())
    return Delivery(message_id, message.group, message.body)


def normalised(table: MemoryTable, documents: dict[str, Document], archive: Any = None) -> BatchResult:
    normaliser = Normaliser(
        GraphStore(table, RETENTION),
        FakeBucket(),
        archive or FakeArchive(),
        Naming(),
        Thresholds(300_000, {}),
        now=lambda: AT,
        log=lambda *_, **__: None,
    )
    return normaliser.normalise([delivery(document, message_id) for message_id, document in documents.items()])


def test_a_throttle_is_waited_out() -> None:
    clock = Clock()
    client = ThrottlingClient(clock, until=20)
    put(table_of(client, clock, seconds=45))
    assert 20 <= clock.now < 30
    assert client.calls < 20


def test_a_throttle_that_outlasts_the_invocation_fails_before_its_end() -> None:
    clock = Clock()
    with pytest.raises(Throttled):
        put(table_of(ThrottlingClient(clock, until=600), clock, seconds=45))
    assert 35 < clock.now < 45


def test_a_function_behind_the_api_does_not_wait() -> None:
    clock = Clock()
    with pytest.raises(Throttled):
        put(table_of(ThrottlingClient(clock, until=20), clock, seconds=None))
    assert clock.now == 0


def test_no_call_is_made_after_the_deadline() -> None:
    clock = Clock()
    client = ThrottlingClient(clock, until=0)
    table = table_of(client, clock, seconds=45)
    clock.now = 45
    with pytest.raises(DeadlinePassed):
        put(table)
    assert client.calls == 0


def test_a_wide_event_is_folded_over_several_deliveries_and_costs_the_others_nothing() -> None:
    table = TableWithDeadline(writes=900)
    wide = factory.run_event("COMPLETE", run=1, outputs=WIDE)
    batch = {"wide": wide} | {str(run): factory.run_event("START", run=run, seconds=run) for run in range(2, 9)}
    deliveries, result = 1, normalised(table, batch)
    assert (result.failed, result.quarantined) == (["wide"], 0)
    while result.failed:
        table.left, deliveries = table.writes, deliveries + 1
        result = normalised(table, {"wide": wide})
    assert deliveries <= len(PAUSES_SECONDS) + 1
    whole = MemoryTable()
    normalised(whole, batch)
    assert table.items == whole.items


def test_a_throttled_archive_delays_nothing_and_loses_nothing() -> None:
    bucket, table = FakeBucket(), MemoryTable()
    archive = ArchiveWithoutDelay(Archive(BrokenStream(), "s", bucket), bucket, lambda: AT, lambda *_, **__: None)
    documents = {str(run): factory.run_event("START", run=run) for run in range(2)}
    assert normalised(table, documents, archive).failed == []
    ((key, content),) = bucket.objects.items()
    assert key.startswith("events/date=2026-11-20/")
    lines = [json.loads(line) for line in gzip.decompress(content).splitlines()]
    assert [line["event"]["run"]["runId"] for line in lines] == [factory.run_id(0), factory.run_id(1)]
    assert {line["receivedAt"] for line in lines} == {AT}


def test_an_event_that_nothing_archives_is_folded_and_comes_again() -> None:
    class NoArchive:
        def put(self, events: Sequence[ReceivedMessage]) -> None:
            raise StorageError("neither the stream nor the bucket")

    table = MemoryTable()
    result = normalised(table, {"0": factory.run_event()}, NoArchive())
    assert (result.failed, result.folded) == (["0"], 1)
    archive = FakeArchive()
    assert normalised(table, {"0": factory.run_event()}, archive).failed == []
    assert len(archive.archived) == 1


class FakeSqs:
    def __init__(self) -> None:
        self.pauses: dict[str, int] = {}

    def change_message_visibility_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        assert len(Entries) <= 10
        self.pauses |= {entry["ReceiptHandle"]: entry["VisibilityTimeout"] for entry in Entries}
        return {}


def test_a_failed_message_comes_again_after_seconds_and_later_after_minutes() -> None:
    sqs = FakeSqs()
    Redelivery(lambda: sqs, "queue", lambda *_, **__: None).hasten((str(times), times) for times in range(1, 13))
    assert sqs.pauses["1"] <= 10
    assert list(sqs.pauses.values()) == sorted(sqs.pauses.values())
    assert sum(sqs.pauses[str(times)] for times in range(1, 5)) > 15 * 60  # an outage is over before the last delivery
