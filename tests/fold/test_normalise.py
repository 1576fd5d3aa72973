"""A batch of messages: the folded messages, the quarantined messages, and the messages to deliver again."""

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from headwater.fold.normalise import WIDE_EVENT, Delivery, Normaliser
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant, parse_instant
from headwater.openlineage.wire import read_event
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.messages import read_message, write_message
from headwater.store.table import Item
from tests import factory
from tests.factory import RETENTION, Document
from tests.fakes import FakeArchive, FakeBucket, FakeQueue

FOLDED = parse_instant("2026-11-20T08:00:02.5Z")


class PartlyAway(MemoryTable):
    """A table that cannot be reached, or has a bug, for some runs."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: dict[str, Exception] = {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        for key in keys:
            for run_id, failure in self.failures.items():
                if key.sk == f"R#{run_id}":
                    raise failure
        return super().read(keys, only)


@pytest.fixture
def table() -> PartlyAway:
    return PartlyAway()


@pytest.fixture
def bucket() -> FakeBucket:
    return FakeBucket()


@pytest.fixture
def archive() -> FakeArchive:
    return FakeArchive()


@pytest.fixture
def normaliser(table: PartlyAway, bucket: FakeBucket, archive: FakeArchive) -> Normaliser:
    return Normaliser(
        GraphStore(table, RETENTION),
        bucket,
        archive,
        Naming(),
        Thresholds(300_000, {"demo-*": 60_000}),
        now=lambda: FOLDED,
        log=lambda *_, **__: None,
    )


def delivery(document: Document, bucket: FakeBucket, message_id: str = "m") -> Delivery:
    canonical = exact_json.dumps(document)
    event = read_event(exact_json.loads(canonical), now=datetime(2026, 11, 20, tzinfo=UTC))
    message = write_message(event, canonical, Instant("2026-11-20T08:00:02.000000000Z"), bucket)
    return Delivery(message_id, message.group, message.body)


def deliveries(bucket: FakeBucket, *runs: int) -> list[Delivery]:
    """One message a run number: its id is its place, `0`, `1`, ..."""
    return [
        delivery(factory.run_event("RUNNING", run=run, seconds=place), bucket, str(place))
        for place, run in enumerate(runs)
    ]


def test_a_folded_message_is_counted_archived_and_timed(
    normaliser: Normaliser, bucket: FakeBucket, archive: FakeArchive
) -> None:
    outcome = normaliser.normalise(deliveries(bucket, 1, 2))
    assert (outcome.failed, outcome.folded, outcome.quarantined) == ([], 2, 0)
    measured = [(duration.producer, duration.emission, duration.fold) for duration in outcome.durations]
    assert measured == [(factory.PRODUCER, 2000, 500), (factory.PRODUCER, 1000, 500)]
    assert [json.loads(line)["run"]["runId"] for line in archive.archived] == [factory.run_id(1), factory.run_id(2)]


def test_if_the_table_is_away_for_one_run_the_others_are_folded(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket, archive: FakeArchive
) -> None:
    table.failures[factory.run_id(1)] = StorageError("throttled")
    outcome = normaliser.normalise(deliveries(bucket, 2, 1, 2, 1, 3))
    assert (outcome.failed, outcome.folded) == (["1", "3"], 3)
    assert len(archive.archived) == 5


def test_messages_folded_before_an_outage_count_once(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    table.failures[factory.run_id(2)] = StorageError("throttled")
    drifting = [
        factory.run_event("RUNNING", run=run, seconds=run, outputs=[factory.dataset("a", schema=factory.schema(kind))])
        for run, kind in ((1, "id:int"), (2, "id:string"), (3, "id:long"))
    ]
    outcome = normaliser.normalise([delivery(document, bucket, str(place)) for place, document in enumerate(drifting)])
    assert (outcome.failed, outcome.folded) == (["1"], 2)
    assert [duration.emission for duration in outcome.durations] == [1000, -1000]


def test_of_a_group_all_from_the_first_failed_on_come_again(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    first, second, third = deliveries(bucket, 1, 1, 1)
    long = factory.run_event("RUNNING", run=1, run_facets={"x": factory.facet(text=_incompressible(600_000))})
    pointer = delivery(long, bucket, "long")
    bucket.objects.clear()
    outcome = normaliser.normalise([first, pointer, second, third])
    assert (outcome.failed, outcome.folded) == (["long", "1", "2"], 1)


def test_a_bug_sends_one_message_to_quarantine_and_the_group_goes_on(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    table.failures[factory.run_id(1)] = ZeroDivisionError("a bug")
    outcome = normaliser.normalise(deliveries(bucket, 1, 2, 1))
    assert (outcome.failed, outcome.folded, outcome.quarantined) == ([], 1, 2)
    kept = [json.loads(content) for content in bucket.objects.values()]
    assert {message["reason"] for message in kept} == {"ZeroDivisionError: a bug"}
    assert {message["messageId"] for message in kept} == {"0", "2"}


@pytest.mark.parametrize(
    "body", ["", "{}", "[]", "null", '{"receivedAt":"x","gzip":"!"}', '{"receivedAt":"x","gzip":"aGk="}']
)
def test_a_message_that_is_none_of_ours_goes_to_quarantine(
    normaliser: Normaliser, bucket: FakeBucket, body: str
) -> None:
    good = delivery(factory.run_event(), bucket, "good")
    outcome = normaliser.normalise([Delivery("bad", good.group, body), good])
    assert (outcome.failed, outcome.folded, outcome.quarantined) == ([], 1, 1)


def test_if_even_quarantine_is_away_the_message_comes_again(normaliser: Normaliser, bucket: FakeBucket) -> None:
    bucket.broken = True
    outcome = normaliser.normalise([Delivery("bad", "g", "{}"), Delivery("behind", "g", "{}")])
    assert (outcome.failed, outcome.quarantined) == (["bad", "behind"], 0)


def test_a_long_event_comes_by_way_of_the_bucket(normaliser: Normaliser, bucket: FakeBucket) -> None:
    long = factory.run_event("START", run_facets={"x": factory.facet(text=_incompressible(600_000))})
    message = delivery(long, bucket)
    assert len(message.body) < 500
    assert normaliser.normalise([message]).folded == 1


def test_a_half_folded_batch_folded_again_ends_the_same(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    batch = deliveries(bucket, 1, 2, 3)
    table.failures[factory.run_id(2)] = StorageError("throttled")
    normaliser.normalise(batch)
    table.failures.clear()
    normaliser.normalise(batch)
    half_then_whole = dict(table.items)
    table.items.clear()
    normaliser.normalise(batch)
    assert table.items == half_then_whole


def _incompressible(length: int) -> str:
    """Text that gzip cannot shorten much: a pseudo-random walk over printable characters."""
    state, letters = 1, []
    for _ in range(length):
        state = (state * 1103515245 + 12345) % 2**31
        letters.append(chr(33 + state // 65536 % 90))
    return "".join(letters)


def test_events_are_forwarded_to_each_target_once_they_are_folded_and_archived(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    table.failures[factory.run_id(1)] = StorageError("throttled")
    queue = FakeQueue()
    outcome = replace(normaliser, targets=["url", "catalog"], forward=queue).normalise(deliveries(bucket, 1, 2, 2))
    assert outcome.failed == ["0"]
    run = factory.run_id(2)
    assert [message.group for message in queue.sent] == [f"url/{run}", f"catalog/{run}"] * 2
    assert len({message.deduplication_id for message in queue.sent}) == 4
    events = [json.loads(read_message(message.body, bucket).canonical) for message in queue.sent[::2]]
    assert [event["eventTime"] for event in events] == [factory.at(1), factory.at(2)]


def test_the_events_of_a_run_are_forwarded_in_the_order_of_their_delivery(
    normaliser: Normaliser, table: PartlyAway, bucket: FakeBucket
) -> None:
    """Although a wide event is folded last: what comes after it waits until it is folded."""
    outputs = [factory.dataset(f"table {number}") for number in range(WIDE_EVENT + 1)]
    wide = factory.run_event("START", outputs=outputs, run_facets={"parent": factory.parent(9, "night")})
    batch = [delivery(wide, bucket, "0"), delivery(factory.run_event("COMPLETE", seconds=1), bucket, "1")]
    queue = FakeQueue()
    forwarding = replace(normaliser, targets=["url"], forward=queue)
    table.failures[factory.run_id(9)] = StorageError("throttled")
    assert (forwarding.normalise(batch).failed, queue.sent) == (["0", "1"], [])
    table.failures.clear()
    assert forwarding.normalise(batch).failed == []
    events = [json.loads(read_message(message.body, bucket).canonical) for message in queue.sent]
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]


def test_an_event_that_cannot_be_handed_on_is_delivered_again(normaliser: Normaliser, bucket: FakeBucket) -> None:
    queue = FakeQueue()
    queue.refused = {f"catalog/{factory.run_id(2)}"}
    outcome = replace(normaliser, targets=["url", "catalog"], forward=queue).normalise(deliveries(bucket, 1, 2))
    assert outcome.failed == ["1"]
    assert len(queue.sent) == 3
