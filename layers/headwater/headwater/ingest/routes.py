"""The routes of ingest. docs/routes.md lists them; API Gateway passes no other path to ingest.

The namespace is in the event, not in the path: EventSender checks the namespace of each event.
"""

from collections.abc import Callable
from dataclasses import dataclass

from headwater import metrics
from headwater.access.event_sender import NOT_QUEUED, EventSender, Sender
from headwater.access.principal import Principal, Scope
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, RequestError
from headwater.http.router import CALLER, Route, Router
from headwater.ingest.accept import AcceptedBatch, accept_batch, accept_event
from headwater.store.messages import Message
from headwater.store.s3 import Bodies


@dataclass(frozen=True, slots=True)
class Ingest:
    """The services of ingest. `name_run` is called with the id of an event's run, for the log."""

    queue: Sender
    bucket: Bodies
    max_body_bytes: int
    name_run: Callable[[str], None]

    def sender(self, request: ApiRequest, caller: Principal) -> EventSender:
        return EventSender(caller, self.queue, self.bucket, request.received_at)


def post_event(ingest: Ingest, request: ApiRequest, caller: Principal) -> Message:
    """One event."""
    message = accept_event(ingest.sender(request, caller), request.text(ingest.max_body_bytes), ingest.name_run)
    metrics.count(EventsReceived=1)
    return message


def post_batch(ingest: Ingest, request: ApiRequest, caller: Principal) -> AcceptedBatch:
    """Accepts an array of events. Raises RequestError (503) if the queue stored no event; the client then sends the
    whole batch again."""
    batch = accept_batch(ingest.sender(request, caller), request.text(ingest.max_body_bytes))
    if batch.retriable and not batch.accepted:
        raise RequestError(503, NOT_QUEUED)
    metrics.count(EventsReceived=batch.accepted, EventsRefused=batch.refused)
    return batch


def accepted(_request: ApiRequest, message: Message) -> ApiResponse:
    return ApiResponse(201, {"status": "accepted", "deduplicationId": message.deduplication_id})


def summary(_request: ApiRequest, batch: AcceptedBatch) -> ApiResponse:
    """The response to a batch, as in the OpenLineage API: the counts, and the failed events by index."""
    counts = {
        "received": batch.count,
        "successful": batch.accepted,
        "failed": len(batch.failures),
        "retriable": batch.retriable,
        "non_retriable": batch.refused,
    }
    events = [
        {"index": index, "reason": failure.reason, "retriable": failure.is_retriable}
        for index, failure in sorted(batch.failures.items())
    ]
    status = "partial_success" if batch.failures else "success"
    return ApiResponse(200, {"status": status, "summary": counts, "failed_events": events})


ROUTES = (
    Route("POST", ".*/batch/?", Scope.INGEST, CALLER, post_batch, summary),
    Route("POST", ".*", Scope.INGEST, CALLER, post_event, accepted),
)
ROUTER = Router[Ingest](ROUTES)
