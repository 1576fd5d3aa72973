"""Records of the table's stream: a state before and after a change.

The usages of a job are left out: the part can be long, may be in S3, and is not needed to see a change.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from headwater.openlineage.instant import Instant, instant_of
from headwater.store import keys
from headwater.store.aws.dynamodb import REBUILT, item_of
from headwater.store.caches import StateCache
from headwater.store.errors import CorruptItem
from headwater.store.items import runs
from headwater.store.items.jobs import JOB_WITHOUT_USAGES, USAGES
from headwater.store.keys import Key
from headwater.store.kinds import CODECS
from headwater.store.table import Item

if TYPE_CHECKING:
    from headwater.store.bodies import Bodies

StreamRecord = Mapping[str, Any]
"""A record as Lambda gets it."""
_CODECS = {**CODECS, JOB_WITHOUT_USAGES.kind: JOB_WITHOUT_USAGES}


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of one item of a `kind` (docs/table.md); `before` is None for a new item, `after` for a removed item.

    The states have the type of their kind: Run, JobHead, DatasetHead, ... Both are None for a kind without a document,
    such as a day. `event_id` and `sequence` identify the record, however often the record is delivered.
    """

    event_id: str
    sequence: str
    kind: str
    before: Any
    after: Any

    @property
    def is_rewrite(self) -> bool:
        """Whether the item was only upgraded to a newer form or removed from an index: the state is the same."""
        return self.before is not None and self.before == self.after


def read_change(record: StreamRecord, bucket: "Bodies", cache: StateCache | None = None) -> StateChange:
    """The change in a record. With `cache`, a state that this process has just written is not decoded again.

    Raises StorageError if a part in S3 cannot be fetched, CorruptItem if an item cannot be read.
    """
    before, after = images_of(record, bucket)
    kind = next((item.labels.get("kind", "") for item in (after, before) if item), "")
    return StateChange(record["eventID"], sequence_of(record), kind, _state(before, cache), _state(after, cache))


def images_of(record: StreamRecord, bucket: "Bodies") -> tuple[Item | None, Item | None]:
    """The item of a record before and after. Raises StorageError."""
    images = record["dynamodb"]
    old, new = (_item(images[name], bucket) if images.get(name) else None for name in ("OldImage", "NewImage"))
    return old, new


def sequence_of(record: StreamRecord) -> str:
    """The sequence number of a record; Lambda delivers again from the number that a function returns."""
    sequence: str = record["dynamodb"]["SequenceNumber"]
    return sequence


def written(record: StreamRecord) -> Instant | None:
    """When the item was written, to the second; None if the record does not say it."""
    seconds = record["dynamodb"].get("ApproximateCreationDateTime")
    return None if seconds is None else instant_of(datetime.fromtimestamp(seconds, UTC))


def is_rebuilt(record: StreamRecord) -> bool:
    """Whether a record's item was written from the archive: the stream already showed its events when they came."""
    return REBUILT in (record["dynamodb"].get("NewImage") or {})


def run_of(record: StreamRecord) -> str | None:
    """The id of the run whose state a record changes, for the log."""
    image = record.get("dynamodb", {}).get("NewImage") or {}
    is_run = image.get("kind") == {"S": runs.RUN.kind}
    return keys.run_of(Key(image["PK"]["S"], image["SK"]["S"])).run_id if is_run else None


def later_changes(
    record: StreamRecord, rest: Iterable[StreamRecord], bucket: "Bodies", cache: StateCache | None = None
) -> Iterator[StateChange]:
    """The changes of the same item in the rest of a batch, up to the first that cannot be read.

    Raises StorageError if a part in S3 cannot be fetched.
    """
    for other in rest:
        if _key(other) == _key(record):
            try:
                yield read_change(other, bucket, cache)
            except CorruptItem:
                return  # the record is read, and fails, when its turn comes


def image_of(item: Item) -> dict[str, dict[str, str]]:
    """The image of an item in a record, as Lambda gets it."""
    strings = {"PK": item.key.pk, "SK": item.key.sk, "v": item.version, **item.labels}
    image = {name: {"S": text} for name, text in strings.items()}
    image |= {name: {"B": base64.b64encode(part).decode()} for name, part in item.parts.items() if name != USAGES}
    return image if item.expires_at is None else image | {"expires_at": {"N": str(item.expires_at)}}


def _key(record: StreamRecord) -> list[Any]:
    image = record["dynamodb"].get("NewImage") or {}
    return [image.get("PK"), image.get("SK")]


def _state(item: Item | None, cache: StateCache | None) -> Any:
    codec = _CODECS.get(item.labels.get("kind", "")) if item else None
    if item is None or codec is None:
        return None
    return cache.read(item, codec) if cache else codec.read(item)


def _item(image: Mapping[str, Mapping[str, Any]], bucket: "Bodies") -> Item:
    return item_of({name: _decoded(value) for name, value in image.items() if name != USAGES}, bucket)


def _decoded(value: Mapping[str, Any]) -> dict[str, Any]:
    """Bytes come from Lambda in base64."""
    return {"B": base64.b64decode(value["B"])} if "B" in value else dict(value)
