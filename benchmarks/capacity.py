"""The write units of DynamoDB: the rules by which a put is counted, for the table and each of its indexes.

A put takes a unit for each KB of the item, before or after, whichever is larger. An index takes nothing if its entry
stays the same, the units of the entry if there was none, or if a projected attribute changes, and those of both entries
if the entry's key changes.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from headwater.store.aws.dynamodb import attributes_of
from headwater.store.bodies import Bodies
from headwater.store.bulk import ConditionalPut, Item, Key
from headwater.store.memory import MemoryTable
from local.deploy.template import read_template

TEMPLATE = Path(__file__).parents[1] / "template.yaml"
KILOBYTE = 1024
INDEX_ENTRY_BYTES = 100
"""What the storage of an item, and of each of its entries, is billed beyond its attributes."""
TABLE = "table"

Attributes = Mapping[str, Mapping[str, Any]]


class Index(NamedTuple):
    """An index of the template: the attributes of its key, and those that its entries have."""

    name: str
    key: tuple[str, ...]
    projected: frozenset[str]

    def entry(self, stored: Attributes | None) -> Attributes | None:
        """The entry of an item, or None if the index does not have the item."""
        if stored is None or not all(name in stored for name in self.key):
            return None
        return {name: value for name, value in stored.items() if name in self.projected}


@cache
def indexes() -> tuple[Index, ...]:
    table = read_template(TEMPLATE)["Resources"]["LineageTable"]["Properties"]
    return tuple(_index(index) for index in table["LocalSecondaryIndexes"] + table["GlobalSecondaryIndexes"])


def _index(index: Mapping[str, Any]) -> Index:
    key = tuple(part["AttributeName"] for part in index["KeySchema"])
    others = index["Projection"].get("NonKeyAttributes", ())
    return Index(index["IndexName"], key, frozenset({"PK", "SK", *key, *others}))


def write_units(before: Attributes | None, after: Attributes) -> Counter[str]:
    """The units of a put, by table and index."""
    units = Counter({TABLE: max(_units(after), _units(before) if before else 0)})
    for index in indexes():
        units[index.name] = _entry_units(index, index.entry(before), index.entry(after))
    return +units


def _entry_units(index: Index, before: Attributes | None, after: Attributes | None) -> int:
    if before == after:
        return 0
    if before and after and all(before[name] == after[name] for name in index.key):
        return max(_units(before), _units(after))
    return sum(_units(entry) for entry in (before, after) if entry)


class PartitionKey(NamedTuple):
    """The key of a partition: of the table, with its local index, or of a global index."""

    place: str
    value: str


def partition_units(before: Attributes | None, after: Attributes) -> Counter[PartitionKey]:
    """The units of a put, by partition key. An entry that moves to another key takes units of both."""
    units: Counter[PartitionKey] = Counter()
    for place, amount in write_units(before, after).items():
        index = next((index for index in indexes() if index.name == place), None)
        if index is None or index.key[0] == "PK":
            units[PartitionKey(TABLE, after["PK"]["S"])] += amount
            continue
        entries = [entry for entry in (index.entry(before), index.entry(after)) if entry]
        keys = [PartitionKey(place, entry[index.key[0]]["S"]) for entry in entries]
        if len(set(keys)) == 1:
            units[keys[0]] += amount
        else:
            units.update({key: _units(entry) for key, entry in zip(keys, entries, strict=True)})
    return units


def _units(stored: Attributes) -> int:
    return -(-size(stored) // KILOBYTE)


def size(stored: Attributes) -> int:
    """The bytes of an item: the names of its attributes, and their values."""
    return sum(len(name) + _size(value) for name, value in stored.items())


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "B":
        return len(content)
    if kind == "N":
        return len(content) // 2 + 1
    return 1 if kind == "BOOL" else 3 + sum(1 + len(name) + _size(member) for name, member in content.items())


def stored_bytes(stored: Attributes, *, recovered: bool = False) -> int:
    """The bytes that storage is billed for: of the item, and of its entries. Recovery bills those of local indexes."""
    billed = [index for index in indexes() if not recovered or index.key[0] == "PK"]
    entries = [entry for index in billed if (entry := index.entry(stored))]
    return sum(size(content) + INDEX_ENTRY_BYTES for content in (stored, *entries))


class MeteredTable(MemoryTable):
    """A table in memory that counts the calls, the units and the bytes which the same calls take of DynamoDB."""

    def __init__(self, bucket: Bodies) -> None:
        super().__init__()
        self._bucket = bucket
        self.writes: Counter[tuple[str, str]] = Counter()
        self.partitions: Counter[PartitionKey] = Counter()
        self.calls: Counter[str] = Counter()
        self.read_units = 0.0

    def read(self, keys: Any, only: str | None = None) -> dict[Key, Item]:
        items = super().read(keys, only)
        self._count_read(set(keys), items.keys())
        return items

    def read_eventually(self, keys: Any) -> dict[Key, Item]:
        items = MemoryTable.read(self, keys)
        self._count_read(set(keys), items.keys(), price=0.5)
        return items

    def _count_read(self, keys: AbstractSet[Key], found: AbstractSet[Key], price: float = 1) -> None:
        """A read of a KB takes a unit for each four, half of that if it may lag; also a read of nothing is a read."""
        if keys:
            self.calls["BatchGetItem"] += -(-len(keys) // 100)
            of_items = [size(self._attributes(self.items[key])) for key in found]
            self.read_units += price * (sum(-(-each // 4096) for each in of_items) + len(keys - found))

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        self.calls["PutItem"] += len(changes)
        self._count([change.item for change in changes])
        super().change(changes)

    def put(self, items: Iterable[Item]) -> None:
        items = list(items)
        self.calls["BatchWriteItem"] += -(-len(items) // 25)
        self._count(items)
        super().put(items)

    @property
    def write_units(self) -> int:
        return sum(self.writes.values())

    def bytes_by_kind(self, *, recovered: bool = False) -> Counter[str]:
        """The bytes that storage is billed for, or recovery, by kind of item."""
        stored: Counter[str] = Counter()
        for item in self.items.values():
            stored[item.labels["kind"]] += stored_bytes(self._attributes(item), recovered=recovered)
        return stored

    def forget(self) -> None:
        """Counts from here on."""
        self.writes.clear()
        self.partitions.clear()
        self.calls.clear()
        self.read_units = 0.0

    def _count(self, items: Iterable[Item]) -> None:
        for item in items:
            before = self.items.get(item.key)
            attributes = (self._attributes(before) if before else None, self._attributes(item))
            of_parts = write_units(*attributes)
            self.partitions.update(partition_units(*attributes))
            self.writes.update({(item.labels["kind"], place): units for place, units in of_parts.items()})

    def _attributes(self, item: Item) -> Attributes:
        return attributes_of(item, self._bucket)
