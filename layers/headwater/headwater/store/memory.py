"""The table in memory, for tests and for replaying events without AWS."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.errors import Conflict
from headwater.store.keys import Key
from headwater.store.table import HIGHEST, LOWEST, ConditionalPut, IndexEntry, Item


class MemoryTable:
    """`Table` over a dict."""

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        found = {key: self.items[key] for key in keys if key in self.items}
        return found if only is None else {key: item.only(only) for key, item in found.items()}

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        return self.read(keys)

    def last_commit(self, _: Iterable[str] | None = None, /) -> int | None:
        return None

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        conflicts = [change for change in changes if not self._holds(change)]
        self.items.update((change.item.key, change.item) for change in changes if change not in conflicts)
        if conflicts:
            raise Conflict(str(conflicts[0].item.key))

    def put(self, items: Iterable[Item]) -> None:
        self.items.update((item.key, item) for item in items)

    def newest(
        self,
        pk: str,
        before: str = keys.QUALITY,
        after: str = LOWEST,
        limit: int | None = None,  # noqa: ARG002
    ) -> Iterator[IndexEntry]:
        timed = [item for key, item in self.items.items() if key.pk == pk and "at" in item.labels]
        entries = [IndexEntry(item.key, item.labels["at"], "") for item in timed if after <= item.labels["at"] < before]
        yield from sorted(entries, key=lambda entry: entry.position, reverse=True)

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:  # noqa: ARG002
        keys = sorted(key for key in self.items if key.pk == pk and after <= key.sk < before)
        yield from (self.items[key] for key in reversed(keys))

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        yield from sorted(key for key in self.items if key.pk == pk and key.sk.startswith(beginning))

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,  # noqa: ARG002 - more entries cost nothing here
    ) -> Iterator[IndexEntry]:
        entries = [
            IndexEntry(item.key, item.labels["place"], item.labels.get("name", ""))
            for item in self.items.values()
            if item.labels.get("listed_in") == list_name and after <= item.labels["place"] < before
        ]
        yield from sorted(entries, key=lambda entry: entry.position, reverse=newest_first)

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        entries = list(self.list_entries(list_name))
        return entries[:limit], len(entries)

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST, pk: str = "") -> int:
        entries = self.list_entries(list_name, after=after, before=before)
        return sum(entry.key.pk.startswith(pk) for entry in entries)

    def runs(self, run_id: str) -> list[Key]:
        return sorted(item.key for item in self.items.values() if item.labels.get("run_id") == run_id)

    def open_runs(self, before: Instant, shards: Sequence[str] = keys.OPEN_RUNS) -> list[Key]:
        listed = [item for item in self.items.values() if item.labels.get("open_in") in shards]
        runs = [item for item in listed if item.labels["at"] < before]
        return [item.key for item in sorted(runs, key=lambda item: (item.labels["open_in"], item.labels["at"]))]

    def _holds(self, change: ConditionalPut) -> bool:
        present = self.items.get(change.item.key)
        expected = change.replacing
        return (present and present.version) == (expected and expected.version)
