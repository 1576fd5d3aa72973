"""An alert, as it goes onto the bus: for a program by its members, for a person in sentences.

Its id follows from what happened, so that whoever gets it twice (every delivery on AWS is at least once) can tell.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from headwater.graph.identity import NodeKind, node_id
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, shown

MAX_TITLE, MAX_LINE, MAX_TEXT, MAX_TAG, MAX_OWNERS = 100, 400, 3_900, 200, 100
"""Characters, as Datadog takes them (a title 100, a text 4,000 with its markers, a tag 200); and owners that are named,
so that an alert fits into EventBridge's 256 KB however long names are."""
MAX_DETAIL = 200_000
"""Bytes: an entry of EventBridge has 256 KB in all regions."""
BOUNDS = ((MAX_LINE, 50), (MAX_TAG, 20), (MAX_TAG, 5))
"""To which texts and lists are cut, one after the other, until it is short enough."""
SHORT = 40


class Type(StrEnum):
    """The detail types on the bus."""

    SCHEMA_CHANGED = "Dataset Schema Changed"
    LATENCY_EXCEEDED = "Emission Latency Exceeded"
    LATENCY_RECOVERED = "Emission Latency Recovered"
    RUN_FAILED = "Run Failed"
    RUN_ABANDONED = "Run Abandoned"
    ASSERTION_FAILED = "Data Quality Assertion Failed"


class Severity(StrEnum):
    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


_ALERT_TYPES = {Severity.CRITICAL: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
"""As Datadog calls them."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert. `lines` tell it, the most important first; `details` are the members of its type; alerts of one
    `group` are about one thing, and may be shown together. `link` is a lookup's path with its query."""

    type: Type
    id: str
    time: Instant
    severity: Severity
    kind: NodeKind
    name: Name
    owners: tuple[str, ...]
    title: str
    lines: tuple[str, ...]
    group: str
    link: str | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def detail(self, api_url: str) -> dict[str, Any]:
        """The event's `detail`; the API is where the link leads to. Of one too long for the bus, much is cut."""
        detail = self._detail(api_url)
        for length, most in BOUNDS:
            if len(json.dumps(detail)) <= MAX_DETAIL:
                break
            detail = {**_bounded(detail, length, most), "id": self.id, "text": detail["text"]}
        return detail

    def _detail(self, api_url: str) -> dict[str, Any]:
        return {
            "id": self.id,
            "time": shown(self.time),
            "severity": self.severity.value,
            "namespace": self.name.namespace,
            "name": self.name.name,
            "nodeId": node_id(self.kind, self.name),
            "owners": [cut(owner, MAX_TAG) for owner in self.owners[:MAX_OWNERS]],
            "title": cut(plain(self.title), MAX_TITLE),
            "lines": [cut(plain(line), MAX_LINE) for line in self.lines],
            "text": self._text(api_url),
            "tags": [cut(tag, MAX_TAG) for tag in self._tags()],
            "alertType": "success" if self.type is Type.LATENCY_RECOVERED else _ALERT_TYPES[self.severity],
            "aggregationKey": id_of(self.type, self.group),
            "link": f"{api_url}{self.link}" if self.link else None,
            **self.details,
        }

    def _text(self, api_url: str) -> str:
        """Markdown between Datadog's marks for it: a list of what is told, as much of it as fits, and the link."""
        link = f"\n\n[Look it up]({api_url}{self.link})" if self.link else ""
        link = link if len(link) < MAX_TEXT // 2 else ""
        told = "\n".join(f"- {_escaped(cut(plain(line), MAX_LINE))}" for line in self.lines)
        return f"%%% \n{cut(told, MAX_TEXT - len(link))}{link}\n %%%"

    def _tags(self) -> list[str]:
        owners = [f"owner:{owner}" for owner in self.owners[:MAX_OWNERS]]
        about = [f"namespace:{self.name.namespace}", f"{self.kind}:{self.name.name}", f"severity:{self.severity}"]
        return ["source:headwater", f"alert:{self.type.lower().replace(' ', '_')}", f"id:{self.id}", *about, *owners]


def id_of(*parts: str) -> str:
    """The id of what these parts tell apart: 32 hex digits."""
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:32]


def cut(text: str, length: int) -> str:
    """A text on one line's terms: no longer than this, and it shows where it was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def short(name: str) -> str:
    """What a person would call a node: the end of a long path or job name."""
    last = name.rstrip("/").rpartition("/")[2] or name
    return last if len(last) <= SHORT else f"…{last[1 - SHORT :]}"


def link_to(route: str, kind: NodeKind, of: Name) -> str:
    """The path of a lookup of a node."""
    return f"/api/v1/{route}?nodeId={quote(node_id(kind, of), safe='')}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def united(*owners: Iterable[str]) -> tuple[str, ...]:
    """Owners, each once, in the order in which they matter."""
    return tuple(dict.fromkeys(owner for some in owners for owner in some))


def plain(text: str) -> str:
    """A text on one line, whatever names are in it."""
    return "".join(each if each.isprintable() else " " for each in text)


def _bounded(value: Any, length: int, most: int) -> Any:
    """A document with its texts and lists cut to what is hardly ever reached: a name may have 16,000 characters."""
    if isinstance(value, dict):
        return {cut(name, length): _bounded(member, length, most) for name, member in [*value.items()][: 10 * most]}
    if isinstance(value, list):
        return [_bounded(each, length, most) for each in value[:most]]
    return cut(value, length) if isinstance(value, str) else value


def _escaped(line: str) -> str:
    """Names with what markdown would take for its own, kept as they are; and `@all` in one calls nobody, `%%%` ends
    nothing."""
    marked = "".join(f"\\{each}" if each in "*_`[]<>#|\\" else each for each in line)
    return marked.replace("@", "@\u200b").replace("%%%", "%\u200b%\u200b%")
