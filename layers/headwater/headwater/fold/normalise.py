"""Normalises a batch of messages: folds and archives their events, and returns the messages to deliver again.

Events are folded first, so an archive that is down delays none. A message whose event was not archived is delivered and
folded again, which changes nothing. An event with very many datasets is folded last and by itself: if the invocation
runs out of time, only that event is delivered again, and continues. A caller that folds in transactions has it folded
part by part, so that no transaction takes long.

A message that can never be folded goes to quarantine with the reason, and its group continues. If the table or another
service is unavailable, a group fails from its first unfolded message on, so it keeps its order.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Protocol

from headwater.concurrent import give_way
from headwater.fold.event_parts import divide
from headwater.fold.fold import fold
from headwater.fold.split_on_schema_change import split_on_schema_change
from headwater.graph.facets.dataset_reference import dataset_references
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.log import FaultLog
from headwater.metrics import Durations
from headwater.openlineage.event import DatasetEvent, is_uuid
from headwater.openlineage.instant import Instant, milliseconds_between
from headwater.store.bodies import Bodies
from headwater.store.errors import CorruptItem, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.messages import Message, ReceivedMessage, message_for, read_message

WIDE_EVENT = 500
"""Datasets of an event. An event with more is folded by itself: each new output takes four writes."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as the queue delivers it; `received` is its content, in the process that received the event. `receipt`
    is its receipt handle on AWS, with the number of its deliveries. `parts` are the parts of its event that are still
    to be folded, if some were."""

    message_id: str
    group: str
    body: str
    received: ReceivedMessage | None = None
    receipt: tuple[str, int] = ("", 1)
    parts: tuple[NormalisedEvent, ...] = ()

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Delivery":
        """The message of a record, as Lambda reads it from the queue."""
        attributes = record["attributes"]
        receipt = record.get("receiptHandle", ""), int(attributes.get("ApproximateReceiveCount", 1))
        return cls(record["messageId"], attributes["MessageGroupId"], record["body"], receipt=receipt)

    @property
    def run(self) -> str | None:
        """The id of the run that the event belongs to, if any: the events of a run are a group."""
        return self.group if is_uuid(self.group) else None


class EventArchive(Protocol):
    """The archive, which keeps every event as it was received."""

    def put(self, events: Sequence[ReceivedMessage]) -> None:
        """Archives events, or raises StorageError."""


class ForwardQueue(Protocol):
    """The queue of events that are forwarded."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Sends messages, and returns for each message whether the queue has stored it."""


@dataclass(slots=True)
class BatchResult:
    """The outcome of a batch.

    failed        ids of the messages to deliver again
    unfinished    messages whose event is partly folded, as they are to be delivered next; by their ids
    folded        events that are in the table
    quarantined   messages that can never be folded
    corrupt       messages that fail because an item of the table cannot be read
    durations     how long each folded event took
    """

    failed: list[str] = field(default_factory=list)
    unfinished: dict[str, Delivery] = field(default_factory=dict)
    folded: int = 0
    quarantined: int = 0
    corrupt: int = 0
    durations: list[Durations] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ReadDelivery:
    """A message with its event, or with the part of its event to fold; `rest` are the parts after it."""

    delivery: Delivery
    received: ReceivedMessage
    normalised: NormalisedEvent
    rest: tuple[NormalisedEvent, ...] = ()

    @property
    def is_wide(self) -> bool:
        return bool(self.rest) or len(dataset_references(self.normalised.event)) > WIDE_EVENT


