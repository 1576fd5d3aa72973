"""The events in objects of a bucket are taken as if they had been posted with the key that their folder names."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus

import pytest

from headwater import metrics
from headwater.access.keys import KeyRing
from headwater.graph.names.naming import Naming
from headwater.graph.states.audit import RefusalEntry
from headwater.ingest.pickup import MAX_BYTES, MAX_NAMED, NotTaken, Pickup, PutObject, objects_in
from headwater.log import FunctionLog
from headwater.metrics import Measurement
from headwater.store.errors import StorageError, UnreadableBody
from headwater.store.messages import read_message
from tests import factory
from tests.access.test_keys import Clock, FakeSecret, entry, secret
from tests.fakes import FakeBucket, FakeQueue

MAX_EVENT_BYTES = 1_000_000
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIRST, SECOND = factory.run_event(run=1), factory.run_event(run=2)


class Log(FunctionLog):
    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def __call__(self, message: str, error: BaseException, /, *, run: str | None = None) -> None:
        self.lines.append({"message": message, "reason": str(error)})

    def info(self, message: str, **members: Any) -> None:
        self.lines.append({"message": message, **members})


class Refusals:
    """Keeps what is counted as refused; while it is `away`, nothing."""

    def __init__(self) -> None:
        self.entries: list[RefusalEntry] = []
        self.away = False

    def write(self, entry: RefusalEntry) -> None:
        if self.away:
            raise StorageError("the table is away")
        self.entries.append(entry)


class Drops:
    """A bucket with objects, and what becomes of them."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.bucket, self.bodies, self.queue = FakeBucket(), FakeBucket(), FakeQueue()
        self.log, self.refusals, self.secret, self.clock = Log(), Refusals(), FakeSecret(*keys), Clock()
        self.pickup = Pickup(
            keys=KeyRing(self.secret, self.clock),
            objects=self.bucket,
            queue=self.queue,
            bodies=self.bodies,
            naming=Naming(),
            refusals=lambda: self.refusals,
            log=self.log,
            now=lambda: NOON,
            max_event_bytes=MAX_EVENT_BYTES,
        )

    def take(self, key: str, content: bytes) -> None:
        self.bucket.objects[key] = content
        self.pickup.take(PutObject(key, len(content)))

    def taken(self) -> list[Any]:
        return [json.loads(read_message(message.body, self.bodies).canonical) for message in self.queue.sent]


@pytest.fixture
def drops() -> Drops:
    return Drops(entry("etl"), entry("team", namespaces=["team-*"]), entry("reader", scopes=["read"]))


@pytest.fixture(autouse=True)
def counted() -> Iterator[dict[str, float]]:
    sums: dict[str, float] = {}

    def add(measurement: Measurement) -> None:
        for name, values in measurement.values.items():
            sums[name] = sums.get(name, 0) + sum(values)

    metrics.send_to(add)
    yield sums
    metrics.send_to(metrics.to_log)


def lines(*documents: Any) -> bytes:
    return "".join(f"{json.dumps(document)}\n" for document in documents).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("1763625600000.json", lines(FIRST, SECOND)),
        ("events.ndjson", lines(FIRST) + b"\n" + lines(SECOND)),
        ("array.json", json.dumps([FIRST, SECOND], indent=1).encode()),
        ("packed.gz", gzip.compress(lines(FIRST, SECOND))),
        ("members.gz", gzip.compress(lines(FIRST)) + gzip.compress(lines(SECOND))),
        ("archive.gz", gzip.compress(lines(*({"receivedAt": "x", "event": event} for event in (FIRST, SECOND))))),
    ],
)
def test_the_events_of_an_object_are_queued(drops: Drops, counted: dict[str, float], name: str, content: bytes) -> None:
    drops.take(f"etl/2026/11/{name}", content)
    assert drops.taken() == [FIRST, SECOND]
    assert counted == {"EventsReceived": 2}
    assert (drops.log.lines, drops.refusals.entries) == ([], [])


