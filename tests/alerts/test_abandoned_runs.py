"""Alerts for abandoned runs: one for each run, after a silence that is unusual for its job."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from headwater.alerts.abandoned_runs import Sweeper
from headwater.alerts.alert import Alert
from headwater.graph.names.identity import JobRunId, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, instant_of
from headwater.store import keys
from headwater.store.errors import CorruptItem, Rejected, StorageError
from tests import factory
from tests.alerts.stream import World, folded, plain
from tests.factory import EPOCH, Document
from tests.fakes import damage

MINUTES = Thresholds(1440, {"streams-*": 30})
HOUR = 60


def at(minutes: float) -> Instant:
    return instant_of(EPOCH + timedelta(minutes=minutes))


def event(kind: str, minutes: float, run: int, job: str = "load", **more: Any) -> Document:
    return factory.run_event(kind, seconds=60 * minutes, run=run, job=job, **more)


def swept(world: World, minutes: float, limits: Thresholds = MINUTES) -> list[str]:
    """The runs that a sweep tells of, by job."""
    start = len(world.bus.sent)
    Sweeper(world.store, world.bus, Naming(), limits, _fail).sweep(at(minutes))
    alerts = [plain(alert) for alert in world.bus.sent[start:]]
    assert {alert["alert"] for alert in alerts} <= {"Run Abandoned"}
    return [alert["name"] for alert in alerts]


def usual(minutes: float, runs: int = 3) -> list[Document]:
    return [
        event(kind, -1000 * number + after, 900 + number)
        for number in range(1, runs + 1)
        for kind, after in (("START", 0), ("COMPLETE", minutes))
    ]


@pytest.mark.parametrize(("usually", "given"), [(20, 60), (0.1, 15)])
def test_a_run_has_three_times_its_jobs_longest_and_a_quarter_of_an_hour_at_least(usually: float, given: float) -> None:
    world = folded(*usual(usually), event("START", 0, 1))
    assert swept(world, given - 1) == []
    assert swept(world, given + 1) == ["load"]


def test_after_the_short_runs_of_a_backfill_a_run_may_still_take_as_long_as_is_usual() -> None:
    short = [
        event(kind, -300 + number + after, 800 + number)
        for number in range(12)
        for kind, after in (("START", 0), ("COMPLETE", 0.5))
    ]
    world = folded(*usual(60, runs=30), *short, event("START", 0, 1))
    assert swept(world, 179) == []
    assert swept(world, 181) == ["load"]


def test_runs_whose_start_was_not_reported_say_nothing_of_how_long_a_run_takes() -> None:
    ends = [
        event(kind, -300 + 20 * day + after, 800 + day)
        for day in range(12)
        for kind, after in (("RUNNING", 0), ("COMPLETE", 0.5))
    ]
    world = folded(*ends, event("START", 0, 1))
    assert swept(world, 20) == []
    assert swept(world, 1441) == ["load"]


def test_an_abandoned_run_of_a_job_with_a_timetable_tells_what_waits_for_it() -> None:
    """The jobs that wait for it get no alert of their own."""
    raw, board = factory.dataset("orders"), factory.dataset("board", ownership=factory.facet(owners=[{"name": "ops"}]))
    days = [
        event("COMPLETE", after + 5, number, job, inputs=inputs, outputs=[output])
        for number in range(14)
        for after, job, inputs, output in (
            (24 * HOUR * number, "load", [], raw),
            (24 * HOUR * number + 10, "report", [raw], board),
        )
    ]
    started = [{**each, "eventType": "START", "eventTime": at_text(each, -5)} for each in days]
    world = folded(*started, *days, event("START", 14 * 24 * HOUR, 99, outputs=[raw]))
    assert swept(world, 14 * 24 * HOUR + 2 * HOUR) == ["load"]
    told = plain(world.bus.sent[-1])
    assert "The delay may affect 1 dataset, 1 job downstream" in " ".join(told["lines"])
    assert "ops" in told["owners"]


def at_text(document: Document, minutes: float) -> str:
    return (datetime.fromisoformat(document["eventTime"]) + timedelta(minutes=minutes)).isoformat()


def test_an_abandoned_run_raises_one_alert_until_a_new_event_of_the_run() -> None:
    world = folded(*usual(20), event("START", 0, 1))
    assert swept(world, 61) == ["load"]
    assert swept(world, 90) == swept(world, 5000) == []
    world.fold(factory.received(event("RUNNING", 100, 1)))
    assert swept(world, 130) == []
    assert swept(world, 170) == ["load"]
    assert len({alert.id for alert in world.bus.sent}) == 2


def test_one_that_ends_after_all_is_as_complete_as_any() -> None:
    world = folded(*usual(20), event("START", 0, 1))
    swept(world, 61)
    world.fold(factory.received(event("COMPLETE", 70, 1)))
    assert swept(world, 5000) == []
    assert world.store.open_runs(at(5000)) == []


def test_of_a_job_whose_runs_are_not_known_yet_the_configured_time_counts() -> None:
    world = folded(event("START", 0, 1))
    assert swept(world, 23 * HOUR) == []
    assert swept(world, 25 * HOUR) == ["load"]


def test_the_setting_of_a_namespace_precedes_the_usual_duration() -> None:
    streams = event("START", 0, 1)
    streams["job"]["namespace"] = "streams-eu"
    world = folded(*usual(20), streams)
    assert swept(world, 29) == []
    assert swept(world, 31) == ["load"]


BEATS = {"headwater_heartbeat": factory.facet(everySeconds=300)}


def test_a_run_that_said_how_often_it_is_heard_of_is_missed_after_three_heartbeats() -> None:
    world = folded(*usual(200), event("START", 0, 1, run_facets=BEATS), event("RUNNING", 60, 1, run_facets=BEATS))
    assert swept(world, 74) == []
    assert swept(world, 76) == ["load"]
    world.fold(factory.received(event("RUNNING", 80, 1, run_facets=BEATS)))
    assert swept(world, 94) == []
    assert swept(world, 96) == ["load"]


@pytest.mark.parametrize("every", [None, "300", True, -1, 10**400, {"seconds": 300}])
def test_a_run_is_given_a_quarter_of_an_hour_whatever_it_says_of_its_heartbeats(every: Any) -> None:
    facet = {"headwater_heartbeat": factory.facet(everySeconds=every)}
    assert swept(folded(*usual(20), event("START", 0, 1, run_facets=facet)), 14) == []


def test_a_run_that_ended_is_not_looked_at() -> None:
    world = folded(event("START", 0, 1), event("COMPLETE", 1, 1), event("START", 0, 2), event("FAIL", 1, 2))
    assert world.store.open_runs(at(9999)) == []


def test_a_run_that_was_only_named_as_a_parent_is_not_waited_for() -> None:
    world = folded(event("COMPLETE", 0, 1, run_facets={"parent": factory.parent(9, "nightly")}))
    assert world.store.open_runs(at(9999)) == []


SPARK = {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")}
APPLICATION = {"jobType": factory.facet(processingType="NONE", integration="SPARK", jobType="APPLICATION")}
OF_APP = {"parent": factory.parent(1, "app")}


def test_an_action_that_the_listener_never_ends_is_closed_with_its_application() -> None:
    """Some runs never end: schema inference, map_partitions, ML jobs on RDDs."""
    world = folded(
        event("START", 0, 1, "app", job_facets=APPLICATION),
        event("START", 1, 2, "app.infer", job_facets=SPARK, run_facets=OF_APP),
        event("COMPLETE", 5, 1, "app", job_facets=APPLICATION),
    )
    assert swept(world, 9999) == []
    assert world.store.open_runs(at(9999)) == []


def test_only_the_application_raises_an_alert_if_an_application_died() -> None:
    world = folded(
        event("START", 0, 1, "app", job_facets=APPLICATION),
        event("START", 1, 2, "app.write", job_facets=SPARK, run_facets=OF_APP),
    )
    assert swept(world, 2000) == ["app"]
    assert swept(world, 4000) == []
    assert world.store.open_runs(at(9999)) == []


def test_a_stream_lives_as_long_as_its_batches_come() -> None:
    batches = [
        event(kind, 10 * number + after, 100 + number, "app.batch", job_facets=SPARK, run_facets=OF_APP)
        for number in range(1, 20)
        for kind, after in (("START", 0), ("COMPLETE", 1))
    ]
    world = folded(event("START", 0, 1, "app", job_facets=APPLICATION), *batches)
    assert swept(world, 191 + 99) == []
    assert swept(world, 191 + 101) == ["app"]


def test_a_stream_that_sends_heartbeats_of_its_own_is_measured_by_them() -> None:
    stream = {"jobType": factory.facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
    beats = [event("RUNNING", 3 * number, 1, job_facets=stream) for number in range(1, 11)]
    world = folded(event("START", 0, 1, job_facets=stream), *beats, *usual(1))
    assert swept(world, 30 + 29) == []
    assert swept(world, 30 + 31) == ["load"]


def test_an_abandoned_task_of_a_running_dag_raises_an_alert() -> None:
    world = folded(
        event("START", 0, 9, "dag"), event("START", 0, 1, run_facets={"parent": factory.parent(9, "dag")}), *usual(20)
    )
    assert swept(world, 61) == ["load"]


def test_killed_between_telling_and_noting_it_a_sweep_tells_the_same_again() -> None:
    world = folded(*usual(20), event("START", 0, 1))
    world.bus.kills = 1
    with pytest.raises(KeyboardInterrupt):
        swept(world, 61)
    assert swept(world, 76) == ["load"]
    assert len({alert.id for alert in world.bus.sent}) == 1


def test_the_next_sweep_sends_an_alert_that_the_bus_did_not_accept() -> None:
    world = folded(*usual(20), event("START", 0, 1))
    world.bus.failures = 1
    with pytest.raises(StorageError):
        swept(world, 61)
    assert swept(world, 76) == ["load"]


def test_when_time_is_up_the_rest_is_for_the_next_sweep() -> None:
    world = folded(*(event("START", 0, number, f"job {number}") for number in range(1, 6)))
    left = iter([True, True, False, False, False])
    outcome = Sweeper(world.store, world.bus, Naming(), MINUTES, _fail, lambda: next(left)).sweep(at(2000))
    assert (outcome.open_runs, outcome.abandoned) == (2, 2)
    assert len(swept(world, 2015)) == 3


def _fail(message: str, error: BaseException, *, run: str | None = None) -> None:
    raise error


def test_a_dead_stream_raises_an_alert_although_its_parent_task_has_ended() -> None:
    """A task submits a stream and is done; only Spark's actions end with what is above them."""
    of_task = {"parent": factory.parent(9, "dag.task")}
    beats = [event("RUNNING", number, 1, "stream", run_facets=of_task) for number in range(1, 10)]
    task = [event("START", 0, 9, "dag.task"), event("COMPLETE", 1, 9, "dag.task")]
    world = folded(*task, event("START", 0, 1, "stream", job_facets=APPLICATION, run_facets=of_task), *beats)
    assert swept(world, 9 + 14) == []
    assert swept(world, 9 + 16) == ["stream"]


