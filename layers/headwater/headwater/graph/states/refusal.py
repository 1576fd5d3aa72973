"""Refusals: how many events of each producer a request lost, and why.

A refusal has no text of a client, but for the path of a fault, which names members of the event: neither a value, a
message, a body nor a key. The tool in a producer's URL is one of a few.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from headwater.openlineage.instant import Instant

KEPT = timedelta(days=7)
MAX_KINDS = 10
"""The kinds of refusals of one request; a batch may have more."""
_INDEX = re.compile(r"\[\d+\]")
_MEMBERS = re.compile(r"[A-Za-z][\w.]{0,99}", re.ASCII)


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
