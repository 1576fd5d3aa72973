"""What ingest refuses is counted by producer, key, status and fault, with one write a request, and kept for a week."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from headwater import metrics
from headwater.access.principal import Principal, no_key
from headwater.graph.names.naming import Naming
from headwater.http.audit import Audit
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse
from headwater.ingest.refusals import CountedRefusals
from headwater.ingest.routes import ROUTER, Ingest
from headwater.openlineage.instant import instant_of
from headwater.store.audit_log import RefusalLog
from headwater.store.errors import StorageError
from headwater.store.memory import MemoryTable
from headwater.store.table import ConditionalPut, expiry
from tests import factory
from tests.fakes import FakeBucket, FakeQueue
from tests.lookup.requests import ANYONE as READER
from tests.lookup.requests import NOON, LookupClient, table_after
from tests.producer_records import recorded

PRODUCER = Principal("etl", frozenset({"ingest"}), ("*",))
TEAM = Principal("team", frozenset({"ingest", "read"}), ("team",))
MAX_BYTES = 10_000
FLINK = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/flink"


class CountingTable(MemoryTable):
    puts = 0
    fails = False

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        if self.fails:
            raise StorageError("the table is away")
        self.puts += len(changes)
        super().change(changes)


@pytest.fixture(autouse=True)
def measured() -> Iterator[None]:
    """The test has no CloudWatch."""
    metrics.send_to(lambda _: None)
    yield
    metrics.send_to(metrics.to_log)


@pytest.fixture
def table() -> CountingTable:
    return CountingTable()


def post(
    table: MemoryTable, body: str, caller: Principal | None = PRODUCER, *, at: datetime = NOON, path: str = "lineage"
) -> ApiResponse:
    """Posts a body as a producer; without a caller, without a valid key."""

    def authenticate() -> Principal:
        if caller is None:
            raise no_key()
        return caller

    def ignore(message: str, error: BaseException) -> None:
        assert (message, type(error)) == ("a refusal could not be counted", StorageError)

    ingest = Ingest(FakeQueue(), FakeBucket(), Naming(), MAX_BYTES, lambda _: None)
    request = ApiRequest(UNIDENTIFIED, "POST", f"/api/v1/{path}", {}, received_at=at, body=body)
    counted = CountedRefusals(Audit(None, ignore), lambda: RefusalLog(table), ignore)
    return counted.answer(request, authenticate, partial(ROUTER.respond, ingest))


def refused(table: MemoryTable, caller: Principal = READER) -> list[tuple[Any, ...]]:
    answer = LookupClient(table, caller)("stats/refusals")
    return [
        tuple(entry[name] for name in ("producer", "key", "status", "path", "count")) for entry in answer["refusals"]
    ]


def without_job(producer: str) -> dict[str, Any]:
    event = {**factory.run_event(), "producer": producer}
    return {name: member for name, member in event.items() if name != "job"}


def test_a_refused_event_counts_for_its_producer_with_the_path_of_the_fault(table: CountingTable) -> None:
    for _ in range(3):
        assert post(table, json.dumps(without_job(FLINK))).status == 400
    assert refused(table) == [("flink", "etl", 400, "job", 3)]
    assert table.puts == 3


def test_indices_are_left_out_of_a_path(table: CountingTable) -> None:
    for event in recorded("trino", "same_insert_three_times")[:1]:
        outputs = [{"namespace": "trino://h:1", "name": ["no", "text"]}]
        assert post(table, json.dumps({**event, "inputs": [], "outputs": outputs})).status == 400
    assert refused(table) == [("trino", "etl", 400, "outputs.name", 1)]


def test_a_batch_is_one_write(table: CountingTable) -> None:
    bad = [without_job(producer) for producer in (FLINK, FLINK, "https://github.com/trinodb/trino", "x")]
    answer = post(table, json.dumps([*bad, factory.run_event(), 7]), path="lineage/batch")
    assert (answer.status, answer.body["summary"]["failed"], table.puts) == (200, 5, 1)
    assert set(refused(table)) == {
        (None, "etl", 400, "body", 1),
        ("flink", "etl", 400, "job", 2),
        ("other", "etl", 400, "job", 1),
        ("trino", "etl", 400, "job", 1),
    }


def test_whatever_is_refused_counts(table: CountingTable) -> None:
    event = factory.run_event()
    assert post(table, "", None).status == 401
    assert post(table, json.dumps(event), TEAM).status == 403
    assert post(table, json.dumps(event), READER).status == 403
    assert post(table, json.dumps(event) + " " * MAX_BYTES).status == 413
    assert post(table, '{"producer": "https://dbt.example/dbt", "job": ').status == 400
    assert set(refused(table)) == {
        ("dbt", "etl", 400, "body", 1),
        (None, None, 401, None, 1),
        (None, "test", 403, None, 1),
        ("other", "team", 403, "job.namespace", 1),
        (None, "etl", 413, "body", 1),
    }


def test_what_is_taken_costs_no_write(table: CountingTable) -> None:
    assert post(table, json.dumps(factory.run_event())).status == 201
    assert (table.puts, refused(table)) == (0, [])


def test_no_text_of_a_client_is_stored_or_makes_a_kind_of_its_own(table: CountingTable) -> None:
    for number in range(20):
        event = {**without_job(f"https://attacker.example/secret-{number}"), f"secret {number}": "secret"}
        post(table, json.dumps(event))
        post(table, json.dumps([{"job": {f"secret-{number}": {"secret": "\x00"}}}] * 30), path="lineage/batch")
    kinds = refused(table)
    assert "secret" not in str(kinds) + str(table.items)
    assert len(kinds) <= 3
    assert all(len(part) < 600 for item in table.items.values() for part in item.parts.values())


def test_a_caller_sees_what_its_own_key_was_refused(table: CountingTable) -> None:
    post(table, "{", None)
    post(table, "{", TEAM)
    post(table, "{")
    assert [entry[1] for entry in refused(table, TEAM)] == ["team"]
    assert {entry[1] for entry in refused(table)} == {None, "team", "etl"}


def test_refusals_are_kept_for_a_week(table: CountingTable) -> None:
    for days in (0, 6, 8):
        post(table, "{", at=NOON - timedelta(days=days))
    (entry,) = LookupClient(table)("stats/refusals")["refusals"]
    assert entry["count"] == 2
    assert (entry["firstAt"], entry["lastAt"]) == ("2026-11-14T12:00:00Z", "2026-11-20T12:00:00Z")
    expiries = {item.expires_at for item in table.items.values()}
    assert expiry(instant_of(NOON), timedelta(days=7)) in expiries


def test_a_count_that_cannot_be_written_changes_no_answer(table: CountingTable) -> None:
    table.fails = True
    assert post(table, json.dumps(without_job(FLINK))).body["message"].startswith("job: ")


def test_jobs_of_which_something_was_set_aside_are_counted_by_producer() -> None:
    events = [{**factory.run_event(job=name, run=number), "producer": FLINK} for number, name in enumerate("ab", 1)]
    for event in events:
        note = {"paths": ["inputs[0].namespace: empty"], "key": "etl", "producer": "flink"}
        event["job"]["facets"] = {"headwater_setAside": note}
    answer = LookupClient(table_after(*events, factory.run_event(job="c", run=3)))("stats/refusals")
    assert answer == {"refusals": [], "setAside": [{"producer": "flink", "jobs": 2, "lastAt": "2026-11-20T08:00:00Z"}]}
