"""The order in which events arrive makes no alert: none tells a failure twice, or a change that never was."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.store.table import IndexEntry
from tests import factory
from tests.alerts.stream import Detail, StreamedTable, World, changes
from tests.alerts.test_producers import EXPECTED
from tests.factory import Document
from tests.producer_records import recorded

AIRFLOW = {
    ("airflow", "python_fails"): ["Run Failed: shop_python.price_orders failed"],
    ("airflow", "sql_fails"): ["Run Failed: shop.paid_orders failed"],
    ("spark", "udf_fails"): ["Run Failed: lake_prices failed while writing prices"],
}
SESSIONS = {
    "airflow": ("sql", "sql_again", "sql_fails", "sql_column_removed", "python_fails"),
    "spark": (
        *("customers", "scores", "segments", "copies", "look", "udf_fails"),
        *("customers_column_removed", "copies_column_removed"),
    ),
    "trino": ("create_table_as", "create_view", "insert", "update", "merge", "create_or_replace_drops_a_column"),
}
"""Scenarios in the order of their times. In each session, one change of a table is a loss of columns."""


def alerts_of(events: list[Document]) -> list[Detail]:
    """The alerts of events that come one by one, each stored as it is told."""
    world = World.storing()
    return world.alerts_one_by_one(events)


def shuffled(events: list[Document], seed: int) -> list[Document]:
    return random.Random(seed).sample(events, len(events))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("engine", "scenario"), sorted((EXPECTED | AIRFLOW).keys()))
def test_one_failure_is_told_once_in_any_order_and_however_often_its_events_come(
    engine: str, scenario: str, seed: int
) -> None:
    events, failures = shuffled(recorded(engine, scenario), seed), (EXPECTED | AIRFLOW)[engine, scenario]
    assert len(alerts_of(events)) == len(failures)
    assert len(alerts_of([*events, *shuffled(events, seed + 1)])) == len(failures)


def changed(alerts: list[Detail]) -> Counter[str]:
    return Counter(changes(alert for alert in alerts if alert["alert"] == "Dataset Schema Changed"))


class LaggingLists(StreamedTable):
    """A table whose lists do not show any entry yet."""

    def list_entries(self, list_name: str, **_: Any) -> Iterator[IndexEntry]:
        yield from ()


def test_a_change_that_a_reader_told_is_not_told_of_the_write_though_the_index_lags() -> None:
    before, after = factory.schema("id:long"), factory.schema("id:string")
    events = [
        factory.run_event("COMPLETE", seconds=1, run=1, outputs=[factory.dataset("a", schema=before)]),
        factory.run_event("COMPLETE", seconds=2, run=2, job="reader", inputs=[factory.dataset("a", schema=before)]),
        factory.run_event("START", seconds=61, run=3, outputs=[factory.dataset("a")]),
        factory.run_event("COMPLETE", seconds=63, run=4, job="reader", inputs=[factory.dataset("a", schema=after)]),
        factory.run_event("COMPLETE", seconds=64, run=3, outputs=[factory.dataset("a", schema=after)]),
    ]
    world = World.storing(LaggingLists())
    assert [alert["seenAs"] for alert in world.alerts_one_by_one(events)] == ["input"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("engine", SESSIONS)
def test_a_change_is_told_in_any_order_at_most_once_and_no_other_change(engine: str, seed: int) -> None:
    """Events that come late, after a newer schema, raise no alert: a change may not be told."""
    events = [event for scenario in SESSIONS[engine] for event in recorded(engine, scenario)]
    in_order = changed(alerts_of(events))
    assert changed(alerts_of(shuffled(events, seed))) <= in_order
    assert changed(alerts_of(events + shuffled(events, seed))) == in_order
    assert in_order
