"""Two writers at once, interleaved at every pair of calls.

The events make a head depend on several other states, which the events of test_law.py hardly ever do. One writer makes
some calls, then the other writer makes some, then the first goes on to its end, and the other follows. All numbers of
calls are tried.
"""

import itertools
import threading
from collections.abc import Sequence
from functools import partial

import pytest

from headwater.fold.fold import fold
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.table import Item
from tests import factory
from tests.factory import RETENTION, Document
from tests.fold.watched_table import WatchedTable
from tests.lookup.requests import table_after
from tests.store.files import table_with

MOST_CALLS = 16
DELETED: Document = {"headwater_deleted": {"through": "2026-11-20T08:00:00.000000000Z"}}
OLD, NEW = factory.schema("id:long"), factory.schema("id:string")


def uses(schema: Document, *, seconds: float, run: int, job: str, name: str = "a", **facets: Document) -> Document:
    read = factory.dataset(name, "s3://lake", schema=schema, **facets)
    return factory.run_event("RUNNING", seconds=seconds, run=run, job=job, inputs=[read])


def writes(kind: str, *, seconds: float, run: int, output: str | Document) -> Document:
    written = factory.dataset(output) if isinstance(output, str) else output
    return factory.run_event(kind, seconds=seconds, run=run, outputs=[written])


def beside(parent: int, kind: str, *, seconds: float, run: int, source: str) -> Document:
    """A run that one run of a parent started: it reads a source and writes `all`, with column lineage."""
    lineage = factory.columns(id=("s3://lake", source, "id"))
    return factory.run_event(
        kind,
        seconds=seconds,
        run=run,
        inputs=[factory.dataset(source)],
        outputs=[factory.dataset("all", columnLineage=lineage)],
        run_facets={"parent": factory.parent(parent, "nightly")},
    )


SCENES = {
    # Run 2 was taken for the newest; its START comes late, while run 3, which is in between, is written.
    "the newest run of a job": (
        [
            writes("START", seconds=0, run=1, output="a"),
            writes("RUNNING", seconds=10, run=2, output="a"),
            writes("RUNNING", seconds=10, run=2, output="b"),
        ],
        writes("START", seconds=1, run=2, output="a"),
        writes("RUNNING", seconds=5, run=3, output="b"),
    ),
    # A run is chosen for the newest, and turns out to be older before the choice is written.
    "a newest run that is not": (
        [writes("START", seconds=0, run=2, output="b"), writes("RUNNING", seconds=9, run=2, output="a")],
        writes("START", seconds=1, run=1, output="a"),
        writes("START", seconds=0, run=1, output="a"),
    ),
    # Two events of one run, folded at once: one moves its start, the other adds an output.
    "one run twice": (
        [writes("COMPLETE", seconds=4, run=2, output="a")],
        factory.run_event("COMPLETE", seconds=0, run=2),
        writes("START", seconds=2, run=2, output="b"),
    ),
    # One job has seen a new schema, while another sees the old one once more, later.
    "the newest schema of a dataset": (
        [uses(OLD, seconds=0, run=1, job="load"), uses(OLD, seconds=0, run=2, job="report")],
        uses(NEW, seconds=5, run=3, job="load"),
        uses(OLD, seconds=9, run=4, job="report"),
    ),
    "two news of one dataset": (
        [uses(OLD, seconds=0, run=1, job="load")],
        uses(NEW, seconds=5, run=3, job="load"),
        uses(factory.schema("x:int"), seconds=9, run=4, job="report"),
    ),
    # One event says that two names are of one dataset, while the other name is used for the first time.
    "a symlink": (
        [],
        writes("COMPLETE", seconds=0, run=1, output=factory.dataset("a", symlinks=factory.symlinks("b"))),
        factory.run_event("COMPLETE", seconds=1, run=2, job="report", inputs=[factory.dataset("b")]),
    ),
    "a symlink of a name that is used": (
        [writes("COMPLETE", seconds=0, run=1, output="a")],
        uses(OLD, seconds=1, run=2, job="report", name="b"),
        uses(OLD, seconds=2, run=3, job="other", symlinks=factory.symlinks("b")),
    ),
    # Two children of one parent, which was only named so far; one of them fails.
    "a parent": (
        [],
        factory.run_event("FAIL", seconds=5, run=1, run_facets={"parent": factory.parent(9, "nightly")}),
        factory.run_event("START", seconds=1, run=2, job="b", run_facets={"parent": factory.parent(9, "nightly")}),
    ),
    # A run of a parent takes over, while an older run of that parent is stored, which is of its generation.
    "a parent that takes over": (
        [beside(8, "COMPLETE", seconds=10, run=1, source="shop 1")],
        beside(9, "START", seconds=5, run=2, source="shop 2"),
        beside(9, "START", seconds=20, run=3, source="shop 3"),
    ),
    # A run of a generation fails and names no output, while another adds to the generation.
    "a run that fails beside others": (
        [
            beside(9, "COMPLETE", seconds=1, run=1, source="shop 1"),
            beside(9, "START", seconds=5, run=2, source="shop 1"),
        ],
        factory.run_event("FAIL", seconds=8, run=2, run_facets={"parent": factory.parent(9, "nightly")}),
        beside(9, "START", seconds=6, run=3, source="shop 2"),
    ),
    # A dataset is deleted, while a job uses it again.
    "a deletion": (
        [uses(OLD, seconds=0, run=1, job="load")],
        factory.dataset_event(factory.dataset("a", **DELETED), seconds=3),
        uses(OLD, seconds=4, run=2, job="report"),
    ),
    # A job is deleted, while what it says of the columns of a new dataset is stored.
    "a deleted job": (
        [],
        writes(
            "START",
            seconds=0,
            run=1,
            output=factory.dataset("a", columnLineage=factory.columns(id=("s3://lake", "b", "id"))),
        ),
        factory.job_event(facets=DELETED),
    ),
    "a new dataset": ([], uses(NEW, seconds=5, run=3, job="load"), uses(OLD, seconds=9, run=4, job="report")),
}


