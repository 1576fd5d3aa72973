"""Fills a stack's table with the events of a graph, by the fold of normalise.

HTTP, queue and archive are left out, since the table does not depend on them. The fold writes to a table in memory,
whose items are then put into DynamoDB: tests of the fold hold that both tables have the same items, for any order and
any batches of the events.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from headwater.fold.fold import fold
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.aws.s3 import Bucket
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests.embedded import Deployed
from tests.factory import received

Document = dict[str, Any]
Say = Callable[[str], None]
Entry = TypeVar("Entry")

BATCH = 200
PRINT_EVERY_SECONDS = 5


def load(stack: Deployed, events: Iterator[Document], count: int, say: Say) -> float:
    """Folds events and prints the progress. Returns the seconds of the fold alone."""
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
    """Prints the progress of a step every few seconds."""

    def __init__(self, what: str, count: int, say: Say) -> None:
        self._what, self._count, self._say = what, count, say
        self._started = self._told = time.monotonic()
        self._done = 0

    def add(self, done: int) -> None:
        self._done += done
        now = time.monotonic()
        if now - self._told > PRINT_EVERY_SECONDS:
            self._told = now
            left = (self._count - self._done) * (now - self._started) / self._done
            self._say(f"  {self._done:,} of {self._count:,} {self._what}, {left:,.0f} s to go")

    def seconds(self) -> float:
        """Prints and returns the seconds since the start."""
        seconds = time.monotonic() - self._started
        self._say(f"  {self._count:,} {self._what} in {seconds:.1f} s")
        return seconds


def _batches(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    while batch := list(islice(entries, BATCH)):
        yield batch
