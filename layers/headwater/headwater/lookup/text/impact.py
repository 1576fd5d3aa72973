"""The answer of GET /impact: what a change would break, and what it may break, by owner, the nearest first.

A display that shows only the nearest entries shares them among the owners: the text fits a screen, whatever their
number."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from headwater.lookup.export.graph import Document, ExportKind, ExportNode
from headwater.lookup.export.label import TRUNCATED
from headwater.lookup.text.amounts import count, counts
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, frontier, width_of_line
from headwater.lookup.text.inert import inert, width_of
from headwater.lookup.text.labels import Labels, node_of
from headwater.lookup.text.tree import LEAST_NAME

_ROLES = {
    ExportKind.COLUMN: Role.COLUMN,
    ExportKind.DATASET: Role.DATASET,
    ExportKind.JOB: Role.JOB,
    ExportKind.EXPOSURE: Role.JOB,
}
_INDENT = 2
_THEN = " → "


def render(answer: Document, display: Display) -> str:
    """The text of an answer about a change of `nodeId`."""
    return display.text(_ImpactText(answer, display).lines())


class _ImpactText:
    def __init__(self, answer: Document, display: Display) -> None:
        self.answer = answer
        self.display = display
        self.changed = node_of(str(answer["nodeId"]))
        self._is_of_column = self.changed.kind is ExportKind.COLUMN
        self.items = {item["nodeId"]: item for owner in answer["owners"] for item in owner["items"]}
        paths = {node_id for item in self.items.values() for node_id in item["path"]}
        self.nodes = {node_id: node_of(node_id) for node_id in sorted({*paths, *self.items, str(answer["nodeId"])})}
        self.labels = Labels(self.nodes.values(), self.changed, answer.get("displayNames"))

    def lines(self) -> Iterator[Line]:
        broken = f": {self._counts()}"
        room = self.display.width - len("what a change of  would break" + broken)
        changed = self.labels.fit(self.changed, max(20, room))
        yield (Span(f"what a change of {changed} would break", Role.HEADING), *detail(broken))
        if caution := self.answer.get("caution"):
            yield (Span(f"of {self.labels.fit(self.changed, max(20, room))}: {inert(str(caution))}", Role.BAD),)
        if self.items:
            yield detail(self.labels.where(self.display.width))
            yield from self._owners()
            if (more := self.answer.get("totalCount", 0) - len(self.items)) > 0:
                yield BLANK
                yield detail(f"and {more:,} more, further away")
        if hidden := self.answer.get("hiddenCount"):
            yield BLANK
            yield detail(f"and {hidden:,} more, in namespaces that the key may not read")
        if self.answer.get("truncated"):
            yield BLANK
            yield detail(TRUNCATED)
        yield from frontier(self.answer, self.display)

    def _counts(self) -> str:
        """`2 columns, 1 job; may break 1 column`. What is only known by datasets and jobs is not certain, and is not
        said to be."""
        if not self.items:
            return "nothing downstream is known"
        breaks = self.answer.get("breaks")
        if breaks is None:  # a server of an earlier release
            return count(len(self.items), "node")
        possible = breaks["possible"]
        certain = _counted(
            {kind: number - possible.get(kind, 0) for kind, number in breaks.items() if isinstance(number, int)}
        )
        by_table = ", by table lineage" * (not self._is_of_column)
        told = [f"{certain}{by_table}" if certain else "nothing for certain"]
        return "; ".join([*told, *([f"may break {_counted(possible)}"] * any(possible.values()))])

    def _owners(self) -> Iterator[Line]:
        """The owners of what certainly breaks come first."""
        owners = sorted(self.answer["owners"], key=lambda owner: bool(owner["items"][0].get("possible")))
        shown, most = self.display.shown(len(owners)), self.display.most_entries
        each = replace(self.display, most_entries=max(1, most // shown)) if most else self.display
        for owner in owners[:shown]:
            yield BLANK
            yield from self._owned(owner, each)
        if shown < len(owners):
            nodes = {item["nodeId"] for owner in owners[shown:] for item in owner["items"]}
            yield BLANK
            yield detail(f"and {len(owners) - shown:,} more owners, of {count(len(nodes), 'node')}")

    def _owned(self, owner: Document, display: Display) -> Iterator[Line]:
        name, items = owner["owner"], owner["items"]
        heading = Span("no owner is known" if name is None else inert(str(name)), Role.HEADING)
        yield (heading, *detail(f": {count(len(items), 'node')}"))
        shown = display.shown(len(items))
        begins = next((number for number, item in enumerate(items) if item.get("possible")), None)
        for number, item in enumerate(items[:shown]):
            if number == begins:
                yield detail(f"{' ' * _INDENT}may break:")
            yield from self._item(item)
        if shown < len(items):
            yield detail(f"{' ' * _INDENT}and {len(items) - shown:,} more")

    def _item(self, item: Document) -> Iterator[Line]:
        node = self.nodes[item["nodeId"]]
        lead = (*detail(f"{' ' * _INDENT}{count(item['distance'], 'hop'):8}"),)
        exposure = item.get("exposure") or {}
        lead += detail("job ") if node.kind is ExportKind.JOB else ()
        lead += detail(f"{inert(exposure.get('type') or 'exposure')} ") if exposure else ()
        rest = detail("".join(f"  {note}" for note in self._notes(node, item)))
        if item.get("caution"):
            rest += (Span(f"  {inert(str(item['caution']))}", Role.BAD),)
        room = self.display.width - width_of_line(lead) - width_of_line(rest)
        yield (*lead, Span(self.labels.fit(node, max(20, room)), _ROLES[node.kind]), *rest)
        between = [self.nodes[step] for step in item["path"][1:-1]]
        if between:
            via = f"{' ' * (_INDENT + 8)}via "
            yield detail(via + self._path(between, self.display.width - len(via)))

    def _notes(self, node: ExportNode, item: Document) -> Iterator[str]:
        if elsewhere := self.labels.elsewhere(node):
            yield elsewhere
        steps = [step.get("subtype") or step.get("type") for step in item.get("transformations") or ()]
        if named := dict.fromkeys(inert(step) for step in steps if isinstance(step, str)):
            yield f"({', '.join(named)})"
        if item.get("indirect"):
            yield "indirect"
        if url := (item.get("exposure") or {}).get("url"):
            yield inert(url)
        if self._is_of_column and item.get("by") == "dataset":
            yield "columns unknown"
        if item.get("by") == "unknown":
            yield "origin unknown" if node.kind is ExportKind.COLUMN else "may use it"

    def _path(self, between: Sequence[ExportNode], width: int) -> str:
        """The nodes on the way, shortened, and if even so there is no room for all, without those in the middle. On the
        way of a column, `table orders` says that nobody knows by which of its columns."""
        kinds = {ExportKind.JOB: "job "} | ({ExportKind.DATASET: "table "} if self._is_of_column else {})
        jobs = [kinds.get(node.kind, "") for node in between]
        room = width - sum(map(len, jobs)) - len(_THEN) * (len(between) - 1)
        widths = shares([width_of(self.labels.name(node)) for node in between], room)
        names = [job + self.labels.fit(node, most) for job, node, most in zip(jobs, between, widths, strict=True)]
        while len(names) > 2 and width_of(_THEN.join(names)) > width:
            left_out = len(between) - len(names) + 2
            del names[len(names) // 2]
            names[len(names) // 2] = f"({left_out} more)"
        return _THEN.join(names)


def _counted(numbers: Mapping[str, int]) -> str:
    return counts((numbers.get(f"{kind.value}s", 0), kind.value) for kind in _ROLES)


def shares(widths: Sequence[int], room: int) -> list[int]:
    """What each name may have of the room: short names what they need, long names an equal share of the rest."""
    shared = [0] * len(widths)
    for done, at in enumerate(sorted(range(len(widths)), key=lambda index: widths[index])):
        share = room // (len(widths) - done)
        shared[at] = min(widths[at], max(LEAST_NAME, share))
        room -= shared[at]
    return shared
