"""Alerts for emission latency: one when the threshold is exceeded, one when the latency recovers."""

from datetime import datetime, timedelta

from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document


def alert_of(world: World, document: Document, seconds: float) -> list[tuple[str, str]]:
    received_at = datetime.fromisoformat(document["eventTime"]) + timedelta(seconds=seconds)
    event = normalise_event(exact_json.dumps(document), Naming(), parse_instant(received_at.isoformat()))
    return [(alert["alert"], alert["alertType"]) for alert in world.alerts_of_events([event])]


def test_a_breach_raises_one_alert_and_its_recovery_another() -> None:
    world = World()
    lags = [1, 400, 500, 301, 299, 200, 149, 1, 900]
    alerts_by_event = [
        alert_of(world, factory.run_event("START", run=number, seconds=60 * number), lag)
        for number, lag in enumerate(lags, start=1)
    ]
    assert [alerts[0] if alerts else None for alerts in alerts_by_event] == [
        None,
        ("Emission Latency Exceeded", "warning"),
        None,
        None,
        None,
        None,
        ("Emission Latency Recovered", "success"),
        None,
        ("Emission Latency Exceeded", "warning"),
    ]


def test_each_job_has_its_own_breach() -> None:
    world = World()
    first = alert_of(world, factory.run_event("START", run=1, job="one"), 400)
    other = alert_of(world, factory.run_event("START", run=2, job="other"), 400)
    assert len(first) == len(other) == 1
    assert len({alert.id for alert in world.bus.sent}) == 2


def test_of_an_application_and_its_queries_the_application_alone_is_told() -> None:
    world = World()
    of_app, spark = {"parent": factory.parent(1, "app")}, {"jobType": factory.facet(integration="SPARK")}
    query = factory.run_event("START", run=2, job="app.query", run_facets=of_app, job_facets=spark)
    assert alert_of(world, query, 400) == []
    assert alert_of(world, factory.run_event("START", run=1, job="app"), 400) == [
        ("Emission Latency Exceeded", "warning")
    ]
