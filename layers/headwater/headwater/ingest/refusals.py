"""Counts what ingest refuses, by producer: one write for each request of which an event was refused."""

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.access.principal import Principal
from headwater.graph.producers import producer_name
from headwater.graph.states.audit import RefusalEntry, RefusalKind, counted, cut, refusal_kind
from headwater.http.audit import Audit, Failed
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.instant import instant_of

UNKNOWN = ""
"""The producer of a request whose events were not read."""
_PRODUCER = re.compile(r'"producer"\s{0,20}:\s{0,20}"([^"]{1,1000})"')


class RefusalWriter(Protocol):
    def write(self, entry: RefusalEntry, /) -> None:
        """Writes the refusals of a request. Raises StorageError."""


@dataclass(frozen=True)
class CountedRefusals:
    """Answers a request of ingest through the audit, and counts the refused events. The answer does not depend on the
    count: a count that cannot be written is in the log.

    `writer` makes the store of refusals when the first event is refused.
    """

    audit: Audit
    writer: Callable[[], RefusalWriter]
    failed: Failed

    def answer(
        self, request: ApiRequest, authenticate: Callable[[], Principal], respond: Callable[[ApiRequest], ApiResponse]
    ) -> ApiResponse:
        response = self.audit.answer(request, authenticate, respond)
        if entry := refusal_entry(request, response.status):
            try:
                self.writer().write(entry)
            except Exception as error:  # noqa: BLE001 - whatever it is, the response does not depend on it
                self.failed("a refusal could not be counted", error)
        return response


def refusal_entry(request: ApiRequest, status: int) -> RefusalEntry | None:
    """The refusals of a request that was answered with a status; None if nothing was refused."""
    kinds = list(request.annotations.refused)
    if not kinds and 400 <= status < 500:
        kinds = [RefusalKind(UNKNOWN, status, "")]
    principal = request.annotations.principal
    key = cut(principal.key_id) if principal else ""
    return RefusalEntry(instant_of(request.received_at), uuid.uuid4().hex, key, counted(kinds)) if kinds else None


def kind_of(producer: Any, fault: InvalidRequest) -> RefusalKind:
    """The kind of a refusal by the event's `producer`, whatever it is, and by the fault."""
    tool = producer_name(producer) if isinstance(producer, str) and producer else UNKNOWN
    return refusal_kind(tool, fault.status, fault.faults[0].path)


def producer_in(text: str) -> str:
    """The producer in the text of an event, which need not be JSON; empty if the text names none."""
    match = _PRODUCER.search(text)
    return match[1] if match else ""
