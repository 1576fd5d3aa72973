"""The readers of a renamed table are told: they look for it under its old name."""

from itertools import permutations
from typing import Any

import pytest

from tests import factory
from tests.alerts.stream import World
from tests.factory import Document
from tests.traversal.lineage import ran

TABLE: dict[str, Any] = {"schema": factory.schema("id:long")}


def written(job: str, table: str, run: int, seconds: float) -> Document:
    return ran(job, "raw", "", run=run, seconds=seconds, outputs=[factory.dataset(table, **TABLE)])


def renamed(old: str, new: str, run: int, seconds: float) -> Document:
    table = factory.dataset(new, lifecycleStateChange=factory.renamed_from(old), **TABLE)
    return factory.run_event("COMPLETE", job="alter", run=run, seconds=seconds, outputs=[table])


LOADED, READ = written("load", "a", 1, 1), ran("report", "a", "out", run=2, seconds=2)
RENAMED = renamed("a", "b", 3, 10)


def test_the_readers_of_the_old_name_break() -> None:
    (alert,) = World().alerts_one_by_one([LOADED, READ, RENAMED])
    assert (alert["title"], alert["severity"]) == ("a: the dataset was renamed to b", "critical")
    assert (alert["change"], alert["renamedTo"]["name"], alert["verdict"]) == ("RENAMED", "b", "BREAKING")
    assert (alert["job"]["name"], alert["run"]["runId"]) == ("alter", factory.run_id(3))
    assert {item["nodeId"].rpartition(":")[2] for item in alert["breaks"]["items"]} == {"report", "out"}


def test_a_rename_that_breaks_nobody_raises_no_alert() -> None:
    assert World().alerts_one_by_one([LOADED, RENAMED, written("load2", "b", 4, 20)]) == []


def test_a_rename_raises_one_alert_however_its_events_repeat() -> None:
    late = ran("report", "a", "out", run=2, seconds=12)
    assert len(World().alerts_one_by_one([LOADED, READ, RENAMED, RENAMED, late, RENAMED])) == 1


def test_a_table_that_takes_the_old_name_in_the_same_batch_breaks_nobody() -> None:
    staged = written("stage", "new", 4, 5)
    for batch in permutations((RENAMED, renamed("new", "a", 5, 11))):
        world = World()
        world.alerts_one_by_one([LOADED, READ, staged])
        assert world.alerts_of_batch(*batch) == []


def test_a_new_table_under_the_old_name_has_not_changed() -> None:
    table = factory.dataset("a", schema=factory.schema("other:string"))
    made = factory.run_event("COMPLETE", job="make", run=4, seconds=20, outputs=[table])
    assert [alert["change"] for alert in World().alerts_one_by_one([LOADED, READ, RENAMED, made])] == ["RENAMED"]


def test_a_new_table_whose_columns_come_later_has_not_changed() -> None:
    begun = ran("make", "raw", "a", run=4, seconds=20)
    table = factory.dataset("a", schema=factory.schema("other:string"))
    made = factory.run_event("COMPLETE", job="make", run=4, seconds=21, outputs=[table])
    added = factory.dataset("a", schema=factory.schema("other:string", "more:int"))
    grown = factory.run_event("COMPLETE", job="make", run=5, seconds=30, outputs=[added])
    alerts = World().alerts_one_by_one([LOADED, READ, RENAMED, begun, made])
    assert [alert["change"] for alert in alerts] == ["RENAMED"]
    alerts = World().alerts_one_by_one([LOADED, READ, RENAMED, begun, made, grown])
    assert [alert["title"] for alert in alerts[1:]] == ["a: more was added"]


SWAPPED = [
    LOADED,
    READ,
    ran(
        "other", "raw", "", run=11, seconds=3, outputs=[factory.dataset("b", schema=factory.schema("k:long", "y:long"))]
    ),
    renamed("a", "tmp", 12, 10),
    factory.run_event(
        "COMPLETE",
        job="alter",
        run=13,
        seconds=20,
        outputs=[
            factory.dataset(
                "a", lifecycleStateChange=factory.renamed_from("b"), schema=factory.schema("k:long", "y:long")
            )
        ],
    ),
    renamed("tmp", "b", 14, 30),
    ran("report", "a", "out", run=15, seconds=35),
    ran("other", "raw", "", run=16, seconds=40, outputs=[factory.dataset("a", schema=factory.schema("k:long"))]),
]
BACK = [
    LOADED,
    READ,
    renamed("a", "b", 12, 10),
    renamed("b", "a", 13, 20),
    ran("load", "raw", "", run=16, seconds=40, outputs=[factory.dataset("a", schema=factory.schema("id:string"))]),
]


@pytest.mark.parametrize(
    ("events", "titles"),
    [
        (SWAPPED, ["a: the dataset was renamed to tmp", "tmp: the dataset was renamed to b", "a: y was removed"]),
        (
            BACK,
            [
                "a: the dataset was renamed to b",
                "b: the dataset was renamed to a",
                "a: id is string now, was long (incompatible)",
            ],
        ),
    ],
    ids=["swapped", "renamed back"],
)
def test_a_name_of_two_tables_raises_the_same_alerts_at_any_speed(events: list[Document], titles: list[str]) -> None:
    """Nobody read `b` when it was renamed, and the table that has its name then has not changed."""
    live = [alert["title"] for alert in World().alerts_one_by_one(events)]
    assert live == [alert["title"] for alert in World().alerts_of_batch(*events)] == titles
