"""Alerts for emission latency: one when the threshold is exceeded, one when the latency recovers."""

from datetime import datetime, timedelta

import pytest

from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document
from tests.producer_records import recorded, scenarios


def alert_of(world: World, document: Document, seconds: float) -> list[tuple[str, str]]:
    received_at = datetime.fromisoformat(document["eventTime"]) + timedelta(seconds=seconds)
    event = normalise_event(exact_json.dumps(document), Naming(), parse_instant(received_at.isoformat()))
    return [(alert["alert"], alert["alertType"]) for alert in world.alerts_of_events([event])]


def test_a_breach_raises_one_alert_and_its_recovery_another() -> None:
    world = World()
    alerts_by_event = [
        alert_of(world, factory.run_event("START", run=number, seconds=120 * number), lag)
        for number, lag in enumerate([1, 400, 500, 301, 299, 200, 149, 1, 900, 900], start=1)
    ]
    assert [alerts[0] if alerts else None for alerts in alerts_by_event] == [
        None,
        None,
        ("Emission Latency Exceeded", "warning"),
        None,
        None,
        None,
        ("Emission Latency Recovered", "success"),
        None,
        None,
        ("Emission Latency Exceeded", "warning"),
    ]


def test_each_job_has_its_own_breach() -> None:
    world = World()
    alerts = [
        alert_of(world, factory.run_event(kind, run=run, job=job, seconds=seconds), 400)
        for seconds, kind in ((0, "START"), (60, "COMPLETE"))
        for run, job in ((1, "one"), (2, "other"))
    ]
    assert [len(of_event) for of_event in alerts] == [0, 0, 1, 1]
    assert len({alert.id for alert in world.bus.sent}) == 2


def test_of_an_application_and_its_queries_the_application_alone_is_told() -> None:
    world = World()
    of_app, spark = {"parent": factory.parent(1, "app")}, {"jobType": factory.facet(integration="SPARK")}
    events = [
        (factory.run_event(kind, run=2, job="app.query", seconds=seconds, run_facets=of_app, job_facets=spark), seconds)
        for kind, seconds in (("START", 0), ("COMPLETE", 60))
    ]
    assert [alert_of(world, event, 400) for event, _ in events] == [[], []]
    assert alert_of(world, factory.run_event("START", run=1, job="app"), 400) == []
    assert alert_of(world, factory.run_event("COMPLETE", run=1, job="app", seconds=60), 400) == [
        ("Emission Latency Exceeded", "warning")
    ]


REPLAYED = [(engine, scenario) for engine in ("dbt", "flink", "trino", "airflow") for scenario in scenarios(engine)]


@pytest.mark.parametrize("minutes", [6, 30, 59])
@pytest.mark.parametrize(("engine", "scenario"), REPLAYED)
def test_events_that_are_replayed_in_a_row_raise_no_alert(engine: str, scenario: str, minutes: int) -> None:
    """The last event is so many minutes old, and one event follows another at once."""
    events = recorded(engine, scenario)
    begin = max(datetime.fromisoformat(event["eventTime"]) for event in events) + timedelta(minutes=minutes)
    world = World()
    for number, event in enumerate(events):
        at = begin + timedelta(milliseconds=20 * number)
        normalised = normalise_event(exact_json.dumps(event), Naming(), parse_instant(at.isoformat()))
        latencies = [alert["alert"] for alert in world.alerts_of_events([normalised]) if "Latency" in alert["alert"]]
        assert latencies == []


@pytest.mark.parametrize("minutes", [6, 30, 55])
def test_a_run_whose_events_arrive_as_late_as_each_other_raises_an_alert(minutes: int) -> None:
    """A clock that is wrong, or a transport that holds each event back."""
    world = World()
    events = [
        factory.run_event(kind, run=1, seconds=seconds)
        for kind, seconds in (("START", 0), ("RUNNING", 20), ("RUNNING", 40), ("COMPLETE", 60))
    ]
    alerts = [alert_of(world, event, 60 * minutes + index) for index, event in enumerate(events)]
    assert alerts == [[], [], [("Emission Latency Exceeded", "warning")], []]


def test_two_replays_of_one_day_are_no_breach_if_the_second_is_no_later_than_its_events() -> None:
    world = World()
    for seconds, lag in ((0, 1_800), (60, 1_745), (900, 920), (960, 865)):
        assert alert_of(world, factory.run_event("START", run=1 + seconds, seconds=seconds), lag) == []
