"""Takes events in: reads, checks, queues, and only then says so."""

from dataclasses import dataclass

from headwater.http.response import ApiResponse, error_response
from headwater.ingest.event_sender import NOT_QUEUED, EventSender
from headwater.openlineage import exact_json
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.messages import Message
from headwater.store.table import StorageError

MAX_BATCH = 5_000
"""Events a batch: ten take one call, and the function has to be through before its time is up."""


@dataclass(frozen=True, slots=True)
class Counted:
    """An answer, and how many events it took in and how many it refused."""

    response: ApiResponse
    received: int
    refused: int


class Ingest(EventSender):
    """Takes in what one caller sends, and answers."""

    def one(self, text: str) -> Counted:
        """One event: 201 once it is safe. Raises InvalidRequest, or StorageError if it is not safe."""
        message = self.message(exact_json.loads(text))
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
                messages[index] = self.message(document)
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
