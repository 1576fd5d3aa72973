"""Takes events in: reads, checks, queues, and only then says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from headwater.access.principal import Principal, Scope
from headwater.graph.curation import curating
from headwater.http.response import ApiResponse, error_response
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of
from headwater.openlineage.wire import read_event
from headwater.store.messages import Message, write_message
from headwater.store.s3 import Bodies
from headwater.store.table import StorageError

MAX_BATCH = 5_000
"""Events a batch: ten take one call, and the function has to be through before its time is up."""
NOT_QUEUED = "the event could not be queued; send it again"


class Sender(Protocol):
    """Where accepted events go."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Whether each message is safe."""


@dataclass(frozen=True, slots=True)
class Counted:
    """An answer, and how many events it took in and how many it refused."""

    response: ApiResponse
    received: int
    refused: int


@dataclass(frozen=True, slots=True)
class Ingest:
    """Takes in what one caller sends."""

    principal: Principal
    queue: Sender
    bucket: Bodies
    now: datetime

    def one(self, text: str) -> Counted:
        """One event: 201 once it is safe. Raises InvalidRequest, or StorageError if it is not safe."""
        message = self._message(exact_json.loads(text))
        if not self.queue.send([message])[0]:
            raise StorageError(NOT_QUEUED)
        return Counted(ApiResponse(201, {"status": "accepted", "deduplicationId": message.deduplication_id}), 1, 0)

    def batch(self, text: str) -> Counted:
        """A bare array of events; what is wrong with one does not hold up the others.

        Answers as the OpenLineage API says: 200 with a summary and the failed events by index. If nothing at all could
        be stored for a fault of ours, 503: then the whole batch is to be sent again.
        """
        documents = exact_json.loads(text)
        if not isinstance(documents, list):
            raise InvalidRequest(Fault("body", "expected an array of OpenLineage events"))
        if len(documents) > MAX_BATCH:
            raise InvalidRequest(Fault("body", f"more than {MAX_BATCH} events; send fewer at once"), status=413)
        messages: dict[int, Message] = {}
        failed: dict[int, tuple[str, bool]] = {}
        for index, document in enumerate(documents):
            try:
                messages[index] = self._message(document)
            except InvalidRequest as fault:
                failed[index] = (str(fault), False)
            except StorageError:
                failed[index] = (NOT_QUEUED, True)
        safe = self.queue.send(list(messages.values()))
        failed |= {index: (NOT_QUEUED, True) for index, sent in zip(messages, safe, strict=True) if not sent}
        refused = sum(not retriable for _, retriable in failed.values())
        if len(failed) - refused and len(failed) == len(documents):
            return Counted(error_response(503, NOT_QUEUED), 0, refused)
        return Counted(_summary(len(documents), failed), len(documents) - len(failed), refused)

    def together(self, texts: Sequence[str]) -> None:
        """Events that belong together: returns once all of them are safe. Raises InvalidRequest before any is sent, or
        StorageError if one is not safe; then all are to be sent again."""
        messages = [self._message(exact_json.loads(text)) for text in texts]
        if not all(self.queue.send(messages)):
            raise StorageError(NOT_QUEUED)

    def _message(self, document: Any) -> Message:
        event = read_event(document, now=self.now)
        self._permit(event)
        return write_message(event, exact_json.dumps(document), instant_of(self.now), self.bucket)

    def _permit(self, event: AnyEvent) -> None:
        named, path = (event.dataset, "dataset") if isinstance(event, DatasetEvent) else (event.job, "job")
        self.principal.require_namespace(named.name.namespace, f"{path}.namespace")
        if not self.principal.may(Scope.ADMIN) and (facet := next(curating(event), None)):
            raise InvalidRequest(
                Fault(f"facets.{facet}", f"a facet of this name takes the scope {Scope.ADMIN}"), status=403
            )


def _summary(received: int, failed: dict[int, tuple[str, bool]]) -> ApiResponse:
    retriable = sum(retriable for _, retriable in failed.values())
    summary = {
        "received": received,
        "successful": received - len(failed),
        "failed": len(failed),
        "retriable": retriable,
        "non_retriable": len(failed) - retriable,
    }
    events = [
        {"index": index, "reason": reason, "retriable": retriable}
        for index, (reason, retriable) in sorted(failed.items())
    ]
    status = "partial_success" if failed else "success"
    return ApiResponse(200, {"status": status, "summary": summary, "failed_events": events})
