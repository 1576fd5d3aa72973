"""A schedule that Airflow's events have says when the next run is due, after one run."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from headwater.graph.expectations.cron import cron
from headwater.graph.expectations.timetable import HOUR, MINUTE, timetable
from headwater.graph.names.identity import job_id
from headwater.graph.states.rhythm import Observation, Rhythm, Schedule, moment
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.store.snapshot import ReadRequest
from tests import factory
from tests.alerts.stream import World
from tests.producer_records import recorded


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def rhythm(schedule: str, *starts: str) -> Rhythm:
    seen = [Observation(at(start), f"{number:08x}", f"{number:08x}", 60, True) for number, start in enumerate(starts)]
    return Rhythm(
        Name("shop", "job"), tuple(seen), Schedule(instant_of(datetime(2026, 11, 1, tzinfo=UTC)), "a", schedule)
    )


@pytest.mark.parametrize(
    ("expression", "day", "times"),
    [
        ("0 7 * * 1-5", date(2026, 11, 27), [7 * HOUR]),
        ("0 7 * * 1-5", date(2026, 11, 28), None),
        (
            "*/20 6,18 * * *",
            date(2026, 11, 28),
            [6 * HOUR, 6 * HOUR + 1_200, 6 * HOUR + 2_400, 18 * HOUR, 66_000, 67_200],
        ),
        ("30 2 1 * mon", date(2026, 11, 1), [2 * HOUR + 30 * MINUTE]),  # a Sunday, and the first
        ("30 2 1 * mon", date(2026, 11, 30), [2 * HOUR + 30 * MINUTE]),  # a Monday
        ("30 2 1 * mon", date(2026, 11, 29), None),
        ("0 7 * * 1/2", date(2026, 11, 22), None),  # a Sunday: Monday, Wednesday and Friday
        ("0 7 */2 * 1", date(2026, 11, 21), [7 * HOUR]),  # a Saturday of an odd date: one of both is enough
        ("0 0 * JAN-mar 7", date(2026, 3, 1), [0]),
        ("0 0 * JAN-mar 7", date(2026, 4, 5), None),
    ],
)
def test_an_expression_says_when_a_run_is_due(expression: str, day: date, times: list[int] | None) -> None:
    found = cron(expression)
    assert found
    assert (list(found.times) if found.is_on(day) else None) == times


@pytest.mark.parametrize(
    "text", ["", "@daily", "0 7 * *", "0 7 L * *", "0 7 * * 1#2", "60 7 * * *", "0 0 7 * * *", "*/0 * * * *"]
)
def test_an_expression_that_cannot_be_read_says_nothing(text: str) -> None:
    assert cron(text) is None


def test_a_job_is_due_by_its_schedule_and_its_usual_time_after_it() -> None:
    found = timetable(rhythm("0 7 * * 1-5 Europe/Berlin", "2026-10-23 05:10"))  # a Friday
    assert found
    assert found.words == "by its scheduler, 0 7 * * 1-5 Europe/Berlin"
    slot = found.next_after(at("2026-10-23 05:10"))
    assert slot
    assert (slot.due, slot.latest) == (at("2026-10-26 06:10"), at("2026-10-26 06:25"))  # after clocks changed
    assert found.zone == "Europe/Berlin"


@pytest.mark.parametrize("schedule", ["0 7 L * * UTC", "0 7 * * * Mars/Olympus", "* * * * * UTC", "0 7 * * *"])
def test_without_a_schedule_that_can_be_read_the_runs_count(schedule: str) -> None:
    assert timetable(rhythm(schedule, "2026-10-23 05:10")) is None


def stored(events: list[Any], job: str) -> Rhythm | None:
    world = World()
    world.fold(factory.received(*events))
    job_of = job_id(Name("shop", job))
    found: Rhythm | None = world.store.read(ReadRequest(rhythms=[job_of])).rhythms.get(job_of)
    return found


def scheduled(kind: str) -> list[Any]:
    """The recorded events of Airflow 3.3.2, as of a run that is started in this way."""
    events = recorded("airflow", "sql")
    for event in events:
        for name in ("airflow", "airflowDagRun"):
            if facet := event["run"]["facets"].get(name):
                facet["dagRun"]["run_type"] = kind
    return events


@pytest.mark.parametrize(("kind", "text"), [("scheduled", "0 0 * * * UTC"), ("manual", "")])
@pytest.mark.parametrize("job", ["shop", "shop.load"])
def test_the_schedule_of_a_dag_is_that_of_its_tasks_unless_a_person_started_the_run(
    kind: str, text: str, job: str
) -> None:
    events = scheduled(kind)
    found, turned = stored(events, job), stored(events[::-1], job)
    assert found
    assert found == turned
    assert found.schedule.text == text


@pytest.mark.parametrize(
    "facet",
    [
        {},
        {"delta": 3600.0},
        {"expression": None, "timezone": "UTC"},
        {"expression": "@continuous", "timezone": "UTC"},
        {"expression": ["0 7 * * *"], "timezone": "UTC"},
        {"timetables": [{"expression": "0 7 * * *", "timezone": "UTC"}]},
        {"timetable": {"expression": "0 7 * * *", "timezone": "UTC"}, "asset_condition": {}},
        None,
        "0 7 * * *",
    ],
)
@pytest.mark.parametrize("kind", ["scheduled", "asset_triggered", "manual"])
def test_of_a_dag_without_one_cron_expression_the_runs_count(facet: Any, kind: str) -> None:
    """No schedule, one of assets, of a length of time, of several expressions, or of a timetable of the team's own."""
    events = scheduled(kind)
    for event in events:
        for name in ("airflow", "airflowDagRun"):
            if of_run := event["run"]["facets"].get(name):
                of_run["dag"]["timetable"] = facet
    for job in ("shop", "shop.load"):
        found = stored(events, job)
        assert found
        assert timetable(found) is None


