"""An alert is acknowledged, and the alerts of its type about its node are silenced for a time, by the caller."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from headwater.access.principal import Principal, Scope
from headwater.alerts.alert import Alert, DetailType, id_of
from headwater.alerts.stored_alerts import StoringBus
from headwater.fold.fold import fold
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.stored_states import Severity
from headwater.lookup.text.alerts import render
from headwater.lookup.text.display import Display
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.store.memory import MemoryTable
from tests import factory
from tests.curate.conftest import LAKE, Api, folded, versions

ALICE = Principal("alice", frozenset({"read", "curate"}), ("demo", LAKE))
NEIGHBOUR = Principal("neighbour", frozenset({"ingest", "read", "curate"}), ("team-b",))
FAILED, CHANGED = DetailType.RUN_FAILED, DetailType.SCHEMA_CHANGED


class Told:
    def __init__(self) -> None:
        self.alerts: list[Alert] = []

    def put(self, alerts: Sequence[Alert]) -> None:
        self.alerts += alerts


class Alerting:
    def __init__(self, api: Api) -> None:
        self.api, self.told = api, Told()

    def raises(self, number: int, kind: DetailType = FAILED, name: str = "load", namespace: str = LAKE) -> str:
        is_job = kind is not CHANGED
        alert = Alert(
            type=kind,
            id=id_of("alert", str(number)),
            time=instant_of(factory.EPOCH + timedelta(seconds=number)),
            severity=Severity.CRITICAL,
            kind=NodeKind.JOB if is_job else NodeKind.DATASET,
            name=Name("demo" if is_job else namespace, name),
            owners=("finance",),
            title="it failed",
            lines=("it failed",),
            group="g",
        )
        StoringBus(self.api.store, self.told, lambda: instant_of(self.api.now)).put([alert])
        return f"alerts/{alert.id}"

    @property
    def numbers(self) -> list[int]:
        numbers = {id_of("alert", str(number)): number for number in range(200)}
        return [numbers[alert.id] for alert in self.told.alerts]


@pytest.fixture
def alerting(api: Api) -> Alerting:
    api.caller = replace(ALICE, namespaces=("*",))
    return Alerting(api)


def silenced(api: Api, path: str, until: str = "2h", note: str = "moving the cluster") -> Any:
    put = api.put(f"{path}/silence", {"until": until, "note": note})
    assert put.status == 200, put.body
    return put.body["silence"]


def test_a_silenced_alert_is_stored_and_not_told_until_the_silence_ends(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    silence = silenced(api, path)
    assert (silence["by"], silence["note"]) == ("alice", "moving the cluster")
    assert api.get(alerting.raises(2)).body["silenced"] == silence
    assert api.get(path).body["silence"] == silence
    assert "silenced" not in api.get(path).body
    api.now += timedelta(hours=2)
    assert "silence" not in api.get(path).body
    alerting.raises(3)
    assert alerting.numbers == [1, 3]


def test_other_alerts_are_told(api: Api, alerting: Alerting) -> None:
    silenced(api, alerting.raises(1))
    alerting.raises(2, name="report")
    alerting.raises(3, DetailType.RUN_ABANDONED)
    alerting.raises(4, CHANGED, "load")
    assert alerting.numbers == [1, 2, 3, 4]


def test_a_recovery_is_silenced_with_what_it_ends(api: Api, alerting: Alerting) -> None:
    silenced(api, alerting.raises(1, DetailType.LATENCY_EXCEEDED))
    alerting.raises(2, DetailType.LATENCY_RECOVERED)
    assert alerting.numbers == [1]


def test_a_dataset_is_silenced_in_every_spelling(api: Api, alerting: Alerting) -> None:
    silenced(api, alerting.raises(1, CHANGED, "orders"))
    alerting.raises(2, CHANGED, namespace="s3a://lake", name="orders/")
    assert alerting.numbers == [1]


def test_the_first_alert_after_a_silence_says_how_many_were_not_sent(api: Api, alerting: Alerting) -> None:
    silenced(api, alerting.raises(1))
    for number in (2, 3, 4, 4):
        alerting.raises(number)
    api.now += timedelta(hours=3)
    first = alerting.raises(5)
    alerting.raises(6)
    assert api.get(first).body["details"]["notSent"]["count"] == 3
    assert alerting.told.alerts[1].lines[-1].startswith("Not sent before this one: 3 alerts like it. alice silenced")
    assert [len(alert.lines) for alert in alerting.told.alerts] == [1, 2, 1]


def test_an_alert_that_comes_twice_is_decided_once(api: Api, alerting: Alerting) -> None:
    first = alerting.raises(1)
    silenced(api, first)
    alerting.raises(1)
    alerting.raises(2)
    api.now += timedelta(hours=3)
    alerting.raises(2)
    alerting.raises(3)
    alerting.raises(3)
    assert alerting.numbers == [1, 1, 3, 3]
    assert [alert.lines for alert in alerting.told.alerts[2:]] == [alerting.told.alerts[2].lines] * 2
    assert "silenced" not in api.get(first).body


def test_a_late_event_in_a_silence_is_silenced_and_one_after_it_is_told(api: Api, alerting: Alerting) -> None:
    silenced(api, alerting.raises(100))
    alerting.raises(1)
    api.now += timedelta(hours=3)
    alerting.raises(2)
    assert alerting.numbers == [100, 2]


def test_a_silence_is_ended_at_once_and_a_new_one_takes_its_place(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    silenced(api, path, "30m")
    ended = api.delete(f"{path}/silence")
    assert ended.body["silence"]["note"] == "moving the cluster"
    alerting.raises(2)
    assert api.delete(f"{path}/silence") == ended
    silenced(api, path, (api.now + timedelta(days=90)).isoformat())
    api.now += timedelta(days=89)
    alerting.raises(3)
    assert alerting.numbers == [1, 2]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"until": "2h"}, "note: missing"),
        ({"note": "x"}, "until: missing"),
        ({"until": "91d", "note": "x"}, "until: expected a time to come, at most 90 days ahead"),
        ({"until": "0m", "note": "x"}, "until: expected a time to come, at most 90 days ahead"),
        ({"until": "2020-01-01T00:00:00Z", "note": "x"}, "until: expected a time to come, at most 90 days ahead"),
        ({"until": "soon", "note": "x"}, "until: expected a time such as 2026-11-20T08:00:00Z, or 30m, 2h or 3d"),
        ({"until": "999999d", "note": "x"}, "until: expected a time to come, at most 90 days ahead"),
        ({"until": "2h", "note": "x" * 1_001}, "note: longer than 1000 characters"),
    ],
)
def test_a_silence_has_an_end_and_a_reason(api: Api, alerting: Alerting, body: Any, fault: str) -> None:
    refused = api.put(f"{alerting.raises(1)}/silence", body)
    assert (refused.status, refused.body["faults"]) == (400, [fault])


def test_an_alert_is_acknowledged_by_the_caller_and_no_longer_open(api: Api, alerting: Alerting) -> None:
    path, other = alerting.raises(1), alerting.raises(2)
    put = api.put(f"{path}/acknowledgement", {"note": "on it", "by": "bob"})
    assert (put.body["acknowledged"]["by"], put.body["acknowledged"]["note"]) == ("alice", "on it")
    assert api.get(path).body["acknowledged"] == put.body["acknowledged"]
    assert [alert.get("acknowledged") for alert in api.get("alerts").body["alerts"]] == [None, *put.body.values()]
    assert [f"alerts/{alert['id']}" for alert in api.get("alerts", open="true").body["alerts"]] == [other]
    assert api.delete(f"{path}/acknowledgement").body == {"acknowledged": None}
    assert "acknowledged" not in api.get(path).body
    assert api.put(f"{path}/acknowledgement").body["acknowledged"]["note"] == ""


def test_while_a_kind_is_silenced_no_alert_of_it_is_open_and_the_list_says_until_when(
    api: Api, alerting: Alerting
) -> None:
    sent, other = alerting.raises(1), alerting.raises(2, name="report")
    silence = silenced(api, sent)
    alerting.raises(3)

    def opened() -> list[str]:
        return [f"alerts/{alert['id']}" for alert in api.get("alerts", open="true").body["alerts"]]

    assert opened() == [other]
    listed = api.get("alerts").body["alerts"]
    assert [alert.get("silence") for alert in listed] == [silence, None, silence]
    assert [alert.get("silenced") for alert in listed] == [silence, None, None]
    assert listed == [api.get(f"alerts/{alert['id']}").body for alert in listed]
    text = render({"alerts": listed}, Display())
    assert [line.split()[0] for line in text.splitlines() if "until" in line] == ["not", "silenced"]
    api.now += timedelta(hours=2)
    assert opened() == [other, sent]


def test_an_acknowledgement_stays_if_the_alert_is_put_again(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    api.put(f"{path}/acknowledgement")
    alerting.raises(1)
    assert api.get(path).body["acknowledged"]["by"] == "alice"


def test_a_get_changes_nothing_and_an_unknown_alert_is_not_found(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    before = versions(api.table)
    assert api.get(f"{path}/acknowledgement").status == 404
    assert api.get(path).status == 200
    assert versions(api.table) == before
    assert api.put(f"alerts/{'0' * 32}/acknowledgement").status == 404


def test_a_neighbour_can_neither_acknowledge_nor_silence_nor_forge(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    api.caller = NEIGHBOUR
    for method, body in (("PUT", {"until": "2h", "note": "hush"}), ("DELETE", None)):
        for part in ("acknowledgement", "silence"):
            assert api.write(method, f"{path}/{part}", body).status == 403
    api.caller = Principal("reader", frozenset({Scope.READ}), ("*",))
    assert api.put(f"{path}/silence", {"until": "2h", "note": "hush"}).status == 403
    alerting.raises(2)
    assert (alerting.numbers, api.queue.sent) == ([1, 2], [])
    assert not NEIGHBOUR.may_name("headwater:alerts")


def test_the_events_alone_give_the_same_in_any_order_however_often(api: Api, alerting: Alerting) -> None:
    path = alerting.raises(1)
    silenced(api, path, "1h")
    silenced(api, path, "2h")
    api.put(f"{path}/acknowledgement", {"note": "on it"})
    api.delete(f"{path}/acknowledgement")
    api.put(f"{path}/acknowledgement", {"note": "again"})
    events = api.queued_events()
    assert folded(events) == folded([*reversed(events), *events])
    other = Api(MemoryTable(), caller=api.caller, now=api.now)
    for event in reversed(events):
        fold([event], other.store)
    elsewhere = Alerting(other)
    elsewhere.raises(2)
    assert elsewhere.numbers == []


def test_no_list_and_no_search_shows_the_datasets_that_stand_for_alerts(api: Api, alerting: Alerting) -> None:
    before = [api.get(path).body for path in ("namespaces", "events/lineage")], api.get("search", q="failed").body
    path = alerting.raises(1)
    silenced(api, path)
    api.put(f"{path}/acknowledgement")
    after = [api.get(path).body for path in ("namespaces", "events/lineage")], api.get("search", q="failed").body
    assert json.dumps(after) == json.dumps(before)
