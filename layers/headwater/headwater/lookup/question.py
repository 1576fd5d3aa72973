"""A question: who asks, and what; its parameters bounded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.access.principal import Principal
from headwater.openlineage.faults import Fault, Refused

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000


@dataclass(frozen=True)
class Question:
    """A request: who asks, and what. `path` may be percent-encoded or not."""

    principal: Principal
    method: str
    path: str
    query: Mapping[str, str]

    def number(self, name: str, default: int, most: int) -> int:
        """A bounded number of the query. Raises Refused for what is none, or is below 0."""
        text = self.query.get(name, str(default))
        if not re.fullmatch(r"[+-]?\d{1,18}", text):
            raise Refused(Fault(name, "expected a whole number"))
        if int(text) < 0:
            raise Refused(Fault(name, "must be greater than or equal to 0"))
        return min(int(text), most)

    def page(self) -> dict[str, int]:
        """The part of a list that is asked for."""
        return {"offset": self.number("offset", 0, 10**9), "limit": self.number("limit", DEFAULT_LIMIT, MAX_LIMIT)}

    def flag(self, name: str) -> bool:
        text = self.query.get(name, "false").lower()
        if text not in ("true", "false"):
            raise Refused(Fault(name, "expected true or false"))
        return text == "true"
