"""The inbox: events that were received and are not folded yet. It stands where the queue stands on AWS.

A message is in the archive and in the inbox once `send` returns, on disk. Messages that several threads send at the
same time are committed together. They are taken from their senders in turn: behind ten thousand events of one key, the
event of another is in the next batch.
"""

import json
import sqlite3
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from threading import Lock
from typing import NamedTuple, cast

from headwater.store.errors import StorageError
from headwater.store.home import InboxMessage
from headwater.store.messages import Message, ReceivedMessage
from headwater.store.sqlite.database import Database, in_turn
from headwater.store.sqlite.group_commit import GroupCommit
from headwater.store.sqlite.table import Transaction

DEDUPLICATION_SECONDS = 300
"""How long a repeated message is dropped, as on SQS. Later repetitions are folded again, which changes nothing."""
MAX_BATCH_BYTES = 4 * 1024 * 1024
MAX_READ_CHARACTERS = 2_000_000
"""The texts of the events that are kept as they were read, until they are folded. An event takes about ten times the
memory of its text; the events of a longer inbox are read from the file."""

_SLASH = "instr(message_group || '/', '/')"
_GROUP, _SENDER = f"substr(message_group, 1, {_SLASH} - 1)", f"substr(message_group, {_SLASH} + 1)"
"""A row has "group/sender", as in "7d41…/team-a". One of a release before, or of a redrive, has no sender."""
_BY_SENDER = f"CREATE INDEX IF NOT EXISTS inbox_by_sender ON inbox ({_SENDER}, seq)"
_NEXT_SENDER = f"SELECT {_SENDER} FROM inbox WHERE {_SENDER} >= ? ORDER BY {_SENDER} LIMIT 1"  # noqa: S608
_OF_SENDER = f"WHERE {_SENDER} = ? AND {_GROUP} NOT IN (SELECT value FROM json_each(?))"  # noqa: S608
_TAKE = (
    f"SELECT {_SENDER}, received, inbox.seq, {_GROUP}, message"  # noqa: S608
    f" FROM inbox CROSS JOIN archive ON archive.seq = inbox.seq {_OF_SENDER} ORDER BY inbox.seq LIMIT ?"
)
_COUNT = f"SELECT count(*) FROM inbox {_OF_SENDER}"  # noqa: S608

_HELD = "SELECT 1 FROM inbox WHERE seq IN (SELECT value FROM json_each(?)) LIMIT 1"


class _Posted(NamedTuple):
    time: float
    number: int


@dataclass
class _Backlog:
    """The waiting messages of a sender, as of the last take and what came since.

    at            when messages were last taken
    number        how many wait, with those that were taken and are being folded
    waited        how long the first one had waited then, in seconds
    taken         how many were taken then; 0 if that was all, since the next take then says nothing of the fold's speed
    seconds_each  how long one took of late; 0 until that is known
    """

    at: float
    number: int
    waited: float
    taken: int
    seconds_each: float

    @property
    def seconds(self) -> float:
        return self.number * self.seconds_each or self.waited

    def seconds_each_at(self, now: float) -> float:
        """The seconds that a message takes, as of late: those that were taken are folded by now."""
        if not self.taken:
            return 0
        latest = (now - self.at) / self.taken
        return self.seconds_each + (latest - self.seconds_each) / 5 if self.seconds_each else latest


