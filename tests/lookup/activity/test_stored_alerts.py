"""GET /alerts and /alerts/{id}: what was told, to those who may read it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from headwater.alerts.alert import Alert, DetailType, id_of
from headwater.alerts.stored_alerts import StoringBus
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.lookup.requests import ANYONE, LAKE, RETENTION, LookupClient, key_of, table_after
from tests.lookup.test_cost import CountedTable, body_and_calls

SEVERITIES = tuple(Severity)
WITH_NAMESPACES = factory.run_event("COMPLETE", outputs=[factory.dataset("out")])


def alert(number: int, **changes: Any) -> Alert:
    first = Alert(
        type=DetailType.SCHEMA_CHANGED,
        id=id_of("alert", str(number)),
        time=Instant(f"2026-11-20T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000000000Z"),
        severity=SEVERITIES[number % 3],
        kind=NodeKind.DATASET,
        name=Name(LAKE, f"table {number}"),
        owners=("finance",),
        title="a column is gone",
        lines=("the column id is gone",),
        group="g",
    )
    return replace(first, **changes)


class ToldAlerts:
    """A bus that is away as long as it is broken."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.broken = False

    def put(self, alerts: Sequence[Alert]) -> None:
        if self.broken:
            raise StorageError("the bus is away")
        self.told += [alert.id for alert in alerts]


def told(*alerts: Alert, table: MemoryTable | None = None) -> LookupClient:
    table = table or table_after(WITH_NAMESPACES)
    StoringBus(GraphStore(table, RETENTION), ToldAlerts()).put(alerts)
    return LookupClient(table)


def ids(answer: dict[str, Any]) -> list[str]:
    return [shown["id"] for shown in answer["alerts"]]


def test_an_alert_is_found_by_its_id_and_in_the_list_with_what_a_page_shows() -> None:
    get = told(alert(1, details={"removed": [{"field": "id", "type": "int"}]}))
    (listed,) = get("alerts")["alerts"]
    assert listed == get(f"alerts/{alert(1).id}")
    assert listed["details"] == {"removed": [{"field": "id", "type": "int"}]}
    assert (listed["type"], listed["link"]) == ("Dataset Schema Changed", f"/#/alerts?id={alert(1).id}")
    assert get.answer(f"alerts/{alert(2).id}")[0] == 404


def test_an_alert_is_stored_once_it_is_told() -> None:
    table, bus = table_after(WITH_NAMESPACES), ToldAlerts()
    storing = StoringBus(GraphStore(table, RETENTION), bus)
    bus.broken = True
    with pytest.raises(StorageError):
        storing.put([alert(1)])
    assert ids(LookupClient(table)("alerts")) == []
    bus.broken = False
    storing.put([alert(1)])
    assert (bus.told, ids(LookupClient(table)("alerts"))) == ([alert(1).id], [alert(1).id])


def test_an_alert_is_kept_as_long_as_runs() -> None:
    (item,) = [item for item in told(alert(1)).table.items.values() if item.labels["kind"] == "alert"]
    assert item.expires_at == 1763596800 + 365 * 86_400 + 1 + RETENTION.runs.total_seconds()


def test_alerts_come_newest_first_by_severity_owner_namespace_and_time() -> None:
    others = [alert(7, owners=("sales",)), alert(8, name=Name("demo", "job"))]
    get = told(*(alert(number) for number in range(1, 7)), *others)
    assert ids(get("alerts")) == [alert(number).id for number in range(8, 0, -1)]
    assert ids(get("alerts", severity="CRITICAL")) == [alert(6).id, alert(3).id]
    assert ids(get("alerts", severity=("critical", "info"))) == [alert(number).id for number in (8, 6, 5, 3, 2)]
    assert ids(get("alerts", owner="sales")) == [alert(7).id]
    assert ids(get("alerts", namespace="demo")) == [alert(8).id]
    window = {"after": "2026-11-20T00:00:02Z", "before": "2026-11-20T00:00:04Z"}
    assert ids(get("alerts", **window)) == [alert(3).id, alert(2).id]
    assert get.refusal("alerts", severity="loud") == "severity"


@pytest.mark.parametrize("query", [{}, {"owner": "finance"}, {"severity": "critical"}])
def test_pages_by_cursor_hold_every_alert_once(query: dict[str, str]) -> None:
    get = told(*(alert(number) for number in range(250)))
    page = get("alerts", limit=40, **query)
    listed = ids(page)
    while "cursor" in page:
        page = get("alerts", limit=40, cursor=page["cursor"], **query)
        listed += ids(page)
    critical = [number for number in range(249, -1, -1) if number % 3 == 0 or "severity" not in query]
    assert listed == [alert(number).id for number in critical]


def test_a_caller_sees_the_alerts_of_its_namespaces() -> None:
    demo = LookupClient(told(alert(1), alert(2, name=Name("demo", "load"))).table, key_of("demo"))
    assert ids(demo("alerts")) == [alert(2).id]
    assert demo.answer(f"alerts/{alert(1).id}")[0] == demo.answer("alerts", namespace=LAKE)[0] == 403


@pytest.mark.parametrize(
    "details",
    [
        {"breaks": {"items": [{"nodeId": f"dataset:{LAKE}:secret"}]}},
        {"breaks": {"items": [{"path": ["job:demo:load", f"datasetField:{LAKE}:secret:id"]}]}},
        {"application": {"job": {"namespace": "others", "name": "secret"}}},
        {"outputs": ["dataset:nowhere:secret"]},
        {"breaks": {"items": [], "truncated": True}},
    ],
)
def test_an_alert_that_may_name_a_node_of_others_is_shown_without_its_sentences(details: dict[str, Any]) -> None:
    told_alert = alert(1, name=Name("demo", "load"), details=details, lines=("it breaks secret",))
    get = told(told_alert)
    assert get(f"alerts/{told_alert.id}")["details"] == details
    demo = LookupClient(get.table, key_of("demo"))
    for shown in (demo(f"alerts/{told_alert.id}"), demo("alerts")["alerts"][0]):
        assert (shown["hidden"], shown["owners"], shown["lines"], shown["details"]) == (True, [], [], {})
        assert (shown["title"], "secret" in str(shown)) == ("a column is gone", False)
    assert demo("alerts", owner="finance")["alerts"] == []


def test_an_alert_about_nodes_of_the_caller_alone_is_whole() -> None:
    details = {"breaks": {"items": [{"nodeId": "job:demo:load"}]}, "job": {"namespace": "demo", "name": "load"}}
    get = told(alert(1, name=Name("demo", "load"), details=details))
    assert LookupClient(get.table, key_of("demo"))("alerts") == get("alerts")


@pytest.mark.parametrize("count", [200, 1_000])
def test_a_page_costs_a_call_for_each_shard_one_for_its_alerts_and_one_for_their_marks(count: int) -> None:
    table = CountedTable()
    told(*(alert(number) for number in range(count)), table=table)
    _, calls = body_and_calls(table, "alerts", ANYONE, severity="critical", limit=50)
    assert calls == 4 + 2
    assert table.rows <= 4 * 100
