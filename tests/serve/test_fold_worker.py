"""The fold worker: what becomes of a message of the inbox, and what waits."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from headwater.fold.normalise import Normaliser
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.metrics import Measurement
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.serve.fold_worker import BATCH, MAX_PAUSE_SECONDS, PART, WAIT_SECONDS, FoldWorker
from headwater.serve.log import ServeLog
from headwater.store import keys
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.home import FoldTransaction
from headwater.store.memory import MemoryTable
from headwater.store.messages import Message, ReceivedMessage, write_message
from headwater.store.sqlite.archive import SqliteArchive
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.inbox import SqliteInbox
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.factory import RETENTION, Document
from tests.lookup.requests import table_after
from tests.store.files import items_in

NOTHING = ReceivedMessage("no event", Instant("2026-11-20T08:00:00.000000000Z"))
RECEIVED = Instant("2026-11-20T08:01:00.000000000Z")


class World:
    """A file, whose inbox is folded step by step; `now` is the clock of the worker."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now, self.must_wait = 0.0, False
        self.bodies = SqliteBodies(database)
        self.archive = SqliteArchive(database, self.bodies)
        self.inbox = SqliteInbox(database, lambda: None, ServeLog())
        self.table = SqliteTable(database)
        self.worker = self._fold_worker()

    @contextmanager
    def transaction(self) -> Iterator[FoldTransaction]:
        with self.table.transaction() as transaction:
            yield FoldTransaction(
                transaction, lambda numbers: self.inbox.remove_with(transaction, numbers), transaction.written
            )

    def receive(self, *documents: Document) -> None:
        assert all(self.inbox.send([self.message(document) for document in documents]))

    def message(self, document: Document) -> Message:
        canonical = exact_json.dumps(document)
        return write_message(read_event(document), canonical, RECEIVED, self.bodies)

    def damage_run(self, number: int) -> None:
        """Makes the item of a run of the job `load` unreadable."""
        self._change("UPDATE items SET doc = x'00' WHERE sk = ?", f"R#{factory.run_id(number)}")

    def repair_run(self, number: int) -> None:
        self._change("DELETE FROM items WHERE sk = ?", f"R#{factory.run_id(number)}")

    def runs_waiting(self) -> list[str]:
        return [message.group for message in self.inbox.take(1_000)]

    def writes(self) -> int:
        return sum(key.sk.startswith("W#") for key in items_in(self.database))

    def quarantine(self) -> list[str]:
        with self.database.reading() as connection:
            query = "SELECT content FROM bodies WHERE key LIKE 'quarantine/%'"
            return [json.loads(content)["reason"] for (content,) in connection.execute(query).fetchall()]

    def start_again(self) -> None:
        """What a process does that was killed."""
        self.inbox = SqliteInbox(self.database, lambda: None, ServeLog())
        self.worker = self._fold_worker()

    def _fold_worker(self) -> FoldWorker:
        thresholds = Thresholds(300_000, {})
        store = GraphStore(self.table, RETENTION)
        normaliser = Normaliser(store, self.bodies, self.archive, Naming(), thresholds, lambda: RECEIVED, ServeLog())
        return FoldWorker(
            self.inbox, self.transaction, normaliser, lambda: None, lambda: self.must_wait, lambda: self.now
        )

    def _change(self, query: str, *parameters: str) -> None:
        with self.database.writing() as connection:
            connection.execute(query, parameters)


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def folded(documents: Iterable[Document]) -> MemoryTable:
    return table_after(*documents, one_by_one=True)


def wide(run: int, datasets: int = 2 * PART + 1) -> Document:
    return factory.run_event("COMPLETE", run=run, outputs=[factory.dataset(f"t{at}") for at in range(datasets)])


def events(number: int) -> list[Document]:
    return [factory.run_event("RUNNING", run=run, seconds=run) for run in range(1, number + 1)]


def test_a_batch_of_events_with_many_datasets_is_smaller(world: World) -> None:
    """While it is written, posts wait."""
    wides = [wide(run, datasets=300) for run in range(1, 2 * BATCH + 1)]
    world.receive(*({**event, "job": {**event["job"], "name": f"j{at}"}} for at, event in enumerate(wides)))
    folded_at_once = []
    while before := world.inbox.depth():
        world.worker.step()
        folded_at_once.append(before - world.inbox.depth())
    assert folded_at_once[0] == BATCH, "how many items an event has is not known"
    assert max(folded_at_once[1:]) <= 8
    folded_at_once.clear()
    world.receive(*events(2 * BATCH))
    while before := world.inbox.depth():
        world.worker.step()
        folded_at_once.append(before - world.inbox.depth())
    assert max(folded_at_once) > 8, "it grows again"


def test_the_parts_of_a_wide_event_make_no_batch_of_others_smaller(world: World) -> None:
    world.receive(wide(1, 4 * PART), *events(3 * BATCH + 1)[1:])
    for _ in range(4):
        world.worker.step()
    assert world.inbox.depth() == 0


def test_the_inbox_is_folded_in_batches_and_is_empty_then(world: World) -> None:
    world.receive(*events(BATCH + 1))
    assert world.worker.step() == 0
    assert world.inbox.depth() == 1
    assert world.worker.step() == 0
    assert world.inbox.depth() == 0
    assert world.worker.step() > 0
    assert items_in(world.database) == folded(events(BATCH + 1)).items


def test_a_message_that_can_never_be_folded_goes_to_quarantine_and_its_group_goes_on(world: World) -> None:
    first, second = factory.run_event("START"), factory.run_event("COMPLETE", seconds=1)
    unreadable = replace(world.message(first), body="no message", deduplication_id="x", received=NOTHING)
    world.inbox.send([world.message(first), unreadable, world.message(second)])
    world.worker.step()
    assert world.inbox.depth() == 0
    assert [reason.partition(":")[0] for reason in world.quarantine()] == ["InvalidRequest"]
    assert items_in(world.database) == folded([first, second]).items


