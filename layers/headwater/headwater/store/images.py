"""Records of the table's stream: an item as it was and as it is.

Only the first part of an item is read (records.DOC); what a job has ever seen of its datasets can be long, and is not
needed to tell whether something changed.
"""

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.store.keys import Key
from headwater.store.records import DOC
from headwater.store.s3 import Bodies
from headwater.store.table import Item

Image = Mapping[str, Mapping[str, Any]]


class Change(NamedTuple):
    """A change of one item; `before` is None for a new one, `after` for one that is gone."""

    sequence: str
    before: Item | None
    after: Item | None


def read_change(record: Mapping[str, Any], bucket: Bodies) -> Change:
    """The change that a record tells of. Raises StorageError if a part kept in S3 cannot be had."""
    data = record["dynamodb"]
    before, after = (_item(data[each], bucket) if data.get(each) else None for each in ("OldImage", "NewImage"))
    return Change(data["SequenceNumber"], before, after)


def _item(image: Image, bucket: Bodies) -> Item:
    strings = {name: value["S"] for name, value in image.items() if "S" in value}
    key = Key(strings.pop("PK"), strings.pop("SK"))
    strings.pop("v", None)
    return Item(key, strings, {DOC: _part(image[DOC], bucket)} if DOC in image else {})


def _part(value: Mapping[str, Any], bucket: Bodies) -> bytes:
    """Lambda hands bytes over in base64; a part too long for an item is in S3."""
    if "M" in value:
        return bucket.get(value["M"]["s3"]["S"])
    return base64.b64decode(value["B"])
