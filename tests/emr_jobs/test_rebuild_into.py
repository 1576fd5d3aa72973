"""Rebuilt items are written into a table that live events change meanwhile: nothing newer is lost."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from emr_jobs.rebuild.write import ItemWriter, Pace, units
from headwater.fold.fold import fold
from headwater.graph.states.run import Run
from headwater.openlineage.instant import Instant, to_datetime
from headwater.store import keys
from headwater.store.graph_store import GraphStore
from headwater.store.items.runs import OPEN_IN, RUN
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.table import ConditionalPut, Item
from tests import factory, strategies
from tests.emr_jobs.archives import RETENTION, assert_same
from tests.factory import Document

ORDER = (
    *("event", "day", "latency", "run", "write", "quality", "neighbours", "searchTerm", "schema", "columnLineage"),
    *("namespace", "job", "rhythm", "dataset", "alias"),
)
"""The kinds in the order in which they are written."""
LONG_AGO = 0.0
"""A time at which no run was silent for long."""


def table_of(documents: Iterable[Document]) -> MemoryTable:
    table = MemoryTable()
    fold_into(table, documents)
    return table


def fold_into(table: MemoryTable, documents: Iterable[Document]) -> None:
    for event in factory.received(*documents):
        fold([event], GraphStore(table, RETENTION))


def write(table: MemoryTable, items: Iterable[Item], now: float = LONG_AGO) -> Counter[str]:
    writer = ItemWriter(lambda: table, RETENTION, units_a_second=1e9, now=now)
    kinds = groupby(in_order(items), key=lambda item: item.labels["kind"])
    return sum((outcome for _, of_kind in kinds for outcome in writer.write(of_kind)), Counter())


def in_order(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: ORDER.index(item.labels["kind"]))


class Meanwhile(MemoryTable):
    """A table that does something of ours just before a call to change it."""

    def __init__(self, items: dict[Key, Item], before_nth: int, act: Callable[[], object]) -> None:
        super().__init__()
        self.items = items
        self._left = before_nth
        self._act = act

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        self._left -= 1
        if self._left == 0:
            self._act()
        super().change(changes)


events = st.lists(strategies.events, min_size=1, max_size=8)


@given(events, events)
@settings(max_examples=60)
def test_an_item_that_is_newer_in_the_table_is_folded_with(archived: list[Document], live: list[Document]) -> None:
    table = table_of(live)
    write(table, table_of(archived).items.values())
    assert_same(table.items, table_of([*archived, *live]).items)


@given(events, events, st.integers(1, 12))
@settings(max_examples=60)
def test_events_that_come_while_the_table_is_written_are_not_lost(
    archived: list[Document], live: list[Document], nth: int
) -> None:
    items: dict[Key, Item] = {}
    other = MemoryTable()
    other.items = items
    table = Meanwhile(items, nth, lambda: fold_into(other, live))
    write(table, table_of(archived).items.values())
    if table._left > 0:
        fold_into(other, live)
    assert_same(items, table_of([*archived, *live]).items)


@given(events, st.integers(0, 40))
@settings(max_examples=25)
def test_a_write_that_was_cut_off_is_started_again(archived: list[Document], number: int) -> None:
    expected = table_of(archived).items
    table = MemoryTable()
    some = in_order(expected.values())[:number]
    assert write(table, some) == Counter(written=len(some))
    done = write(table, expected.values())
    assert (done["written"], done["same"], done["joined"]) == (len(expected) - len(some), len(some), 0)
    assert table.items == expected
    assert write(table, expected.values()) == Counter(same=len(expected))


def test_a_damaged_item_is_replaced() -> None:
    table = table_of([factory.run_event(outputs=[factory.dataset("a")])])
    expected = dict(table.items)
    key, item = next((key, item) for key, item in expected.items() if item.labels["kind"] == "dataset")
    table.items[key] = replace(item, parts={"doc": b"damaged"})
    write(table, expected.values())
    assert table.items == expected


def test_a_run_that_was_given_up_as_abandoned_is_not_announced_again() -> None:
    table = table_of([factory.run_event("START")])
    items = dict(table.items)
    key = keys.run(RUN.read(next(item for item in items.values() if item.labels["kind"] == "run")).id)
    run: Run = RUN.read(items[key])
    soon, much_later = to_datetime(run.updated).timestamp() + 60, time.time() + 86_400
    for now, is_open in ((soon, True), (much_later, False)):
        empty = MemoryTable()
        write(empty, items.values(), now)
        assert (OPEN_IN in empty.items[key].labels) is is_open
        assert RUN.read(empty.items[key]) == run
    labels = {name: text for name, text in items[key].labels.items() if name != OPEN_IN}
    table.items[key] = Item(key, labels, items[key].parts, items[key].expires_at)
    assert write(table, items.values(), soon)["same"] == len(items)
    assert OPEN_IN not in table.items[key].labels


def test_a_job_that_is_late_is_due_only_once_it_runs_again() -> None:
    table = table_of(factory.run_event("COMPLETE", seconds=3_600 * hour, run=hour + 1) for hour in range(60))
    (key,) = [key for key, item in table.items.items() if item.labels["kind"] == "rhythm"]
    late = to_datetime(Instant(table.items[key].labels["at"])).timestamp()
    for now, is_due in ((late - 60, True), (late + 60, False)):
        empty = MemoryTable()
        write(empty, [table.items[key]], now)
        assert (OPEN_IN in empty.items[key].labels) is is_due


def test_the_pace_keeps_to_the_write_units_a_second() -> None:
    item = next(iter(table_of([factory.run_event()]).items.values()))
    assert units(replace(item, parts={"doc": bytes(3_000)})) == 4
    clock = [100.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    pace = Pace(10, lambda: clock[0], sleep)
    for _ in range(100):
        pace.take([item])
    assert abs(clock[0] - 100 - 99 * units(item) / 10) < 1e-6


def test_with_a_version_only_items_of_an_older_form_are_written() -> None:
    expected = table_of([factory.run_event(outputs=[factory.dataset("a")])]).items
    table = MemoryTable()
    (event,) = (item for item in expected.values() if item.labels["kind"] == "event")
    (run,) = (item for item in expected.values() if item.labels["kind"] == "run")
    table.items = {
        event.key: replace(event, labels={**event.labels, "schema": "1"}),
        run.key: replace(run, labels={**run.labels, "state": "FAILED"}),
    }
    writer = ItemWriter(lambda: table, RETENTION, units_a_second=1e9, now=LONG_AGO, before=2)
    assert sum(writer.write(expected.values()), Counter()) == Counter(joined=1)
    assert table.items[event.key] == event
    assert table.items.keys() == {event.key, run.key}
    assert table.items[run.key] != run
