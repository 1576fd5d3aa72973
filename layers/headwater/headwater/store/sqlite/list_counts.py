"""The lengths of lists, each counted once: to count a list, SQLite reads all entries of its index."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

from headwater.store.sqlite.outbox import ItemChange

MOST = 10_000
"""How many lengths are kept. A namespace, a day and a parent run are lists."""


class ListCounts:
    """Lengths of lists. A write that adds or removes entries makes a length unknown again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lengths: dict[str, int] = {}
        self._writes = 0

    def length(self, list_name: str, count: Callable[[], int]) -> int:
        """The length of a list: the known one, else what `count` returns."""
        with self._lock:
            if (known := self._lengths.get(list_name)) is not None:
                return known
            writes = self._writes
        counted = count()
        with self._lock:
            if writes == self._writes and len(self._lengths) < MOST:
                self._lengths[list_name] = counted
        return counted

    @contextmanager
    def changing(self, lists: Collection[str] | None = None) -> Iterator[None]:
        """A write to these lists, or to any list, for the length of the block. A count made meanwhile may or may not
        have seen the write, so its result is not kept."""
        self._forget(lists)
        try:
            yield
        finally:
            self._forget(lists)

    def _forget(self, lists: Collection[str] | None) -> None:
        if lists is not None and not lists:
            return
        with self._lock:
            self._writes += 1
            for name in list(self._lengths) if lists is None else lists:
                self._lengths.pop(name, None)


def changed_lists(changes: Iterable[ItemChange]) -> set[str]:
    """The lists whose length these changes alter."""
    changed: set[str] = set()
    for before, after in changes:
        new = after.labels.get("listed_in")
        old = before.labels.get("listed_in") if before else None
        if old != new:
            changed.update(name for name in (old, new) if name)
    return changed
