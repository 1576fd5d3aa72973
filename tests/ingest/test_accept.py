"""An event is accepted after the queue has stored the event, never before."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from headwater.access.event_sender import MAX_DATASETS, EventSender
from headwater.access.principal import Principal
from headwater.graph.names.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.ingest.routes import ROUTER, Ingest
from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.store.errors import StorageError
from headwater.store.messages import Message, read_message
from tests import factory
from tests.fakes import FakeBucket, FakeQueue, fail_test

MAX_BYTES = 100 * 1024 * 1024
NOW = datetime(2026, 11, 20, 8, 0, 2, tzinfo=UTC)
ANYONE = Principal("any", frozenset({"ingest"}), ("*",))


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


@pytest.fixture
def bucket() -> FakeBucket:
    return FakeBucket()


@dataclass
class Posting:
    """Posts requests to ingest; `runs` are the run ids that were logged."""

    queue: FakeQueue
    bucket: FakeBucket
    caller: Principal = ANYONE
    runs: list[str] = field(default_factory=list)

    def one(self, body: str) -> ApiResponse:
        """Posts one event. Raises InvalidRequest, or StorageError."""
        return self._post("/api/v1/lineage", body)

    def batch(self, body: str) -> ApiResponse:
        return self._post("/api/v1/lineage/batch", body)

    def _post(self, path: str, body: str) -> ApiResponse:
        request = ApiRequest(self.caller, "POST", path, {}, received_at=NOW, body=body)
        return ROUTER.respond(Ingest(self.queue, self.bucket, Naming(), MAX_BYTES, self.runs.append), request)


@pytest.fixture
def ingest(queue: FakeQueue, bucket: FakeBucket) -> Posting:
    return Posting(queue, bucket)


@pytest.fixture
def sender(queue: FakeQueue, bucket: FakeBucket) -> EventSender:
    return EventSender(ANYONE, queue, bucket, Naming(), NOW)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "ingest")


def counted(capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """How many events were counted as received and as refused."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    received, refused = (sum(sum(line.get(name, [])) for line in lines) for name in ("EventsReceived", "EventsRefused"))
    return int(received), int(refused)


def text(document: Any) -> str:
    return json.dumps(document)


def test_an_event_is_queued_whole_and_answered_with_a_body(
    ingest: Posting, queue: FakeQueue, bucket: FakeBucket, capsys: pytest.CaptureFixture[str]
) -> None:
    event = factory.run_event("START", run_facets={"ours": factory.facet(any=["thing", None])})
    response = ingest.one(text(event))
    (message,) = queue.sent
    assert (response.status, *counted(capsys)) == (201, 1, 0)
    assert response.body["status"] == "accepted"
    assert ingest.runs == [factory.run_id(1)]
    read = read_message(message.body, bucket)
    assert json.loads(read.canonical) == event
    assert read.received_at == "2026-11-20T08:00:02.000000000Z"


def event_with_secrets(secret: str) -> Any:
    event = factory.run_event(
        "FAIL", run_facets={"errorMessage": factory.facet(message=f"no login: password={secret}")}
    )
    event["job"]["facets"] = {"sql": factory.facet(query=f"CREATE USER etl PASSWORD '{secret}'")}
    return event


def test_no_secret_is_in_the_queue_and_the_sender_is_told_where_each_was(
    ingest: Posting, queue: FakeQueue, bucket: FakeBucket, capsys: pytest.CaptureFixture[str]
) -> None:
    response = ingest.one(text(event_with_secrets("hunter2")))
    places = ["job.facets.sql.query: redacted password", "run.facets.errorMessage.message: redacted password"]
    assert sorted(response.body["setAside"]) == places
    (message,) = queue.sent
    canonical = read_message(message.body, bucket).canonical
    assert "hunter2" not in canonical
    assert sorted(json.loads(canonical)["job"]["facets"]["headwater_setAside"]["paths"]) == places
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["SecretsRedacted"] == [2]


