"""The table on DynamoDB (docs/table.md). Parts that are too long for an item are in S3."""

import hashlib
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headwater.concurrent import concurrent_map
from headwater.openlineage.instant import Instant
from headwater.retry import Deadline, backoff
from headwater.store import keys
from headwater.store.aws.client import translated_errors
from headwater.store.errors import Conflict, DeadlinePassed, StorageError, Throttled, UnreadableBody
from headwater.store.keys import Key
from headwater.store.table import FORM, HIGHEST, LOWEST, ConditionalPut, IndexEntry, Item

if TYPE_CHECKING:
    from headwater.store.bodies import Bodies

READ_LIMIT = 100
"""Items a BatchGetItem."""
WRITE_LIMIT = 25
"""Items a BatchWriteItem."""
MAX_PARTS_BYTES = 350 * 1024
"""An item may have 400 KB; parts beyond this limit go to S3."""
TRIES = 8
FIRST_WAIT_SECONDS = 0.05
REBUILT = "rebuilt"
"""The attribute of an item that was written from the archive. Readers of the stream do not announce such an item, and
the next fold that writes it leaves the attribute out."""
_BESIDE = {"PK", "SK", "v", REBUILT}
"""Attributes beside the labels."""
Attributes = dict[str, dict[str, Any]]


