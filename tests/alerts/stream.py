"""The table's stream in memory: the records of every change, as Lambda delivers them, and the alerts for them."""

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

from headwater.alerts.alert import Alert
from headwater.alerts.announce import Announcer, AnnounceResult
from headwater.alerts.stored_alerts import StoringBus
from headwater.fold.fold import fold
from headwater.fold.split_on_schema_change import split_on_schema_change
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.store.errors import Conflict, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.table import ConditionalPut, Item
from tests import factory
from tests.factory import Document
from tests.fakes import FakeBucket

RETENTION = factory.RETENTION
URL = "https://lineage.example.com"

Record = dict[str, Any]
Detail = dict[str, Any]


class StreamedTable(MemoryTable):
    """A table that keeps its stream: a record for each item that changed, and none for one that was put as it was.
    `reads` are the items that were read by their keys."""

    def __init__(self) -> None:
        super().__init__()
        self.stream: list[Record] = []
        self.reads = 0

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        self.reads += len(keys)
        return super().read(keys, only)

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        for change in changes:
            before = self.items.get(change.item.key)
            try:
                super().change([change])
            except Conflict:
                continue
            self._record(before, change.item)
        if any(self.items.get(change.item.key) != change.item for change in changes):
            raise Conflict("a change did not hold")

    def put(self, items: Iterable[Item]) -> None:
        for item in items:
            before = self.items.get(item.key)
            super().put([item])
            self._record(before, item)

    def _record(self, before: Item | None, after: Item) -> None:
        if before != after:
            images = {"OldImage": image(before)} if before else {}
            number = str(len(self.stream))
            change = {"SequenceNumber": number, "NewImage": image(after), **images}
            name = "MODIFY" if before else "INSERT"
            self.stream.append({"eventID": f"event {number}", "eventName": name, "dynamodb": change})


def image(item: Item) -> dict[str, Any]:
    """An item as a stream has it, with bytes in base64 as Lambda's JSON does."""
    strings = {"PK": item.key.pk, "SK": item.key.sk, "v": item.version, **item.labels}
    attributes: dict[str, Any] = {name: {"S": text} for name, text in strings.items()}
    attributes |= {name: {"B": base64.b64encode(part).decode()} for name, part in item.parts.items()}
    return attributes if item.expires_at is None else attributes | {"expires_at": {"N": str(item.expires_at)}}


class FakeBus:
    """Keeps the alerts; the next `failures` calls fail, and the next `kills` calls end the process after the put."""

    def __init__(self) -> None:
        self.sent: list[Alert] = []
        self.failures = 0
        self.kills = 0

    def put(self, alerts: Sequence[Alert]) -> None:
        if self.failures:
            self.failures -= 1
            raise StorageError("the bus is away")
        self.sent += alerts
        if self.kills:
            self.kills -= 1
            raise KeyboardInterrupt


class World:
    """Events go in, alerts come out."""

    def __init__(self, table: StreamedTable | None = None) -> None:
        self.table = table or StreamedTable()
        self.store = GraphStore(self.table, RETENTION)
        self.bus = FakeBus()
        self.bucket = FakeBucket()
        self.faults: list[BaseException] = []
        self.announcer = Announcer(
            self.store, self.bucket, self.bus, Naming(), lambda _, error, **__: self.faults.append(error)
        )

    @classmethod
    def storing(cls, table: StreamedTable | None = None) -> Self:
        """One that stores each alert as it is told."""
        world = cls(table)
        world.announcer = replace(world.announcer, bus=StoringBus(world.store, world.bus))
        return world

    def alerts_of_batch(self, *documents: Document) -> list[Detail]:
        return self.alerts_of_events(factory.received(*documents))

    def alerts_one_by_one(self, documents: Iterable[Document]) -> list[Detail]:
        """The alerts of events that are folded one after the other."""
        return [detail for document in documents for detail in self.alerts_of_batch(document)]

    def alerts_of_events(self, events: Sequence[NormalisedEvent]) -> list[Detail]:
        start = len(self.table.stream)
        self.fold(events)
        return self.alerts_of_records(self.table.stream[start:])

    def fold(self, events: Sequence[NormalisedEvent]) -> None:
        for group in split_on_schema_change(events):
            fold(group, self.store, Thresholds(300_000, {}))

    def alerts_of_records(self, records: Sequence[Record]) -> list[Detail]:
        """The alerts of records of the stream; a fault fails the test."""
        start = len(self.bus.sent)
        assert (self.announce(records).failed, self.faults) == (None, [])
        return [plain(alert) for alert in self.bus.sent[start:]]

    def announce(self, records: Sequence[Record]) -> AnnounceResult:
        return self.announcer.announce(json.loads(json.dumps(records)))


def drift(number: int, kind: str) -> Document:
    """The run of this number writes a dataset whose column has this type."""
    output = factory.dataset("a", schema=factory.schema(f"id:{kind}"))
    return factory.run_event("COMPLETE", run=number, seconds=number, outputs=[output])


def folded(*documents: Document) -> World:
    """A world with changes in the stream that raised no alert yet."""
    world = World()
    world.fold(factory.received(*documents))
    return world


def plain(alert: Alert) -> Detail:
    """An alert's detail as it travels, with its type."""
    detail: Detail = json.loads(json.dumps(alert.detail(URL)))
    return {"alert": alert.type.value, **detail}


def changes(details: Iterable[Detail]) -> list[str]:
    """What each alert says has changed, in one line: `orders -x +y ~z(widened) a>b`."""
    return [" ".join([detail["name"].rpartition("/")[2], *_changes(detail)]) for detail in details]


def _changes(detail: Detail) -> Iterator[str]:
    if detail["change"] == "DROPPED":
        yield "dropped"
    yield from (f"-{column['field']}" for column in detail["removed"])
    yield from (f"+{column['field']}" for column in detail["added"])
    yield from (f"~{column['field']}({column['change']})" for column in detail["retyped"])
    yield from (f"{column['before']}>{column['after']}" for column in detail["renamed"])
