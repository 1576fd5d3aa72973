"""Checks the events of a principal, and sends them to the queue."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from headwater.access.principal import Principal, Scope
from headwater.graph.curation import curation_facets
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of
from headwater.openlineage.wire import read_event
from headwater.store.errors import StorageError
from headwater.store.messages import Message, write_message
from headwater.store.s3 import Bodies

NOT_QUEUED = "the event could not be queued; send it again"


class Sender(Protocol):
    """The queue of accepted events."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Sends messages, and returns for each message whether the queue has stored it."""


@dataclass(frozen=True, slots=True)
class EventSender:
    """Sends the events of one principal. The principal needs the namespace of every event."""

    principal: Principal
    queue: Sender
    bucket: Bodies
    now: datetime

    def send_all(self, texts: Sequence[str]) -> None:
        """Sends events. Raises InvalidRequest before any event is sent, and StorageError if the queue did not store all
        events. After a StorageError the caller sends all events again."""
        documents = [exact_json.loads(text) for text in texts]
        messages = [self.message(document) for document in documents]
        if not all(self.queue.send(messages)):
            raise StorageError(NOT_QUEUED)

    def message(self, document: Any, on_event: Callable[[AnyEvent], None] = lambda _: None) -> Message:
        """The message of the event in a document. Raises InvalidRequest, which names each fault, or StorageError.

        `on_event` is called with an event that has no fault, before its namespace is checked.
        """
        canonical = exact_json.dumps(document)
        event = read_event(document, now=self.now, canonical=canonical)
        on_event(event)
        self._permit(event)
        return write_message(event, canonical, instant_of(self.now), self.bucket)

    def _permit(self, event: AnyEvent) -> None:
        named, path = (event.dataset, "dataset") if isinstance(event, DatasetEvent) else (event.job, "job")
        self.principal.require_namespace(named.name.namespace, f"{path}.namespace")
        if not self.principal.may(Scope.ADMIN) and (facet := next(curation_facets(event), None)):
            raise InvalidRequest(
                Fault(
                    f"facets.{facet}",
                    f"facets of this name require the scope {Scope.ADMIN}; send a key with this scope",
                ),
                status=403,
            )
