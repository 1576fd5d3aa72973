"""The table in memory: the port's semantics in a few lines, for tests and for replaying without AWS."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from headwater.store.keys import Key
from headwater.store.table import Change, Conflict, Item


class MemoryTable:
    """A dict that keeps the promises of `Table`."""

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}

    def read(self, keys: Collection[Key]) -> dict[Key, Item]:
        return {key: self.items[key] for key in keys if key in self.items}

    def change(self, changes: Sequence[Change]) -> None:
        refused = [change for change in changes if not self._holds(change)]
        self.items.update((change.item.key, change.item) for change in changes if change not in refused)
        if refused:
            raise Conflict(str(refused[0].item.key))

    def put(self, items: Iterable[Item]) -> None:
        self.items.update((item.key, item) for item in items)

    def newest(self, pk: str) -> Iterator[Key]:
        timed = [item for key, item in self.items.items() if key.pk == pk and "at" in item.labels]
        yield from [item.key for item in sorted(timed, key=lambda item: item.labels["at"], reverse=True)]

    def named(self, listed_in: str) -> Iterator[Key]:
        listed = [item for item in self.items.values() if item.labels.get("listed_in") == listed_in]
        yield from [item.key for item in sorted(listed, key=lambda item: item.labels["name_key"])]

    def runs(self, run_id: str) -> list[Key]:
        return sorted(item.key for item in self.items.values() if item.labels.get("run_id") == run_id)

    def _holds(self, change: Change) -> bool:
        present = self.items.get(change.item.key)
        expected = change.replacing
        return (present and present.version) == (expected and expected.version)