def test_a_long_event_is_stored_without_its_secrets(ingest: Posting, bucket: FakeBucket, queue: FakeQueue) -> None:
    event = event_with_secrets("hunter2")
    event["run"]["facets"]["ours"] = factory.facet(noise=[f"{n:x}{n * 7919:x}" for n in range(100_000)])
    ingest.one(text(event))
    assert list(bucket.objects)
    assert "hunter2" not in read_message(queue.sent[0].body, bucket).canonical


def test_events_that_differ_in_a_secret_alone_are_one_event(ingest: Posting, queue: FakeQueue) -> None:
    for secret in ("hunter2", "hunter3"):
        ingest.one(text(event_with_secrets(secret)))
    first, second = (message.deduplication_id for message in queue.sent)
    assert first == second


def test_of_a_batch_the_secrets_are_counted_and_their_places_are_told(
    ingest: Posting, queue: FakeQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    response = ingest.batch(text([factory.run_event("START"), event_with_secrets("hunter2")]))
    assert [entry["index"] for entry in response.body["set_aside"]] == [1]
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["SecretsRedacted"] == [2]
    assert not any("hunter2" in message.received.canonical for message in queue.sent)


def test_events_of_a_run_share_a_group_and_equal_events_an_id(ingest: Posting, queue: FakeQueue) -> None:
    start, complete = factory.run_event("START"), factory.run_event("COMPLETE")
    reordered = json.dumps(dict(reversed(start.items())), indent=2)
    for body in (text(start), text(complete), reordered):
        ingest.one(body)
    groups = {message.group for message in queue.sent}
    first, second, again = (message.deduplication_id for message in queue.sent)
    assert groups == {factory.run_id(1)}
    assert first == again != second


def test_events_without_a_run_are_grouped_by_their_node(ingest: Posting, queue: FakeQueue) -> None:
    ingest.one(text(factory.job_event(job="load")))
    ingest.one(text(factory.job_event(job="load", seconds=5)))
    ingest.one(text(factory.dataset_event(factory.dataset("a"))))
    groups = [message.group for message in queue.sent]
    assert groups[0] == groups[1] != groups[2]


def test_ids_fit_the_queue_whatever_the_names(ingest: Posting, queue: FakeQueue) -> None:
    ingest.one(text(factory.job_event(job="a name with spaces, ünïcode and 🚀 " * 100)))
    (message,) = queue.sent
    for value in (message.group, message.deduplication_id):
        assert len(value) <= 128
        assert value.isascii()
        assert value.isalnum()


def test_an_event_that_is_not_safe_is_not_accepted(ingest: Posting, queue: FakeQueue) -> None:
    queue.refused.add(factory.run_id(1))
    with pytest.raises(StorageError):
        ingest.one(text(factory.run_event()))


def test_a_bad_event_is_never_queued(ingest: Posting, queue: FakeQueue) -> None:
    with pytest.raises(InvalidRequest):
        ingest.one(text(factory.run_event() | {"eventTime": "soon"}))
    assert queue.sent == []


@pytest.mark.parametrize(
    ("nameless", "fault"),
    [
        ({"namespace": "", "name": "default_catalog.default_database.clicks"}, "inputs[1].namespace: empty"),
        ({"namespace": "s3://lake", "name": ""}, "inputs[1].name: empty"),
        ({"namespace": None, "name": "orders"}, "inputs[1].namespace: missing"),
        ({"name": "orders"}, "inputs[1].namespace: missing"),
        ({"namespace": "s3://lake"}, "inputs[1].name: missing"),
    ],
)
def test_a_dataset_without_a_usable_name_is_set_aside_and_the_rest_of_its_event_is_queued(
    ingest: Posting, queue: FakeQueue, bucket: FakeBucket, nameless: Any, fault: str
) -> None:
    event = factory.run_event("START", inputs=[factory.dataset("a"), nameless, factory.dataset("c")])
    assert ingest.one(text(event)).body["setAside"] == (fault,)
    (message,) = queue.sent
    queued = json.loads(read_message(message.body, bucket).canonical)
    assert [dataset["name"] for dataset in queued["inputs"]] == ["a", "c"]
    assert queued["job"]["facets"]["headwater_setAside"]["paths"] == [fault]


@pytest.mark.parametrize(
    ("field", "fault"), [({"type": "int"}, "missing"), ({"name": None}, "missing"), ({"name": ""}, "empty")]
)
def test_a_field_without_a_name_is_set_aside_and_the_rest_of_its_schema_is_queued(
    ingest: Posting, queue: FakeQueue, bucket: FakeBucket, field: Any, fault: str
) -> None:
    dataset = factory.dataset("a", schema=factory.facet(fields=[{"name": "x"}, field, "odd"]))
    for number, (event, path) in enumerate(
        [
            (factory.run_event("START", outputs=[{"name": "nameless"}, dataset]), "outputs[1]"),
            (factory.dataset_event(dataset), "dataset"),
        ]
    ):
        expected = f"{path}.facets.schema.fields[1].name: {fault}"
        assert ingest.one(text(event)).body["setAside"][-1] == expected
        queued = json.loads(read_message(queue.sent[number].body, bucket).canonical)
        kept = queued["outputs"][0] if "outputs" in queued else queued["dataset"]
        assert kept["facets"]["schema"]["fields"] == [{"name": "x"}, "odd"]


def test_an_event_with_another_fault_is_refused_with_all_of_its_faults(ingest: Posting) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ingest.one(text(factory.run_event("START", inputs=[{"namespace": "", "name": "a"}]) | {"producer": ""}))
    assert [str(fault) for fault in refused.value.faults] == ["producer: empty", "inputs[0].namespace: empty"]


def test_a_batch_takes_the_good_and_names_the_bad_by_index(
    ingest: Posting, queue: FakeQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    good = [factory.run_event(run=number) for number in (1, 2)]
    response = ingest.batch(text([good[0], {}, good[1], "x"]))
    assert (response.status, *counted(capsys)) == (200, 2, 2)
    assert len(queue.sent) == 2
    body = response.body
    assert body["status"] == "partial_success"
    assert body["summary"] == {"received": 4, "successful": 2, "failed": 2, "retriable": 0, "non_retriable": 2}
    assert [(failure["index"], failure["retriable"]) for failure in body["failed_events"]] == [(1, False), (3, False)]
    assert "run: missing" in body["failed_events"][0]["reason"]


def test_a_good_batch_is_a_success(ingest: Posting) -> None:
    response = ingest.batch(text([factory.run_event(run=number) for number in range(1, 26)]))
    summary = {"received": 25, "successful": 25, "failed": 0, "retriable": 0, "non_retriable": 0}
    assert response.body == {"status": "success", "summary": summary, "failed_events": []}


def test_an_empty_batch_is_a_success_of_nothing(ingest: Posting) -> None:
    assert ingest.batch("[]").body["summary"]["received"] == 0


def test_events_of_a_batch_that_the_queue_did_not_store_are_retriable(ingest: Posting, queue: FakeQueue) -> None:
    queue.refused.add(factory.run_id(2))
    response = ingest.batch(text([factory.run_event(run=1), factory.run_event(run=2)]))
    assert response.status == 200
    assert [(failure["index"], failure["retriable"]) for failure in response.body["failed_events"]] == [(1, True)]


def test_a_batch_without_stored_events_is_answered_503(ingest: Posting, queue: FakeQueue) -> None:
    queue.refused.add(factory.run_id(1))
    response = response_or_error(lambda: ingest.batch(text([factory.run_event()])), fail_test)
    assert (response.status, response.headers) == (503, {"retry-after": "1"})


def test_a_batch_is_bounded(ingest: Posting, queue: FakeQueue) -> None:
    with pytest.raises(InvalidRequest, match="more than 5000 events") as refused:
        ingest.batch(text([{}] * 5_001))
    assert refused.value.status == 413
    assert queue.sent == []


def test_a_batch_is_an_array(ingest: Posting) -> None:
    with pytest.raises(InvalidRequest, match="expected an array"):
        ingest.batch(text(factory.run_event()))


def test_a_key_writes_to_its_own_namespaces_alone(queue: FakeQueue, bucket: FakeBucket) -> None:
    ingest = Posting(queue, bucket, Principal("team", frozenset({"ingest"}), ("team-*", "s3://lake")))
    with pytest.raises(InvalidRequest, match=r"job\.namespace: is not a namespace of this key") as refused:
        ingest.one(text(factory.run_event()))
    assert refused.value.status == 403
    assert ingest.one(text(factory.dataset_event(factory.dataset("a")))).status == 201


def test_a_number_reaches_the_queue_with_all_its_digits(ingest: Posting, queue: FakeQueue, bucket: FakeBucket) -> None:
    ingest.one(text(factory.run_event(run_facets={"x": {"n": "N"}})).replace('"N"', "1.10000000000000000000000000001"))
    assert "1.10000000000000000000000000001" in read_message(queue.sent[0].body, bucket).canonical


def test_a_long_event_is_in_the_bucket_before_its_pointer_is_queued(bucket: FakeBucket) -> None:
    class WatchfulQueue(FakeQueue):
        def send(self, messages: Sequence[Message]) -> list[bool]:
            assert bucket.objects
            return super().send(messages)

    queue = WatchfulQueue()
    noise = "".join(chr(33 + number * number * 7919 % 90) for number in range(2_000_000))
    event = factory.run_event(
        run_facets={"x": factory.facet(words=[exact_json.digest(n) for n in range(20_000)], noise=noise)}
    )
    Posting(queue, bucket).one(text(event))
    assert len(queue.sent[0].body) < 500
    assert json.loads(read_message(queue.sent[0].body, bucket).canonical) == event


def test_events_that_belong_together_are_all_safe_or_it_is_said(sender: EventSender, queue: FakeQueue) -> None:
    events = [factory.job_event(job="load"), factory.job_event(job="clean")]
    sender.send_all(list(map(text, events)))
    assert len(queue.sent) == 2
    queue.refused = {queue.sent[1].group}
    with pytest.raises(StorageError):
        sender.send_all(list(map(text, events)))


def test_of_events_that_belong_together_none_is_sent_if_one_is_refused(sender: EventSender, queue: FakeQueue) -> None:
    with pytest.raises(InvalidRequest):
        sender.send_all([text(factory.job_event()), "{}"])
    assert queue.sent == []


CURATING = [
    factory.dataset_event(factory.dataset("orders", headwater_deleted={"through": factory.at(0)})),
    factory.run_event(outputs=[factory.dataset("orders", headwater_deleted={"through": factory.at(0)})]),
    factory.run_event(job_facets={"headwater_tag:3:PII": {"tag": "PII"}}),
]


@pytest.mark.parametrize("event", CURATING)
def test_an_event_with_a_curation_facet_requires_the_scope_admin(
    queue: FakeQueue, bucket: FakeBucket, event: factory.Document
) -> None:
    with pytest.raises(InvalidRequest, match="require the scope admin") as refused:
        Posting(queue, bucket).one(text(event))
    assert refused.value.status == 403
    assert queue.sent == []
    Posting(queue, bucket, Principal("any", frozenset({"admin"}), ("*",))).one(text(event))
    assert len(queue.sent) == 1


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_an_event_with_more_datasets_than_can_be_folded_is_refused(
    queue: FakeQueue, bucket: FakeBucket, side: str
) -> None:
    most = [{"namespace": "s3://lake", "name": f"table {number}"} for number in range(MAX_DATASETS)]
    wide = {**factory.run_event("COMPLETE"), side: [*most, {"namespace": "s3://lake", "name": "one more"}]}
    with pytest.raises(InvalidRequest, match=f"{side}: more than 10000 datasets; send several events") as refused:
        Posting(queue, bucket).one(json.dumps(wide))
    assert refused.value.status == 413
    assert queue.sent == []
    assert Posting(queue, bucket).one(json.dumps({**wide, side: most})).status == 201
