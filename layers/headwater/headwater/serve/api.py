"""The routes of the process: those of API Gateway, and those that only a process has.

Each request has a principal and is answered by the router of ingest, lookup or curate, as on AWS.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qsl

from headwater import metrics
from headwater.access.keys import BadKeys, KeyRing, presented_key
from headwater.access.principal import Principal, Scope, no_key
from headwater.curate.curator import Curator
from headwater.curate.routes import respond as curate
from headwater.graph.states.audit import READING
from headwater.http.audit import Audit
from headwater.http.paths import PREFIX, Path
from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse, error_response, response_or_error
from headwater.ingest.refusals import CountedRefusals
from headwater.lookup.routes import Lookups
from headwater.lookup.routes import respond as look_up
from headwater.openlineage.faults import InvalidRequest
from headwater.serve.auditing import Strangers
from headwater.serve.log import ServeLog
from headwater.serve.posting import Posting
from headwater.store.errors import StorageError
from headwater.web_files.files import is_of_page
from headwater.web_files.files import respond as file_of_page

EVENT_PATHS = frozenset({"/", "/lineage", "/api/v1/lineage", "/lineage/batch", "/api/v1/lineage/batch"})
"""The paths of ingest, as in template.yaml."""
ENOUGH_BYTES = 16 * 1024 * 1024
"""Room on the disk below which the process says that it is unwell: the log ahead of the file grows by megabytes."""
WRITING = frozenset({"PUT", "POST", "DELETE"})
ANYONE = Principal("open", frozenset(Scope), ("*",))
"""The principal of every request of `--open`."""


@dataclass(frozen=True)
class HttpRequest:
    """A request as it came: the names of headers are in lower case, the path is percent-encoded."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def is_for_ingest(self) -> bool:
        return self.method == "POST" and self.path in EVENT_PATHS


@dataclass(frozen=True)
class ServedApi:
    """What answers requests. `keys` is None if every request is permitted; `metrics` gives the text of /metrics,
    `free_bytes` the room on the disk. The requests of ingest pass `refusals`, which passes the audit. `write_audit` is
    called before a list of the audit is read. `strangers` counts the requests without a valid key."""

    posting: Posting
    lookups: Lookups
    curator: Curator
    keys: KeyRing | None
    audit: Audit
    write_audit: Callable[[], None]
    strangers: Strangers
    refusals: CountedRefusals
    metrics: Callable[[], str]
    free_bytes: Callable[[], int]
    log: ServeLog

    def answer(self, request: HttpRequest) -> ApiResponse:
        """The response to a request, or its error."""
        if is_of_page(request.method, request.path):
            return file_of_page(request.path, request.headers)
        if request.method in ("GET", "HEAD") and (page := self._pages().get(request.path)):
            return page()
        if self.is_known(request.headers) or self.strangers.may_be_recorded():
            answering = self.refusals if request.is_for_ingest else self.audit
            response = answering.answer(
                _received(request), lambda: self._principal(request.headers), self._use_case(request)
            )
        else:
            response = response_or_error(_refuse, self.log)
        if request.is_for_ingest and response.status >= 400:
            metrics.count(EventsRefused=1)
            self.log.refused(response.status, response.body["message"])
        return response.unless_known(request.headers) if request.method in READING else response

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has a valid key, or needs none, as far as can be told."""
        try:
            self._principal(headers)
        except InvalidRequest:
            return False
        except StorageError:
            pass
        return True

    def _use_case(self, request: HttpRequest) -> Callable[[ApiRequest], ApiResponse]:
        if request.is_for_ingest:
            return self.posting.respond
        if request.method in WRITING:
            return partial(curate, self.curator)
        return self._list_audit if request.path.rstrip("/") == PREFIX + Path.AUDIT else partial(look_up, self.lookups)

    def _list_audit(self, request: ApiRequest) -> ApiResponse:
        self.write_audit()
        return look_up(self.lookups, request)

    def _principal(self, headers: Mapping[str, str]) -> Principal:
        """The principal of a request. Raises InvalidRequest (401), or StorageError if the keys cannot be read."""
        if self.keys is None:
            return ANYONE
        presented = presented_key(headers)
        try:
            principal = self.keys.find(presented) if presented else None
        except BadKeys as error:
            raise StorageError(f"the keys could not be read: {error}") from error
        if principal is None:
            raise no_key()
        return principal

    def _pages(self) -> Mapping[str, Callable[[], ApiResponse]]:
        return {
            "/health": self._health,
            "/metrics": lambda: _text(self.metrics(), "text/plain; version=0.0.4; charset=utf-8"),
        }

    def _health(self) -> ApiResponse:
        """503 once the disk has no room: then each event is answered with 503."""
        free = self.free_bytes()
        if free < ENOUGH_BYTES:
            return error_response(503, f"the disk of the file is full: {free} bytes are free; make room")
        return ApiResponse(200, {"status": "ok"})


def _refuse() -> ApiResponse:
    raise no_key()


def _received(request: HttpRequest) -> ApiRequest:
    """The request, whose principal is not known yet."""
    pairs = parse_qsl(request.query, keep_blank_values=True)
    return ApiRequest(
        UNIDENTIFIED,
        request.method,
        request.path,
        dict(pairs),
        {name: tuple(value for other, value in pairs if other == name) for name, _ in pairs},
        body=request.body,
        is_encoded=True,
    )


def _text(text: str, content_type: str) -> ApiResponse:
    return ApiResponse(200, text, {"content-type": content_type})
