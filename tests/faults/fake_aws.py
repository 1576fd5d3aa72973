"""The services of AWS in memory, behind the methods of botocore's clients: as far as Headwater's functions call them.

A read that is not strongly consistent may answer with an older version of the table, and a batch may be taken in part;
`Faults` (faults.py) decides.
"""

import base64
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from botocore.exceptions import ClientError

Attributes = dict[str, Any]
TableKey = tuple[str, str]
INDEXES = {None: ("PK", "SK"), "by_time": ("PK", "at"), "listed": ("listed_in", "place"), "open": ("open_in", "at")}
REMEMBERED = 40
"""Versions of the table that a stale read may see."""


class Doubts(Protocol):
    """What a service is in doubt about."""

    def taken(self, entries: int) -> int:
        """How many entries of a batch the service takes, at least one."""

    def lag(self, versions: int) -> int:
        """How many versions a read is behind, fewer than there are."""


@dataclass
class FakeDynamoDb:
    """A table with its indexes and its stream. `stream` is called with each record."""

    doubts: Doubts
    stream: Callable[[Attributes], None] = lambda _record: None
    versions: list[dict[TableKey, Attributes]] = field(default_factory=lambda: [{}])
    changes: int = 0

    @property
    def items(self) -> dict[TableKey, Attributes]:
        return self.versions[-1]

    def put_item(self, *, Item: Attributes, ConditionExpression: str = "", **request: Any) -> Attributes:  # noqa: N803
        stored = self.items.get(_key(Item))
        wanted = request.get("ExpressionAttributeValues", {}).get(":version")
        holds = {
            "": True,
            "attribute_not_exists(PK)": stored is None,
            "v = :version": stored is not None and stored.get("v") == wanted,
        }
        if not holds[ConditionExpression]:
            raise failure("ConditionalCheckFailedException")
        self._put(Item)
        return {}

    def batch_write_item(self, *, RequestItems: Attributes) -> Attributes:  # noqa: N803
        ((name, requests),) = RequestItems.items()
        taken = self.doubts.taken(len(requests))
        for request in requests[:taken]:
            self._put(request["PutRequest"]["Item"])
        return {"UnprocessedItems": {name: requests[taken:]}} if requests[taken:] else {}

    def batch_get_item(self, *, RequestItems: Attributes) -> Attributes:  # noqa: N803
        ((name, page),) = RequestItems.items()
        items = self.versions[-1 - (0 if page["ConsistentRead"] else self.doubts.lag(len(self.versions)))]
        taken = self.doubts.taken(len(page["Keys"]))
        wanted = set(page.get("ExpressionAttributeNames", {}).values())
        stored = [items[key] for each in page["Keys"][:taken] if (key := _key(each)) in items]
        found = [{name: value for name, value in item.items() if not wanted or name in wanted} for item in stored]
        rest = {name: {**page, "Keys": page["Keys"][taken:]}} if page["Keys"][taken:] else {}
        return {"Responses": {name: found}, "UnprocessedKeys": rest}

    def query(self, *, Limit: int = 1_000, Select: str = "", **request: Any) -> Attributes:  # noqa: N803
        is_current = request.get("ConsistentRead", False)
        items = self.versions[-1 - (0 if is_current else self.doubts.lag(len(self.versions)))]
        found = sorted(_matches(items.values(), request), key=lambda entry: entry[0])
        if not request.get("ScanIndexForward", True):
            found.reverse()
        if start := request.get("ExclusiveStartKey"):
            is_rising = request.get("ScanIndexForward", True)
            found = [entry for entry in found if (entry[0] > start if is_rising else entry[0] < start)]
        size = self.doubts.taken(Limit)
        rest = {"LastEvaluatedKey": found[size - 1][0]} if len(found) > size else {}
        page = [item for _, item in found[:size]]
        return ({"Count": len(page)} if Select == "COUNT" else {"Items": page}) | rest

    def _put(self, item: Attributes) -> None:
        before = self.items.get(_key(item))
        if before == item:
            return
        self.versions = [*self.versions[-REMEMBERED:], {**self.items, _key(item): item}]
        self.changes += 1
        images = {"NewImage": _image(item), **({"OldImage": _image(before)} if before else {})}
        change = {"SequenceNumber": str(self.changes), **images}
        name = "MODIFY" if before else "INSERT"
        self.stream({"eventID": f"event {self.changes}", "eventName": name, "dynamodb": change})


@dataclass
class FakeS3:
    objects: dict[str, bytes] = field(default_factory=dict)

    def put_object(self, *, Key: str, Body: bytes, **_: Any) -> Attributes:  # noqa: N803
        self.objects[Key] = Body
        return {}

    def get_object(self, *, Key: str, **_: Any) -> Attributes:  # noqa: N803
        if Key not in self.objects:
            raise failure("NoSuchKey")
        return {"Body": io.BytesIO(self.objects[Key])}


@dataclass
class FakeFirehose:
    doubts: Doubts
    lines: list[bytes] = field(default_factory=list)

    def put_record_batch(self, *, Records: list[Attributes], **_: Any) -> Attributes:  # noqa: N803
        taken = self.doubts.taken(len(Records))
        self.lines += [record["Data"] for record in Records[:taken]]
        return {"FailedPutCount": len(Records) - taken}


@dataclass
class FakeEventBridge:
    doubts: Doubts
    entries: list[Attributes] = field(default_factory=list)

    def put_events(self, *, Entries: list[Attributes]) -> Attributes:  # noqa: N803
        taken = self.doubts.taken(len(Entries))
        self.entries += Entries[:taken]
        failed: list[Attributes] = [{"ErrorCode": "ThrottlingException"}] * (len(Entries) - taken)
        return {"FailedEntryCount": len(failed), "Entries": [{"EventId": "x"}] * taken + failed}


def failure(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "injected"}}, "Call")


def _key(item: Attributes) -> TableKey:
    return item["PK"]["S"], item["SK"]["S"]


def _image(item: Attributes) -> Attributes:
    """The attributes as Lambda passes them on: bytes in base64."""
    return {name: _encoded(value) for name, value in item.items()}


def _encoded(value: Mapping[str, Any]) -> Attributes:
    return {"B": base64.b64encode(value["B"]).decode()} if "B" in value else dict(value)


def _matches(items: Iterable[Attributes], request: Attributes) -> Iterator[tuple[tuple[str, ...], Attributes]]:
    """The items that a query is for, each with its place in the order of the index."""
    values = {name: value["S"] for name, value in request["ExpressionAttributeValues"].items()}
    if request.get("IndexName") == "by_run":
        yield from (((*_key(item),), item) for item in items if item.get("run_id", {}).get("S") == values[":run_id"])
        return
    partition, sort = INDEXES[request.get("IndexName")]
    for item in items:
        if partition in item and sort in item and item[partition]["S"] == values[":pk"]:
            is_wanted = _key(item)[0].startswith(values.get(":beginning", ""))
            if values[":after"] <= item[sort]["S"] <= values[":end"] and is_wanted:
                yield (item[sort]["S"], *_key(item)), item
