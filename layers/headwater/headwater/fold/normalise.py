"""Normalises a batch of messages: archives, folds, and tells which messages are to come again.

A message that can never be folded goes to quarantine with the reason, and its group goes on. If the table or another
service cannot be used, the messages of a group fail from the first one on that was not folded, so that order is kept.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from headwater.fold.fold import fold
from headwater.fold.split_on_schema_change import split_on_schema_change
from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.thresholds import Thresholds
from headwater.metrics import Durations
from headwater.openlineage.event import DatasetEvent
from headwater.openlineage.instant import Instant, milliseconds_between
from headwater.store.item_codec import Retention
from headwater.store.messages import ReadMessage, read_message
from headwater.store.s3 import Bodies
from headwater.store.table import StorageError, Table


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as the queue delivers it."""

    message_id: str
    group: str
    body: str


class EventArchive(Protocol):
    """Where every event is kept as it came."""

    def put(self, events: Sequence[ReadMessage]) -> None:
        """Archives events, or raises StorageError."""


@dataclass(slots=True)
class BatchResult:
    """What became of a batch: message ids that failed, counts, and how long events took."""

    failed: list[str] = field(default_factory=list)
    folded: int = 0
    quarantined: int = 0
    durations: list[Durations] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Readable:
    delivery: Delivery
    message: ReadMessage
    normalised: NormalisedEvent


@dataclass(frozen=True)
class Normaliser:
    """Folds what the queue delivers into the table."""

    table: Table
    bucket: Bodies
    archive: EventArchive
    retention: Retention
    naming: Naming
    thresholds: Thresholds
    now: Callable[[], Instant]
    log: Callable[[str, BaseException], None]

    def normalise(self, deliveries: Sequence[Delivery]) -> BatchResult:
        """All of them together; if that does not go through, one by one, to tell which."""
        result = BatchResult()
        readable = sorted(self._read(deliveries, result), key=lambda each: each.normalised.at)
        unarchived = readable
        try:
            self.archive.put([each.message for each in readable])
            unarchived = []
            self._fold(readable, result)
        except Exception as error:  # noqa: BLE001 - whatever it is, one by one tells which message it is about
            self.log("folding message by message", error)
            self._one_by_one(readable[result.folded :], unarchived, result)
        result.failed = _in_order(deliveries, set(result.failed))
        return result

    def _read(self, deliveries: Iterable[Delivery], result: BatchResult) -> list[_Readable]:
        readable: list[_Readable] = []
        stuck: set[str] = set()
        for delivery in deliveries:
            if delivery.group in stuck:
                result.failed.append(delivery.message_id)
                continue
            try:
                message = read_message(delivery.body, self.bucket)
                readable.append(
                    _Readable(delivery, message, normalise_event(message.canonical, self.naming, message.received_at))
                )
            except StorageError as error:
                self.log("a message's body could not be read", error)
                stuck.add(delivery.group)
                result.failed.append(delivery.message_id)
            except Exception as error:  # noqa: BLE001 - ingest checked it: what is unreadable now stays so
                self._quarantine(delivery, error, stuck, result)
        return readable

    def _one_by_one(
        self, readable: Iterable[_Readable], unarchived: Collection[_Readable], result: BatchResult
    ) -> None:
        stuck: set[str] = set()
        for each in readable:
            if each.delivery.group in stuck:
                result.failed.append(each.delivery.message_id)
                continue
            try:
                if each in unarchived:
                    self.archive.put([each.message])
                self._fold([each], result)
            except StorageError as error:
                self.log("a message could not be folded for now", error)
                stuck.add(each.delivery.group)
                result.failed.append(each.delivery.message_id)
            except Exception as error:  # noqa: BLE001 - a bug must not hold up the group
                self._quarantine(each.delivery, error, stuck, result)

    def _fold(self, readable: Sequence[_Readable], result: BatchResult) -> None:
        """In the order given, a step for each change of a schema; `outcome.folded` tells how far it came."""
        for group in split_on_schema_change([each.normalised for each in readable]):
            news = fold(group, self.table, self.retention, self.thresholds)
            now = self.now()
            result.folded += len(group)
            result.durations += [_durations(each, now, is_news=each in news) for each in group]

    def _quarantine(self, delivery: Delivery, error: Exception, stuck: set[str], result: BatchResult) -> None:
        """Keeps a message with the reason; if even that fails, it is to come again."""
        self.log("a message goes to quarantine", error)
        reason = f"{type(error).__name__}: {error}"
        kept = {"reason": reason, "messageId": delivery.message_id, "group": delivery.group, "body": delivery.body}
        key = f"quarantine/{sha256(delivery.body.encode()).hexdigest()}.json"
        try:
            self.bucket.put(key, json.dumps(kept).encode())
            result.quarantined += 1
        except StorageError as storage_error:
            self.log("quarantine could not be reached", storage_error)
            stuck.add(delivery.group)
            result.failed.append(delivery.message_id)


def _durations(normalised: NormalisedEvent, now: Instant, *, is_news: bool) -> Durations:
    event = normalised.event
    job = None if isinstance(event, DatasetEvent) else event.job.name
    emission = milliseconds_between(event.time, normalised.at) if is_news else None
    return Durations(event.producer, job, milliseconds_between(normalised.at, now), emission)


def _in_order(deliveries: Sequence[Delivery], failed: set[str]) -> list[str]:
    """The messages to deliver again: of each group all from its first failed one on. They fold to the same again."""
    stuck: set[str] = set()
    again: list[str] = []
    for delivery in deliveries:
        if delivery.message_id in failed:
            stuck.add(delivery.group)
        if delivery.group in stuck:
            again.append(delivery.message_id)
    return again
