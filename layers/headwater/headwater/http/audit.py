"""The audit of requests: every request that is answered passes here and becomes an audit entry.

If the entry of a change cannot be written, the answer is 503, so that the client sends it again: all changes may be
repeated. Lookups are answered anyway. Either way the log says which request has no entry, and an alarm goes off.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from headwater import metrics
from headwater.access.principal import Principal
from headwater.graph.names.naming import plain_namespace
from headwater.graph.states.audit import MAX_NAMESPACES, READING, AuditEntry, cut
from headwater.http.paths import Path
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, error_response, response_or_error
from headwater.openlineage.instant import instant_of

KEPT_PARAMETERS = frozenset(
    {
        *("after", "before", "at", "asOf", "period", "timezone", "limit", "offset", "sort", "sortDirection"),
        *("nodeId", "runId", "namespace", "key", "method", "changes", "q", "filter", "type", "of", "eventKinds"),
        *(
            "depth",
            "direction",
            "withDownstream",
            "withUsage",
            "namedByOthers",
            "view",
            "rollup",
            "format",
            "width",
            "lastRunStates",
        ),
        *("severity", "owner", "open", "state", "producer", "from", "to", "kind", "tag"),
    }
)
"""The parameters of the query that an entry keeps. A cursor is left out for its signature, an unknown parameter because
it may be anything, such as a key. Only the list of the audit knows `key`: elsewhere it is a client's key."""
_REQUEST_ID = re.compile(r"[\w=-]{1,64}", re.ASCII)

Failed = Callable[[str, BaseException], None]
"""Logs a fault of the server."""


class AuditWriter(Protocol):
    def write(self, entry: AuditEntry, /) -> None:
        """Writes an entry. Raises StorageError."""


@dataclass(frozen=True)
class Audit:
    """The audit of one home. Without a writer, no requests become entries."""

    writer: AuditWriter | None
    failed: Failed

    def answer(
        self, request: ApiRequest, authenticate: Callable[[], Principal], respond: Callable[[ApiRequest], ApiResponse]
    ) -> ApiResponse:
        """The response to a request whose principal is not known yet, or its error. `authenticate` returns the
        principal, or raises InvalidRequest (401)."""

        def handle() -> ApiResponse:
            request.annotations.principal = authenticate()
            return respond(replace(request, principal=request.annotations.principal))

        request.annotations.is_audited = self.writer is not None
        response = response_or_error(handle, self.failed)
        return self._recorded(self.writer, request, response) if self.writer else response

    def lost(self, request_id: str, route: str, status: int, error: BaseException) -> None:
        """Logs and counts a request that has no entry."""
        metrics.lost_audit_entry()
        self.failed(f"no audit entry of request {request_id}: {route or 'no route'}, {status}", error)

    def _recorded(self, writer: AuditWriter, request: ApiRequest, response: ApiResponse) -> ApiResponse:
        try:
            writer.write(audit_entry(request, response.status))
        except Exception as error:  # noqa: BLE001 - whatever it is, the response to a lookup does not depend on it
            self.lost(_logged(request.request_id), request.annotations.route, response.status, error)
            if request.method not in READING and response.status < 400:
                return error_response(503, "the audit log does not answer; send the request again")
        return response


def audit_entry(request: ApiRequest, status: int) -> AuditEntry:
    """The entry of a request that was answered with a status."""
    notes = request.annotations
    namespaces = sorted(set(map(plain_namespace, notes.namespaces)))
    return AuditEntry(
        time=instant_of(request.received_at),
        request_id=request.request_id if _is_id(request.request_id) else str(uuid.uuid4()),
        caller=cut(notes.principal.key_id) if notes.principal else "",
        subject=cut(notes.principal.subject) if notes.principal else "",
        method=cut(request.method)[:20],
        route=notes.route,
        path=cut(request.path),
        status=status,
        query=_kept(request.repeated, notes.route),
        namespaces=tuple(map(cut, namespaces[:MAX_NAMESPACES])),
        namespace_count=len(namespaces),
        node=cut(notes.node),
        events=notes.events,
    )


def _kept(query: Mapping[str, Iterable[str]], route: str) -> dict[str, str]:
    kept = KEPT_PARAMETERS if route == f"GET {Path.AUDIT}" else KEPT_PARAMETERS - {"key"}
    return {name: cut(" ".join(values)) for name, values in sorted(query.items()) if name in kept}


def _is_id(text: str) -> bool:
    """Whether a text has the form of an id of API Gateway. An id is a part of a key."""
    return _REQUEST_ID.fullmatch(text) is not None


def _logged(request_id: str) -> str:
    return request_id if _is_id(request_id) else "without an id"
