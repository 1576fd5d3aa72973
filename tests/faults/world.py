"""What drives the functions: producers that repeat a request until it is accepted, the queue, the stream and its two
readers, and the schedule. Each delivers again what failed, as AWS does."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from events.envelopes import post, scheduled, write
from headwater.access.principal import Principal, Scope
from headwater.catalog.affected_tables import KINDS
from headwater.store.messages import target_of
from tests.factory import Document
from tests.faults.faults import NOW, Faults
from tests.faults.functions import VARIABLES, Failed, Functions

ADMINISTRATOR = Principal("admin", frozenset({Scope.ADMIN}), ("*",))
DELIVERIES = 5
"""The deliveries of a message before it goes to the dead-letter queue; the last one is not disturbed."""
TRIES = 50
"""The tries of a producer before it gives up."""
SHARDS = 2
BATCH = 10

Record = dict[str, Any]
Step = Callable[[], None]


@dataclass
class Message:
    body: str
    group: str
    deduplication_id: str
    number: int
    receives: int = 0


@dataclass
class Shard:
    """A shard of the stream as one reader sees it: its records in order, and the failures at the first of them."""

    records: list[Record] = field(default_factory=list)
    failures: int = 0


@dataclass
class World:
    """The stack under faults. With `in_order` the queue's events are folded one batch after the other, and each change
    is announced before the next batch; otherwise what is next is drawn."""

    faults: Faults
    in_order: bool = False

    def __post_init__(self) -> None:
        self.functions = Functions(self.faults, self._send, self._stream)
        self.faults.rival = self._rival
        self.queue: list[Message] = []
        self.dead: list[Any] = []
        self.wrong: list[str] = []
        self.accepted: list[Document] = []
        self.queued: dict[str, list[str]] = {}
        self.forwarded: dict[str, list[str]] = {}
        self.shards = {name: [Shard() for _ in range(SHARDS)] for name in ("alerts", "catalog")}
        self._followed: list[Record] = []
        self._busy: set[Any] = set()
        self._seen: set[str] = set()
        self._depth = 0
        self._numbers = 0

    def events(self, documents: Sequence[Document]) -> None:
        """Producers post events, each run of its own, until all is quiet."""
        clients: dict[str, list[Document]] = {}
        for document in documents:
            clients.setdefault("all" if self.in_order else str(document.get("run")), []).append(document)
        waiting = list(clients.values())
        while steps := self._steps(waiting):
            (self.faults.chance.choice(steps) if self.faults.is_on and not self.in_order else steps[0])()

    def curate(self, requests: Sequence[tuple[str, str, Document | None]]) -> None:
        """A person changes the graph, one request after the other, each repeated until it is answered: at the same
        time, since a repetition at another time is another event."""
        for number, (method, target, body) in enumerate(requests):
            self.faults.fixed = NOW + timedelta(minutes=number)
            self._until_answered("curate", lambda r=(method, target, body): write(r[0], r[1], r[2], ADMINISTRATOR))  # type: ignore[misc]
            self.faults.fixed = None
            self.events([])

    def sweep(self) -> None:
        """The schedule comes until a sweep goes through; then once more, undisturbed."""
        for _ in range(DELIVERIES):
            try:
                self.functions.invoke("sweep", scheduled())
                break
            except Failed:
                continue
        self._undisturbed(lambda: self.functions.invoke("sweep", scheduled()))
        self.events([])

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        return {name: dict(table["Parameters"]) for name, table in self.functions.glue.tables_by_name.items()}

    def synchronise_all(self) -> None:
        """All items of the table come to the catalogue once more, as if they were new."""
        images = [record["dynamodb"] for record in self._followed]
        new = [{name: image[name] for name in image if name != "OldImage"} for image in images]
        records = [
            {**record, "eventName": "INSERT", "dynamodb": image}
            for record, image in zip(self._followed, new, strict=True)
        ]
        self._undisturbed(lambda: self.functions.invoke("catalog", {"Records": records}))

    @property
    def alerts(self) -> list[Document]:
        return [
            {**json.loads(entry["Detail"]), "DetailType": entry["DetailType"]}
            for entry in self.functions.events.entries
        ]

    def _steps(self, waiting: list[list[Document]]) -> list[Step]:
        """What could be next; in order: the stream, then the queue, then producers."""
        readers = [
            (lambda name=name, shard=shard: self._deliver_records(name, shard))
            for name, shards in self.shards.items()
            for shard in shards
            if shard.records and id(shard) not in self._busy
        ]
        queue = [self._deliver_messages] if self._deliverable() else []
        posts = [(lambda client=client: self._post(client)) for client in waiting if client]
        return [*readers, *queue, *posts]

    def _post(self, client: list[Document]) -> None:
        event = client[0]
        self._until_answered("ingest", lambda: post("/api/v1/lineage", event, ADMINISTRATOR.to_context()))
        self.accepted.append(client.pop(0))

    def _until_answered(self, function: str, request: Callable[[], Document]) -> None:
        for _ in range(TRIES):
            try:
                status = self.functions.invoke(function, request())["statusCode"]
            except Failed as failed:
                if failed.error:
                    self.wrong.append(f"{function} raised {failed.error!r}")
                continue
            if status < 300:
                return
            if status != 503:
                self.wrong.append(f"{function} answered {status}")
                return
        self.wrong.append(f"{function} did not answer {TRIES} times")

    def _send(self, *, QueueUrl: str, Entries: list[Document]) -> Document:  # noqa: N803
        """Takes a part of a batch, and drops what was sent before: mostly, since a repetition may come late. What goes
        to other systems is only noted, by its run."""
        taken = self.faults.taken(len(Entries))
        for entry in Entries[:taken]:
            if QueueUrl == VARIABLES["FORWARD_QUEUE"]:
                _note(self.forwarded, target_of(entry["MessageGroupId"])[1], entry["MessageBody"])
                continue
            is_late = self.faults.is_on and self.faults.chance.random() < self.faults.rate
            if entry["MessageDeduplicationId"] not in self._seen or is_late:
                self._seen.add(entry["MessageDeduplicationId"])
                self._enqueue(entry["MessageBody"], entry["MessageGroupId"], entry["MessageDeduplicationId"])
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries[:taken]]}

    def _enqueue(self, body: str, group: str, deduplication_id: str) -> None:
        self._numbers += 1
        _note(self.queued, group, body)
        self.queue.append(Message(body, group, deduplication_id, self._numbers))

    def _deliverable(self) -> list[Message]:
        return [message for message in self.queue if message.group not in self._busy]

    def _deliver_messages(self) -> None:
        """A batch of some groups, each from its first message on; a batch that was folded may come once more."""
        messages = self._deliverable()
        chance = self.faults.chance
        if not self.in_order:
            groups = list(dict.fromkeys(message.group for message in messages))
            chosen = set(chance.sample(groups, chance.randint(1, len(groups))))
            messages = [message for message in messages if message.group in chosen]
        batch = messages[: chance.randint(1, BATCH) if self.faults.is_on else BATCH]
        for message in batch:
            message.receives += 1
        failed = self._normalised(batch)
        if self.faults.is_on and chance.random() < self.faults.rate and max(m.receives for m in batch) < DELIVERIES:
            return
        for message in batch:
            if str(message.number) in failed and message.receives < DELIVERIES:
                continue
            self.queue.remove(message)
            self.dead += [message] if str(message.number) in failed else []

    def _normalised(self, batch: Sequence[Message]) -> set[str]:
        """The messages that were not folded."""
        everything = {str(message.number) for message in batch}
        busy = {message.group for message in batch}
        self._busy |= busy
        try:
            is_last = max(message.receives for message in batch) == DELIVERIES
            answer = (self._undisturbed if is_last else _plainly)(
                lambda: self.functions.invoke("normalise", {"Records": [_record(message) for message in batch]})
            )
        except Failed as failed:
            if failed.error:
                self.wrong.append(f"normalise raised {failed.error!r}")
            return everything
        finally:
            self._busy -= busy
        return {entry["itemIdentifier"] for entry in answer["batchItemFailures"]}

    def _stream(self, record: Record) -> None:
        """A record goes to the readers whose filters (template.yaml) let it through."""
        image = record["dynamodb"]["NewImage"]
        kind, state = image.get("kind", {}).get("S"), image.get("state", {}).get("S")
        is_alert = (
            (kind == "dataset" and record["eventName"] == "MODIFY")
            or (kind == "run" and state == "FAILED")
            or kind in ("quality", "latency")
        )
        is_catalog = kind in KINDS and (kind != "run" or state == "COMPLETED")
        self._followed += [record] if is_catalog else []
        for name, is_wanted in (("alerts", is_alert), ("catalog", is_catalog)):
            if is_wanted:
                self.shards[name][sum(image["PK"]["S"].encode()) % SHARDS].records.append(record)

    def _deliver_records(self, reader: str, shard: Shard) -> None:
        """A batch of a shard; it comes again from its first failed record on, and at times without a failure."""
        chance = self.faults.chance
        batch = shard.records[: chance.randint(1, BATCH) if self.faults.is_on else BATCH]
        self._busy.add(id(shard))
        is_last = shard.failures >= DELIVERIES - 1
        try:
            answer = (self._undisturbed if is_last else _plainly)(
                lambda: self.functions.invoke(reader, {"Records": batch})
            )
            failed = [entry["itemIdentifier"] for entry in answer["batchItemFailures"]]
        except Failed:
            failed = [batch[0]["dynamodb"]["SequenceNumber"]]
        finally:
            self._busy.discard(id(shard))
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        through = min([numbers.index(number) for number in failed], default=len(batch))
        if through == 0 and is_last:
            self.dead.append((reader, batch[0]))
            through = 1
        shard.failures = 0 if through else shard.failures + 1
        if not (self.faults.is_on and chance.random() < self.faults.rate):
            del shard.records[:through]

    def _undisturbed(self, work: Callable[[], Any]) -> Any:
        was_on, self.faults.is_on = self.faults.is_on, False
        try:
            return work()
        finally:
            self.faults.is_on = was_on

    def _rival(self) -> None:
        """Another invocation comes between two calls of one that runs."""
        steps = self._steps([])
        if self._depth < 2 and steps and not self.in_order:
            self._depth += 1
            try:
                self.faults.chance.choice(steps)()
            finally:
                self._depth -= 1


def _plainly(work: Callable[[], Any]) -> Any:
    return work()


def _note(noted: dict[str, list[str]], group: str, body: str) -> None:
    bodies = noted.setdefault(group, [])
    bodies += [body] * (body not in bodies)


def _record(message: Message) -> Record:
    attributes = {"MessageGroupId": message.group, "ApproximateReceiveCount": str(message.receives)}
    return {
        "messageId": str(message.number),
        "receiptHandle": f"receipt {message.number}",
        "body": message.body,
        "attributes": attributes,
    }
