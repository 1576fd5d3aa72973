"""Long work of the process waits while short work is under way, but not for ever."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from headwater.concurrent import give_way, give_way_by
from headwater.fold.fold import fold
from headwater.graph.names.thresholds import Thresholds
from headwater.serve import precedence as module
from headwater.serve.precedence import Precedence, Rank, rank_after
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import SqliteOutbox
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.lookup.requests import RETENTION, LookupClient
from tests.serve.process import SECONDS, wait_for


class Steps:
    """Work of many steps. `made` counts them; `waits` counts how often it waited for other work."""

    def __init__(self, precedence: Precedence, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = self.waits = 0
        self._is_over = False
        self._precedence = precedence
        wait = precedence.wait
        monkeypatch.setattr(module, "STEP_SECONDS", -1)  # it looks at each step

        def counted(rank: Rank, seconds: float) -> None:
            self.waits += 1
            wait(rank, seconds)

        monkeypatch.setattr(precedence, "wait", counted)

    @contextmanager
    def running(self, rank: Rank) -> Iterator[None]:
        work = self._precedence.begin(rank)
        thread = threading.Thread(target=work.run, args=(self._run,))
        thread.start()
        try:
            yield
        finally:
            self._is_over = True
            thread.join(SECONDS)
            work.end()

    def go_on(self) -> None:
        """Waits until it has made some more steps."""
        before = self.made
        wait_for(lambda: self.made > before + 3)

    def _run(self) -> None:
        while not self._is_over:
            self.made += 1
            give_way()


def many_steps() -> None:
    for _ in range(1_000):
        give_way()


def steps_of(work: Callable[[], object]) -> int:
    """How often work gives way."""
    made: list[None] = []
    give_way_by(lambda: made.append(None))
    try:
        work()
    finally:
        give_way_by(None)
    return len(made)


@pytest.fixture
def precedence() -> Precedence:
    return Precedence()


@pytest.fixture
def steps(precedence: Precedence, monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(precedence, monkeypatch)


def test_long_work_makes_no_step_while_short_work_is_under_way(
    precedence: Precedence, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", SECONDS)
    with steps.running(Rank.LONG):
        steps.go_on()
        short, other = precedence.begin(Rank.SHORT), precedence.begin(Rank.MIDDLE)
        wait_for(lambda: steps.waits == 1)
        made = steps.made
        other.end()
        short.run(many_steps)
        assert steps.made == made
        short.end()
        steps.go_on()
    assert steps.waits == 1


def test_long_work_goes_on_beside_short_work_that_does_not_end(
    precedence: Precedence, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 0.01)
    precedence.begin(Rank.SHORT)
    with steps.running(Rank.LONG):
        wait_for(lambda: steps.waits > 3)
        steps.go_on()


def test_work_waits_for_none_of_its_own_rank_or_longer(precedence: Precedence, steps: Steps) -> None:
    for rank in (Rank.MIDDLE, Rank.LONG):
        precedence.begin(rank)
    with steps.running(Rank.SHORT):
        steps.go_on()
    assert steps.waits == 0


def test_work_that_has_computed_for_long_is_long(
    precedence: Precedence, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [rank_after(seconds) for seconds in (0, 0.02, 0.03, 0.09, 0.11, 60)] == [0, 0, 1, 1, 2, 2]
    monkeypatch.setattr(module, "SECONDS", (0, 0))
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", SECONDS)
    with steps.running(Rank.SHORT):
        steps.go_on()
        middle = precedence.begin(Rank.MIDDLE)
        wait_for(lambda: steps.waits == 1)
        middle.end()
        steps.go_on()


def test_nobody_waits_for_work_whose_client_has_gone(precedence: Precedence, steps: Steps) -> None:
    gone = precedence.begin(Rank.SHORT)
    gone.end()
    gone.run(give_way)  # its thread goes on
    gone.end()
    with steps.running(Rank.LONG):
        steps.go_on()
    assert steps.waits == 0


def test_each_dataset_of_a_wide_event_and_of_its_graph_is_a_step() -> None:
    datasets = [factory.dataset(f"t{number}", schema=factory.schema("id:int")) for number in range(200)]
    table, (event,) = MemoryTable(), factory.received(factory.run_event("COMPLETE", inputs=datasets))
    store = GraphStore(table, RETENTION, StateCache())
    assert steps_of(partial(factory.received, factory.run_event(inputs=datasets))) >= 200
    assert steps_of(lambda: fold([event], store)) >= 3 * 200
    client = LookupClient(table)
    assert steps_of(lambda: client("lineage", nodeId="job:demo:load", depth=5)) >= 5 * 200


def test_work_gives_way_only_while_it_keeps_nobody_from_writing(tmp_path: Path) -> None:
    """A change has its line of the audit before it is answered."""
    looks = 0

    def others_may_write() -> None:
        nonlocal looks
        looks += 1
        with closing(sqlite3.connect(tmp_path / "lineage.db", timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.rollback()

    with closing(Database(tmp_path / "lineage.db")) as database:
        audited, table = SqliteTable(database), SqliteTable(database, SqliteOutbox(database))
        give_way_by(others_may_write)
        try:
            with table.transaction() as transaction:
                fold(
                    factory.received(factory.run_event()),
                    GraphStore(table, RETENTION).on(transaction),
                    Thresholds(300_000, {}),
                )
            asked = looks
            with audited.transaction() as transaction:
                fold(
                    factory.received(factory.run_event()),
                    GraphStore(audited, RETENTION).on(transaction),
                    Thresholds(300_000, {}),
                )
        finally:
            give_way_by(None)
    assert asked
