"""Writes the rebuilt items into a table, at a bounded rate, while live events keep coming.

An item that the table lacks is put, on condition that it is still absent. An item equal to the table's costs a read.
Any other item is joined with the table's, as the fold joins states: the table may know later events than the archive
did when it was read. So an interrupted write is simply started again, and writes only what is missing.

The kinds are written in the order of the fold (fold/fold.py). So a head that has to be chosen anew finds the runs,
neighbours and heads that the choice depends on.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import inf

from emr_jobs.rebuild.join import join
from headwater.fold.fold import ATTEMPTS
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.neighbours import Side
from headwater.graph.states.run import Run
from headwater.openlineage.instant import Instant, to_datetime
from headwater.read.run_end import MIN_SILENCE
from headwater.retry import backoff
from headwater.store.bulk import OPEN_IN, ConditionalPut, Item, Retention, Table, form_of, given_up, is_whole, state_in
from headwater.store.errors import Conflict, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest

AT_ONCE = 100
"""Items of one read."""
UNIT_BYTES = 1024
"""DynamoDB counts the writes of an item by its kilobytes."""


@dataclass
class Pace:
    """Holds a task to a number of write units a second."""

    units_a_second: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _free_at: float = field(default=0.0)

    def take(self, items: Iterable[Item]) -> None:
        """Waits until earlier writes are paid for."""
        now = self.clock()
        if self._free_at > now:
            self.sleep(self._free_at - now)
        self._free_at = max(now, self._free_at) + sum(map(units, items)) / self.units_a_second


def units(item: Item) -> int:
    """The write units of an item, without those of its indexes."""
    texts = sum(len(name) + len(text) for name, text in item.labels.items())
    return -(-(texts + sum(map(len, item.parts.values())) + 150) // UNIT_BYTES)


@dataclass(frozen=True)
class ItemWriter:
    """Writes the items of a partition. With `before`, only those that the table has in an older version than that."""

    open_table: Callable[[], Table]
    retention: Retention
    units_a_second: float
    now: float
    before: int | None = None

    def write(self, items: Iterable[Item]) -> Iterator[Counter[str]]:
        """What became of the items: how many were `written`, `joined`, or the `same`. Raises StorageError."""
        table, pace, rest = self.open_table(), Pace(self.units_a_second), iter(items)
        while taken := list(islice(rest, AT_ONCE)):
            chunk = [without_silent_run(item, self.now) for item in taken]
            stored = table.read([item.key for item in chunk])
            if self.before is not None:
                chunk = [item for item in chunk if _version(stored.get(item.key)) < self.before]
            absent = [item for item in chunk if item.key not in stored]
            others = [item for item in chunk if item.key in stored and stored[item.key].version != item.version]
            pace.take([*absent, *others])
            others += self._put(table, absent)
            joined = sum(self._join(table, item) for item in others)
            yield Counter(written=len(absent), joined=joined, same=len(chunk) - len(absent) - joined)

    def _put(self, table: Table, items: list[Item]) -> list[Item]:
        """Puts items that the table lacks. Returns those that a live event was faster with, or has outdated."""
        try:
            table.change([ConditionalPut(item, None) for item in items])
        except Conflict:
            stored = table.read([item.key for item in items])
            return [item for item in items if stored[item.key].version != item.version]
        return [item for item in items if self._is_outdated(table, item)]

    def _is_outdated(self, table: Table, item: Item) -> bool:
        """Whether a job was deleted or came back while the head with its column lineage was absent. The head of a
        dataset does not name a deleted job: the neighbours do."""
        if item.labels["kind"] != "dataset":
            return False
        head: DatasetHead = state_in(item)
        store = GraphStore(table, self.retention)
        writers = store.read(ReadRequest(jobs=store.neighbours(head.id)[Side.WRITES])).jobs.all()
        claims = [DatasetClaims.of(writer, head.id).columns for writer in writers.values()]
        return {job: digest for claimed in claims for job, digest in claimed.items()} != head.columns

    def _join(self, table: Table, item: Item) -> bool:
        """Joins an item with that of the table. Returns whether the table changed."""
        store = GraphStore(table, self.retention)
        for attempt in range(ATTEMPTS):
            stored = table.read([item.key]).get(item.key)
            try:
                if stored is None or not is_whole(stored, item.labels["kind"]):
                    table.change([ConditionalPut(item, stored)])
                else:
                    join(store, table, item)
            except Conflict as conflict:
                lost = conflict
                time.sleep(backoff(attempt, 0.01, most=0.64))
            else:
                after = table.read([item.key])[item.key]
                return stored is None or after.version != stored.version
        raise StorageError(f"other writers were faster {ATTEMPTS} times in a row: {lost}")


def _version(stored: Item | None) -> float:
    """The version of the form of a stored item; an item that is absent is older than none."""
    return inf if stored is None else form_of(stored)


def without_silent_run(item: Item, now: float) -> Item:
    """A run that was silent for long is kept out of the index of open runs: it may have been announced as abandoned,
    and must not be announced twice. Its next event brings it back. So is a job that is late, until it runs again."""
    if OPEN_IN not in item.labels:
        return item
    if item.labels["kind"] == "rhythm":
        return given_up(item) if to_datetime(Instant(item.labels["at"])).timestamp() < now else item
    run: Run = state_in(item)
    if now - to_datetime(run.updated).timestamp() < MIN_SILENCE.total_seconds():
        return item
    return given_up(item)
