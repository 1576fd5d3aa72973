"""A record of the table's stream: an item before and after a change."""

import base64
from typing import Any, NamedTuple

from headwater.store.dynamodb import item_of
from headwater.store.s3 import Bodies
from headwater.store.table import Item


class Record(NamedTuple):
    """One change of one item. `id` is the record's own, the same however often it is delivered; `sequence` is where to
    begin again."""

    id: str
    sequence: str
    before: Item | None
    after: Item | None

    @property
    def kind(self) -> str:
        item = self.after or self.before
        return item.labels.get("kind", "") if item else ""


def read_record(record: dict[str, Any], bucket: Bodies) -> Record:
    """A record as Lambda gets it. Raises StorageError if a long part of an item cannot be had."""
    change = record["dynamodb"]
    before, after = (_item(change.get(image), bucket) for image in ("OldImage", "NewImage"))
    return Record(record["eventID"], change["SequenceNumber"], before, after)


def _item(image: dict[str, dict[str, Any]] | None, bucket: Bodies) -> Item | None:
    """Lambda's JSON has bytes in base64."""
    if not image:
        return None
    return item_of({name: _decoded(value) for name, value in image.items()}, bucket)


def _decoded(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64decode(value["B"])} if "B" in value else value
