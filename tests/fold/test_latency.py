"""The emission latency of a job: one breach and one recovery, and none for a replayed event or a backfill."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import permutations

import pytest

from headwater.fold.fold import fold
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import parse_instant
from headwater.store import keys
from headwater.store.graph_store import GraphStore
from headwater.store.items.alerts import LATENCY
from headwater.store.memory import MemoryTable
from headwater.store.table import ConditionalPut
from tests import factory
from tests.factory import RETENTION, Document

THRESHOLDS = Thresholds(10_000, {"demo": 5_000, "demo-*": 1_000})
KEY = keys.latency(job_id(Name("demo", "load")))


class FollowedTable(MemoryTable):
    """Remembers each turn of a job's latency: what the table's stream would show."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[bool] = []

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        super().change(changes)
        is_exceeded = [LATENCY.read(item).is_exceeded for item, _ in changes if item.key == KEY]
        self.turns += [turn for turn in is_exceeded if turn != (self.turns[-1] if self.turns else False)]


def late(document: Document, seconds: float) -> NormalisedEvent:
    """An event that was received so many seconds after it happened."""
    received_at = datetime.fromisoformat(document["eventTime"]) + timedelta(seconds=seconds)
    return normalise_event(exact_json.dumps(document), Naming(), parse_instant(received_at.isoformat()))


def event(number: int, kind: str = "START") -> Document:
    return factory.run_event(kind, run=number, seconds=60 * number)


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "one by one"])
def test_a_breach_turns_once_and_recovers_once_however_long_it_lasts(together: bool) -> None:
    table = FollowedTable()
    events = [late(event(number), lag) for number, lag in enumerate([1, 6, 9, 4, 6, 3, 2, 1, 7, 8, 1], start=1)]
    for batch in [events] if together else [[event] for event in events]:
        fold(batch, GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == [True, False, True, False]


def test_a_late_event_alone_begins_no_breach() -> None:
    table = FollowedTable()
    for number, lag in enumerate([1, 9, 1, 1], start=1):
        fold([late(event(number), lag)], GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == []


def test_late_events_of_two_days_begin_no_breach() -> None:
    table = FollowedTable()
    for number in (1, 1_440, 1_441):
        fold([late(event(number), 9)], GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == [True]


@pytest.mark.parametrize("seconds_between", [1, 20, 50])
def test_events_that_come_faster_than_they_happened_begin_no_breach(seconds_between: int) -> None:
    table = FollowedTable()
    for number in range(1, 50):
        fold([late(event(number), 3_540 - (60 - seconds_between) * number)], GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == []


def test_latencies_around_the_threshold_do_not_alternate_between_breach_and_recovery() -> None:
    table = FollowedTable()
    for number in range(1, 20):
        fold([late(event(number), 4 + 2 * (number % 2))], GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == [True]


def test_the_turn_tells_which_event_it_was() -> None:
    table = FollowedTable()
    fold([late(event(1), 6), late(event(2), 7)], GraphStore(table, RETENTION), THRESHOLDS)
    latency = LATENCY.read(table.items[KEY])
    assert (latency.job, latency.run_id) == (Name("demo", "load"), factory.run_id(2))
    assert (latency.millis, latency.threshold) == (7_000, 5_000)


def test_an_event_that_is_delivered_again_later_does_not_count() -> None:
    table = FollowedTable()
    assert len(fold([late(event(1), 1)], GraphStore(table, RETENTION), THRESHOLDS)) == 1
    assert fold([late(event(1), 600)], GraphStore(table, RETENTION), THRESHOLDS) == ()
    assert table.turns == []


def test_a_backfill_does_not_count() -> None:
    table = FollowedTable()
    assert fold([late(event(1), 86_400)], GraphStore(table, RETENTION), THRESHOLDS) == ()
    assert table.turns == []
    assert len(fold([late(event(2), 86_399)], GraphStore(table, RETENTION), THRESHOLDS)) == 1  # in the metrics alone


def test_an_event_that_is_an_hour_late_is_replayed_and_begins_no_breach() -> None:
    table = FollowedTable()
    for number in (1, 2):
        assert len(fold([late(event(number), 3_600)], GraphStore(table, RETENTION), THRESHOLDS)) == 1
    assert table.turns == []
    for number in (3, 4):
        assert len(fold([late(event(number), 3_599)], GraphStore(table, RETENTION), THRESHOLDS)) == 1
    assert table.turns == [True]


def test_with_a_threshold_of_hours_a_latency_of_less_than_twice_the_threshold_counts() -> None:
    table = FollowedTable()
    for number, seconds in enumerate((8 * 3_600, 5 * 3_600, 5 * 3_600), start=1):
        fold([late(event(number), seconds)], GraphStore(table, RETENTION), Thresholds(4 * 3_600_000, {}))
    assert table.turns == [True]


def test_a_batch_that_is_folded_again_changes_no_breach() -> None:
    table = FollowedTable()
    events = [late(event(1), 6), late(event(2), 6), late(event(3), 1)]
    for _ in range(2):
        fold(events, GraphStore(table, RETENTION), THRESHOLDS)
    assert table.turns == [True, False]


def test_the_longest_pattern_that_fits_a_namespace_counts() -> None:
    assert [THRESHOLDS.of(namespace) for namespace in ("demo", "demo-eu", "other")] == [5_000, 1_000, 10_000]


def test_an_event_without_a_time_of_receipt_does_not_count() -> None:
    table = FollowedTable()
    assert fold(factory.received(event(1)), GraphStore(table, RETENTION), THRESHOLDS) == ()


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_first_late_event_of_a_day_is_the_same_in_every_order(order: tuple[int, ...]) -> None:
    """Events 1 and 2 were received at once, event 3 before them, event 4 after them."""
    events = [late(event(number), lag) for number, lag in ((1, 1_000), (2, 940), (3, 870), (4, 830))]
    assert events[0].at == events[1].at
    table = MemoryTable()
    for position in order:
        fold([events[position]], GraphStore(table, RETENTION), Thresholds(600_000, {}))
    (latency,) = (LATENCY.read(item) for item in table.read([KEY]).values())
    assert (latency.at, latency.is_exceeded) == (events[2].at, False)


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "one by one"])
def test_a_judgement_of_a_run_is_no_event_of_it(together: bool) -> None:
    """A person calls the run good before its own late event comes: that event still counts."""
    good = factory.run_event("OTHER", run=1, seconds=63, run_facets={"headwater_judgement": factory.facet(good=True)})
    events = [late(event(1), 1), late(good, 0), late(factory.run_event("COMPLETE", run=1, seconds=62), 6)]
    batches = [events] if together else [[each] for each in events]
    table = FollowedTable()
    counted = [each for batch in batches for each in fold(batch, GraphStore(table, RETENTION), THRESHOLDS)]
    assert [each.event.time for each in counted] == [events[0].event.time, events[2].event.time]