def test_a_group_with_an_item_that_cannot_be_read_waits_in_its_order_and_others_go_on(world: World) -> None:
    world.receive(factory.run_event("START", run=1, job="load"))
    world.worker.step()
    world.damage_run(1)
    world.receive(
        factory.run_event("RUNNING", run=1, seconds=1),
        factory.run_event("START", run=2, seconds=1, job="other"),
        factory.run_event("COMPLETE", run=1, seconds=2),
    )
    world.worker.step()
    assert world.runs_waiting() == [factory.run_id(1)] * 2
    assert world.quarantine() == []
    assert keys.job_head(job_id(Name("demo", "other"))) in items_in(world.database)


def test_a_batch_has_at_most_twice_as_many_messages_as_the_one_before(world: World) -> None:
    """A small event says nothing of how wide those of the next batch are."""
    world.worker._batch = 1
    sizes = []
    world.receive(*(factory.run_event(run=number) for number in range(20)))
    while before := world.inbox.depth():
        world.worker.step()
        sizes.append(before - world.inbox.depth())
    assert sizes == [1, 2, 4, 8, 5]


def test_events_wait_for_the_alerts_of_those_before_them(world: World) -> None:
    world.receive(factory.run_event())
    world.must_wait = True
    assert world.worker.step() == WAIT_SECONDS
    assert world.inbox.depth() == 1
    world.must_wait = False
    assert world.worker.step() == 0
    assert world.inbox.depth() == 0


def test_a_group_that_waits_is_tried_again_after_growing_pauses_and_folded_once_it_can_be(world: World) -> None:
    world.receive(factory.run_event("START", run=1))
    world.worker.step()
    world.damage_run(1)
    world.receive(factory.run_event("COMPLETE", run=1, seconds=1))
    world.worker.step()
    pauses = []
    for _ in range(10):
        pauses.append(world.worker.step())
        assert world.inbox.depth() == 1
        world.now += pauses[-1]
        world.worker.step()
    assert 0.5 <= pauses[0] <= 1
    assert 0.5 * MAX_PAUSE_SECONDS <= pauses[-1] <= MAX_PAUSE_SECONDS
    world.repair_run(1)
    world.now += MAX_PAUSE_SECONDS
    world.worker.step()
    assert world.inbox.depth() == 0


def test_if_the_file_takes_nothing_the_batch_stays_and_nothing_of_it_is_stored(world: World) -> None:
    world.receive(*events(3))
    before = items_in(world.database)
    whole, world.table = world.table, Full(world.database)
    with pytest.raises(StorageError, match="full"):
        world.worker.step()
    assert (world.inbox.depth(), items_in(world.database)) == (3, before)
    world.table = whole
    world.worker.step()
    assert world.inbox.depth() == 0


class Full(SqliteTable):
    """A table on a disk that is full, as the commit finds out."""

    def _commit(self, transaction: object) -> None:
        with self._database.writing():
            raise sqlite3.OperationalError("database or disk is full")


def test_an_event_too_long_for_a_message_is_folded_and_archived(world: World) -> None:
    noise = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(200_000))
    long = factory.run_event("START", run_facets={"long": factory.facet(text=noise)})
    world.receive(long)
    world.worker.step()
    assert items_in(world.database) == folded([long]).items
    assert [exact_json.loads(event.canonical) for event in world.archive.events()] == [long]


def test_the_archive_has_every_event_in_its_order_and_forgets_the_oldest(world: World) -> None:
    world.receive(*events(3))
    assert [exact_json.loads(event.canonical) for event in world.archive.events()] == events(3)
    assert [event.received_at for event in world.archive.events()] == [RECEIVED] * 3
    later = 10**11
    assert world.archive.remove_received_before(later) == 0, "they are not folded yet"
    world.worker.step()
    assert world.archive.remove_received_before(later) == 3
    assert list(world.archive.events()) == []


def test_an_event_with_very_many_datasets_is_folded_in_parts_with_other_events_in_between(world: World) -> None:
    world.receive(wide(run=1))
    world.worker.step()
    assert world.writes() == PART
    between = factory.run_event("START", run=2, job="other")
    world.receive(between)
    world.worker.step()
    assert (world.writes(), world.runs_waiting()) == (2 * PART, [factory.run_id(1)])
    assert keys.job_head(job_id(Name("demo", "other"))) in items_in(world.database)
    world.worker.step()
    assert world.inbox.depth() == 0
    assert items_in(world.database) == folded([wide(run=1), between]).items


def test_a_process_that_is_killed_between_two_parts_folds_the_event_after_its_next_start(world: World) -> None:
    world.receive(wide(run=1))
    world.worker.step()
    world.start_again()
    while world.inbox.depth():
        world.worker.step()
    assert items_in(world.database) == folded([wide(run=1)]).items


def test_an_event_of_several_parts_is_counted_once(world: World, measured: list[Measurement]) -> None:
    world.receive(wide(run=1))
    while world.inbox.depth():
        world.worker.step()
    assert [measurement.values["EventsNormalised"] for measurement in measured if measurement.unit == "Count"] == [[1]]


def test_if_a_part_cannot_be_folded_the_event_waits_and_is_folded_once_it_can_be(world: World) -> None:
    world.receive(wide(run=1))
    world.worker.step()
    world.damage_run(1)
    world.worker.step()
    assert world.worker.step() > 0
    assert world.inbox.depth() == 1
    world.repair_run(1)
    world.now += MAX_PAUSE_SECONDS
    while world.inbox.depth():
        world.worker.step()
    assert items_in(world.database) == folded([wide(run=1)]).items
