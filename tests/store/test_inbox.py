"""The inbox of a file: what is answered is stored, once, in its order."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from headwater.openlineage.instant import Instant
from headwater.store.errors import StorageError
from headwater.store.home import InboxMessage
from headwater.store.messages import Message, ReceivedMessage
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.inbox import (
    _NEXT_SENDER,
    _TAKE,
    DEDUPLICATION_SECONDS,
    MAX_BATCH_BYTES,
    MAX_READ_CHARACTERS,
    SqliteInbox,
)
from tests.fakes import fail_test

RECEIVED = Instant("2026-11-20T08:00:00.000000000Z")


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inbox(database: Database, clock: Clock) -> SqliteInbox:
    return SqliteInbox(database, lambda: None, fail_test, clock)


def message(text: str, group: str = "run", sender: str = "") -> Message:
    return Message(text, group, f"{group}{text}", ReceivedMessage(text, RECEIVED), sender)


def bodies(messages: list[InboxMessage]) -> list[str]:
    return [message.body for message in messages]


def test_messages_are_taken_in_the_order_in_which_they_came(inbox: SqliteInbox) -> None:
    assert inbox.send([message("a"), message("b")]) == [True, True]
    assert inbox.send([message("c", "other")]) == [True]
    assert bodies(inbox.take(10)) == ["a", "b", "c"]
    assert bodies(inbox.take(2)) == ["a", "b"]
    assert bodies(inbox.take(10, without=["run"])) == ["c"]
    assert inbox.depth() == 3


def test_senders_take_turns(inbox: SqliteInbox) -> None:
    """An event is in the next batch, whatever others have sent before."""
    inbox.send([message(f"a{number}", f"run {number % 3}", "team/a") for number in range(100)])
    inbox.send([message("b0", sender="team/b"), message("b1", sender="team/b"), message("c0", sender="c")])
    assert bodies(inbox.take(6)) == ["c0", "a0", "b0", "a1", "b1", "a2"]
    assert [taken.group for taken in inbox.take(6, without=["run 0", "run"])] == ["run 1", "run 2"] * 3


def test_a_batch_that_is_shorter_than_the_list_of_senders_goes_on_with_the_next_one(inbox: SqliteInbox) -> None:
    for sender in "abc":
        inbox.send([message(f"{sender}{number}", sender, sender) for number in range(4)])
    assert [bodies(inbox.take(2)) for _ in range(3)] == [["a0", "b0"], ["c0", "a0"], ["b0", "c0"]]


def test_how_far_a_sender_is_behind_is_known_once_messages_are_taken(inbox: SqliteInbox, clock: Clock) -> None:
    inbox.send([message("old", sender="a")])
    clock.now += 40
    inbox.send([message("new", sender="b")])
    assert inbox.seconds_behind("a") == 0
    inbox.take(10)
    assert [inbox.seconds_behind(sender) for sender in ("a", "b", "nobody")] == [40, 0, 0]


def test_how_far_the_senders_of_other_batches_are_behind_stays_known(inbox: SqliteInbox, clock: Clock) -> None:
    for sender in "abc":
        inbox.send([message(sender, sender=sender)])
    clock.now += 40
    for _ in range(3):
        inbox.take(1)
    assert [inbox.seconds_behind(sender) for sender in "abc"] == [40, 40, 40]
    inbox.take(3, without=["run"])
    assert [inbox.seconds_behind(sender) for sender in "abc"] == [0, 0, 0], "what is held up slows nobody down"


def test_how_far_a_sender_is_behind_follows_from_what_waits_and_how_fast_it_is_taken(
    inbox: SqliteInbox, database: Database, clock: Clock
) -> None:
    def take(limit: int) -> None:
        with database.writing() as connection:
            inbox.remove(connection, [message.number for message in inbox.take(limit)])

    inbox.send([message(f"a{number}", sender="a") for number in range(100)])
    inbox.send([message("b", sender="b")])
    take(11)
    assert inbox.seconds_behind("a") == 0, "not known yet"
    clock.now += 1
    take(10)
    assert inbox.seconds_behind("a") == 90 / 10, "those that are being folded wait, too"
    inbox.send([message(f"more {number}", sender=sender) for sender in "ab" for number in range(60)])
    assert (inbox.seconds_behind("a"), inbox.seconds_behind("b")) == (150 / 10, 0)
    clock.now += 2
    take(1_000)
    assert inbox.seconds_behind("a") == 140 * (0.1 + (0.2 - 0.1) / 5)
    take(10)
    assert inbox.seconds_behind("a") == 0


def test_messages_of_the_release_before_have_no_sender(inbox: SqliteInbox, database: Database) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO archive (seq, received, message) VALUES (7, 0, 'old')")
        connection.execute("INSERT INTO inbox VALUES (7, 'run')")
    inbox.listen(lambda: None, fail_test)
    inbox.send([message("new", "run", "team")])
    assert sorted((taken.body, taken.group) for taken in inbox.take(10)) == [("new", "run"), ("old", "run")]
    assert inbox.take(10, without=["run"]) == []


def test_messages_of_a_sender_are_found_by_the_index(inbox: SqliteInbox, database: Database) -> None:
    inbox.listen(lambda: None, fail_test)
    with database.reading() as connection:
        for query, values in ((_NEXT_SENDER, ("a",)), (_TAKE, ("a", "[]", 5))):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
            assert "inbox_by_sender" in plan[0][-1]
            assert not any("TEMP B-TREE" in step[-1] for step in plan)


def test_a_message_that_was_removed_is_not_taken_again(inbox: SqliteInbox, database: Database) -> None:
    inbox.send([message("a"), message("b")])
    with database.writing() as connection:
        inbox.remove(connection, [inbox.take(1)[0].number])
    assert bodies(inbox.take(10)) == ["b"]


def test_a_repeated_message_is_safe_and_is_stored_once(inbox: SqliteInbox, clock: Clock) -> None:
    assert inbox.send([message("a"), message("a")]) == [True, True]
    clock.now += DEDUPLICATION_SECONDS - 1
    assert inbox.send([message("a"), message("b")]) == [True, True]
    assert bodies(inbox.take(10)) == ["a", "b"]
    clock.now += 1
    inbox.send([message("a"), message("b")])
    assert bodies(inbox.take(10)) == ["a", "b", "a"]


def test_a_clock_that_goes_back_leaves_no_message_remembered_for_longer(inbox: SqliteInbox, clock: Clock) -> None:
    inbox.send([message(str(number)) for number in range(100)])
    clock.now -= 86_400
    inbox.send([message("a")])
    assert len(inbox._recent) == 1


def test_messages_of_several_threads_are_all_stored_each_in_its_group_s_order(inbox: SqliteInbox) -> None:
    together = threading.Barrier(8)

    def send(number: int) -> None:
        together.wait()
        for place in range(20):
            assert inbox.send([message(f"{place:02}", f"group {number}")]) == [True]

    senders = [threading.Thread(target=send, args=[number]) for number in range(8)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    taken = inbox.take(1_000)
    for number in range(8):
        of_group = [message.body for message in taken if message.group == f"group {number}"]
        assert of_group == [f"{place:02}" for place in range(20)]


def test_requests_that_wait_are_committed_together(database: Database) -> None:
    """While one commit is under way, others gather; they take one more commit."""
    counted = CountingDatabase(database)
    inbox = SqliteInbox(counted, lambda: None, fail_test)  # type: ignore[arg-type]
    senders = [threading.Thread(target=inbox.send, args=[[message(str(number))]]) for number in range(9)]
    senders[0].start()
    assert counted.entered.wait(10)
    for sender in senders[1:]:
        sender.start()
    while len(inbox._group.gathered) < 8:
        pass
    counted.goes_on.set()
    for sender in senders:
        sender.join()
    assert (counted.transactions, inbox.depth()) == (2, 9)


class CountingDatabase:
    def __init__(self, database: Database) -> None:
        self.reading, self.settled = database.reading, database.settled
        self.transactions = 0
        self.entered, self.goes_on = threading.Event(), threading.Event()
        self._database = database

    @contextmanager
    def writing(self) -> Iterator[object]:
        self.transactions += 1
        self.entered.set()
        assert self.goes_on.wait(10)
        with self._database.writing() as connection:
            yield connection


def test_messages_that_cannot_be_stored_are_not_safe(database: Database) -> None:
    failures: list[BaseException] = []
    inbox = SqliteInbox(database, lambda: None, lambda _, error: failures.append(error))
    with database.writing() as connection:
        connection.execute("ALTER TABLE inbox RENAME TO away")
    assert inbox.send([message("a")]) == [False]
    assert [type(failure) for failure in failures] == [StorageError]
    with database.writing() as connection:
        connection.execute("ALTER TABLE away RENAME TO inbox")
    assert inbox.send([message("a")]) == [True]
    assert bodies(inbox.take(10)) == ["a"]


def test_a_batch_is_bounded_and_never_empty(inbox: SqliteInbox) -> None:
    inbox.send([message("x" * (MAX_BATCH_BYTES + 1)), message("y" * MAX_BATCH_BYTES), message("z")])
    assert [len(message.body) for message in inbox.take(10)] == [MAX_BATCH_BYTES + 1]


def test_as_many_messages_as_fit_into_memory_are_kept_as_they_were_read(inbox: SqliteInbox, database: Database) -> None:
    half = MAX_READ_CHARACTERS // 2
    inbox.send([message("a" * half), message("b" * half), message("c")])
    assert [message.received is not None for message in inbox.take(10)] == [True, True, False]
    with database.writing() as connection:
        inbox.remove(connection, [inbox.take(1)[0].number])
    inbox.send([message("d")])
    assert [message.received and message.received.canonical[0] for message in inbox.take(10)] == ["b", None, "d"]
    assert [message.received for message in SqliteInbox(database, lambda: None, fail_test).take(10)] == [
        None,
        None,
        None,
    ]
