"""A record of the table's stream, told from every other by an id of its own: the same however often it is delivered."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headwater.store.s3 import Bodies
from headwater.store.stream_records import read_change
from headwater.store.table import Item

Raw = dict[str, Any]
"""A record as Lambda gets it."""


class Record(NamedTuple):
    """One change of one item; `following` are the changes of the same item that are known to have come after it."""

    id: str
    before: Item | None
    after: Item | None
    following: Sequence[tuple[Item, Item]] = ()

    @property
    def kind(self) -> str:
        item = self.after or self.before
        return item.labels.get("kind", "") if item else ""


def read_record(record: Raw, bucket: Bodies, rest: Sequence[Raw] = ()) -> Record:
    """A record, with those of the `rest` of a batch that are about the same item. Raises StorageError if a long part of
    an item cannot be had."""
    change = read_change(record, bucket)
    return Record(record["eventID"], change.before, change.after, tuple(_following(record, bucket, rest)))


def _following(record: Raw, bucket: Bodies, rest: Sequence[Raw]) -> Iterator[tuple[Item, Item]]:
    for each in rest:
        if _key(each) == _key(record):
            _, before, after = read_change(each, bucket)
            if before and after:
                yield before, after


def _key(record: Raw) -> list[Any]:
    image = record["dynamodb"].get("NewImage") or {}
    return [image.get("PK"), image.get("SK")]
