"""Checks the events of a principal, and sends them to the queue."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from headwater.access.admission import admitted_event
from headwater.access.principal import Principal
from headwater.concurrent import give_way
from headwater.graph.names.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of
from headwater.openlineage.nameless import NamedDatasets, with_named_datasets
from headwater.openlineage.redaction import redacted
from headwater.openlineage.wire import read_event
from headwater.store.bodies import Bodies
from headwater.store.errors import StorageError
from headwater.store.messages import Message, write_message

MAX_DATASETS = 10_000
"""Inputs and outputs of an event. An output takes four writes when it is new; the deliveries of a message have time for
some 60,000 writes."""
NOT_QUEUED = "the event could not be queued; send it again"


class Sender(Protocol):
    """The queue of accepted events."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Sends messages, and returns for each message whether the queue has stored it."""


class AdmittedMessage(NamedTuple):
    """The message of an event, and the paths of what of the event was set aside (access/admission.py). Among them are
    the places of its secrets that were replaced; `secrets` is their number."""

    message: Message
    set_aside: tuple[str, ...]
    secrets: int


@dataclass(frozen=True, slots=True)
class EventSender:
    """Sends the events of one principal, each as the principal may send it."""

    principal: Principal
    queue: Sender
    bucket: Bodies
    naming: Naming
    now: datetime

    def send_all(self, texts: Sequence[str]) -> None:
        """Sends events. Raises InvalidRequest before any event is sent, and StorageError if the queue did not store all
        events. After a StorageError the caller sends all events again."""
        documents = [exact_json.loads(text) for text in texts]
        messages = [self.message(document).message for document in documents]
        if not all(self.queue.send(messages)):
            raise StorageError(NOT_QUEUED)

    def message(self, document: Any, on_event: Callable[[AnyEvent], None] = lambda _: None) -> AdmittedMessage:
        """The message of the event in a document. Raises InvalidRequest, which names each fault, or StorageError.

        `on_event` is called with an event that has no fault, before its namespaces are checked.
        """
        named = with_named_datasets(document)
        canonical = exact_json.dumps(named.document)
        give_way()
        clean = redacted(named.document, canonical)
        give_way()
        if clean.places:
            named = NamedDatasets(clean.document, (*named.faults, *clean.places))
            canonical = exact_json.dumps(named.document)
        event = self._event(document, named.document, canonical)
        _check_width(event)
        on_event(event)
        give_way()
        admitted = admitted_event(named, event, self.principal, self.naming)
        if admitted.document is not named.document:
            canonical = exact_json.dumps(admitted.document)
            event = read_event(admitted.document, now=self.now, canonical=canonical)
        message = write_message(event, canonical, instant_of(self.now), self.bucket, self.principal.key_id)
        return AdmittedMessage(message, admitted.set_aside, len(clean.places))

    def _event(self, sent: Any, named: Any, canonical: str) -> AnyEvent:
        """The event without its nameless datasets. If there is another fault, all faults of the event are named."""
        try:
            return read_event(named, now=self.now, canonical=canonical)
        except InvalidRequest:
            read_event(sent, now=self.now)
            raise


def _check_width(event: AnyEvent) -> None:
    """Raises InvalidRequest for an event with more datasets than can be folded."""
    if not isinstance(event, DatasetEvent) and len(event.inputs) + len(event.outputs) > MAX_DATASETS:
        longer = "inputs" if len(event.inputs) > len(event.outputs) else "outputs"
        fault = Fault(longer, f"more than {MAX_DATASETS} datasets; send several events of the run")
        raise InvalidRequest(fault, status=413)
