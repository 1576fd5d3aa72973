"""An alert of a changed schema in a few lines: what changed, and what that breaks or may break, by owner."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from headwater.lookup.export.graph import ExportKind, ExportNode
from headwater.lookup.text.amounts import count
from headwater.lookup.text.display import Display, Line, Role, Span, detail
from headwater.lookup.text.inert import inert, wrapped
from headwater.lookup.text.labels import Labels, node_of
from headwater.serve.alerting import Message

COUNTS = " downstream"
"""What the sentences say that count the broken nodes, and the nodes that may break."""

Broken = dict[str, Any]
"""A node in the member `breaks` of an alert: docs/alerts.md."""


def alert_lines(alert: Message, display: Display) -> Iterator[Line]:
    title = f"{alert['severity'].upper()}: {alert['title']}"
    yield from ((Span(line, Role.BAD),) for line in wrapped(inert(title), display.width))
    yield from ((Span(f"  {sentence}"),) for sentence in alert["explanation"] if COUNTS in sentence)
    broken = alert["detail"]["breaks"]["items"]
    called = {item["nodeId"]: item["exposure"]["name"] for item in broken if "exposure" in item}
    labels = Labels([node_of(item["nodeId"]) for item in broken], displayed=called)
    for owner, items in _by_owner(broken).items():
        name = f"owner {inert(owner)}" if owner else "no owner"
        text = _named(items, labels)
        first, *more = wrapped(text, max(20, display.width - len(name) - 4))
        yield (*detail("  "), Span(name, Role.HEADING), Span(f": {first}"))
        yield from ((Span(f"{' ' * (len(name) + 4)}{line}"),) for line in more)


def _by_owner(broken: Sequence[Broken]) -> dict[str, list[Broken]]:
    """The nodes of each owner: the owner of the nearest node first, nodes without an owner last."""
    owned: dict[str, list[Broken]] = defaultdict(list)
    for item in sorted(broken, key=lambda item: not item["owners"]):
        owned[", ".join(item["owners"])].append(item)
    return owned


def _named(items: Sequence[Broken], labels: Labels) -> str:
    """The nodes of an owner: those that break, and those that may break."""
    certain = _in_words([item for item in items if not item.get("possible")], labels)
    possible = _in_words([item for item in items if item.get("possible")], labels)
    return "; ".join(filter(None, [certain, f"may break: {possible}" if possible else ""]))


def _in_words(items: Sequence[Broken], labels: Labels) -> str:
    """What is made of the change, what a filter or join on it decides, and how many jobs."""
    nodes = [(node_of(item["nodeId"]), item["indirect"]) for item in items]
    data = [(node, is_indirect) for node, is_indirect in nodes if node.kind is not ExportKind.JOB]
    parts = [_names([node for node, is_indirect in data if not is_indirect], labels)]
    if by_filter := _names([node for node, is_indirect in data if is_indirect], labels):
        parts.append(f"by a filter or join {by_filter}")
    if jobs := len(nodes) - len(data):
        parts.append(count(jobs, "job"))
    return "; ".join(filter(None, parts))


def _names(nodes: Sequence[ExportNode], labels: Labels) -> str:
    return ", ".join(labels.name(node) for node in nodes)
