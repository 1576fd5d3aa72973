"""The law of the fold: a set of events leaves the same items, byte for byte, in any order, batches and repetition."""

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.fold import runs as fold_runs
from headwater.fold.event_parts import divide
from headwater.fold.fold import fold
from headwater.graph.names.identity import JobRunId
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.run import Run
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.table import Item
from tests import factory, strategies
from tests.caches import CheckedCache
from tests.factory import Document
from tests.fold.watched_table import WatchedTable
from tests.store.files import table_with

Fold = Callable[[Iterable[Sequence[NormalisedEvent]]], dict[Key, Item]]
RETENTION = factory.RETENTION


class Interrupted(WatchedTable):
    """A table that does something of ours just before its nth call, counted over all operations."""

    def __init__(self, items: dict[Key, Item], nth: int, interruption: Callable[[], object]) -> None:
        super().__init__(items, self._count)
        self.calls = 0
        self._nth = nth
        self._interruption = interruption

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self._nth:
            self._interruption()


def assert_as_alone(
    ours: Sequence[NormalisedEvent],
    theirs: Sequence[NormalisedEvent],
    before: dict[Key, Item],
    expected: dict[Key, Item],
) -> None:
    """Folds our batch, with another writer's just before its nth call, for each n."""
    for nth in range(1, 100):
        items, other = dict(before), MemoryTable()
        other.items = items
        table = Interrupted(items, nth, lambda other=other: fold(theirs, GraphStore(other, RETENTION)))  # type: ignore[misc]
        fold(ours, GraphStore(table, RETENTION, CheckedCache()))
        if table.calls < nth:
            return
        assert items == expected
    raise AssertionError("the fold of one event took a hundred calls")


def folded(batches: Iterable[Sequence[NormalisedEvent]]) -> dict[Key, Item]:
    table = MemoryTable()
    for batch in batches:
        fold(batch, GraphStore(table, RETENTION, CheckedCache()))
    return table.items


def folded_into_a_file(batches: Iterable[Sequence[NormalisedEvent]]) -> dict[Key, Item]:
    """Every batch in a transaction of its own, as `headwater serve` folds it."""
    table = table_with()
    for batch in batches:
        with table.transaction() as transaction:
            fold(batch, GraphStore(transaction, RETENTION, is_alone=True))
    return table.items


def one_by_one(documents: Sequence[Document]) -> list[list[NormalisedEvent]]:
    return [[event] for event in factory.received(*documents)]


@pytest.mark.parametrize("over", [folded, folded_into_a_file], ids=["memory", "sqlite"])
@given(st.data(), st.lists(strategies.events, min_size=1, max_size=8))
@settings(max_examples=400)
def test_order_batches_and_repetition_do_not_matter(over: Fold, data: st.DataObject, documents: list[Document]) -> None:
    expected = folded([factory.received(*documents)])
    repeated = documents + data.draw(st.lists(st.sampled_from(documents), max_size=3))
    shuffled = factory.received(*data.draw(st.permutations(repeated)))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(shuffled)))))
    batches = [shuffled[start:end] for start, end in zip([0, *cuts], [*cuts, len(shuffled)], strict=True)]
    assert over(batches) == expected


def test_a_run_that_began_before_it_was_known_is_no_longer_the_newest_of_its_generation() -> None:
    """Run 2 ended a second after its parent, run 3 of the same job; then its START says that it began with it."""
    parent = factory.facet(run={"runId": factory.run_id(3)}, job={"namespace": "demo", "name": "report"})
    documents = [
        factory.run_event("COMPLETE", run=3, job="report"),
        factory.run_event("COMPLETE", seconds=1, run=2, job="report", run_facets={"parent": parent}),
        factory.run_event("START", run=2, job="report"),
    ]
    expected = folded([factory.received(*documents)])
    assert all(folded(one_by_one(order)) == expected for order in itertools.permutations(documents))