class SqliteInbox:
    """`Inbox` over a file."""

    def __init__(
        self,
        database: Database,
        on_arrival: Callable[[], object] = lambda: None,
        on_failure: Callable[[str, BaseException], object] = lambda *_: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._on_arrival = on_arrival
        self._on_failure = on_failure
        self._clock = clock
        self._group = GroupCommit(self._commit)
        self._read: dict[int, ReceivedMessage] = {}
        self._characters = 0
        self._reading = Lock()
        self._recent: OrderedDict[str, _Posted] = OrderedDict()
        self._last_sender = ""
        self._backlogs: dict[str, _Backlog] = {}

    def listen(self, on_arrival: Callable[[], object], on_failure: Callable[[str, BaseException], object]) -> None:
        self._on_arrival = on_arrival
        self._on_failure = on_failure
        try:
            with self._database.writing() as connection:
                connection.execute(_BY_SENDER)
        except StorageError as error:  # a long inbox is read slowly without it
            on_failure("the inbox has no index by sender", error)

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Whether each message is safe in the file: all of them, or none."""
        return [self._group.write(messages)] * len(messages)

    def take(self, limit: int, without: Collection[str] = ()) -> list[InboxMessage]:
        """The first messages of each sender, in turn, except those of some groups. The sender after the one that the
        last batch ended with comes first: a batch may be shorter than the list of senders."""
        groups, now = json.dumps(list(without)), self._clock()
        with self._database.reading() as connection:
            senders = in_turn(connection, _NEXT_SENDER, self._last_sender)
            each = min(limit, -(-4 * limit // max(1, len(senders))))  # most have fewer than their part
            rows = [connection.execute(_TAKE, (sender, groups, each)).fetchall() for sender in senders[:limit]]
            numbers = [
                len(of_one) if len(of_one) < each else connection.execute(_COUNT, (of_one[0][0], groups)).fetchone()[0]
                for of_one in rows
            ]
        first = [row for turn in zip_longest(*rows) for row in turn if row][:limit]
        messages = (InboxMessage(number, group, body, self._read.get(number)) for _, _, number, group, body in first)
        if batch := _bounded(messages):
            self._last_sender = first[len(batch) - 1][0]
        taken = Counter(sender for sender, *_ in first[: len(batch)])
        others = {sender: self._backlogs[sender] for sender in senders[limit:] if sender in self._backlogs}
        self._backlogs = others | {
            sender: self._backlog(sender, number, now - of_one[0][1], taken[sender], now)
            for sender, number, of_one in zip(senders, numbers, rows, strict=False)
            if of_one
        }
        return batch

    def seconds_behind(self, sender: str) -> float:
        """In about how many seconds what a sender sends now is taken. Until it is known how fast that goes: for how
        long its first message had waited when messages were last taken."""
        backlog = self._backlogs.get(sender)
        return backlog.seconds if backlog else 0

    def holds(self, messages: Iterable[Message]) -> bool:
        """Whether any of these messages, sent by this process recently, is not folded yet."""
        recent = [self._recent.get(message.deduplication_id) for message in messages]
        numbers = json.dumps([sent.number for sent in recent if sent])
        with self._database.settled() as connection:
            return connection.execute(_HELD, (numbers,)).fetchone() is not None

    def remove_with(self, transaction: Transaction, numbers: Iterable[int]) -> None:
        """Removes messages with the commit of the transaction that stores what they say."""
        transaction.other_writes.append(partial(self.remove, numbers=list(numbers)))

    def remove(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        connection.executemany("DELETE FROM inbox WHERE seq = ?", [(number,) for number in numbers])
        self._forget(numbers)

    def depth(self) -> int:
        """The number of messages that are not folded yet."""
        with self._database.settled() as connection:
            number: int = connection.execute("SELECT count(*) FROM inbox").fetchone()[0]
        return number

    def _backlog(self, sender: str, number: int, waited: float, taken: int, now: float) -> _Backlog:
        before = self._backlogs.get(sender)
        if before and not taken:  # others filled the batch
            return replace(before, number=number)
        seconds_each = before.seconds_each_at(now) if before else 0
        return _Backlog(now, number, waited, taken if taken < number else 0, seconds_each)

    def _commit(self, messages: list[Message]) -> bool:
        now = self._clock()
        new = self._not_repeated(messages, now)
        numbered: dict[int, Message] = {}
        try:
            with self._database.writing() as connection:
                numbered.update((_insert(connection, message, int(now)), message) for message in new)
                self._keep_as_read(numbered)
        except StorageError as error:
            self._on_failure("messages could not be stored", error)
            self._forget(numbered)
            return False
        self._recent.update((message.deduplication_id, _Posted(now, number)) for number, message in numbered.items())
        for message in numbered.values():
            if backlog := self._backlogs.get(message.sender):
                backlog.number += 1
        self._on_arrival()
        return True

    def _keep_as_read(self, messages: Mapping[int, Message]) -> None:
        """Before the commit: afterwards they may be folded at once."""
        for number, message in messages.items():
            characters = len(message.received.canonical)
            with self._reading:
                if self._characters + characters > MAX_READ_CHARACTERS:
                    return
                self._characters += characters
            self._read[number] = message.received

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if received := self._read.pop(number, None):
                with self._reading:
                    self._characters -= len(received.canonical)

    def _not_repeated(self, messages: Iterable[Message], now: float) -> list[Message]:
        """The messages that were not sent in the last minutes, each once. Messages sent in the future are forgotten:
        the clock has gone back."""
        while self._recent and not 0 <= now - next(iter(self._recent.values())).time < DEDUPLICATION_SECONDS:
            self._recent.popitem(last=False)
        distinct: dict[str, Message] = {}
        for message in messages:
            distinct.setdefault(message.deduplication_id, message)
        return [message for known, message in distinct.items() if known not in self._recent]


def _insert(connection: sqlite3.Connection, message: Message, now: int) -> int:
    """Adds a message to the archive and to the inbox. Returns its number."""
    cursor = connection.execute("INSERT INTO archive (received, message) VALUES (?, ?)", (now, message.body))
    number = cast("int", cursor.lastrowid)
    connection.execute("INSERT INTO inbox VALUES (?, ?)", (number, f"{message.group}/{message.sender}"))
    return number


def _bounded(messages: Iterable[InboxMessage]) -> list[InboxMessage]:
    """As many of the messages as fit into a batch, but at least one."""
    batch: list[InboxMessage] = []
    size = 0
    for message in messages:
        size += len(message.body)
        if batch and size > MAX_BATCH_BYTES:
            break
        batch.append(message)
    return batch
