"""The port beneath the graph store: items by their keys, with conditional writes and three kinds of index.

The adapters are DynamoDB, SQLite and memory. Nothing outside `store` sees an item, except the tests of the adapters.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from json.encoder import encode_basestring_ascii as _quoted
from typing import NamedTuple, Protocol

from headwater.openlineage.instant import Instant, to_datetime
from headwater.store import keys
from headwater.store.keys import Key


def _label(text: object) -> str:
    """A label as JSON: a text, unless somebody has damaged it in a file."""
    return _quoted(text) if isinstance(text, str) else json.dumps(text)


@dataclass(frozen=True)
class Item:
    """One item: `labels` are its searchable attributes, `parts` its compressed documents by name.

    The version of an item is a hash of its content, as JSON with its members sorted. Equal states are equal items, byte
    for byte, whatever the order of the events. `stored_version` is the version that the stored item claims; None for an
    item that was not read.
    """

    key: Key
    labels: Mapping[str, str]
    parts: Mapping[str, bytes]
    expires_at: int | None = field(default=None)
    stored_version: str | None = field(default=None, compare=False)

    @cached_property
    def version(self) -> str:
        key = ", ".join(map(_quoted, self.key))
        labels = ", ".join([f"{_quoted(name)}: {_label(text)}" for name, text in sorted(self.labels.items())])
        parts = ", ".join([f'{_quoted(name)}: "{part.hex()}"' for name, part in sorted(self.parts.items())])
        expires_at = "null" if self.expires_at is None else self.expires_at
        text = f"[[[{key}], {{{labels}}}, {{{parts}}}], {expires_at}]"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def is_as_written(self) -> bool:
        """Whether a whole item has the content that its version is of. One that is damaged is not kept: somebody may
        repair it in the file. An item with only one part has no version to tell by."""
        return self.stored_version in (None, self.version)

    def only(self, part: str) -> "Item":
        """The item with one part, and the labels of its form, as `ItemReader.read` gives it."""
        form = {name: self.labels[name] for name in FORM if name in self.labels}
        return Item(self.key, form, {part: self.parts[part]} if part in self.parts else {})


FORMS = 1
"""The newest forms of items, as one number for all kinds. A release that gives a kind a new form raises it by one."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long runs (with their writes, quality results and aliases) and events are kept, counted from event times; and
    the forms in which items are written (docs/table.md): until all functions run a release, it writes the forms of the
    previous one, so that you can roll back."""

    runs: timedelta
    events: timedelta
    forms: int = FORMS

    @property
    def keeps_former_forms(self) -> bool:
        return self.forms < FORMS


def expiry(time: Instant, kept: timedelta) -> int:
    """The expiry of an item in epoch seconds, for DynamoDB's TTL."""
    return int(to_datetime(time).timestamp() + kept.total_seconds())


class ConditionalPut(NamedTuple):
    """An item to put, on condition that the item `replacing` is still stored; None: that no item is stored."""

    item: Item
    replacing: Item | None


class IndexEntry(NamedTuple):
    """An entry of a list: an item's key, its position in the list, and its name if it has one."""

    key: Key
    position: str
    name: str


FORM = ("kind", "schema")
"""The labels with the kind of an item and the version of its form."""
NO_PART = "none"
"""The name of no part. Reading only this part shows which items are stored."""
LOWEST, HIGHEST = "\x01", "\U0010ffff" * 4
"""Bounds of a list that leave nothing out: no text has a NUL."""


class ItemReader(Protocol):
    """Reads items by their keys."""

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        """The items with these keys, as far as they are stored; up to 100 items are one call to the service.

        With `only`, each item has just that part, and only the labels of `FORM`: such an item must not be put back.
        """


class TableReader(ItemReader, Protocol):
    """Reads are strongly consistent, except `newest_items`, `list_entries`, `page_with_count`, `count`, `runs` and
    `open_runs`."""

    def last_commit(self, partitions: Iterable[str] | None = None, /) -> int | None:
        """The number of the last commit; of the last one that wrote to some partitions, or a later number, where that
        is not known. None: others may write without the table knowing."""

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[IndexEntry]:
        """The items of a partition with `after` <= `at` < `before` by `at`, newest first, read page by page.

        A job's partition has its runs. A dataset's partition has its writes, whose `at` begins with a time, and its
        quality results.
        """

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        """The items of a partition with `after` <= sort key < `before`, the greatest sort key first; one call reads up
        to `limit` items."""

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        """The keys of a partition whose sort key begins with `beginning`, in order."""

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        """The entries of a list with `after` <= position < `before`, read page by page."""

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        """The first entries of a list, and the count of all its entries."""

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST, pk: str = "") -> int:
        """The count of the entries of a list between two positions whose items' partitions begin with `pk`."""

    def runs(self, run_id: str) -> list[Key]:
        """The keys of the runs with a run id: one for each job of the run."""

    def open_runs(self, before: Instant, shards: Sequence[str] = keys.OPEN_RUNS) -> list[Key]:
        """The keys of the open runs that started before a time; with `DUE_JOBS`, of the jobs that are late by then."""


class Table(TableReader, Protocol):
    """A table for reading and writing."""

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        """Like `read`, for half the price: an item may be a moment old. A ConditionalPut upon one that has changed is a
        Conflict."""

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        """Puts each item on its condition. Raises Conflict, after all puts were tried, if a condition did not hold."""

    def put(self, items: Iterable[Item]) -> None:
        """Puts items unconditionally: their content follows from their key."""
