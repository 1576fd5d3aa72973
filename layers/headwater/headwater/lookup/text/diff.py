"""The answer of GET /diff: what was changed, added and removed between two times. And that of `headwater ci`, between
two sides, which tells the flows between columns, too."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from headwater.lookup.export.graph import Document, ExportKind, ExportNode
from headwater.lookup.export.label import TRUNCATED
from headwater.lookup.text.amounts import counts, moment
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, frontier
from headwater.lookup.text.inert import inert, quoted, shortened
from headwater.lookup.text.labels import Labels, node_of

_INDENT = "  "
_SECTIONS = {"changed": Role.OPEN, "added": Role.GOOD, "removed": Role.BAD, "changedBack": None}
_HEADINGS = {"changedBack": "changed and changed back"}
_KINDS = {"DATASET": ExportKind.DATASET, "JOB": ExportKind.JOB}
_VERBS = {(True, "added"): "now reads", (True, "removed"): "no longer reads"}
_VERBS |= {(False, "added"): "now writes", (False, "removed"): "no longer writes"}


def render(answer: Document, display: Display) -> str:
    """The text of an answer about the node `nodeId`, the namespace `namespace`, or all that the key may read; or about
    all of two sides, `before` and `after`."""
    return display.text(_DiffText(answer, display).lines())


class _DiffText:
    def __init__(self, answer: Document, display: Display) -> None:
        self.answer = answer
        self.display = display
        self.nodes = {
            section: {str(node["nodeId"]): node for node in answer["nodes"].get(section) or ()} for section in _SECTIONS
        }
        first = node_of(str(answer["nodeId"])) if answer.get("nodeId") else None
        shown = {name: _node(node) for nodes in self.nodes.values() for name, node in nodes.items()}
        self.edges = _by_node(answer["edges"])
        self.flows = _by_dataset(answer.get("flows") or {})
        of_edges = [other for edges in self.edges.values() for _, _, other in edges]
        of_flows = [_dataset_of(origin) for flows in self.flows.values() for _, origin in flows]
        self.shown = {name: node_of(name) for name in [*self.edges, *of_edges, *self.flows, *of_flows]} | shown
        self.labels = Labels(self.shown.values(), first)
        self._add_nodes_with_other_edges()

    def _add_nodes_with_other_edges(self) -> None:
        """A node with other edges or flows is changed, unless it came or went itself."""
        told = {name for nodes in self.nodes.values() for name in nodes}
        other = (self.edges.keys() | self.flows.keys()) - told
        self.nodes["changed"] |= {name: {"nodeId": name} for name in sorted(other)}

    def lines(self) -> Iterator[Line]:
        numbers = [(len(self.nodes[section]), section) for section in _SECTIONS if section not in _HEADINGS]
        told = ", ".join(f"{number:,} {section}" for number, section in numbers if number) or "nothing differs"
        about = self._about(f": {told}")
        yield (Span(about, Role.HEADING), *detail(f": {told}"))
        sides = [inert(str(self.answer[side]["source"])) for side in ("before", "after") if side in self.answer]
        begin, end = sides or [moment(self.answer[time]) for time in ("from", "to")]
        yield detail(f"(from {begin} to {end})")
        if self.shown:
            yield detail(self.labels.where(self.display.width))
        for section, nodes in self.nodes.items():
            if nodes:
                yield BLANK
                yield from self._section(section, nodes)
        if self.answer.get("truncated"):
            yield BLANK
            yield detail(TRUNCATED)
        yield from frontier(self.answer, self.display)

    def _about(self, rest: str) -> str:
        node = node_of(str(self.answer["nodeId"])) if self.answer.get("nodeId") else None
        start = "what changed"
        if node is None:
            named = self.answer.get("namespace")
            return f"{start} in {shortened(inert(str(named)), 60)}" if named else start
        kind = "job " if node.kind is ExportKind.JOB else ""
        room = self.display.width - len(f"{start} around {kind}{rest}")
        return f"{start} around {kind}{shortened(quoted(node.name), max(20, room))}"

    def _section(self, section: str, nodes: Mapping[str, Document]) -> Iterator[Line]:
        kinds = [self.shown[name].kind for name in nodes]
        numbers = counts((kinds.count(kind), kind.value) for kind in (ExportKind.DATASET, ExportKind.JOB))
        yield (Span(_HEADINGS.get(section, section), _SECTIONS[section] or Role.HEADING), *detail(f": {numbers}"))
        most = self.display.shown(len(nodes))
        for name, node in list(nodes.items())[:most]:
            yield from self._entry(name, node, with_edges=section == "changed")
        if most < len(nodes):
            yield detail(f"{_INDENT}and {len(nodes) - most:,} more")

    def _entry(self, name: str, node: Document, *, with_edges: bool) -> Iterator[Line]:
        shown = self.shown[name]
        is_job = shown.kind is ExportKind.JOB
        lead = (*detail(_INDENT), *(detail("job ") if is_job else ()))
        note = f"  {elsewhere}" if (elsewhere := self.labels.elsewhere(shown)) else ""
        note += "  known before" * (node.get("isNew") is False)
        note += "  dropped" * bool(node.get("dropped")) + "  deleted" * bool(node.get("deleted"))
        room = max(20, self.display.width - 10 - len(note))
        yield (*lead, Span(self.labels.fit(shown, room), Role.JOB if is_job else Role.DATASET), *detail(note))
        told = [*_columns(node.get("columns") or {}), *_others(node)]
        told += [*self._edges(name), *self._flows(name, node.get("columns") or {})] if with_edges else []
        most = self.display.shown(len(told))
        for text, role in told[:most]:
            yield (Span(f"{_INDENT * 2}{shortened(text, max(20, self.display.width - 4))}", role),)
        if most < len(told):
            yield detail(f"{_INDENT * 2}and {len(told) - most:,} more")

    def _edges(self, name: str) -> Iterator[tuple[str, Role]]:
        is_job = self.shown[name].kind is ExportKind.JOB
        for is_read, change, other in self.edges.get(name, ()):
            verb = _VERBS[is_read, change] if is_job else f"{'now' if change == 'added' else 'no longer'} made of"
            yield f"{verb} {self.labels.name(self.shown[other])}", Role.GOOD if change == "added" else Role.BAD

    def _flows(self, name: str, columns: Document) -> Iterator[tuple[str, Role]]:
        """What its columns, or all its rows, are made of now and were before. What went is made of nothing."""
        went = [column["field"] for column in columns.get("removed") or ()]
        went += [column["before"] for column in columns.get("renamed") or ()]
        gone = {f"datasetField:{name.removeprefix('dataset:')}:{column}" for column in went}
        for (target, origin), (before, after) in self.flows.get(name, {}).items():
            if target in gone:
                continue
            column = node_of(origin)
            source = f"{self.labels.name(column.dataset)}.{inert(str(column.field))}"
            subject, verb = (
                (f"{inert(str(node_of(target).field))}:", "made of") if target != name else ("rows:", "chosen by")
            )
            now, was = (", ".join(map(_kind, kinds)) for kinds in (after, before))
            if before and after:
                yield f"{subject} {verb} {source} by {now}, was by {was}", Role.OPEN
            else:
                told, role = (f"now {verb}", Role.GOOD) if after else (f"no longer {verb}", Role.BAD)
                yield f"{subject} {told} {source} ({now or was})", role


def _columns(columns: Document) -> Iterator[tuple[str, Role]]:
    for change, sign, role in (("added", "+", Role.GOOD), ("removed", "-", Role.BAD)):
        for column in columns.get(change) or ():
            kind = f", {inert(str(column['type']))}" if column.get("type") else ""
            yield f"{sign} {inert(str(column['field']))}{kind}", role
    for column in columns.get("retyped") or ():
        types = f"{inert(str(column['before']))} → {inert(str(column['after']))}"
        yield f"~ {inert(str(column['field']))}: {types}, {inert(str(column['change']))}", Role.OPEN
    for column in columns.get("renamed") or ():
        names = f"{inert(str(column['before']))} seems renamed to {inert(str(column['after']))}"
        yield f"~ {names}: {column['evidence']}", Role.OPEN


def _others(node: Document) -> Iterator[tuple[str, Role]]:
    if former := node.get("renamedFrom"):
        yield f"was called {quoted(str(former['name']))}", Role.OPEN
    if code := node.get("code"):
        for member in dict.fromkeys([*code["before"], *code["after"]]):
            before, after = (inert(str(code[side].get(member, "none"))) for side in ("before", "after"))
            yield f"{inert(str(member))} {before} → {after}", Role.OPEN


def _node(node: Document) -> ExportNode:
    return ExportNode(_KINDS[str(node["type"])], str(node["namespace"]), str(node["name"]), None)


def _by_node(edges: Document) -> dict[str, Sequence[tuple[bool, str, str]]]:
    """The edges of each job, or of a dataset that is made of others without a job: whether it reads the other end, what
    became of the edge, and the other end."""
    found: dict[str, list[tuple[bool, str, str]]] = defaultdict(list)
    for change in ("added", "removed"):
        for edge in edges[change]:
            origin, destination = str(edge["origin"]), str(edge["destination"])
            writes = origin.startswith("job:")
            own, other = (origin, destination) if writes else (destination, origin)
            found[own].append((not writes, change, other))
    return {**found}


def _by_dataset(flows: Document) -> dict[str, dict[tuple[str, str], tuple[list[str], list[str]]]]:
    """The flows that differ, by dataset: the ends of each, with its kinds before and after."""
    found: dict[str, dict[tuple[str, str], tuple[list[str], list[str]]]] = defaultdict(dict)
    for place, change in enumerate(("removed", "added")):
        for flow in flows.get(change) or ():
            ends = str(flow["target"]), str(flow["origin"])
            found[_dataset_of(ends[0])].setdefault(ends, ([], []))[place].append(str(flow["kind"]))
    return {**found}


def _dataset_of(node_id: str) -> str:
    """The nodeId of the dataset of a column; of a dataset, its own."""
    kind, _, rest = node_id.partition(":")
    return f"dataset:{rest.rpartition(':')[0]}" if kind == "datasetField" else node_id


def _kind(kind: str) -> str:
    """Example: `AGGREGATION` of `DIRECT AGGREGATION`."""
    return inert(kind.partition(" ")[2] or kind)
