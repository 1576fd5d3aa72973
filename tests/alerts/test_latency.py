"""Alerts for emission latency: one when the threshold is exceeded, one when the latency recovers."""

from datetime import datetime, timedelta

from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document


def told(world: World, document: Document, seconds: float) -> list[tuple[str, str]]:
    received_at = datetime.fromisoformat(document["eventTime"]) + timedelta(seconds=seconds)
    received = normalise_event(exact_json.dumps(document), Naming(), parse_instant(received_at.isoformat()))
    return [(each["alert"], each["alertType"]) for each in world.received([received])]


def test_a_breach_raises_one_alert_and_its_recovery_another() -> None:
    world = World()
    lags = [1, 400, 500, 301, 299, 200, 149, 1, 900]
    alerts = [
        told(world, factory.run_event("START", run=number, seconds=60 * number), lag)
        for number, lag in enumerate(lags, start=1)
    ]
    assert [each[0] if each else None for each in alerts] == [
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
    first = told(world, factory.run_event("START", run=1, job="one"), 400)
    other = told(world, factory.run_event("START", run=2, job="other"), 400)
    assert len(first) == len(other) == 1
    assert len({alert.id for alert in world.bus.put_there}) == 2