def test_a_stream_that_beats_slower_than_it_began_is_measured_by_how_it_beats_now() -> None:
    fast = [event("RUNNING", number / 6, 1) for number in range(1, 61)]
    slow = [event("RUNNING", 10 + 20 * number, 1) for number in range(1, 7)]
    world = folded(event("START", 0, 1), *fast, *slow)
    assert swept(world, 130 + 199) == []
    assert swept(world, 130 + 201) == ["load"]


def test_a_run_whose_alert_fails_keeps_no_other_run_from_its_alert(monkeypatch: pytest.MonkeyPatch) -> None:
    world = folded(event("START", 0, 1, "odd"), event("START", 0, 2, "even"))
    put, faults = world.bus.put, list[BaseException]()

    def refuse_odd(alerts: Sequence[Alert]) -> None:
        if alerts[0].name.name == "odd":
            raise Rejected("too long")
        put(alerts)

    monkeypatch.setattr(world.bus, "put", refuse_odd)
    Sweeper(world.store, world.bus, Naming(), MINUTES, lambda _, error, **__: faults.append(error)).sweep(at(2000))
    assert [alert.name.name for alert in world.bus.sent] == ["even"]
    assert [type(fault) for fault in faults] == [Rejected]


def test_a_corrupt_run_is_left_for_the_next_sweep_and_other_runs_raise_their_alerts() -> None:
    world, faults = folded(event("START", 0, 1, "odd"), event("START", 0, 2, "even")), list[BaseException]()
    key = keys.run(JobRunId(job_id(Name("demo", "odd")), factory.run_id(1)))
    sound = world.table.items[key]
    damage(world.table, key)
    sweeper = Sweeper(world.store, world.bus, Naming(), MINUTES, lambda _, error, **__: faults.append(error))
    outcome = sweeper.sweep(at(2000))
    assert (outcome.open_runs, outcome.abandoned, outcome.corrupt) == (1, 1, 1)
    assert [type(fault) for fault in faults] == [CorruptItem]
    assert [alert.name.name for alert in world.bus.sent] == ["even"]
    world.table.items[key] = sound
    assert swept(world, 2015) == ["odd"]


def test_a_backfill_of_old_runs_raises_no_alert() -> None:
    world = folded(*usual(20), event("START", 0, 1))
    assert swept(world, 3 * 24 * HOUR) == []
    assert world.store.open_runs(at(9999)) == []


def test_a_run_without_a_start_raises_no_alert() -> None:
    assert swept(folded(*usual(20), event("OTHER", 0, 1), event("OTHER", 1, 1)), 70) == []


def test_a_run_that_a_newer_run_superseded_raises_no_alert() -> None:
    world = folded(*usual(20), event("START", 0, 1), event("START", 40, 2))
    assert swept(world, 61) == []
    assert swept(world, 101) == ["load"]
    assert [alert.details["run"]["runId"] for alert in world.bus.sent] == [factory.run_id(2)]


def test_a_run_that_goes_on_beside_a_newer_run_is_not_superseded() -> None:
    world = folded(*usual(20), event("START", 0, 1), event("START", 30, 2), event("RUNNING", 31, 1))
    assert swept(world, 95) == ["load", "load"]