@dataclass(frozen=True)
class Normaliser:
    """Folds the events that the queue delivers into the store. With `part`, at most so many datasets of an event are
    folded at a time: the message is `unfinished` until its last part is folded. Events that are archived go to each of
    the targets by the queue `forward`."""

    store: GraphStore
    bucket: Bodies
    archive: EventArchive
    naming: Naming
    thresholds: Thresholds
    now: Callable[[], Instant]
    log: FaultLog
    part: int | None = None
    targets: Sequence[str] = ()
    forward: ForwardQueue | None = None

    def normalise(self, deliveries: Sequence[Delivery]) -> BatchResult:
        """Folds all messages together. If that fails, folds them one by one to find the culprit."""
        result = BatchResult()
        read = self._read(deliveries, result)
        readable = sorted(read, key=lambda message: (message.is_wide, message.normalised.at))
        try:
            self._fold(readable, result)
        except Exception as error:  # noqa: BLE001 - the messages are folded one by one next
            self.log("folding message by message", error)
            self._one_by_one(readable[result.folded :], result)
        self._archive(readable, result)
        result.failed = _in_order(deliveries, set(result.failed))
        if self.forward:
            self._forward(self.forward, read, result)
            result.failed = _in_order(deliveries, set(result.failed))
        return result

    def _archive(self, readable: Sequence[_ReadDelivery], result: BatchResult) -> None:
        """Archives all events that were read, even those in quarantine."""
        try:
            self.archive.put([message.received for message in readable])
        except StorageError as error:
            self.log("events that could not be archived are delivered again", error)
            result.failed += [message.delivery.message_id for message in readable]

    def _forward(self, queue: ForwardQueue, read: Sequence[_ReadDelivery], result: BatchResult) -> None:
        """Hands on what is not delivered again, in the order of its delivery, also what a bug keeps from the table. A
        message that the queue does not take is delivered again."""
        done = [message for message in read if message.delivery.message_id not in result.failed]
        sent = [(message.delivery, target, message.received) for message in done for target in self.targets]
        safe = queue.send([message_for(target, each.group, each.body, received) for each, target, received in sent])
        result.failed += [each.message_id for (each, _, _), is_safe in zip(sent, safe, strict=True) if not is_safe]

    def _read(self, deliveries: Iterable[Delivery], result: BatchResult) -> list[_ReadDelivery]:
        readable: list[_ReadDelivery] = []
        stuck: set[str] = set()
        for delivery in deliveries:
            if delivery.group in stuck:
                result.failed.append(delivery.message_id)
                continue
            give_way()
            try:
                message = delivery.received or read_message(delivery.body, self.bucket)
                first, *rest = delivery.parts or self._parts(message)
                readable.append(_ReadDelivery(delivery, message, first, tuple(rest)))
            except StorageError as error:
                self.log("a message's body could not be read", error, run=delivery.run)
                stuck.add(delivery.group)
                result.failed.append(delivery.message_id)
            except Exception as error:  # noqa: BLE001 - ingest checked the event: another try cannot help
                self._quarantine(delivery, error, stuck, result)
        return readable

    def _parts(self, message: ReceivedMessage) -> Sequence[NormalisedEvent]:
        normalised = normalise_event(message.canonical, self.naming, message.received_at, message.event)
        return divide(normalised, self.part) if self.part else [normalised]

    def _one_by_one(self, readable: Iterable[_ReadDelivery], result: BatchResult) -> None:
        stuck: set[str] = set()
        for message in readable:
            if message.delivery.group in stuck:
                result.failed.append(message.delivery.message_id)
                continue
            try:
                self._fold([message], result)
            except StorageError as error:
                self.log("a message could not be folded for now", error, run=message.delivery.run)
                result.corrupt += isinstance(error, CorruptItem)
                stuck.add(message.delivery.group)
                result.failed.append(message.delivery.message_id)
            except Exception as error:  # noqa: BLE001 - a bug must not hold up the group
                self._quarantine(message.delivery, error, stuck, result)

    def _fold(self, readable: Sequence[_ReadDelivery], result: BatchResult) -> None:
        """Folds in the order given: a fold for each schema change, and for each wide event or part of one. The events
        folded are added to `result.folded`."""
        narrow = [message.normalised for message in readable if not message.is_wide]
        for group in split_on_schema_change(narrow):
            self._fold_events(group, result)
        for message in readable:
            if message.rest:
                fold([message.normalised], self.store, self.thresholds)
                rest = replace(message.delivery, received=message.received, parts=message.rest)
                result.unfinished[message.delivery.message_id] = rest
            elif message.is_wide:
                self._fold_events([message.normalised], result)

    def _fold_events(self, events: Sequence[NormalisedEvent], result: BatchResult) -> None:
        timely = fold(events, self.store, self.thresholds)
        now = self.now()
        result.folded += len(events)
        result.durations += [_durations(event, now, is_timely=event in timely) for event in events]

    def _quarantine(self, delivery: Delivery, error: Exception, stuck: set[str], result: BatchResult) -> None:
        """Puts a message into quarantine with the reason; if the bucket fails, the message is delivered again."""
        self.log("a message goes to quarantine", error, run=delivery.run)
        reason = f"{type(error).__name__}: {error}"
        kept = {"reason": reason, "messageId": delivery.message_id, "group": delivery.group, "body": delivery.body}
        key = f"quarantine/{sha256(delivery.body.encode()).hexdigest()}.json"
        try:
            self.bucket.put(key, json.dumps(kept).encode())
            result.quarantined += 1
        except StorageError as storage_error:
            self.log("quarantine could not be reached", storage_error, run=delivery.run)
            stuck.add(delivery.group)
            result.failed.append(delivery.message_id)


def _durations(normalised: NormalisedEvent, now: Instant, *, is_timely: bool) -> Durations:
    event = normalised.event
    job = None if isinstance(event, DatasetEvent) else event.job.name
    emission = milliseconds_between(event.time, normalised.at) if is_timely else None
    return Durations(event.producer, job, milliseconds_between(normalised.at, now), emission)


def _in_order(deliveries: Sequence[Delivery], failed: set[str]) -> list[str]:
    """The messages to deliver again: each group from its first failed message on. Folding a message twice changes
    nothing."""
    stuck: set[str] = set()
    redelivered: list[str] = []
    for delivery in deliveries:
        if delivery.message_id in failed:
            stuck.add(delivery.group)
        if delivery.group in stuck:
            redelivered.append(delivery.message_id)
    return redelivered