def test_a_run_of_a_nominal_time_long_ago_is_no_part_of_the_rhythm() -> None:
    nominal = {
        "nominalTime": factory.facet(nominalStartTime="2026-11-19T00:00:00Z", nominalEndTime="2026-11-20T00:00:00Z")
    }
    late = {
        "nominalTime": factory.facet(nominalStartTime="2026-10-01T00:00:00Z", nominalEndTime="2026-10-02T00:00:00Z")
    }
    events = [
        factory.run_event(kind, run=number, seconds=60 * number, job="job", run_facets=facets)
        for number, facets in ((1, nominal), (2, late))
        for kind in ("START", "COMPLETE")
    ]
    world = World()
    world.fold(factory.received(*events))
    job = job_id(Name(events[0]["job"]["namespace"], "job"))
    found: Rhythm | None = world.store.read(ReadRequest(rhythms=[job])).rhythms.get(job)
    assert found
    assert [seen.start for seen in found.observations] == [moment(instant_of(factory.EPOCH)) + 60]


@pytest.mark.parametrize(
    ("schedule", "newest", "due"),
    [
        ("30 1 * * * America/New_York", "2026-10-31T05:30", "2026-11-01T06:30"),  # of two 01:30 the second
        ("30 2 * * * America/New_York", "2026-03-07T07:30", "2026-03-08T07:30"),  # there is no 02:30
        ("30 2 * * * Europe/Berlin", "2026-10-24T00:30", "2026-10-25T01:30"),
        ("30 2 * * * Europe/Berlin", "2026-03-28T01:30", "2026-03-29T01:30"),
    ],
)
def test_a_time_that_is_twice_or_never_is_due_when_the_scheduler_runs_it(schedule: str, newest: str, due: str) -> None:
    found = timetable(rhythm(schedule, newest))
    assert found
    slot = found.next_after(at(newest) + HOUR)
    assert slot
    assert slot.due == at(due)