def test_an_object_that_is_taken_twice_sends_the_same_messages(drops: Drops) -> None:
    drops.take("etl/a.json", lines(FIRST))
    drops.take("etl/a.json", lines(FIRST))
    first, second = drops.queue.sent
    assert (first.deduplication_id, first.group) == (second.deduplication_id, second.group)


def test_what_cannot_be_taken_of_an_object_is_named_and_counted_and_the_rest_is_taken(
    drops: Drops, counted: dict[str, float]
) -> None:
    broken, nameless = b'{"producer": "https://example.com/flink", "x": \n', {**SECOND, "job": {"namespace": "jobs"}}
    drops.take("etl/a.json", lines(FIRST) + broken + lines(nameless) + b"\xff\n" + lines(SECOND))
    assert drops.taken() == [FIRST, SECOND]
    places = {line["place"]: line["reason"] for line in drops.log.lines}
    assert list(places) == ["etl/a.json line 2", "etl/a.json line 4", "etl/a.json line 3"]
    assert places["etl/a.json line 3"] == "job.name: missing"
    assert counted == {"EventsReceived": 2, "EventsRefused": 3}
    (refused,) = drops.refusals.entries
    assert (refused.key, sum(number for _, number in refused.counts)) == ("etl", 3)


def test_a_gzip_that_is_cut_off_gives_what_is_before(drops: Drops, counted: dict[str, float]) -> None:
    drops.take("etl/a.gz", gzip.compress(lines(FIRST)) + gzip.compress(lines(SECOND))[:-20])
    assert drops.taken()[0] == FIRST
    assert "the rest cannot be unpacked" in drops.log.lines[0]["reason"]
    assert counted["EventsRefused"] == 1


def test_the_events_say_what_the_key_of_the_folder_may_say(drops: Drops, counted: dict[str, float]) -> None:
    ours = factory.run_event(run=1, job="team-a/load")
    drops.take("team/a.json", lines({**ours, "job": {**ours["job"], "namespace": "team-a"}}, FIRST))
    assert [event["job"]["namespace"] for event in drops.taken()] == ["team-a"]
    (line,) = drops.log.lines
    assert line["place"] == "team/a.json line 2"
    assert "is not a namespace of this key" in line["reason"]
    assert counted["EventsRefused"] == 1


def test_secrets_are_replaced(drops: Drops, counted: dict[str, float]) -> None:
    written = "AKIA" + "IOSFODNN7EXAMPLQ"
    drops.take("etl/a.json", lines(factory.run_event(run=1, run_facets={"env": factory.facet(key=written)})))
    assert written not in json.dumps(drops.taken())
    assert counted["SecretsRedacted"] == 1


@pytest.mark.parametrize("key", ["unknown/a.json", "reader/a.json", "a.json", "etl", "", "/a.json", "ETL/a.json"])
def test_an_object_outside_the_folder_of_a_key_that_may_send_events_waits(drops: Drops, key: str) -> None:
    with pytest.raises(NotTaken, match="is not the id of a key with the scope ingest"):
        drops.take(key, lines(FIRST))
    assert drops.taken() == []


def test_an_object_is_taken_once_its_key_is_there(drops: Drops) -> None:
    with pytest.raises(NotTaken):
        drops.take("late/a.json", lines(FIRST))
    drops.secret.text = secret(entry("late"))
    drops.clock.forward(5)
    drops.take("late/a.json", lines(FIRST))
    assert drops.taken() == [FIRST]


def test_nothing_is_refused_for_a_queue_that_is_away(drops: Drops, counted: dict[str, float]) -> None:
    drops.queue.broken = True
    with pytest.raises(StorageError):
        drops.take("etl/a.json", lines(FIRST, {}))
    assert counted == {}
    drops.queue.broken = False
    drops.take("etl/a.json", lines(FIRST, {}))
    assert drops.taken() == [FIRST]
    assert counted == {"EventsReceived": 1, "EventsRefused": 1}


