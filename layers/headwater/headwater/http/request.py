"""A request: its caller, its path, and its parameters within bounds."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from headwater.access.principal import Principal
from headwater.openlineage import exact_json
from headwater.openlineage.body import read_body
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, parse_instant

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
MAX_OFFSET = 1_000_000
MAX_PLACE_BYTES = 1_000
"""Where an entry stands in a list is shorter: it has to fit into a sort key."""
DEFAULT_DEPTH = 20
MAX_DEPTH = 100

Choice = TypeVar("Choice", bound=StrEnum)


class PageRequest(NamedTuple):
    """The part of a list that is asked for: by `offset`, or behind the place at which the page before ended."""

    limit: int
    offset: int
    after: str | None = None
    total: int | None = None

    def cursor(self, last: str, total: int) -> str:
        """Where the next page begins: behind this entry. It carries the total, so that nobody counts again."""
        return _packed({"after": last, "total": total})


@dataclass(frozen=True)
class ApiRequest:
    """A request of a caller who is known.

    path         percent-encoded or not
    query        each parameter's last value; `repeated` has all values
    parameters   those of the path, which the route's pattern names
    body         as API Gateway hands it over
    has_time     whether there is time to go on with work that may be continued by another request
    """

    principal: Principal
    method: str
    path: str
    query: Mapping[str, str]
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    is_base64: bool = False
    has_time: Callable[[], bool] = lambda: True

    def text(self, max_bytes: int) -> str:
        """The body's text. Raises InvalidRequest for an empty body, 413 for one that is too long."""
        return read_body(self.body, is_base64=self.is_base64, max_bytes=max_bytes)

    def number(self, name: str, default: int, most: int, least: int = 0) -> int:
        """A number of the query, at most `most`. Raises InvalidRequest for what is none, or is below the least."""
        text = self.query.get(name, str(default))
        if not re.fullmatch(r"[+-]?\d{1,18}", text):
            raise InvalidRequest(Fault(name, "expected a whole number"))
        if int(text) < least:
            raise InvalidRequest(Fault(name, f"must be greater than or equal to {least}"))
        return min(int(text), most)

    def depth(self) -> int:
        """How many hops to go; -1 is as good as 0, as in Marquez."""
        return max(0, self.number("depth", DEFAULT_DEPTH, MAX_DEPTH, least=-1))

    def page(self, default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> PageRequest:
        """The part of a list that is asked for."""
        limit, offset = self.number("limit", default, most), self.number("offset", 0, MAX_OFFSET)
        cursor = self.query.get("cursor")
        if cursor is None:
            return PageRequest(limit, offset)
        match _unpacked(cursor):
            case {"after": str(after), "total": int(total)} if after and len(after.encode()) <= MAX_PLACE_BYTES:
                return PageRequest(limit, 0, after, total)
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier answer"))

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of a parameter that may be repeated."""
        return tuple(self.repeated.get(name, ()))

    def flag(self, name: str) -> bool:
        text = self.query.get(name, "false").lower()
        if text not in ("true", "false"):
            raise InvalidRequest(Fault(name, "expected true or false"))
        return text == "true"

    def choice(self, name: str, choices: type[Choice]) -> Choice | None:
        """One of some values, or None if the request does not say. Raises InvalidRequest for another."""
        text = self.query.get(name)
        if text is None:
            return None
        try:
            return choices(text.lower())
        except ValueError:
            raise InvalidRequest(Fault(name, f"expected one of {', '.join(choices)}")) from None

    def time(self, name: str) -> Instant | None:
        """A moment, or None if the request does not say. A `+` of its zone may have become a space on its way."""
        text = self.query.get(name)
        if text is None:
            return None
        try:
            return parse_instant(re.sub(r" (?=\d\d:?\d\d$)", "+", text))
        except ValueError as error:
            raise InvalidRequest(Fault(name, str(error))) from None


def _packed(document: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(exact_json.dumps(document).encode()).decode().rstrip("=")


def _unpacked(cursor: str) -> Any:
    try:
        return exact_json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
    except (ValueError, binascii.Error, InvalidRequest):
        return None
