"""A request: its principal, its path, and its parameters, which are checked and bounded."""

import base64
import binascii
import hmac
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from headwater.access.principal import Principal
from headwater.graph.states.audit import AuditedEvents, RefusalKind
from headwater.openlineage import exact_json
from headwater.openlineage.body import read_body
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, parse_instant

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
MAX_OFFSET = 1_000_000
MAX_POSITION_BYTES = 1_000
"""The longest position in a cursor. A position is a part of a sort key, which has at most 1,024 bytes."""
DEFAULT_DEPTH = 20
MAX_DEPTH = 100

Choice = TypeVar("Choice", bound=StrEnum)


UNIDENTIFIED = Principal("", frozenset(), ())
"""The principal of a request before its key was looked up."""


@dataclass
class AuditAnnotations:
    """What the audit records of a request beyond its path, noted here by the parts that answer it.

    route        the template of the route that responded
    namespaces   the namespaces of the node of the request, or of its events
    node         the node of the request
    refused      the kind of each event that was refused
    is_audited   whether requests become audit entries
    """

    principal: Principal | None = None
    route: str = ""
    namespaces: Collection[str] = ()
    node: str = ""
    events: AuditedEvents | None = None
    refused: Sequence[RefusalKind] = ()
    is_audited: bool = False


class PageRequest(NamedTuple):
    """The requested part of a list. It begins after `offset` entries, or after the position `after`, where the previous
    page ended. `seal` is the secret of the caller that cursors are signed with."""

    limit: int
    offset: int
    after: str | None = None
    total: int | None = None
    seal: str = ""

    def cursor(self, last: str, total: int) -> str:
        """The cursor of the page after the position `last`. The cursor holds the total of the list, so the total is
        counted once. The cursor of a caller of some namespaces is signed: another caller of some namespaces, or another
        position, is refused."""
        position = {"after": last, "total": total}
        return _encoded({**position, "signature": _signature(position, self.seal)} if self.seal else position)


@dataclass(frozen=True)
class ApiRequest:
    """A request with a principal.

    path         as it came, percent-encoded or not; `is_encoded` if it certainly is as it was sent: API Gateway decodes
                 paths, a process does not
    query        the last value of each parameter; `repeated` has all values
    parameters   the parameters of the path, named by the route's pattern
    body         its bytes, or as API Gateway passes it: in base64 if `is_base64`
    has_time     whether the function has time for another step; a further request can continue the work
    request_id   the id that API Gateway gave the request, if it did
    annotations  what the audit records of the request; shared by all copies of the request
    """

    principal: Principal
    method: str
    path: str
    query: Mapping[str, str]
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: str | bytes = ""
    is_base64: bool = False
    is_encoded: bool = False
    has_time: Callable[[], bool] = lambda: True
    request_id: str = ""
    annotations: AuditAnnotations = field(default_factory=AuditAnnotations, compare=False)

    def text(self, max_bytes: int) -> str:
        """The body's text. Raises InvalidRequest for an empty body, with status 413 for a body that is too long."""
        return read_body(self.body, is_base64=self.is_base64, max_bytes=max_bytes)

    def number(self, name: str, default: int, most: int, least: int = 0) -> int:
        """A number in the query, cut to `most`. Raises InvalidRequest for another text, and for a number below
        `least`."""
        text = self.query.get(name, str(default))
        if not re.fullmatch(r"[+-]?\d{1,18}", text):
            raise InvalidRequest(Fault(name, "expected a whole number"))
        if int(text) < least:
            raise InvalidRequest(Fault(name, f"must be greater than or equal to {least}"))
        return min(int(text), most)

    def depth(self) -> int:
        """The number of hops; -1 means 0, as in Marquez."""
        return max(0, self.number("depth", DEFAULT_DEPTH, MAX_DEPTH, least=-1))

    def page(self, default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> PageRequest:
        """The requested part of a list."""
        offset = self.number("offset", 0, MAX_OFFSET)
        page = self.page_by_cursor(default, most)
        return page._replace(offset=offset) if page.after is None else page

    def page_by_cursor(self, default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> PageRequest:
        """The requested part of a list whose entries are not counted: it has no offset."""
        limit, cursor = self.number("limit", default, most), self.query.get("cursor")
        if cursor is None:
            return PageRequest(limit, 0, seal=self.principal.cursor_seal)
        match _decoded(cursor):
            case {"after": str(after), "total": int(total), **signed} if (
                after and len(after.encode()) <= MAX_POSITION_BYTES and self._has_signed(after, total, signed)
            ):
                return PageRequest(limit, 0, after, total, self.principal.cursor_seal)
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier response"))

    def _has_signed(self, after: str, total: int, signed: Mapping[Any, Any]) -> bool:
        """Whether the caller got a cursor in an earlier response."""
        seal, signature = self.principal.cursor_seal, signed.get("signature")
        expected = _signature({"after": after, "total": total}, seal)
        return not seal or (isinstance(signature, str) and hmac.compare_digest(signature.encode(), expected.encode()))

    def values(self, name: str) -> tuple[str, ...]:
        """All values of a repeated parameter."""
        return tuple(self.repeated.get(name, ()))

    def flag(self, name: str) -> bool:
        text = self.query.get(name, "false").lower()
        if text not in ("true", "false"):
            raise InvalidRequest(Fault(name, "expected true or false"))
        return text == "true"

    def choice(self, name: str, choices: type[Choice]) -> Choice | None:
        """The choice in the query, or None without the parameter. Raises InvalidRequest for another value."""
        text = self.query.get(name)
        if text is None:
            return None
        try:
            return choices(text.lower())
        except ValueError:
            raise InvalidRequest(Fault(name, f"expected one of {', '.join(choices)}")) from None

    def time(self, name: str) -> Instant | None:
        """A time, or None without the parameter. A `+` in a query is decoded as a space, also before a time zone."""
        text = self.query.get(name)
        if text is None:
            return None
        try:
            return parse_instant(re.sub(r" (?=\d\d:?\d\d$)", "+", text))
        except ValueError as error:
            raise InvalidRequest(Fault(name, str(error))) from None


def _encoded(document: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(exact_json.dumps(document).encode()).decode().rstrip("=")


def _signature(position: Mapping[str, Any], seal: str) -> str:
    return hmac.digest(seal.encode(), exact_json.dumps(position).encode(), "sha256").hex()[:32]


def _decoded(cursor: str) -> Any:
    try:
        return exact_json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
    except (ValueError, binascii.Error, InvalidRequest):
        return None
