"""The stream is the outbox: after a failure at any call no alert is lost, and a repeated alert has the same id."""

import contextlib
from typing import Any

import pytest

from headwater.alerts import announce
from headwater.alerts.alert import Record
from headwater.fold.fold import fold
from headwater.read.reader import Reader
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.alerts.stream import RETENTION, World, drift, folded, plain
from tests.factory import Document

DRIFT = [drift(1, "long"), drift(2, "string"), drift(3, "date"), factory.run_event("FAIL", run=4, seconds=4)]


def ids(world: World) -> list[str]:
    return [alert.id for alert in world.bus.sent]


def test_a_stored_change_raises_its_alert_although_the_writer_died() -> None:
    world = folded(*DRIFT)
    assert sorted(alert["alert"] for alert in world.alerts_of_records(world.table.stream)) == [
        "Dataset Schema Changed",
        "Dataset Schema Changed",
        "Run Failed",
    ]


def test_a_function_killed_between_putting_an_alert_and_saying_so_puts_the_same_alert_again() -> None:
    world = folded(*DRIFT)
    expected = [alert["id"] for alert in folded(*DRIFT).alerts_of_records(world.table.stream)]
    for kill in range(3):
        with contextlib.suppress(KeyboardInterrupt):
            world.bus.kills = 1
            world.announce(world.table.stream)
        assert set(ids(world)) <= set(expected), kill
    world.bus.kills = 0
    world.announce(world.table.stream)
    assert set(ids(world)) == set(expected)
    assert len(set(expected)) == len(expected) == 3


def test_after_a_crash_at_any_call_each_change_raises_one_alert() -> None:
    for nth in range(1, 30):
        world = World()
        world.fold(factory.received(DRIFT[0]))
        with contextlib.suppress(StorageError):
            fold(factory.received(DRIFT[1]), GraphStore(_Dying(world.table, nth), RETENTION))
        fold(factory.received(DRIFT[1]), GraphStore(world.table, RETENTION))
        alerts = world.alerts_of_records(world.table.stream)
        assert [alert["alert"] for alert in alerts] == ["Dataset Schema Changed"], nth


def test_the_batch_is_announced_again_from_the_record_that_the_bus_did_not_accept() -> None:
    world = folded(*DRIFT)
    world.bus.failures = 1
    outcome = world.announce(world.table.stream)
    assert outcome.alerts == 0
    first = next(record for record in world.table.stream if record["dynamodb"]["SequenceNumber"] == outcome.failed)
    assert world.announce(world.table.stream[world.table.stream.index(first) :]).alerts == 3


def test_later_changes_do_not_change_the_id_of_an_earlier_one() -> None:
    world = folded(*DRIFT)
    before = [alert["id"] for alert in world.alerts_of_records(world.table.stream)]
    stream = list(world.table.stream)
    world.fold(factory.received(drift(5, "long"), drift(6, "int")))
    assert [alert["id"] for alert in world.alerts_of_records(stream)] == before


def test_a_record_that_cannot_be_read_is_set_aside_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    world = folded(*DRIFT)

    def broken(_record: Record, _reader: Reader) -> Any:
        raise ValueError("a bug")

    monkeypatch.setitem(announce.BY_KIND, "dataset", broken)
    outcome = world.announce(world.table.stream)
    assert (outcome.failed, outcome.alerts) == (None, 1)
    assert outcome.quarantined == len([key for key in world.bucket.objects if key.startswith("quarantine/stream/")]) > 0


def test_items_without_alerts_are_passed_over() -> None:
    world = folded(*DRIFT)
    others = [
        record for record in world.table.stream if record["dynamodb"]["NewImage"]["kind"]["S"] not in announce.BY_KIND
    ]
    assert len(others) > 5
    assert world.alerts_of_records(others) == []


def test_a_run_fails_once_though_the_listener_completes_it_a_moment_later() -> None:
    fail, complete = factory.run_event("FAIL", seconds=1), factory.run_event("COMPLETE", seconds=1.1)
    for order in ([fail, complete], [complete, fail], [fail, complete, fail], [complete, fail, complete]):
        assert [alert["alert"] for alert in World().alerts_one_by_one(order)] == ["Run Failed"]
    assert World().alerts_of_batch(complete) == []


def test_an_application_that_fails_by_a_query_raises_no_alert_beside_the_query_s() -> None:
    action = factory.run_event("FAIL", job="app.write", run=2, run_facets={"parent": factory.parent(1, "app")})
    (alert,) = World().alerts_one_by_one([action, factory.run_event("FAIL", job="app", run=1, seconds=1)])
    assert alert["job"]["name"] == "app.write"


def test_a_child_is_known_by_its_parent_s_run_id_and_not_by_its_name() -> None:
    model = factory.run_event("FAIL", job="model.orders", run=2, run_facets={"parent": factory.parent(1, "dbt-run")})
    (alert,) = World().alerts_one_by_one([model, factory.run_event("FAIL", job="dbt-run", run=1, seconds=600)])
    assert alert["job"]["name"] == "model.orders"


