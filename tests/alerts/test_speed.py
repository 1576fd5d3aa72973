"""An alert tells what was known when its event came, at any speed: events in the order of their times raise the same
alerts if they are folded one by one, in batches, or all at once."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from headwater.openlineage import exact_json
from tests import factory
from tests.alerts.stream import Detail, World
from tests.factory import Document
from tests.producer_records import recorded, scenarios
from tests.random_runs import history_of

LAKE = "s3://lake"
OF_THE_RECORD = {"id", "tags", "link", "text", "chatText"}
"""Members that have the id of a record of the stream, which has another number in a batch."""


def alerts_of(events: list[Document], size: int, *, is_late: bool = False) -> list[Detail]:
    """The alerts of events that are folded in batches of a size; `is_late`: raised once all batches are folded."""
    world = World.storing()
    batches = [factory.received(*events[start : start + size]) for start in range(0, len(events), size)]
    if not is_late:
        return [alert for batch in batches for alert in world.alerts_of_events(batch)]
    for batch in batches:
        world.fold(batch)
    return world.alerts_of_records(world.table.stream)


def told(alerts: list[Detail]) -> list[dict[str, Any]]:
    """What alerts tell, apart from the ids of their records."""
    without_ids = [{name: member for name, member in alert.items() if name not in OF_THE_RECORD} for alert in alerts]
    for alert in without_ids:
        alert["causes"] = [cause | {"alertId": bool(cause["alertId"])} for cause in alert.get("causes", [])]
        alert["lines"] = [line.partition(", alert ")[0] for line in alert["lines"]]
    return sorted(without_ids, key=str)


@pytest.mark.parametrize("seed", range(25))
def test_the_alerts_of_batches_are_those_of_events_one_by_one(seed: int) -> None:
    events = history_of(random.Random(seed))
    one_by_one = told(alerts_of(events, 1))
    for size in (2, 7, len(events)):
        assert told(alerts_of(events, size)) == one_by_one, size
    assert told(alerts_of(events, 1, is_late=True)) == one_by_one


@pytest.mark.parametrize("engine", ["airflow", "flink", "spark", "trino"])
def test_the_alerts_of_recorded_events_are_the_same_in_batches(engine: str) -> None:
    sent = [json.dumps(event) for scenario in scenarios(engine) for event in recorded(engine, scenario)]
    events = list(map(exact_json.loads, sent))  # with their numbers as they were sent
    events.sort(key=lambda event: str(event["eventTime"]))
    one_by_one = told(alerts_of(events, 1))
    assert all(told(alerts_of(events, size)) == one_by_one for size in (10, len(events)))


def run(number: int, job: str, kind: str = "COMPLETE", *, run: int = 0, **sides: Any) -> Document:
    return factory.run_event(kind, seconds=number, run=run or number, job=job, **sides)


def orders(*columns: str) -> list[Document]:
    return [factory.dataset("orders", schema=factory.schema(*(f"{name}:string" for name in columns)))]


def made_of(column: str, name: str = "report") -> list[Document]:
    lineage = factory.columns(total=(LAKE, "orders", column))
    return [factory.dataset(name, schema=factory.schema("total:string"), columnLineage=lineage)]


def dropped_channel(*later: Document, before: tuple[Document, ...] = ()) -> list[Document]:
    """The column `channel` of orders is dropped at second 10, run 10."""
    return [run(1, "load", outputs=orders("id", "channel")), *before, run(10, "load", outputs=orders("id")), *later]


def alert_about_channel(fold: Callable[[list[Document]], list[Detail]], events: list[Document]) -> Detail:
    (alert,) = (alert for alert in fold(events) if alert["title"] == "orders: channel was removed")
    return alert


def one_by_one(events: list[Document]) -> list[Detail]:
    return alerts_of(events, 1)


def at_once(events: list[Document]) -> list[Detail]:
    return alerts_of(events, len(events))


def late(events: list[Document]) -> list[Detail]:
    return alerts_of(events, 1, is_late=True)


def late_in_parts(events: list[Document]) -> list[Detail]:
    """Each record is a batch of the stream of its own, once all events are folded."""
    world = World.storing()
    for event in events:
        world.fold(factory.received(event))
    return [alert for record in [*world.table.stream] for alert in world.alerts_of_records([record])]


at_any_speed = pytest.mark.parametrize("fold", [one_by_one, at_once, late])


@at_any_speed
def test_a_job_that_ran_after_the_change_is_not_broken_by_it(fold: Callable[..., list[Detail]]) -> None:
    later = run(20, "audit", inputs=[factory.dataset("orders")], outputs=[factory.dataset("audit")])
    alert = alert_about_channel(fold, dropped_channel(later))
    assert (alert["severity"], alert["breaks"]["items"]) == ("warning", [])


@at_any_speed
def test_a_job_that_used_the_column_until_then_is_broken(fold: Callable[..., list[Detail]]) -> None:
    before = run(5, "report", inputs=orders("id", "channel"), outputs=made_of("channel"))
    since = run(20, "report", inputs=orders("id"), outputs=made_of("id"))
    alert = alert_about_channel(fold, dropped_channel(since, before=(before,)))
    assert alert["severity"] == "critical"
    assert {item["nodeId"] for item in alert["breaks"]["items"]} == {
        "datasetField:s3://lake:report:total",
        "job:demo:report",
    }


@at_any_speed
def test_a_run_that_named_the_table_after_the_change_did_not_read_it_before(fold: Callable[..., list[Detail]]) -> None:
    begun = run(5, "audit", "START", run=50)
    ended = run(20, "audit", run=50, inputs=[factory.dataset("orders")], outputs=[factory.dataset("audit")])
    alert = alert_about_channel(fold, dropped_channel(ended, before=(begun,)))
    assert (alert["severity"], alert["breaks"]["items"]) == ("warning", [])


@at_any_speed
def test_the_time_of_a_change_is_that_of_the_first_event_that_reports_it(fold: Callable[..., list[Detail]]) -> None:
    alert = alert_about_channel(fold, dropped_channel(run(30, "load", run=10, outputs=orders("id"))))
    assert (alert["time"], alert["run"]["runId"]) == (factory.at(10), factory.run_id(10))


@at_any_speed
def test_a_change_before_the_newest_versions_is_told_of_its_own_run(fold: Callable[..., list[Detail]]) -> None:
    versions = [run(number, "load", outputs=orders("id")) for number in range(20, 100)]
    alert = alert_about_channel(fold, dropped_channel(*versions))
    assert (alert["time"], alert["run"]["runId"]) == (factory.at(10), factory.run_id(10))


@pytest.mark.parametrize("fold", [one_by_one, at_once, late, late_in_parts])
def test_a_run_that_names_another_schema_at_its_start_than_at_its_end_changes_it_twice(
    fold: Callable[..., Any],
) -> None:
    for end, title in ((("id",), "b was removed"), (("id", "c"), "b seems renamed to c")):
        sides = orders("id"), orders("id", "b"), orders(*end)
        start, stop = (
            run(number, "fill", kind, run=20, outputs=of)
            for number, kind, of in zip((20, 29), ("START", "COMPLETE"), sides[1:], strict=True)
        )
        told = fold([run(10, "load", outputs=sides[0]), start, stop, run(40, "load", outputs=sides[2])])
        assert [(each["title"], each["time"], each["job"]["name"]) for each in told] == [
            ("orders: b was added", factory.at(20), "fill"),
            (f"orders: {title}", factory.at(29), "fill"),
        ]


@at_any_speed
def test_the_first_reader_to_see_a_change_tells_it_though_others_saw_it_since(
    fold: Callable[..., list[Detail]],
) -> None:
    reads = [run(number, f"report {number % 2}", inputs=orders("id", "channel")) for number in (1, 2)]
    changed = [run(number, f"report {number % 2}", inputs=orders("id")) for number in (10, 11, 12, 13)]
    back = [run(20, "report 0", inputs=orders("id", "channel"))]
    alert = alert_about_channel(fold, [*reads, *changed, *back])
    assert (alert["seenAs"], alert["time"], alert["run"]["runId"]) == ("input", factory.at(10), factory.run_id(10))
    assert alert["severity"] == "critical", "report 1 read the column until then"


def flips(*seconds: int, side: str) -> list[Document]:
    """A table whose column `channel` goes and comes, by the runs of one job."""
    columns = [("id", "channel"), ("id",)]
    sides: list[dict[str, Any]] = [{side: orders(*each)} for each in columns]
    return [run(second, "job", **sides[at % 2]) for at, second in enumerate(seconds)]


DECLARED = [
    factory.job_event(job="job", seconds=second, outputs=orders(*columns))
    for second, columns in ((1, ("id", "channel")), (10, ("id",)), (20, ("id",)), (20, ("id",)), (30, ("id",)))
]


@pytest.mark.parametrize("fold", [one_by_one, at_once, late, late_in_parts])
@pytest.mark.parametrize(
    ("events", "times"),
    [
        (flips(1, 10, 20, 30, 40, 50, side="outputs"), [10, 20, 30, 40, 50]),
        (flips(1, 10, 20, 30, 40, 50, side="inputs"), [10, 20, 30, 40, 50]),
        (DECLARED, [10]),
    ],
    ids=["written", "read", "declared again"],
)
def test_each_of_several_changes_that_look_the_same_is_told_once_with_its_own_time(
    fold: Callable[..., list[Detail]], events: list[Document], times: list[int]
) -> None:
    told = fold(events)
    assert sorted(alert["time"] for alert in told) == [factory.at(time) for time in times]
    for alert in told:
        assert alert["title"].endswith("was removed") == (alert["time"] in {factory.at(time) for time in (10, 30, 50)})
        assert not alert["run"] or alert["run"]["startedAt"] == alert["time"]


def test_a_record_that_is_delivered_again_tells_the_same_change() -> None:
    world = World.storing()
    for event in flips(1, 10, 20, 30, side="outputs"):
        world.fold(factory.received(event))
    records = [*world.table.stream]
    first, again = (sorted((each["id"], each["time"]) for each in world.alerts_of_records(records)) for _ in range(2))
    assert first == again