@given(st.data(), st.lists(strategies.ended_runs(), min_size=1, max_size=5))
@settings(max_examples=300)
def test_a_backfill_is_one_whichever_of_its_events_says_so(data: st.DataObject, runs: list[list[Document]]) -> None:
    documents = [event for run in runs for event in run]
    expected = folded([factory.received(*documents)])
    shuffled = data.draw(st.permutations([*documents, *data.draw(st.lists(st.sampled_from(documents), max_size=2))]))
    assert folded(one_by_one(shuffled)) == expected


def backfill(number: int, start: int, end: int) -> list[Document]:
    facets = {"nominalTime": strategies.NOMINAL}
    return [
        factory.run_event(kind, seconds=seconds, run=number, job="load", run_facets=facets)
        for kind, seconds in (("START", start), ("COMPLETE", end))
    ]


@pytest.mark.parametrize("ours_first", [True, False])
def test_one_writer_knows_of_a_backfill_what_another_does_not_while_others_run(ours_first: bool) -> None:
    others = [event for number in range(1, 17) for event in backfill(number, 100 + number, 200 + number)]
    others += [factory.run_event(kind, seconds=1, run=50, job="load") for kind in ("START", "COMPLETE")]
    start, end = backfill(99, 50, 105)
    end = {**end, "run": {**end["run"], "facets": {}}}
    expected = folded([factory.received(*others, start, end)])
    before = folded([factory.received(*others)])
    ours, theirs = one_by_one([end, start] if ours_first else [start, end])
    assert_as_alone(ours, theirs, before, expected)


def test_no_runs_are_read_again_for_the_start_of_a_backfill_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    table, (start, end) = MemoryTable(), backfill(1, 100, 200)
    store = GraphStore(table, RETENTION)
    fold(factory.received(end), store)
    (rhythm,) = (key for key, item in table.items.items() if item.labels["kind"] == "rhythm")
    before, read = table.items[rhythm], list[JobRunId]()

    def read_again(_: GraphStore, ids: Collection[JobRunId]) -> list[Run]:
        read.extend(ids)
        return []

    monkeypatch.setattr(fold_runs, "_runs", read_again)
    fold(factory.received(start), store)
    assert (table.items[rhythm], read) == (before, [])


@pytest.mark.parametrize("over", [folded, folded_into_a_file], ids=["memory", "sqlite"])
@given(st.data(), st.lists(strategies.events, min_size=1, max_size=6), st.integers(1, 3))
@settings(max_examples=200)
def test_events_in_parts_among_other_events_leave_the_items_of_whole_events(
    over: Fold, data: st.DataObject, documents: list[Document], datasets: int
) -> None:
    events = factory.received(*documents)
    parts = [part for event in events for part in divide(event, datasets)]
    begun_again = data.draw(st.lists(st.sampled_from(parts), max_size=3))
    assert over([part] for part in data.draw(st.permutations(parts + begun_again))) == folded([events])


@given(st.lists(strategies.events, min_size=2, max_size=6))
@settings(max_examples=60)
def test_a_failure_at_any_call_and_a_second_delivery_change_nothing(documents: list[Document]) -> None:
    expected = folded([factory.received(*documents)])
    *earlier, last = one_by_one(documents)
    before = folded(earlier)

    def cut_off() -> None:
        raise StorageError("cut off")

    for nth in range(1, 100):
        table = Interrupted(dict(before), nth, cut_off)
        try:
            fold(last, GraphStore(table, RETENTION, CheckedCache()))
        except StorageError:
            fold(last, GraphStore(Interrupted(table.items, 0, cut_off), RETENTION))
        assert table.items == expected
        if table.calls < nth:
            return
    raise AssertionError("the fold of one event took a hundred calls")


@given(st.lists(strategies.events, min_size=2, max_size=6))
@settings(max_examples=100)
def test_another_writer_between_any_two_calls_changes_nothing(documents: list[Document]) -> None:
    expected = folded([factory.received(*documents)])
    *earlier, theirs, ours = one_by_one(documents)
    assert_as_alone(ours, theirs, folded(earlier), expected)
