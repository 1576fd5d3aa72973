"""An alert, as it goes onto the bus: members for a program, sentences for a person.

An alert's id follows from the event that caused the alert. Every delivery on AWS is at least once, so receivers need
the id to recognise repetitions.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from headwater.graph.facets.dataset_reference import SYMLINKS, display_name, symlinks
from headwater.graph.names.identity import DatasetId, NodeKind, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem
from headwater.store.snapshot import ReadRequest
from headwater.store.stream_records import StateChange

MAX_TITLE, MAX_LINE, MAX_TEXT, MAX_CHAT_TEXT, MAX_TAG, MAX_OWNERS = 100, 400, 3_900, 2_900, 200, 100
"""Characters that Datadog takes (a title 100, a text 4,000 with its markers, a tag 200), and owners in an alert.
The bounds keep an alert within EventBridge's 256 KB however long names are."""
MAX_DETAIL = 200_000
"""Bytes of a detail; an entry of EventBridge has 256 KB in all regions."""
BOUNDS = ((MAX_LINE, 50), (MAX_TAG, 20), (MAX_TAG, 5))
"""Lengths of texts and of lists. A detail that is too long is cut to the first pair, then to the second, and so on."""
MAX_SHORT_NAME = 40


class DetailType(StrEnum):
    """The types of alerts. EventBridge rules select alerts by detail type."""

    SCHEMA_CHANGED = "Dataset Schema Changed"
    LATENCY_EXCEEDED = "Emission Latency Exceeded"
    LATENCY_RECOVERED = "Emission Latency Recovered"
    RUN_FAILED = "Run Failed"
    RUN_ABANDONED = "Run Abandoned"
    RUN_MISSING = "Run Missing"
    AT_RISK = "Deadline At Risk"
    DEADLINE_RECOVERED = "Deadline Recovered"
    DATASET_STALE = "Dataset Stale"
    VOLUME_ANOMALY = "Volume Anomaly"
    ASSERTION_FAILED = "Data Quality Assertion Failed"
    COMPATIBILITY_BROKEN = "Compatibility Broken"


_RECOVERED = frozenset({DetailType.LATENCY_RECOVERED, DetailType.DEADLINE_RECOVERED})
_ALERT_TYPES = {Severity.CRITICAL: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
"""Datadog's names of the severities."""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert about one job or dataset.

    id        follows from the cause, so the same cause gives the same id
    time      when the cause happened
    kind      whether `name` is a job's or a dataset's
    owners    the owners to notify, the nearest first
    lines     the alert in sentences, the most important first
    group     alerts with the same group are about the same subject, and may be shown together
    details   the members that only this detail type has
    """

    type: DetailType
    id: str
    time: Instant
    severity: Severity
    kind: NodeKind
    name: Name
    owners: tuple[str, ...]
    title: str
    lines: tuple[str, ...]
    group: str
    details: dict[str, Any] = field(default_factory=dict)

    def detail(self, api_url: str) -> dict[str, Any]:
        """The `detail` of the event on the bus, with a link into the API. A long detail has its texts and lists cut."""
        detail = self._detail(api_url)
        for length, most in BOUNDS:
            if len(json.dumps(detail)) <= MAX_DETAIL:
                break
            detail = {
                **_bounded(detail, length, most),
                "id": self.id,
                "text": detail["text"],
                "chatText": detail["chatText"],
            }
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
            "chatText": cut("\n".join(cut(plain(line), MAX_LINE) for line in self.lines) or " ", MAX_CHAT_TEXT),
            "tags": [cut(tag, MAX_TAG) for tag in self._tags()],
            "alertType": "success" if self.type in _RECOVERED else _ALERT_TYPES[self.severity],
            "aggregationKey": id_of(self.type, self.group),
            "link": self._page(api_url),
            **self.details,
        }

    def _page(self, api_url: str) -> str:
        """The address of the web page at this alert: what changed, whose job did it, what breaks."""
        return f"{api_url}/#/alerts?id={self.id}"

    def _text(self, api_url: str) -> str:
        """Markdown between Datadog's markers: a list of as many lines as fit, and the link."""
        link = f"\n\n[Look it up]({self._page(api_url)})"
        lines = "\n".join(f"- {_escaped(cut(plain(line), MAX_LINE))}" for line in self.lines)
        return f"%%% \n{cut(lines, MAX_TEXT - len(link))}{link}\n %%%"

    def _tags(self) -> list[str]:
        owners = [f"owner:{owner}" for owner in self.owners[:MAX_OWNERS]]
        subject = [f"namespace:{self.name.namespace}", f"{self.kind}:{self.name.name}", f"severity:{self.severity}"]
        return ["source:headwater", f"alert:{self.type.lower().replace(' ', '_')}", f"id:{self.id}", *subject, *owners]


def id_of(*parts: str) -> str:
    """The id of an alert with these parts, such as its detail type and its run: 32 hex digits."""
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:32]