class DynamoTable:
    """`Table` over the low-level client, which guesses no types: bytes stay bytes. With `is_rebuild`, the items that it
    writes have the attribute REBUILT. Throttles are waited out until the deadline."""

    def __init__(
        self, client: Any, name: str, bucket: "Bodies", *, is_rebuild: bool = False, deadline: Deadline | None = None
    ) -> None:
        self._client = client
        self._deadline = deadline or Deadline()
        self._name = name
        self._bucket = bucket
        self._marks: Attributes = {REBUILT: {"BOOL": True}} if is_rebuild else {}

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        return self._read(keys, only, is_consistent=True)

    def last_commit(self, _: Iterable[str] | None = None, /) -> int | None:
        return None

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        return self._read(keys, None, is_consistent=False)

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        conflicts = [conflict for conflict in concurrent_map(self._change, changes) if conflict]
        if conflicts:
            raise conflicts[0]

    def put(self, items: Iterable[Item]) -> None:
        requests = [{"PutRequest": {"Item": self._written(item)}} for item in items]
        for start in range(0, len(requests), WRITE_LIMIT):
            self._put_page(requests[start : start + WRITE_LIMIT])

    def newest(
        self, pk: str, before: str = keys.QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[IndexEntry]:
        within = _between("PK", pk, "at", after, before)
        for page in self._query(limit, IndexName="by_time", ScanIndexForward=False, ConsistentRead=True, **within):
            yield from (IndexEntry(_key(stored), stored["at"]["S"], "") for stored in page)

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        for page in self._query(limit, ScanIndexForward=False, **_between("PK", pk, "SK", after, before)):
            yield from (item_of(stored, self._bucket) for stored in page)

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        within = _between("PK", pk, "SK", beginning or LOWEST, beginning + HIGHEST)
        for page in self._query(None, ProjectionExpression="PK, SK", ConsistentRead=True, **within):
            yield from map(_key, page)

    def list_entries(
        self,
        list_name: str,
        *,
        after: str = LOWEST,
        before: str = HIGHEST,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[IndexEntry]:
        within = _between("listed_in", list_name, "place", after, before)
        for page in self._query(limit, IndexName="listed", ScanIndexForward=not newest_first, **within):
            yield from _index_entries(page)

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        """Reads the entries page by page, then counts the entries of further pages without reading them."""
        query = {"IndexName": "listed", **_between("listed_in", list_name, "place", LOWEST, HIGHEST)}
        entries: list[IndexEntry] = []
        for page in self._pages(**query):
            entries += _index_entries(page["Items"])
            rest = page.get("LastEvaluatedKey")
            if rest and len(entries) >= limit:
                behind = self._pages(Select="COUNT", ExclusiveStartKey=rest, **query)
                return entries[:limit], len(entries) + sum(counted["Count"] for counted in behind)
        return entries[:limit], len(entries)

    def count(self, list_name: str, *, after: str = LOWEST, before: str = HIGHEST, pk: str = "") -> int:
        within = _between("listed_in", list_name, "place", after, before)
        if pk:  # a key of the table but not of the index, so a filter may name the attribute
            within["FilterExpression"] = "begins_with(PK, :beginning)"
            within["ExpressionAttributeValues"] |= {":beginning": {"S": pk}}
        return sum(page["Count"] for page in self._pages(IndexName="listed", Select="COUNT", **within))

    def runs(self, run_id: str) -> list[Key]:
        values = {":run_id": {"S": run_id}}
        query = {"KeyConditionExpression": "run_id = :run_id", "ExpressionAttributeValues": values}
        return [_key(stored) for page in self._query(None, IndexName="by_run", **query) for stored in page]

    def open_runs(self, before: Instant, shards: Sequence[str] = keys.OPEN_RUNS) -> list[Key]:
        queries = [_between("open_in", shard, "at", LOWEST, before) for shard in shards]
        of_shards = concurrent_map(lambda within: list(self._query(None, IndexName="open", **within)), queries)
        return [_key(stored) for pages in of_shards for page in pages for stored in page]

    def _read(self, keys: Collection[Key], only: str | None, *, is_consistent: bool) -> dict[Key, Item]:
        wanted = [{"PK": {"S": key.pk}, "SK": {"S": key.sk}} for key in sorted(set(keys))]
        chunks = [wanted[start : start + READ_LIMIT] for start in range(0, len(wanted), READ_LIMIT)]
        pages = [{**_page(chunk, only), "ConsistentRead": is_consistent} for chunk in chunks]
        items = [item_of(stored, self._bucket) for page in concurrent_map(self._read_page, pages) for stored in page]
        return {item.key: item for item in items}

    def _read_page(self, page: dict[str, Any]) -> list[Attributes]:
        items: list[Attributes] = []
        pending: Any = {self._name: page}
        attempt = 0
        while True:
            answer = self._call("batch_get_item", RequestItems=pending)
            items += answer["Responses"].get(self._name, [])
            pending = answer.get("UnprocessedKeys")
            if not pending:
                return items
            if not self._waits(attempt):
                raise StorageError("the table did not answer for all keys of a read")
            attempt += 1

    def _put_page(self, requests: list[dict[str, Any]]) -> None:
        pending: Any = {self._name: requests}
        attempt = 0
        while True:
            answer = self._call("batch_write_item", writing=True, RequestItems=pending)
            pending = answer.get("UnprocessedItems")
            if not pending:
                return
            if not self._waits(attempt):
                raise StorageError("the table did not take all items of a write")
            attempt += 1

    def _change(self, change: ConditionalPut) -> Conflict | None:
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(PK)"}
        if change.replacing:
            condition = _as_stored(change.replacing)
        try:
            self._call("put_item", writing=True, TableName=self._name, Item=self._written(change.item), **condition)
        except Conflict as conflict:
            return conflict
        return None

    def _query(self, limit: int | None, **query: Any) -> Iterator[list[Attributes]]:
        """The pages of a query; with `limit`, each page has at most so many items."""
        if limit is not None:
            query["Limit"] = limit
        for page in self._pages(**query):
            yield page["Items"]

    def _pages(self, **query: Any) -> Iterator[dict[str, Any]]:
        while True:
            answer = self._call("query", TableName=self._name, **query)
            yield answer
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _call(self, operation: str, *, writing: bool = False, **request: Any) -> dict[str, Any]:
        """Calls DynamoDB, again and again while it throttles and the invocation has time. Raises DeadlinePassed."""
        attempt = 0
        while True:
            if self._deadline.is_over:
                raise DeadlinePassed("the invocation has no time left; the next delivery goes on")
            try:
                with translated_errors(writing=writing):
                    answer: dict[str, Any] = getattr(self._client, operation)(**request)
                    return answer
            except Throttled:
                if not self._deadline.waits(attempt):
                    raise
            attempt += 1

    def _waits(self, attempt: int) -> bool:
        """Waits before asking again for what DynamoDB left out of a batch. False if there is no time for that."""
        if attempt + 1 < TRIES:
            time.sleep(backoff(attempt, FIRST_WAIT_SECONDS))
            return True
        return self._deadline.waits(attempt)

    def _written(self, item: Item) -> Attributes:
        return {**attributes_of(item, self._bucket), **self._marks}


def attributes_of(item: Item, bucket: "Bodies") -> Attributes:
    """The attributes of an item. Parts for which the item has no room are put into the bucket first."""
    strings = {"PK": item.key.pk, "SK": item.key.sk, "v": item.version, **item.labels}
    attributes: Attributes = {name: {"S": str(value)} for name, value in strings.items()}
    if item.expires_at is not None:
        attributes["expires_at"] = {"N": str(item.expires_at)}
    room = MAX_PARTS_BYTES
    for name, part in sorted(item.parts.items(), key=lambda named: len(named[1])):
        room -= len(part)
        attributes[name] = {"B": part} if room >= 0 else {"M": {"s3": {"S": _outside(part, item, bucket)}}}
    return attributes


def _outside(part: bytes, item: Item, bucket: "Bodies") -> str:
    """Stores a part in S3, before the item. A part of an item that expires goes to a prefix whose objects expire."""
    prefix = "items" if item.expires_at is None else "bodies"
    key = f"{prefix}/{hashlib.sha256(part).hexdigest()}"
    bucket.put(key, part)
    return key


def item_of(stored: Attributes, bucket: "Bodies") -> Item:
    """The item with these attributes; parts in S3 are fetched. An attribute of another form is left out: then only this
    item cannot be read, and the others of the call can."""
    labels = {name: value["S"] for name, value in stored.items() if "S" in value and name not in _BESIDE}
    parts = {name: part for name, value in stored.items() if (part := _part(value, bucket)) is not None}
    expires_at = stored.get("expires_at", {}).get("N", "")
    return Item(
        key=_key(stored),
        labels=labels,
        parts=parts,
        expires_at=int(expires_at) if expires_at.isdecimal() else None,
        stored_version=stored.get("v", {}).get("S", ""),
    )


def _part(value: dict[str, Any], bucket: "Bodies") -> bytes | None:
    place = value.get("M", {}).get("s3", {}).get("S")
    try:
        return bucket.get(place) if place else value.get("B")
    except UnreadableBody:
        return None


def _as_stored(item: Item) -> dict[str, Any]:
    """The condition that an item is still as it was read. The stored version counts: an item repaired by hand has a
    version that does not match its content."""
    version = item.version if item.stored_version is None else item.stored_version
    if not version:
        return {"ConditionExpression": "attribute_exists(PK) AND attribute_not_exists(v)"}
    return {"ConditionExpression": "v = :version", "ExpressionAttributeValues": {":version": {"S": version}}}


def _page(wanted: list[Attributes], only: str | None) -> dict[str, Any]:
    """The request of one BatchGetItem."""
    page: dict[str, Any] = {"Keys": wanted}
    if only is None:
        return page
    names = {f"#{number}": name for number, name in enumerate(("PK", "SK", only, *FORM))}  # `schema` is a reserved word
    return page | {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}


def _between(pk_name: str, pk: str, sk_name: str, after: str, before: str) -> dict[str, Any]:
    """The condition of a query: `after` <= sort key < `before`."""
    end = _just_below(before)
    return {
        "KeyConditionExpression": "#pk = :pk AND #sk BETWEEN :after AND :end",
        "ExpressionAttributeNames": {"#pk": pk_name, "#sk": sk_name},
        "ExpressionAttributeValues": {":pk": {"S": pk}, ":after": {"S": min(after, end)}, ":end": {"S": end}},
    }


def _just_below(text: str) -> str:
    """The greatest text below a text: BETWEEN includes both its bounds. No key is empty or has a NUL."""
    last = ord(text[-1]) - 1 if text else 0
    if last <= 0:
        return text[:-1] or LOWEST
    return text[:-1] + chr(0xD7FF if 0xD800 <= last <= 0xDFFF else last) + HIGHEST


def _index_entries(page: list[Attributes]) -> list[IndexEntry]:
    return [IndexEntry(_key(stored), stored["place"]["S"], stored.get("name", {}).get("S", "")) for stored in page]


def _key(stored: Attributes) -> Key:
    return Key(stored["PK"]["S"], stored["SK"]["S"])
