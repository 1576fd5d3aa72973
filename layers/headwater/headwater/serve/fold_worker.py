"""Folds the events of the inbox into the table, a batch a transaction.

The events leave the inbox in the transaction that stores what they say: a process that is killed folds them after its
next start. An event with very many datasets is folded in parts, a transaction each, with batches of others in between;
it leaves the inbox with its last part. A group of which an event cannot be folded for now (a corrupt item) waits, and
keeps its order; the other groups go on.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from headwater import metrics
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.producers import producer_name
from headwater.retry import backoff
from headwater.store.home import FoldTransaction, Inbox

BATCH = 50
MOST_ITEMS = 2_500
"""Items of a transaction, by those of the batch before: posts wait while they are written. A batch has at most twice as
many messages as the one before, which may have been one small event of a key between the wide ones of another."""
PART = 1_000
"""Datasets of an event that are folded in one transaction. Each part writes the run and the head of the job anew, so
smaller parts take more time together."""
WAIT_SECONDS = 0.02
IDLE_SECONDS = 0.5
"""Another process, such as `headwater redrive --data`, may put messages into the inbox, and wakes nobody."""
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 60.0


@dataclass
class _Waiting:
    """A group that waits: its failures in a row, and when it is tried again."""

    failures: int
    until: float


@dataclass
class FoldWorker:
    """Folds the inbox, unless it `must_wait`. `on_fold` is called after each batch; the store of `normaliser` is used
    in a transaction."""

    inbox: Inbox
    transaction: Callable[[], AbstractContextManager[FoldTransaction]]
    normaliser: Normaliser
    on_fold: Callable[[], object]
    must_wait: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic
    _batch: int = BATCH
    _waiting: dict[str, _Waiting] = field(default_factory=dict)  # by group
    _unfinished: dict[str, Delivery] = field(default_factory=dict)  # by the id of the message

    def step(self) -> float:
        """Folds a batch. Returns the seconds until there may be another. Raises StorageError."""
        if self.must_wait():
            return WAIT_SECONDS
        now = self.clock()
        held_up = [group for group, waiting in self._waiting.items() if now < waiting.until]
        unfinished = list(self._unfinished.values())
        messages = self.inbox.take(self._batch, [*held_up, *(delivery.group for delivery in unfinished)])
        if not messages and not unfinished:
            return min((self._waiting[group].until - now for group in held_up), default=IDLE_SECONDS)
        if messages:
            written = self._fold(
                [Delivery(str(number), group, body, received) for number, group, body, received in messages]
            )
            self._batch = max(1, min(BATCH, 2 * self._batch, MOST_ITEMS * len(messages) // max(1, written)))
        if unfinished:
            self._fold(unfinished[:1])
        return 0

    def _fold(self, deliveries: Sequence[Delivery]) -> int:
        """Folds messages in a transaction. Returns how many items it wrote."""
        with self.transaction() as transaction:
            normaliser = replace(self.normaliser, store=self.normaliser.store.on(transaction.table), part=PART)
            result = normaliser.normalise(deliveries)
            remaining = {*result.failed, *result.unfinished}
            finished = [delivery.message_id for delivery in deliveries if delivery.message_id not in remaining]
            transaction.finish(map(int, finished))
        for message in (*finished, *result.failed):
            self._unfinished.pop(message, None)
        self._unfinished |= {
            message: rest for message, rest in result.unfinished.items() if message not in result.failed
        }
        self._note(deliveries, set(result.failed))
        metrics.count(EventsNormalised=result.folded, EventsQuarantined=result.quarantined)
        metrics.corrupt_items(result.corrupt)
        metrics.durations(result.durations, producer_name)
        self.on_fold()
        return len(transaction.written)

    def _note(self, deliveries: Sequence[Delivery], failed: set[str]) -> None:
        """Notes which groups wait, and for how long."""
        stuck = {delivery.group for delivery in deliveries if delivery.message_id in failed}
        for group in {delivery.group for delivery in deliveries} - stuck:
            self._waiting.pop(group, None)
        for group in stuck:
            failures = self._waiting[group].failures if group in self._waiting else 0
            pause = backoff(failures, FIRST_PAUSE_SECONDS, most=MAX_PAUSE_SECONDS, least=0.5)
            self._waiting[group] = _Waiting(failures + 1, self.clock() + pause)
