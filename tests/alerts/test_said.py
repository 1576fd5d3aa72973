"""What people said is told before it is broken: a deadline, with the job that decides it, an age, and an amount."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from headwater.alerts.run_missing import DueJobs
from headwater.alerts.stored_alerts import StoringBus
from headwater.curate.curation_events import of_dataset
from headwater.curate.settings import settings_facet
from headwater.graph.expectations.said import Said
from headwater.graph.facets.curation import SETTINGS_FACET, SETTINGS_NAME
from headwater.graph.names.naming import Naming
from headwater.graph.states.rhythm import moment
from headwater.openlineage.instant import Instant, instant_of
from headwater.read.reader import Reader
from headwater.traversal.deadlines import deadlines, subjects
from tests import factory
from tests.alerts.stream import World, plain
from tests.factory import Document
from tests.fakes import fail_test

MONDAY = datetime(2026, 9, 7, tzinfo=UTC)
DAYS = 21
"""The days of which the runs are known: the next, a Monday, is the one in question."""
REVENUE = """
expectations:
  - dataset: revenue
    namespace: s3://lake
    due: 07:00
"""
CHAIN = {"raw": (5.0, 60), "orders": (6.1, 30), "revenue": (6.7, 10), "report": (7.0, 10)}
"""Jobs, each of which reads what the one before writes: when it begins, and its minutes. Each writes a table of its
name."""


def at(day: float, hour: float = 0) -> Instant:
    return instant_of(MONDAY + timedelta(days=day, hours=hour))


class Days:
    """Jobs that ran on each of some days."""

    def __init__(self, said: str, days: int = DAYS) -> None:
        self.world = World()
        self.now = at(DAYS)
        self.bus = StoringBus(self.world.store, self.world.bus, lambda: self.now)
        self.numbers = count(1)
        for day in range(days):
            for job, (hour, minutes) in CHAIN.items():
                self.run(job, day, hour, minutes)
        self.say(said)

    def say(self, text: str) -> None:
        facets = {SETTINGS_FACET: settings_facet(text, at(0), "test")}
        self.world.fold(factory.received(of_dataset(SETTINGS_NAME, facets, self.now)))

    def run(self, job: str, day: float, hour: float, minutes: float, **more: Any) -> None:
        self.world.fold(factory.received(*self._events(job, day, hour, minutes, **more)))

    def start(self, job: str, day: float, hour: float) -> None:
        self.world.fold(factory.received(next(self._events(job, day, hour, 1))))

    def _events(self, job: str, day: float, hour: float, minutes: float, **more: Any) -> Iterator[Document]:
        rows, end = more.get("rows", 1_000), more.get("end", "COMPLETE")
        place = [*CHAIN].index(job)
        written = {**factory.dataset(job), "outputFacets": {"outputStatistics": factory.facet(rowCount=rows, size=1)}}
        used: dict[str, Any] = {
            "inputs": [factory.dataset([*CHAIN][place - 1])] if place else [],
            "outputs": [written, *([factory.dataset("second")] if more.get("second") else [])],
            "run": next(self.numbers),
            "job": job,
        }
        begun = (MONDAY - factory.EPOCH).total_seconds() + 86_400 * day + 3_600 * hour
        yield factory.run_event("START", seconds=begun, **used)
        yield factory.run_event(end, seconds=begun + 60 * minutes, **used)

    def sweep(self, hour: float, day: float = DAYS) -> list[Document]:
        self.now, start = at(day, hour), len(self.world.bus.sent)
        DueJobs(self.world.store, self.bus, Naming(), fail_test).sweep(self.now)
        return [plain(alert) for alert in self.world.bus.sent[start:]]


def told(alerts: list[Document]) -> list[tuple[str, str]]:
    return [(alert["alert"], alert["title"]) for alert in alerts]


def test_a_deadline_is_at_risk_once_the_source_runs_late() -> None:
    days = Days(REVENUE)
    assert days.sweep(5.1) == []
    days.start("raw", DAYS, 6.2)
    (alert,) = days.sweep(6.25)
    assert told([alert]) == [("Deadline At Risk", "revenue is due 07:00 UTC and comes about 08:04 UTC")]
    assert alert["cause"] == {"nodeId": "job:demo:raw", "why": "started 72 minutes late"}
    assert {item["nodeId"] for item in alert["suffers"][0]["items"]} >= {"dataset:s3://lake:report"}
    assert days.sweep(6.5) == []


def test_a_job_that_is_about_to_follow_a_late_one_is_not_overdue_by_itself() -> None:
    """orders usually begins six minutes after raw, which has just ended: it is a minute late, not two hours."""
    days = Days(REVENUE)
    days.run("raw", DAYS, 7.2, 60)
    (alert,) = days.sweep(8.32)
    assert alert["title"] == "revenue was due 07:00 UTC and comes about 09:05 UTC"
    assert alert["cause"] == {"nodeId": "job:demo:raw", "why": "started 132 minutes late"}


@pytest.mark.parametrize(
    ("hour", "cause", "why"),
    [(8.45, "raw", "started 132 minutes late"), (8.6, "orders", "was due at 2026-09-28T06:06:00Z and has not begun")],
)
def test_a_job_that_was_held_up_is_the_cause_once_it_had_time_to_follow(hour: float, cause: str, why: str) -> None:
    days = Days(REVENUE)
    days.run("raw", DAYS, 7.2, 60)
    (alert,) = days.sweep(hour)
    assert alert["cause"] == {"nodeId": f"job:demo:{cause}", "why": why}


def test_a_deadline_is_at_risk_then_overdue_until_the_data_come_then_missed() -> None:
    days = Days(REVENUE)

    def state(hour: float) -> str:
        reader, now = Reader(days.world.store, Naming()), moment(at(DAYS, hour))
        found = deadlines(reader, reader.said or Said(), subjects(reader, reader.said or Said(), now), now)
        (of_today,) = (each.state.value for each in found if each.due == moment(at(DAYS, 7)))
        return of_today

    assert state(5.1) == "EXPECTED"
    days.start("raw", DAYS, 6.2)
    assert [state(6.5), state(6.99), state(7.01), state(8)] == ["AT_RISK", "AT_RISK", "OVERDUE", "OVERDUE"]
    days.run("revenue", DAYS, 8, 5)
    assert state(8.2) == "MISSED"


def test_a_day_on_which_all_goes_well_tells_nothing() -> None:
    days = Days(REVENUE)
    for hour in range(24):
        for job, (begin, minutes) in CHAIN.items():
            if hour <= begin < hour + 1:
                days.run(job, DAYS, begin, minutes)
        assert days.sweep(hour + 1) == []


def test_an_alert_is_withdrawn_when_the_data_came() -> None:
    days = Days(REVENUE)
    days.run("raw", DAYS, 6.2, 60)
    assert [kind for kind, _ in told(days.sweep(7.25))] == ["Deadline At Risk"]
    days.run("orders", DAYS, 7.25, 30)
    assert days.sweep(7.5) == []
    days.run("revenue", DAYS, 7.8, 10)
    assert told(days.sweep(8.1)) == [("Deadline Recovered", "revenue came at 07:58 UTC, 58 minutes late")]
    assert days.sweep(8.3) == []


def test_an_alert_is_withdrawn_when_the_estimate_is_in_time_again_and_may_come_again() -> None:
    days = Days(REVENUE.replace("07:00", "07:20"))
    days.start("raw", DAYS, 6.2)
    assert len(days.sweep(6.25)) == 1
    days.run("raw", DAYS, 5.9, 5)  # somebody ran it by hand
    (alert,) = days.sweep(6.3)
    assert (alert["alert"], alert["severity"]) == ("Deadline Recovered", "info")
    days.start("orders", DAYS, 6.9)
    assert [kind for kind, _ in told(days.sweep(6.95))] == ["Deadline At Risk"]


def test_what_waits_for_a_run_that_is_missing_is_among_its_consequences() -> None:
    days = Days(REVENUE)
    later = (MONDAY - factory.EPOCH).total_seconds() + 86_400 * DAYS + 3_600 * 6
    days.world.fold(factory.received(factory.run_event("COMPLETE", seconds=later, run=9_998, job="other")))
    alerts = days.sweep(6.0)
    assert [kind for kind, _ in told(alerts)] == ["Run Missing"]
    (deadline,) = alerts[0]["deadlines"]
    assert deadline["nodeId"] == "dataset:s3://lake:revenue"
    assert any("revenue is due 07:00 UTC and comes 07:52 UTC or later" in line for line in alerts[0]["lines"])
    assert days.sweep(6.3) == days.sweep(7.5) == []


def test_two_deadlines_of_one_cause_are_one_alert() -> None:
    days = Days(REVENUE + "  - {dataset: report, namespace: 's3://lake', due: '07:15'}")
    days.start("raw", DAYS, 6.2)
    (alert,) = days.sweep(6.25)
    assert alert["name"] == "revenue"
    assert [each["nodeId"] for each in alert["deadlines"]] == ["dataset:s3://lake:report"]
    assert days.sweep(6.5) == []


def test_a_deadline_is_not_said_for_a_holiday_nor_is_a_run_missing_then() -> None:
    days = Days(f"{REVENUE}holidays: [2026-09-28]")
    assert days.sweep(6.0) == days.sweep(9) == []
    (alert,) = days.sweep(6.0, DAYS + 1)
    assert (alert["alert"], alert["name"]) == ("Run Missing", "raw")


def test_a_failed_source_is_the_cause() -> None:
    days = Days(REVENUE)
    days.run("raw", DAYS, 5, 50, end="FAIL")
    (alert,) = [each for each in days.sweep(6.0) if each["alert"] == "Deadline At Risk"]
    assert alert["cause"] == {"nodeId": "job:demo:raw", "why": "failed at 2026-09-28T05:50:00Z"}


def test_a_table_that_is_older_than_said_is_stale_once() -> None:
    days = Days("expectations: [{dataset: 'rev*', namespace: 's3://lake', max_age: 26h}]")
    assert days.sweep(8, DAYS - 1) == []
    alerts = days.sweep(9)
    assert [kind for kind, _ in told(alerts)] == ["Run Missing"]
    assert "revenue is older than 26 hours." in alerts[0]["lines"]
    assert days.sweep(9.2) == []


@pytest.mark.parametrize(("rows", "kinds"), [(1_100, []), (1_300, ["Volume Anomaly"]), (0, ["Volume Anomaly"])])
def test_rows_within_a_share_of_the_usual(rows: int, kinds: list[str]) -> None:
    days = Days("expectations: [{dataset: raw, namespace: 's3://lake', rows: 20%}]", days=DAYS)
    days.run("raw", DAYS, 5, 60, rows=rows)
    found = [alert for alert in days.sweep(6.01) if alert["alert"] == "Volume Anomaly"]
    assert [alert["alert"] for alert in found] == kinds
    assert [each for each in days.sweep(6.05) if each["alert"] == "Volume Anomaly"] == []


def test_a_run_that_writes_nothing_is_told_although_the_one_before_left_a_dataset_out() -> None:
    days = Days("expectations: [{job: raw, namespace: demo, never_empty: true}]", days=0)
    for day in range(DAYS):
        days.run("raw", day, 5, 60, second=True)
    days.run("raw", DAYS, 5, 60)
    assert [(alert["alert"], alert["unit"]) for alert in days.sweep(6.01)] == [("Volume Anomaly", "datasets")]
    days.run("raw", DAYS, 7, 60, rows=0)
    assert [(alert["alert"], alert["unit"]) for alert in days.sweep(8.1)] == [("Volume Anomaly", "rows")]


def test_a_table_that_is_never_empty_needs_no_history() -> None:
    days = Days("expectations: [{job: raw, namespace: demo, never_empty: true}]", days=0)
    days.run("raw", DAYS, 5, 60, rows=3)
    assert days.sweep(6.01) == []
    days.run("raw", DAYS, 7, 60, rows=0)
    assert [kind for kind, _ in told(days.sweep(8.1))] == ["Volume Anomaly"]
