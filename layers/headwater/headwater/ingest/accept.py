"""Accepts events: each event is read, checked and queued before the response."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.access.event_sender import NOT_QUEUED, AdmittedMessage, EventSender
from headwater.graph.states.audit import RefusalKind
from headwater.ingest.refusals import kind_of
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.errors import StorageError

MAX_BATCH = 5_000
"""The most events of a batch: one call to the queue sends ten events, and the function has 15 seconds."""


class RejectedEvent(NamedTuple):
    """The reason why an event of a batch was not accepted. A failure of the queue can be retried; an event with a fault
    is refused."""

    reason: str
    is_retriable: bool
    kind: RefusalKind | None = None


@dataclass(frozen=True, slots=True)
class AcceptedBatch:
    """The number of events in a batch, and by index: the failures of the events that were not accepted, and the paths
    of what was set aside of the others. `secrets` are those that were replaced in the others."""

    count: int
    failures: Mapping[int, RejectedEvent]
    set_aside: Mapping[int, tuple[str, ...]]
    secrets: int

    @property
    def accepted(self) -> int:
        return self.count - len(self.failures)

    @property
    def retriable(self) -> int:
        return sum(failure.is_retriable for failure in self.failures.values())

    @property
    def refused(self) -> int:
        return len(self.failures) - self.retriable


def accept_event(sender: EventSender, text: str, on_event: Callable[[AnyEvent], None]) -> AdmittedMessage:
    """Accepts one event, and returns when the queue has stored the event. Raises InvalidRequest, or StorageError if the
    queue did not store the event.

    `on_event` is called with the event if it has no fault, before its namespaces are checked.
    """
    admitted = sender.message(exact_json.loads(text), on_event)
    if not sender.queue.send([admitted.message])[0]:
        raise StorageError(NOT_QUEUED)
    return admitted


def accept_batch(sender: EventSender, text: str, on_event: Callable[[AnyEvent], None]) -> AcceptedBatch:
    """Accepts the events of an array that have no fault. Raises InvalidRequest if the text is no array of events.

    `on_event` is called with each event that has no fault, before its namespaces are checked.
    """
    documents = exact_json.loads(text)
    if not isinstance(documents, list):
        raise InvalidRequest(Fault("body", "expected an array of OpenLineage events"))
    if len(documents) > MAX_BATCH:
        raise InvalidRequest(Fault("body", f"more than {MAX_BATCH} events; send smaller batches"), status=413)
    return accept_documents(sender, documents, on_event)


def accept_documents(
    sender: EventSender, documents: Sequence[Any], on_event: Callable[[AnyEvent], None] = lambda _: None
) -> AcceptedBatch:
    messages: dict[int, AdmittedMessage] = {}
    failures: dict[int, RejectedEvent] = {}
    for index, document in enumerate(documents):
        try:
            messages[index] = sender.message(document, on_event)
        except InvalidRequest as fault:
            producer = document.get("producer") if isinstance(document, dict) else None
            failures[index] = RejectedEvent(str(fault), is_retriable=False, kind=kind_of(producer, fault))
        except StorageError:
            failures[index] = RejectedEvent(NOT_QUEUED, is_retriable=True)
    safe = sender.queue.send([admitted.message for admitted in messages.values()])
    not_queued = RejectedEvent(NOT_QUEUED, is_retriable=True)
    failures |= {index: not_queued for index, is_safe in zip(messages, safe, strict=True) if not is_safe}
    set_aside = {index: admitted.set_aside for index, admitted in messages.items() if admitted.set_aside}
    secrets = sum(admitted.secrets for index, admitted in messages.items() if index not in failures)
    kept = {index: set_aside[index] for index in set_aside.keys() - failures}
    return AcceptedBatch(len(documents), failures, kept, secrets)
