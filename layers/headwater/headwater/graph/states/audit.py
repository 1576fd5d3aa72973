"""What is kept of requests: an audit entry for each, and how many events were refused and why.

An audit entry says who asked what, and who changed what. It has names, but no body, header, key or cursor. A client's
texts are cut, so that an entry stays short whatever it sends.

A refusal has no text from a client except the path of a fault, which names members of the event: no value, message,
body or key. The tool in a producer's URL is one of a few.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import unquote

from headwater.graph.names.naming import plain_namespace
from headwater.openlineage.instant import Instant

MAX_CHARACTERS = 300
"""The characters that are kept of a name, of a path and of a value in the query."""
MAX_NAMESPACES = 10
"""The most namespaces of an entry. A batch of events may have more."""
_CUT = "..."
READING = frozenset({"GET", "HEAD"})
"""The methods of lookups."""
KEPT = timedelta(days=7)
"""How long refusals are kept."""
MAX_KINDS = 10
"""The kinds of refusals of one request; a batch may have more."""
_INDEX = re.compile(r"\[\d+\]")
_MEMBERS = re.compile(r"[A-Za-z][\w.]{0,99}", re.ASCII)


class AuditedEvents(NamedTuple):
    """The events of a request: those that the queue took, those that were refused for a fault of the producer, and
    those among the taken of which something was set aside."""

    taken: int
    refused: int
    set_aside: int


@dataclass(frozen=True)
class AuditEntry:
    """One request, and the status of its answer.

    caller           the id of the key; `person NAME`; `iam`; empty without a valid key
    subject          of a person the `sub` of the token, of IAM the ARN; a key has none
    route            the template of the route, such as `GET /namespaces/{namespace}/jobs/{job}`; empty if none fits
    path, query      as they were sent; the query without cursors and unknown parameters
    namespaces       the namespaces of the node of the request, or of the jobs of its events, in their plain spelling:
                     the first of them
    namespace_count  how many namespaces there are
    node             the node of the request: `job:NAMESPACE:NAME`, `run:ID`
    """

    time: Instant
    request_id: str
    caller: str
    subject: str
    method: str
    route: str
    path: str
    status: int
    query: Mapping[str, str] = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    namespace_count: int = 0
    node: str = ""
    events: AuditedEvents | None = None

    @property
    def is_change(self) -> bool:
        """Whether the request would change something; the status says whether it did."""
        return self.method not in READING

    def is_of(self, caller: str) -> bool:
        return cut(caller) in (self.caller, self.subject) and bool(caller)

    def concerns(self, namespace: str) -> bool:
        """Whether the request is about a namespace, or names it: a refused request may have no known node."""
        in_path = f"/{namespace}/" in f"{unquote(self.path)}/"
        in_query = self.query.get("namespace") == cut(namespace) or f":{namespace}:" in self.query.get("nodeId", "")
        return cut(plain_namespace(namespace)) in self.namespaces or in_path or in_query


def cut(text: str) -> str:
    """A text as an entry keeps it. Half of a surrogate pair, which no text of UTF-8 has, becomes a question mark."""
    whole = text.encode(errors="replace").decode()
    return whole if len(whole) <= MAX_CHARACTERS else whole[: MAX_CHARACTERS - len(_CUT)] + _CUT


class RefusalKind(NamedTuple):
    """Equal refusals: the tool that sent the events, the HTTP status, and the path of the first fault, without
    indices: `outputs.namespace`. The path is empty if it is unknown, or no path of members."""

    producer: str
    status: int
    path: str


@dataclass(frozen=True)
class RefusalEntry:
    """The refused events of one request. `key` is the id of the client's key; empty without a valid key."""

    time: Instant
    request_id: str
    key: str
    counts: tuple[tuple[RefusalKind, int], ...]


def refusal_kind(producer: str, status: int, path: str) -> RefusalKind:
    """The kind of a refusal by the path of its fault."""
    members = _INDEX.sub("", path)
    return RefusalKind(producer, status, members if _MEMBERS.fullmatch(members) else "")


def counted(kinds: Iterable[RefusalKind]) -> tuple[tuple[RefusalKind, int], ...]:
    """The refusals of a request by their kind, the most frequent first."""
    return tuple(Counter(kinds).most_common(MAX_KINDS))
