"""A run that was due and has not begun is told once, with its readers; if another job explains it, that one is told."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from headwater.alerts import run_missing
from headwater.alerts.run_missing import DueJobs
from headwater.alerts.stored_alerts import StoringBus
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, instant_of
from headwater.store import keys
from headwater.store.errors import CorruptItem, StorageError
from headwater.store.items import rhythms
from headwater.store.items.compression import pack, unpack_once
from headwater.store.items.rhythms import DUE
from headwater.traversal import expectations
from tests import factory
from tests.alerts.stream import World, plain
from tests.factory import EPOCH, Document
from tests.fakes import fail_test

HOURS = 60
"""The hours of which the runs are known; the next hour is the one in question."""


def at(hours: float) -> Instant:
    return instant_of(EPOCH + timedelta(hours=hours))


class Jobs:
    """Jobs that ran each hour, some minutes after it, one after the other: each reads what the one before wrote."""

    def __init__(self, *jobs: str) -> None:
        self.world = World()
        self.bus = StoringBus(self.world.store, self.world.bus, lambda: at(HOURS))
        self.due = DueJobs(self.world.store, self.bus, Naming(), fail_test)
        self.numbers = iter(range(1, 10_000))
        for hour in range(HOURS):
            self.run(hour, *jobs)

    def run(self, hour: float, *jobs: str, minutes: int = 5) -> None:
        for number, job in enumerate(jobs):
            self.world.fold(factory.received(*self.events(hour + 10 * number / 60, job, minutes)))

    def start(self, hour: float, job: str) -> None:
        self.world.fold(factory.received(next(self.events(hour, job, 5))))

    def fail(self, hour: float, job: str) -> None:
        self.end(hour, job, "FAIL")

    def end(self, hour: float, job: str, kind: str) -> None:
        start, end = self.events(hour, job, 5)
        self.world.fold(factory.received(start, {**end, "eventType": kind}))

    def events(self, hour: float, job: str, minutes: int) -> Iterator[Document]:
        place = "abcdefgh".index(job[0])
        used: dict[str, Any] = {
            "inputs": [factory.dataset(f"table_{place}")],
            "outputs": [factory.dataset(f"table_{place + 1}")],
            "run": next(self.numbers),
            "job": job,
        }
        yield factory.run_event("START", seconds=3_600 * hour, **used)
        yield factory.run_event("COMPLETE", seconds=3_600 * hour + 60 * minutes, **used)

    def missing(self, hour: float) -> list[Document]:
        start = len(self.world.bus.sent)
        self.due.sweep(at(hour))
        return [plain(alert) for alert in self.world.bus.sent[start:]]

    def names(self, hour: float) -> list[str]:
        return [alert["name"] for alert in self.missing(hour)]


def test_a_missing_run_is_told_once_with_who_reads_what_it_writes() -> None:
    jobs = Jobs("a", "b")
    assert jobs.names(HOURS + 0.2) == []
    (alert,) = jobs.missing(HOURS + 0.6)
    assert (alert["alert"], alert["name"]) == ("Run Missing", "a")
    assert alert["timetable"] == "every hour on Fri, Sat, Sun"
    assert (alert["dueAt"], alert["lastStartedAt"]) == ("2026-11-22T20:00:00Z", "2026-11-22T19:00:00Z")
    assert alert["outputs"] == ["dataset:s3://lake:table_1"]
    assert {item["nodeId"] for item in alert["suffers"][0]["items"]} >= {"job:demo:b", "dataset:s3://lake:table_2"}
    assert jobs.names(HOURS + 1) == jobs.names(HOURS + 5) == []


def test_what_the_bus_does_not_take_is_told_once_by_the_next_sweep() -> None:
    jobs = Jobs("a")
    jobs.world.bus.failures = 1
    with pytest.raises(StorageError):
        jobs.missing(HOURS + 0.6)
    assert jobs.names(HOURS + 0.8) == ["a"]
    assert jobs.names(HOURS + 1) == []


def test_a_job_waits_for_one_above_that_failed_and_was_not_tried_again() -> None:
    jobs = Jobs("a", "b")
    jobs.fail(HOURS, "a")
    assert jobs.names(HOURS + 0.8) == []
    jobs.run(HOURS + 0.9, "a")
    assert jobs.names(HOURS + 1.6) == ["b"]


def test_the_alert_about_a_failure_tells_what_waits_for_the_run() -> None:
    jobs = Jobs("a", "b")
    start, end = jobs.events(HOURS, "a", 5)
    (told,) = jobs.world.alerts_of_batch(start, {**end, "eventType": "FAIL"})
    (suffers,) = told["suffers"]
    assert {item["nodeId"] for item in suffers["items"]} == {"job:demo:b", "dataset:s3://lake:table_2"}
    assert "The failure may affect 1 dataset, 1 job downstream, by table lineage" in " ".join(told["lines"])
    assert jobs.names(HOURS + 0.8) == []


def test_an_aborted_job_is_told_once_its_next_run_is_late_and_none_of_its_five_readers_is() -> None:
    jobs, readers = Jobs("a"), [f"b{number}" for number in range(5)]
    for hour in range(HOURS):
        for reader in readers:
            jobs.run(hour + 1 / 6, reader)
    jobs.end(HOURS, "a", "ABORT")
    assert [jobs.names(HOURS + later) for later in (0.5, 0.8, 1, 1.2, 1.5)] == [[]] * 5
    (alert,) = jobs.missing(HOURS + 1.8)
    assert alert["name"] == "a"
    assert {item["nodeId"] for item in alert["suffers"][0]["items"]} >= {f"job:demo:{reader}" for reader in readers}


def test_a_failure_is_told_without_what_is_downstream_of_an_output_if_that_cannot_be_read() -> None:
    jobs = Jobs("a", "b", "c")
    world = jobs.world
    start, end = jobs.events(HOURS, "a", 5)
    world.table.stream.clear()
    world.fold(factory.received(start, {**end, "eventType": "FAIL"}))
    head = keys.job_head(job_id(Name("demo", "c")))
    world.table.items[head] = replace(world.table.items[head], parts={"doc": b"broken"})
    outcome = world.announce(world.table.stream)
    assert (outcome.alerts, outcome.corrupt, outcome.failed) == (1, 1, None)
    assert [type(fault) for fault in world.faults] == [CorruptItem]
    assert plain(world.bus.sent[-1])["suffers"] == []


def test_a_run_that_comes_after_all_is_expected_again() -> None:
    jobs = Jobs("a")
    assert jobs.names(HOURS + 0.6) == ["a"]
    jobs.run(HOURS + 2, "a")
    assert jobs.names(HOURS + 2.5) == []
    (alert,) = jobs.missing(HOURS + 4)
    assert alert["dueAt"] == "2026-11-22T23:00:00Z"


def test_a_job_waits_while_the_job_above_it_is_late_runs_or_has_just_ended() -> None:
    jobs = Jobs("a", "b", "c")
    assert jobs.names(HOURS + 3) == ["a"]
    jobs.start(HOURS + 3.1, "a")
    assert jobs.names(HOURS + 3.2) == []
    jobs.run(HOURS + 3.2, "a")
    assert jobs.names(HOURS + 3.4) == []


def test_a_job_that_does_not_follow_the_one_above_it_is_told() -> None:
    jobs = Jobs("a", "b", "c")
    jobs.run(HOURS, "a")
    assert jobs.names(HOURS + 0.9) == ["b"]


def test_a_run_that_is_under_way_is_not_missing_unless_it_was_given_up() -> None:
    jobs = Jobs("a")
    jobs.start(HOURS + 0.9, "a")
    assert jobs.names(HOURS + 1.3) == []
    (alert,) = jobs.missing(HOURS + 4)
    assert alert["lastStartedAt"] == "2026-11-22T20:54:00Z"


def test_a_job_whose_place_another_took_is_not_told() -> None:
    jobs = Jobs("a")
    jobs.run(HOURS + 0.5, "a_new")
    jobs.run(HOURS + 1.5, "a_new")
    assert jobs.names(HOURS + 2) == []


def test_a_reader_does_not_wait_for_a_job_that_another_has_replaced() -> None:
    jobs = Jobs("a", "b")
    for hour in range(HOURS, HOURS + 5):
        jobs.run(hour, "a_new", "b")
    assert jobs.names(HOURS + 4.5) == []
    jobs.run(HOURS + 5, "a_new")
    assert jobs.names(HOURS + 5.9) == ["b"]


def test_events_that_came_late_tell_nothing() -> None:
    assert Jobs("a").names(HOURS + 20) == []


def test_the_end_of_the_last_run_sent_again_does_not_make_a_forgotten_job_due() -> None:
    jobs = Jobs("a")
    assert jobs.names(HOURS + 24 * 8) == []
    assert jobs.world.store.due_jobs(at(HOURS + 1_000)) == []
    last = factory.run_event(
        "COMPLETE",
        seconds=3_600 * (HOURS - 1) + 300,
        run=HOURS,
        job="a",
        inputs=[factory.dataset("table_0")],
        outputs=[factory.dataset("table_1")],
    )
    jobs.world.fold(factory.received(last))
    assert jobs.world.store.due_jobs(at(HOURS + 1_000)) == []


def test_a_job_for_corrections_that_was_there_before_takes_no_place() -> None:
    jobs = Jobs("a", "a_corrections")
    for hour in range(3):
        jobs.run(HOURS + hour, "a_corrections")
    assert jobs.names(HOURS + 1) == ["a"]


def test_a_job_above_that_had_done_its_part_explains_nothing() -> None:
    jobs = Jobs("a")
    for day in range(1, 60):
        jobs.run(HOURS - 24 * day + 0.5, "b", minutes=1)
    for hour in range(8):
        jobs.run(HOURS + hour, "a")
    assert jobs.names(HOURS + 6) == ["b"]


def test_of_two_jobs_that_read_from_each_other_the_first_is_told() -> None:
    jobs = Jobs("a", "b")
    used: dict[str, Any] = {
        "run": 2 * HOURS - 1,
        "job": "a",
        "inputs": [factory.dataset("table_2")],
    }  # the last run of a
    jobs.world.fold(factory.received(factory.run_event("RUNNING", seconds=3_600 * (HOURS - 1) + 9, **used)))
    assert jobs.names(HOURS + 2) == ["a"]


def test_while_nothing_at_all_is_heard_one_job_is_told_for_all() -> None:
    jobs = Jobs("a", "c", "e")  # none reads what another writes
    (alert,) = jobs.missing(HOURS + 2)
    assert alert["name"] == "a"
    assert any("No event of any job came after 2026-11-22T19:25:00Z" in line for line in alert["lines"])
    assert jobs.names(HOURS + 3) == []
    jobs.run(HOURS + 3, "a")
    told = jobs.missing(HOURS + 3.2)
    assert [each["name"] for each in told] == ["c", "e"]
    assert not any("No event of any job" in line for each in told for line in each["lines"])


def test_a_task_comes_with_its_dag_which_has_one_alert_while_it_is_paused() -> None:
    """No event says that a DAG is paused. After a week nobody asks for it any more."""
    jobs = Jobs()
    for hour in range(HOURS):
        own = 2 * hour + 1
        parent = {"parent": factory.parent(own, "shop")}
        task: dict[str, Any] = {"run": own + 1, "job": "shop.load", "run_facets": parent}
        jobs.world.fold(
            factory.received(
                factory.run_event("START", seconds=3_600 * hour, run=own, job="shop"),
                factory.run_event("START", seconds=3_600 * hour, **task),
                factory.run_event("COMPLETE", seconds=3_600 * hour + 60, **task),
                factory.run_event("COMPLETE", seconds=3_600 * hour + 90, run=own, job="shop"),
            )
        )
    assert jobs.names(HOURS + 2) == ["shop"]
    for hour in range(3, 10 * 24, 12):
        jobs.run(HOURS + hour, "e")
        assert jobs.names(HOURS + hour + 0.3) == []


def test_queries_stand_for_their_application() -> None:
    """An application of Spark names no dataset: its queries do."""
    world = World()
    bus = StoringBus(world.store, world.bus, lambda: at(HOURS))
    number = iter(range(1, 10_000))

    def run(hour: float, app: str, reads: str, writes: str) -> None:
        own, query = next(number), next(number)
        kind = {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="APPLICATION")}
        seconds = 3_600 * hour
        events = [
            factory.run_event("START", seconds=seconds, run=own, job=app, job_facets=kind),
            factory.run_event(
                "COMPLETE",
                seconds=seconds + 60,
                run=query,
                job=f"{app}.insert",
                job_facets={"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")},
                run_facets={"parent": factory.parent(own, app)},
                inputs=[factory.dataset(reads)],
                outputs=[factory.dataset(writes)],
            ),
            factory.run_event("COMPLETE", seconds=seconds + 90, run=own, job=app, job_facets=kind),
        ]
        world.fold(factory.received(*events))

    for hour in range(HOURS):
        run(hour, "first", "raw", "orders")
        run(hour + 0.2, "second", "orders", "revenue")
    start = len(world.bus.sent)
    DueJobs(world.store, bus, Naming(), fail_test).sweep(at(HOURS + 2))
    (alert,) = [plain(each) for each in world.bus.sent[start:]]
    assert (alert["name"], alert["outputs"]) == ("first", ["dataset:s3://lake:orders"])
    assert "dataset:s3://lake:revenue" in {item["nodeId"] for item in alert["suffers"][0]["items"]}


def test_a_sweep_that_runs_out_of_time_has_told_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_missing, "AT_A_TIME", 1)
    jobs = Jobs("a", "c", "e")
    jobs.run(HOURS + 1.5, "g")
    times = iter([True, True])  # for the first job, and for its alert
    jobs.due = replace(jobs.due, has_time=lambda: next(times, False))
    first = jobs.names(HOURS + 1.6)
    assert len(first) == 1
    jobs.due = replace(jobs.due, has_time=lambda: True)
    assert sorted([*first, *jobs.names(HOURS + 1.8)]) == ["a", "c", "e"]


def counted(jobs: Jobs, hour: float) -> tuple[list[str], int]:
    """The names of the alerts of a sweep, and how many items it reads."""
    before = jobs.world.table.reads
    return jobs.names(hour), jobs.world.table.reads - before


def test_nobody_asks_again_why_jobs_are_late_that_were_told_or_that_wait() -> None:
    jobs = Jobs("a", "b", "c")
    jobs.run(HOURS + 2.9, "e")
    names, reads = counted(jobs, HOURS + 3)
    assert names == ["a"]
    assert reads > 20
    assert counted(jobs, HOURS + 3.2) == ([], 7)  # of each its next run, of one its alert; the causes, and the settings
    jobs.run(HOURS + 3.3, "a")
    assert jobs.names(HOURS + 4.1) == ["b"]


def test_while_nothing_is_heard_nobody_asks_whether_late_jobs_have_begun() -> None:
    jobs = Jobs("a", "c", "e")
    assert jobs.names(HOURS + 3) == ["a"]
    assert counted(jobs, HOURS + 3.2) == ([], 8)  # of each its next run and its alert; twice the settings


def test_a_first_sweep_reads_a_late_job_once_and_makes_no_observation_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Jobs("a", "b", "c", "d", "e")
    jobs.run(HOURS + 2.9, "g")
    assert jobs.names(HOURS + 3) == ["a"]
    monkeypatch.setattr(run_missing, "AT_A_TIME", 1)
    monkeypatch.setattr(expectations, "timetable", _takes_long)
    jobs.due = replace(jobs.due, waits={})
    by_id = [*map(job_id, (Name("demo", job) for job in "edcba"))]
    monkeypatch.setattr(jobs.world.store, "due_jobs_latest_first", lambda _: by_id)
    monkeypatch.setattr(rhythms, "_OBSERVED", _takes_long)
    names, reads = counted(jobs, HOURS + 3.1)
    assert names == []
    assert len(jobs.due.waits) == 4
    # of the first its next run; of each whether it was told, its head, its rhythm and what it reads, and the settings
    assert reads <= 1 + 5 * 5


@pytest.mark.parametrize(("damaged", "told"), [("a", ["b"]), ("b", ["a", "c"])])
def test_a_rhythm_that_cannot_be_read_hides_no_other_job(damaged: str, told: list[str]) -> None:
    jobs = Jobs("a", "b", "c")
    jobs.due = replace(jobs.due, log=lambda *_, **__: None)
    items, key = jobs.world.table.items, keys.rhythm(job_id(Name("demo", damaged)))
    items[key] = replace(items[key], parts={**items[key].parts, "doc": b"broken"})
    jobs.run(HOURS + 2.9, "g")
    assert jobs.names(HOURS + 3) == told


@pytest.mark.parametrize("failed", [None, 5, [HOURS], ["0"]])
def test_a_job_whose_failed_runs_cannot_be_read_holds_up_no_other(failed: object) -> None:
    jobs = Jobs("a", "b", "c")
    jobs.due = replace(jobs.due, log=lambda *_, **__: None)
    items, key = jobs.world.table.items, keys.rhythm(job_id(Name("demo", "a")))
    document = pack({**unpack_once(items[key].parts["doc"]), "failed": failed})
    items[key] = replace(items[key], parts={**items[key].parts, "doc": document})
    jobs.run(HOURS + 2.9, "g")
    assert jobs.names(HOURS + 3) == ["b"]


def test_jobs_that_wait_for_one_under_way_are_not_read_at_each_sweep() -> None:
    jobs = Jobs("a", "b", "c", "d")
    jobs.start(HOURS + 0.1, "a")
    jobs.run(HOURS + 2.9, "g")
    jobs.names(HOURS + 3)
    assert len(jobs.due.waits) == 3
    _, first = counted(jobs, HOURS + 3.1)
    assert first <= 12, "of each whether its next run is as it was; of the one that is late its item"


def _takes_long(_: object) -> None:
    raise AssertionError("nobody needs a timetable or a hundred observations to see that a job waits")


def test_what_an_earlier_release_stored_is_told_alike() -> None:
    jobs = Jobs("a", "c")
    jobs.run(HOURS + 1.5, "e")
    items = jobs.world.table.items
    for key, item in items.items():
        items[key] = replace(item, parts={name: part for name, part in item.parts.items() if name != DUE})
    assert jobs.names(HOURS + 1.6) == ["a", "c"]
    assert jobs.names(HOURS + 1.8) == []
