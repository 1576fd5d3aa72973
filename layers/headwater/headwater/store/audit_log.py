"""The audit log: an entry for each request, kept for a year; and the refusals of requests, kept for a week. An entry is
written once, and neither changed nor removed before it expires."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import merge
from itertools import chain, islice

from headwater.concurrent import concurrent_map
from headwater.graph.states.audit import AuditEntry, RefusalEntry
from headwater.store.errors import Conflict
from headwater.store.items.audit import encode, encode_refusal
from headwater.store.table import ConditionalPut, Item, Table, TableReader


class AuditLog:
    def __init__(self, table: Table) -> None:
        self._table = table

    def write(self, *entries: AuditEntry) -> None:
        """Writes entries, each on condition that its request has none. Raises StorageError.

        DynamoDB's client repeats a write that was not answered in time, so the entry may already be there.
        """
        with suppress(Conflict):
            self._table.change([ConditionalPut(encode(entry), None) for entry in entries])


class RefusalLog:
    def __init__(self, table: Table) -> None:
        self._table = table

    def write(self, entry: RefusalEntry) -> None:
        """Writes the refusals of a request: one write. Raises StorageError."""
        with suppress(Conflict):
            self._table.change([ConditionalPut(encode_refusal(entry), None)])


def newest_items(table: TableReader, partitions: Sequence[str], after: str, before: str, limit: int) -> Iterator[Item]:
    """The items of the shards of a day's entries with `after` <= position < `before`, newest first.

    One call reads up to `limit` entries of a shard; the first calls of all shards are made at the same time.
    """

    def begun(partition: str) -> Iterator[Item]:
        items = table.newest_items(partition, after, before, limit)
        return chain(list(islice(items, 1)), items)

    shards = concurrent_map(begun, partitions)
    return merge(*shards, key=lambda item: item.key.sk, reverse=True)
