"""Folds the events of the inbox into the table, a batch a transaction.

The events leave the inbox in the transaction that stores what they say: a process that is killed folds them after its
next start. A group of which an event cannot be folded for now (a corrupt item) waits, and keeps its order; the other
groups go on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from headwater import metrics
from headwater.fold.normalise import BatchResult, Delivery, Normaliser
from headwater.retry import backoff
from headwater.store.sqlite.inbox import Inbox, InboxMessage
from headwater.store.sqlite.table import SqliteTable

BATCH = 50
IDLE_SECONDS = 60.0
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 60.0


@dataclass
class _Waiting:
    """A group that waits: its failures in a row, and when it is tried again."""

    failures: int
    until: float


@dataclass
class Folder:
    """Folds the inbox. `on_fold` is called after each batch; the store of `normaliser` is used in a transaction."""

    inbox: Inbox
    table: SqliteTable
    normaliser: Normaliser
    on_fold: Callable[[], object]
    clock: Callable[[], float] = time.monotonic
    _waiting: dict[str, _Waiting] = field(default_factory=dict)

    def step(self) -> float:
        """Folds a batch. Returns the seconds until there may be another. Raises StorageError."""
        now = self.clock()
        held_up = [group for group, waiting in self._waiting.items() if now < waiting.until]
        messages = self.inbox.take(BATCH, held_up)
        if not messages:
            return min((self._waiting[group].until - now for group in held_up), default=IDLE_SECONDS)
        result = self._fold(messages)
        self._note(messages, set(result.failed))
        metrics.count(EventsNormalised=result.folded, EventsQuarantined=result.quarantined)
        metrics.corrupt_items(result.corrupt)
        metrics.durations(result.durations)
        self.on_fold()
        return 0

    def _fold(self, messages: list[InboxMessage]) -> BatchResult:
        deliveries = [
            Delivery(str(message.number), message.group, message.body, message.received) for message in messages
        ]
        with self.table.transaction() as transaction:
            normaliser = replace(self.normaliser, store=self.normaliser.store.on(transaction))
            result = normaliser.normalise(deliveries)
            folded = [message.number for message in messages if str(message.number) not in result.failed]
            transaction.other_writes.append(lambda connection: self.inbox.remove(connection, folded))
        return result

    def _note(self, messages: list[InboxMessage], failed: set[str]) -> None:
        """Notes which groups wait, and for how long."""
        stuck = {message.group for message in messages if str(message.number) in failed}
        for group in {message.group for message in messages} - stuck:
            self._waiting.pop(group, None)
        for group in stuck:
            failures = self._waiting[group].failures if group in self._waiting else 0
            pause = backoff(failures, FIRST_PAUSE_SECONDS, most=MAX_PAUSE_SECONDS, least=0.5)
            self._waiting[group] = _Waiting(failures + 1, self.clock() + pause)