class Turns:
    """Says whose call is next: in the order given, then writer 0 to its end, then writer 1."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = list(order)
        self._running = {0, 1}
        self._changed = threading.Condition()

    def take(self, writer: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._next() == writer, timeout=10)
            if self._order:
                self._order.pop(0)
            self._changed.notify_all()

    def leave(self, writer: int) -> None:
        with self._changed:
            self._running.discard(writer)
            self._changed.notify_all()

    def _next(self) -> int:
        self._order = list(itertools.dropwhile(lambda writer: writer not in self._running, self._order))
        return self._order[0] if self._order else min(self._running)


def folded(documents: Sequence[Document]) -> dict[Key, Item]:
    return table_after(*documents, one_by_one=True).items


def raced(before: dict[Key, Item], writers: Sequence[list[NormalisedEvent]], order: Sequence[int]) -> dict[Key, Item]:
    items, turns = dict(before), Turns(order)

    def write(writer: int) -> None:
        try:
            fold(writers[writer], GraphStore(WatchedTable(items, partial(turns.take, writer)), RETENTION))
        finally:
            turns.leave(writer)

    threads = [threading.Thread(target=write, args=[writer]) for writer in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return items


@pytest.mark.parametrize("swapped", [False, True], ids=["one first", "other first"])
@pytest.mark.parametrize("scene", SCENES)
def test_no_interleaving_of_two_writers_loses_a_change(scene: str, swapped: bool) -> None:
    earlier, one, other = SCENES[scene]
    expected = folded([*earlier, one, other])
    before = folded(earlier)
    writers = (
        [factory.received(other), factory.received(one)]
        if swapped
        else [factory.received(one), factory.received(other)]
    )
    for first, second in itertools.product(range(MOST_CALLS), repeat=2):
        assert raced(before, writers, [0] * first + [1] * second) == expected, (
            f"after {first} calls of one, {second} of the other"
        )


@pytest.mark.parametrize("swapped", [False, True], ids=["one first", "other first"])
@pytest.mark.parametrize("scene", SCENES)
def test_two_writers_of_a_file_at_once_lose_no_change(scene: str, swapped: bool) -> None:
    """Transactions of one file follow each other; calls outside of a transaction interleave as they happen to."""
    earlier, *events = SCENES[scene]
    table, together = table_with(folded(earlier)), threading.Barrier(2)

    def write(event: Document) -> None:
        together.wait()
        fold(factory.received(event), GraphStore(table, RETENTION))

    threads = [threading.Thread(target=write, args=[event]) for event in (events[::-1] if swapped else events)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.items == folded([*earlier, *events])


def test_a_run_that_moves_between_the_index_and_its_reading_is_asked_again() -> None:
    """Four turns: the older of two runs is taken for the newest, and becomes older still while it is read."""
    earlier = [writes("COMPLETE", seconds=4, run=1, output="a"), writes("COMPLETE", seconds=3, run=3, output="b")]
    one, other = writes("START", seconds=2, run=1, output="a"), writes("START", seconds=0, run=3, output="b")
    expected, before = folded([*earlier, one, other]), folded(earlier)
    writers = [factory.received(one), factory.received(other)]
    for first, second, third, fourth in itertools.product(range(1, 5), range(1, 5), range(4, 12), range(1, 5)):
        order = [0] * first + [1] * second + [0] * third + [1] * fourth
        assert raced(before, writers, order) == expected, order
