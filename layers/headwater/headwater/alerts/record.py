"""A record of the table's stream, told from every other by an id of its own: the same however often it is delivered."""

from typing import Any, NamedTuple

from headwater.store.images import read_change
from headwater.store.s3 import Bodies
from headwater.store.table import Item


class Record(NamedTuple):
    """One change of one item."""

    id: str
    before: Item | None
    after: Item | None

    @property
    def kind(self) -> str:
        item = self.after or self.before
        return item.labels.get("kind", "") if item else ""


def read_record(record: dict[str, Any], bucket: Bodies) -> Record:
    """A record as Lambda gets it. Raises StorageError if a long part of an item cannot be had."""
    change = read_change(record, bucket)
    return Record(record["eventID"], change.before, change.after)
