"""Records of the table's stream: an item as it was and as it is.

What a job has ever seen of its datasets is left out: it can be long, may be in S3, and is not needed to tell whether
something changed.
"""

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.store.dynamodb import item_of
from headwater.store.item_codec import SEEN
from headwater.store.s3 import Bodies
from headwater.store.table import Item


class ItemChange(NamedTuple):
    """A change of one item; `before` is None for a new one, `after` for one that is gone."""

    sequence: str
    before: Item | None
    after: Item | None


def read_change(record: Mapping[str, Any], bucket: Bodies) -> ItemChange:
    """The change that a record tells of. Raises StorageError if a part kept in S3 cannot be had."""
    data = record["dynamodb"]
    before, after = (_item(data[each], bucket) if data.get(each) else None for each in ("OldImage", "NewImage"))
    return ItemChange(data["SequenceNumber"], before, after)


def _item(image: Mapping[str, Mapping[str, Any]], bucket: Bodies) -> Item:
    return item_of({name: _decoded(value) for name, value in image.items() if name != SEEN}, bucket)


def _decoded(value: Mapping[str, Any]) -> dict[str, Any]:
    """Lambda hands bytes over in base64."""
    return {"B": base64.b64decode(value["B"])} if "B" in value else dict(value)
