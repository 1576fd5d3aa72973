"""The port: what the use cases ask of a table.

StorageError            an operation did not take place; trying again may help
+-- Conflict            an item is no longer as it was read: read again, fold again
Rejected                the service will never take this; trying again is in vain
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.keys import Key


class StorageError(Exception):
    """The table, the queue or the bucket could not do what was asked."""


class Conflict(StorageError):
    """A conditional write found another version than the one that was read."""


class Rejected(Exception):
    """The service refuses what it was given, and always will."""


@dataclass(frozen=True)
class Item:
    """One item: `labels` are its searchable attributes, `parts` its compressed documents by name.

    Its version is a hash of its content, so equal states are equal items, byte for byte, whatever way led there.
    """

    key: Key
    labels: Mapping[str, str]
    parts: Mapping[str, bytes]
    expires_at: int | None = field(default=None)

    @cached_property
    def version(self) -> str:
        content = [self.key, dict(self.labels), {name: part.hex() for name, part in self.parts.items()}]
        return hashlib.sha256(json.dumps([content, self.expires_at], sort_keys=True).encode()).hexdigest()[:32]


class ConditionalPut(NamedTuple):
    """An item to put, and the one that must still be there when it is put (None: none may be there)."""

    item: Item
    replacing: Item | None


Stored = Mapping[Key, Item]
"""Items as they were read."""


def version_of(item: Item | None) -> str | None:
    """An item's version; None if there is no item."""
    return item.version if item else None


def changed(items: Iterable[Item], stored: Stored) -> list[ConditionalPut]:
    """The changes that make of what is stored what is wanted."""
    changes = [ConditionalPut(item, stored.get(item.key)) for item in items]
    return [change for change in changes if version_of(change.item) != version_of(change.replacing)]


class IndexEntry(NamedTuple):
    """An entry of a list: an item's key, where it stands in the list, and its name if it has one."""

    key: Key
    place: str
    name: str


LOWEST, HIGHEST = "\x01", "\U0010ffff" * 4
"""Bounds of a list that leave nothing out: no text has a NUL."""


class Table(Protocol):
    """Reads are strongly consistent, except `list_entries`, `page_with_count`, `count`, `runs` and `open_runs`."""

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        """The items that are there, up to 100 a call to the service; it may be, `only` one part of each, and no labels.
        Such an item is for reading alone: it is not the one that is stored."""

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        """Puts each item on its condition; raises Conflict, after having tried all, if any did not hold."""

    def put(self, items: Iterable[Item]) -> None:
        """Puts items whose content follows from their key, without a condition."""

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[Key]:
        """The keys of what has a time in a partition, newest first, as far as asked: `after` <= its `at` < `before`.

        A job's partition has its runs; a dataset's its writes, whose `at` begins with a time, and its quality items.
        """

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        """The keys of a partition whose sort key begins so, in their order."""

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        """What is listed there, between two places, from the first or the last on, as far as asked."""

    def page_with_count(
        self, list_name: str, limit: int, *, after: str = LOWEST, before: str = HIGHEST, newest_first: bool = False
    ) -> tuple[list[IndexEntry], int]:
        """The first entries of a list between two places, or the last, and how many there are between them in all."""

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST) -> int:
        """How much there is in a list between two places; whoever wants few entries of a long list counts apart."""

    def runs(self, run_id: str) -> list[Key]:
        """The keys of the runs with that id: one for each job name it came under."""

    def open_runs(self, before: Instant) -> list[Key]:
        """The keys of the runs that started before a time and have not ended, nor been given up."""
