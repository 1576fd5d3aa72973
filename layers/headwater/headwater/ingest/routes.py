"""The routes of ingest. docs/routes.md lists them; API Gateway passes no other paths to ingest.

The namespaces are in the event, not in the path: EventSender checks the namespaces of each event.
"""

from collections.abc import Callable
from dataclasses import dataclass

from headwater import metrics
from headwater.access.event_sender import NOT_QUEUED, AdmittedMessage, EventSender, Sender
from headwater.access.principal import Principal, Scope
from headwater.graph.names.naming import Naming
from headwater.graph.states.audit import AuditedEvents
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, RequestError
from headwater.http.router import CALLER, Route, Router
from headwater.ingest.accept import AcceptedBatch, accept_batch, accept_event
from headwater.ingest.refusals import kind_of, producer_in
from headwater.openlineage.event import AnyEvent, DatasetEvent, RunEvent
from headwater.openlineage.faults import InvalidRequest
from headwater.store.bodies import Bodies


@dataclass(frozen=True, slots=True)
class Ingest:
    """The services of ingest. `name_run` is called with the id of an event's run, for the log."""

    queue: Sender
    bucket: Bodies
    naming: Naming
    max_body_bytes: int
    name_run: Callable[[str], None]

    def sender(self, request: ApiRequest, caller: Principal) -> EventSender:
        return EventSender(caller, self.queue, self.bucket, self.naming, request.received_at)


def post_event(ingest: Ingest, request: ApiRequest, caller: Principal) -> AdmittedMessage:
    """One event."""

    def on_event(event: AnyEvent) -> None:
        request.annotations.namespaces = [_namespace(event)]
        if isinstance(event, RunEvent):
            ingest.name_run(event.run_id)

    text = ""
    try:
        text = request.text(ingest.max_body_bytes)
        admitted = accept_event(ingest.sender(request, caller), text, on_event)
    except InvalidRequest as fault:
        request.annotations.events = AuditedEvents(taken=0, refused=1, set_aside=0)
        request.annotations.refused = [kind_of(producer_in(text), fault)]
        raise
    request.annotations.events = AuditedEvents(taken=1, refused=0, set_aside=int(bool(admitted.set_aside)))
    metrics.count(EventsReceived=1, EventsSetAside=int(bool(admitted.set_aside)), SecretsRedacted=admitted.secrets)
    return admitted


def post_batch(ingest: Ingest, request: ApiRequest, caller: Principal) -> AcceptedBatch:
    """Accepts an array of events. Raises RequestError (503) if the queue stored no event; the client then sends the
    whole batch again."""
    namespaces: set[str] = set()
    request.annotations.namespaces = namespaces
    batch = accept_batch(
        ingest.sender(request, caller),
        request.text(ingest.max_body_bytes),
        lambda event: namespaces.add(_namespace(event)),
    )
    if batch.retriable and not batch.accepted:
        raise RequestError(503, NOT_QUEUED)
    request.annotations.events = AuditedEvents(batch.accepted, batch.refused, len(batch.set_aside))
    request.annotations.refused = [failure.kind for failure in batch.failures.values() if failure.kind]
    metrics.count(
        EventsReceived=batch.accepted,
        EventsRefused=batch.refused,
        EventsSetAside=len(batch.set_aside),
        SecretsRedacted=batch.secrets,
    )
    return batch


def _namespace(event: AnyEvent) -> str:
    """The namespace of what an event is about: of its job, or of its dataset."""
    return (event.dataset if isinstance(event, DatasetEvent) else event.job).name.namespace


def accepted(_request: ApiRequest, admitted: AdmittedMessage) -> ApiResponse:
    """The response to one event. `setAside` has the paths of what was left out: datasets without a usable name, and
    what the key may not say of the namespaces of others."""
    answer = {"status": "accepted", "deduplicationId": admitted.message.deduplication_id}
    return ApiResponse(201, {**answer, "setAside": admitted.set_aside} if admitted.set_aside else answer)


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
    answer = {"status": status, "summary": counts, "failed_events": events}
    set_aside = [{"index": index, "paths": paths} for index, paths in sorted(batch.set_aside.items())]
    return ApiResponse(200, {**answer, "set_aside": set_aside} if set_aside else answer)


ROUTES = (
    Route("POST", ".*/batch/?", Scope.INGEST, CALLER, post_batch, summary, parameters=None),
    Route("POST", ".*", Scope.INGEST, CALLER, post_event, accepted, parameters=None),
)
ROUTER = Router[Ingest](ROUTES)
