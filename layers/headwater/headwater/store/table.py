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


class Change(NamedTuple):
    """An item to put, and the one that must still be there when it is put (None: none may be there)."""

    item: Item
    replacing: Item | None


Stored = Mapping[Key, Item]
"""Items as they were read."""


def version_of(item: Item | None) -> str | None:
    """An item's version; None if there is no item."""
    return item.version if item else None


def changed(items: Iterable[Item], stored: Stored) -> list[Change]:
    """The changes that make of what is stored what is wanted."""
    changes = [Change(item, stored.get(item.key)) for item in items]
    return [change for change in changes if version_of(change.item) != version_of(change.replacing)]


class Table(Protocol):
    """Reads are strongly consistent but for those of `named` and `runs`."""

    def read(self, keys: Collection[Key]) -> dict[Key, Item]:
        """The items that are there, up to 100 a call to the service."""

    def change(self, changes: Sequence[Change]) -> None:
        """Puts each item on its condition; raises Conflict, after having tried all, if any did not hold."""

    def put(self, items: Iterable[Item]) -> None:
        """Puts items whose content follows from their key, without a condition."""

    def newest(self, pk: str) -> Iterator[Key]:
        """The keys of the runs in a job's partition, or of the writes in a dataset's, newest first, as far as asked."""

    def named(self, listed_in: str) -> Iterator[Key]:
        """The keys of what is listed there, in the order of names."""

    def runs(self, run_id: str) -> list[Key]:
        """The keys of the runs with that id: one for each job name it came under."""