def test_a_task_that_was_tried_again_does_not_explain_a_later_failure_of_its_dag() -> None:
    facets = {"parent": factory.parent(1, "dag")}
    first = factory.run_event("FAIL", job="dag.task", run=2, seconds=1, run_facets=facets)
    again = factory.run_event("COMPLETE", job="dag.task", run=3, seconds=2, run_facets=facets)
    dag = factory.run_event("FAIL", job="dag", run=1, seconds=3)
    assert [alert["job"]["name"] for alert in World().alerts_one_by_one([first, again, dag])] == ["dag.task", "dag"]


def test_of_several_tries_of_a_task_the_first_is_told() -> None:
    facets = {"parent": factory.parent(1, "dag")}
    tries = [factory.run_event("FAIL", job="dag.task", run=run, seconds=run, run_facets=facets) for run in (2, 3)]
    (alert,) = World().alerts_one_by_one([*tries, factory.run_event("FAIL", job="dag", run=1, seconds=9)])
    assert alert["run"]["runId"] == factory.run_id(2)


def test_a_failure_whose_parent_s_failure_is_told_already_is_not_told_again() -> None:
    world = World.storing()
    wrapper = factory.run_event("FAIL", job="dbt-run", run=1, seconds=9)
    model = factory.run_event(
        "FAIL", job="model", run=2, seconds=1, run_facets={"parent": factory.parent(1, "dbt-run")}
    )
    assert [alert["job"]["name"] for alert in world.alerts_one_by_one([wrapper, model])] == ["dbt-run"]


def test_an_application_that_outlives_a_failed_query_and_fails_later_raises_an_alert() -> None:
    action = factory.run_event("FAIL", job="app.write", run=2, run_facets={"parent": factory.parent(1, "app")})
    application = factory.run_event("FAIL", job="app", run=1, seconds=600)
    assert [alert["job"]["name"] for alert in World().alerts_one_by_one([action, application])] == ["app.write", "app"]


def test_the_alert_of_a_failed_run_has_its_message_and_outputs() -> None:
    facets = {"errorMessage": factory.facet(message="No such column: total\n  at line 3: password='x'")}
    output = factory.dataset("revenue", ownership=factory.facet(owners=[{"name": "team:finance"}]))
    (alert,) = World().alerts_of_batch(factory.run_event("FAIL", outputs=[output], run_facets=facets))
    assert (alert["severity"], alert["owners"], alert["outputs"]) == (
        "critical",
        ["team:finance"],
        ["dataset:s3://lake:revenue"],
    )
    assert alert["message"] == "No such column: total"
    assert "password" not in str(alert)


def test_failed_assertions_raise_one_alert_with_the_nodes_downstream() -> None:
    def checked(number: int, *outcomes: bool, run: int = 1) -> Document:
        assertions = [
            {"assertion": name, "success": outcome, "column": "id"}
            for name, outcome in zip(("not_null", "unique"), outcomes, strict=True)
        ]
        facet = {"dataQualityAssertions": factory.facet(assertions=assertions)}
        read = {**factory.dataset("a"), "inputFacets": facet}
        return factory.run_event("RUNNING", run=run, seconds=number, inputs=[read])

    alerts = World().alerts_one_by_one(
        [
            checked(1, True, True),
            checked(2, False, True),
            checked(3, False, True),
            checked(4, False, False),
            checked(5, True, True, run=2),
            checked(6, False, True, run=2),
        ]
    )
    assert [[assertion["assertion"] for assertion in alert["assertions"]] for alert in alerts] == [
        ["not_null"],
        ["unique"],
        ["not_null"],
    ]
    assert len({alert["id"] for alert in alerts}) == 3
    assert [alert["reaches"]["items"] for alert in alerts] == [[], [], []], "who checks is not at risk"
    assert {alert["alert"] for alert in alerts} == {"Data Quality Assertion Failed"}


class _Dying(MemoryTable):
    """A table whose user is gone after so many calls."""

    def __init__(self, table: Any, nth: int) -> None:
        super().__init__()
        self._table = table
        self._left = nth

    def __getattribute__(self, name: str) -> Any:
        if name in ("read", "change", "put", "newest", "partition", "list_entries"):
            self._left -= 1
            if self._left <= 0:
                raise StorageError("gone")
            return getattr(self._table, name)
        return super().__getattribute__(name)


def test_the_same_alert_is_the_same_to_the_letter() -> None:
    world = folded(*DRIFT)
    world.announce(world.table.stream)
    world.announce(world.table.stream)
    half = len(world.bus.sent) // 2
    assert [plain(alert) for alert in world.bus.sent[:half]] == [plain(alert) for alert in world.bus.sent[half:]]
