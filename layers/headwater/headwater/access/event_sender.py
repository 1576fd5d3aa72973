"""Checks events, and sends them into the queue."""

from collections.abc import Sequence
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
    """Where accepted events go."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Whether each message is safe."""


@dataclass(frozen=True, slots=True)
class EventSender:
    """Sends the events of one caller: the caller's key has to be for their namespaces."""

    principal: Principal
    queue: Sender
    bucket: Bodies
    now: datetime

    def together(self, texts: Sequence[str]) -> None:
        """Events that belong together: returns once all of them are safe. Raises InvalidRequest before any is sent, or
        StorageError if one is not safe; then all are to be sent again."""
        documents = [exact_json.loads(text) for text in texts]
        messages = [self.message(self.event(document), document) for document in documents]
        if not all(self.queue.send(messages)):
            raise StorageError(NOT_QUEUED)

    def event(self, document: Any) -> AnyEvent:
        """The event in a document. Raises InvalidRequest that names each fault."""
        return read_event(document, now=self.now)

    def message(self, event: AnyEvent, document: Any) -> Message:
        """The message for an event, `document` as it was sent. Raises InvalidRequest (403), or StorageError."""
        self._permit(event)
        return write_message(event, exact_json.dumps(document), instant_of(self.now), self.bucket)

    def _permit(self, event: AnyEvent) -> None:
        named, path = (event.dataset, "dataset") if isinstance(event, DatasetEvent) else (event.job, "job")
        self.principal.require_namespace(named.name.namespace, f"{path}.namespace")
        if not self.principal.may(Scope.ADMIN) and (facet := next(curation_facets(event), None)):
            raise InvalidRequest(
                Fault(f"facets.{facet}", f"a facet of this name takes the scope {Scope.ADMIN}"), status=403
            )