def test_an_object_that_is_gone_is_no_empty_object(drops: Drops) -> None:
    with pytest.raises(UnreadableBody):
        drops.pickup.take(PutObject("etl/gone.json", 10))


def test_an_object_that_is_too_long_is_refused_without_being_read(drops: Drops, counted: dict[str, float]) -> None:
    drops.pickup.take(PutObject("etl/long.json", MAX_BYTES + 1))
    assert drops.log.lines[0]["place"] == "etl/long.json"
    assert counted == {"EventsRefused": 1}


def test_an_object_that_unpacks_to_too_much_gives_what_is_before(
    drops: Drops, counted: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.ingest.pickup.MAX_BYTES", 100_000)
    drops.take("etl/a.gz", gzip.compress(lines(FIRST) + b"\n" * 200_000 + lines(SECOND)))
    assert drops.taken() == [FIRST]
    assert "a text of more than 100000 bytes" in drops.log.lines[0]["reason"]
    assert counted == {"EventsReceived": 1, "EventsRefused": 1}


def test_an_event_that_is_too_long_for_ingest_is_too_long_here(drops: Drops, counted: dict[str, float]) -> None:
    """In bytes: two of them are one character."""
    padded = json.dumps(FIRST | {"padding": "é" * (MAX_EVENT_BYTES // 2)}, ensure_ascii=False)
    drops.take("etl/a.json", padded.encode() + b"\n" + lines(SECOND))
    assert drops.taken() == [SECOND]
    assert drops.log.lines[0]["reason"] == "event: longer than 1000000 bytes"
    assert counted == {"EventsReceived": 1, "EventsRefused": 1}


def test_a_first_line_that_is_cut_off_is_refused_alone(drops: Drops, counted: dict[str, float]) -> None:
    drops.take("etl/a.json", b'{"eventTime": "2026", \n' + lines(FIRST, SECOND))
    assert drops.taken() == [FIRST, SECOND]
    assert counted == {"EventsReceived": 2, "EventsRefused": 1}
    drops.take("etl/b.json", json.dumps([FIRST, SECOND], indent=1).encode()[:-9])
    assert counted["EventsRefused"] == 2, "a document is one, whatever its lines are"


def test_a_damaged_line_of_an_archive_is_refused_alone(drops: Drops, counted: dict[str, float]) -> None:
    drops.take("etl/a.json", lines(FIRST) + b'{"receivedAt":"x","s3":"bodi\n' + lines(SECOND))
    assert drops.taken() == [FIRST, SECOND]
    assert counted == {"EventsReceived": 2, "EventsRefused": 1}


def test_an_empty_object_has_no_events(drops: Drops, counted: dict[str, float]) -> None:
    drops.take("etl/empty.json", b"")
    assert (drops.taken(), counted, drops.log.lines) == ([], {}, [])


def test_the_log_names_so_many_events_and_no_more(drops: Drops, counted: dict[str, float]) -> None:
    drops.take("etl/a.json", lines(*[{}] * (MAX_NAMED + 50)))
    assert len(drops.log.lines) == MAX_NAMED
    assert counted == {"EventsRefused": MAX_NAMED + 50}


def test_events_are_taken_although_refusals_cannot_be_counted(drops: Drops) -> None:
    drops.refusals.away = True
    drops.take("etl/a.json", lines(FIRST, {}))
    assert drops.taken() == [FIRST]
    assert drops.log.lines[-1]["message"] == "refusals could not be counted"


def test_a_notification_names_objects_by_their_encoded_keys() -> None:
    key = "etl/day=1/a file+ü.json"
    records = [{"s3": {"object": {"key": quote_plus(key), "size": 7}}}, {"s3": {"object": {"key": "etl/b.json"}}}]
    assert list(objects_in(json.dumps({"Records": records}))) == [PutObject(key, 7), PutObject("etl/b.json", 0)]
    assert list(objects_in(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent"}))) == []