def cut(text: str, length: int) -> str:
    """A text of at most `length` characters; an ellipsis marks a text that was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def short_name(name: str) -> str:
    """A short name of a node for people: the end of a long path or job name."""
    last = name.rstrip("/").rpartition("/")[2] or name
    return last if len(last) <= MAX_SHORT_NAME else f"…{last[1 - MAX_SHORT_NAME :]}"


def called(head: DatasetHead) -> str:
    """What people call a dataset, for a title: by its name in a catalogue, else the end of its path."""
    return short_name(display_name(head.facts.name, head.facets) or head.facts.name.name)


def quantity(number: int, noun: str) -> str:
    """Example: `1 job`, `2 jobs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def distinct_owners(*groups: Iterable[str]) -> tuple[str, ...]:
    """The owners of several groups without repetition, in the order of the groups."""
    return tuple(dict.fromkeys(owner for owners in groups for owner in owners))


def plain(text: str) -> str:
    """A text on one line, without control characters, which names may contain."""
    return "".join(character if character.isprintable() else " " for character in text)


def _bounded(value: Any, length: int, most: int) -> Any:
    """A document with its texts and lists cut. Names of ordinary length stay; a name may have 16,000 characters."""
    if isinstance(value, dict):
        return {cut(name, length): _bounded(member, length, most) for name, member in [*value.items()][: 10 * most]}
    if isinstance(value, list):
        return [_bounded(element, length, most) for element in value[:most]]
    return cut(value, length) if isinstance(value, str) else value


def _escaped(line: str) -> str:
    """A line in which markdown shows names as they are.

    A name with `@all` notifies nobody, and a name with `%%%` does not end Datadog's markdown.
    """
    escaped = "".join(f"\\{character}" if character in "*_`[]<>#|\\" else character for character in line)
    return escaped.replace("@", "@\u200b").replace("%%%", "%\u200b%\u200b%")


class Record(NamedTuple):
    """A change of a state, the later changes of the same state in the batch, and when the state was written, if that is
    known. A later change is read when needed. `skip` is told of an item that the alert does without."""

    change: StateChange
    later: Iterable[StateChange]
    written: Instant | None
    skip: Callable[[CorruptItem], None]


MAX_NAMES = 20
"""Names that an alert holds; the lookup `/aliases` has all names."""


def all_names(reader: Reader, dataset: DatasetId, head: DatasetHead, at: Instant) -> list[JsonObject]:
    """The dataset's own name, the names of its symlinks, and its aliases, as far as events until a time used them."""
    neighbourhood = reader.neighbourhood([dataset], ())
    linked = (other for other_id, other in sorted(neighbourhood.heads.items()) if other_id != dataset)
    heads = [head, *(other for other in linked if other.facts.created <= at)]
    names = [each.facts.name for each in heads]
    names += [name for each in heads for name in symlinks(each.facets.get(SYMLINKS))]
    aliases = [entry.id for entry in islice(reader.store.names_of(dataset).entries(limit=MAX_NAMES), MAX_NAMES)]
    read = reader.store.read(ReadRequest(aliases=aliases))
    names += [known.alias.sent for known in read.aliases.of(aliases) if known.first <= at]
    return [name.as_json() for name in list(dict.fromkeys(names))[:MAX_NAMES]]
