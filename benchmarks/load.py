"""Fills a stack's table with a graph: the events are folded, as normalise does it, by the same fold.

What is left out is what the table does not depend on: HTTP, the queue and the archive. The fold works on a table in
memory, whose items are then put into DynamoDB as they are: the fold's tests hold that it leaves the same items in both,
and that neither the order of events nor how they are cut into batches matters.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from headwater.fold.fold import fold
from headwater.store.dynamodb import DynamoTable
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.s3 import Bucket
from tests.embedded import Deployed
from tests.factory import received

Document = dict[str, Any]
Say = Callable[[str], None]
Each = TypeVar("Each")

BATCH = 200
TOLD_EVERY_SECONDS = 5


def load(stack: Deployed, events: Iterator[Document], count: int, say: Say) -> float:
    """Folds events, telling how far it is. Returns the seconds that the fold alone took."""
    memory, retention = MemoryTable(), stack.retention()
    progress = Progress("events folded", count, say)
    for batch in _batches(events):
        fold(received(*batch), GraphStore(memory, retention))
        progress.add(len(batch))
    seconds = progress.seconds()
    items = memory.items.values()
    progress = Progress("items stored", len(items), say)
    bucket = Bucket(stack.account.s3, stack.outputs["ArchiveBucketName"])
    table = DynamoTable(stack.dynamodb, stack.outputs["TableName"], bucket)
    for some in _batches(iter(items)):
        table.put(some)
        progress.add(len(some))
    progress.seconds()
    return seconds


class Progress:
    """Tells how far something is, every few seconds."""

    def __init__(self, what: str, count: int, say: Say) -> None:
        self._what, self._count, self._say = what, count, say
        self._started = self._told = time.monotonic()
        self._done = 0

    def add(self, done: int) -> None:
        self._done += done
        now = time.monotonic()
        if now - self._told > TOLD_EVERY_SECONDS:
            self._told = now
            left = (self._count - self._done) * (now - self._started) / self._done
            self._say(f"  {self._done:,} of {self._count:,} {self._what}, {left:,.0f} s to go")

    def seconds(self) -> float:
        """The seconds since the start, which it tells too."""
        seconds = time.monotonic() - self._started
        self._say(f"  {self._count:,} {self._what} in {seconds:.1f} s")
        return seconds


def _batches(each: Iterator[Each]) -> Iterator[list[Each]]:
    while batch := list(islice(each, BATCH)):
        yield batch
