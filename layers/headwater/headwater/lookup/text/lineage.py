"""The graph of GET /lineage as trees: what a node is made of, and what is made of it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from headwater.lookup.export import label
from headwater.lookup.export.graph import Document, ExportGraph, ExportKind, ExportNode, graph_of
from headwater.lookup.text.amounts import counts, moment
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, sentence
from headwater.lookup.text.inert import inert
from headwater.lookup.text.labels import Labels
from headwater.lookup.text.tree import Forest, TreeEntry
from headwater.openlineage.instant import NEVER, parse_instant
from headwater.read.frontier import BlindSpot, Frontier, blind_spots

UP, DOWN = "upstream", "downstream"
_NOTHING = {
    (ExportKind.DATASET, UP): "no job that writes it has reported",
    (ExportKind.DATASET, DOWN): "no job that reads it has reported",
    (ExportKind.JOB, UP): "it has reported no input",
    (ExportKind.JOB, DOWN): "it has reported no output",
}
_STATES = {"COMPLETED": Role.GOOD, "FAILED": Role.BAD, "ABORTED": Role.BAD}

Neighbours = Mapping[ExportNode, Sequence[ExportNode]]


def render(answer: Document, display: Display, direction: str | None = None) -> str:
    """The text of an answer about the node `nodeId`: upstream or downstream of it, both unless one is asked for."""
    graph = graph_of(answer)
    first = next((node for node in graph.nodes if node.id == answer.get("nodeId")), None)
    labels = Labels(graph.nodes, first, graph.displayed)
    ways = [direction] if direction in (UP, DOWN) else [UP, DOWN]
    sections = [_LineageSection(graph, labels, display, way) for way in ways]
    lines = _around(sections, first) if first else _without_first(sections[0])
    return display.text([*lines, *_deleted(answer, labels), *_truncated(graph)])


def state_of(run: Document | None) -> Line:
    """The state of a run with the runs that it started, and when it came to be."""
    if not run:
        return ()
    state, told = outcome_of(run), run.get("failedChildren") or 0
    failed = told if isinstance(told, int) else len(told)
    time = moment(run.get("endedAt") or run.get("startedAt"))
    children = (Span(f"  {failed:,} of its runs failed", Role.BAD),) if failed else ()
    return (Span(f"  {state}", role_of_state(state)), *detail(f" {time}"), *children)


def outcome_of(run: Document) -> str:
    """The state of a run with the runs that it started: `FAILED`, `NOT REPORTED`."""
    return inert(str(run.get("outcome") or run.get("state"))).replace("_", " ")


def role_of_state(state: str) -> Role:
    return _STATES.get(state, Role.OPEN)


class _LineageSection:
    """One direction of a graph."""

    def __init__(self, graph: ExportGraph, labels: Labels, display: Display, way: str) -> None:
        self.graph = graph
        self.labels = labels
        self.display = display
        self.way = way
        self.below = _neighbours(graph, way)

    def lines(self, first: ExportNode) -> Iterator[Line]:
        reached = reachable(self.below, [first]) - {first}
        name = self.labels.fit(first, self.display.width - len(self.way) - 4)
        heading = (Span(f"{self.way} of ", Role.HEADING), Span(name, Role.HEADING))
        if not self.below.get(first):
            yield (*heading, *detail(f": {_NOTHING[first.kind, self.way]}"))
            yield from sentence(self._frontier(first).sentence, self.display)
            return
        yield (*heading, *detail(f": {_counts(reached) or 'only itself'}"))
        yield detail(self.labels.where(self.display.width))
        yield BLANK
        yield from self.forest([first]).lines()

    def _frontier(self, first: ExportNode) -> Frontier:
        """What cannot be seen of a dataset without jobs on a side, by this graph only: the answer is Marquez's."""
        begun = self.graph.data.get(first, {}).get("createdAt")
        silent = BlindSpot.WRITERS if self.way == UP else BlindSpot.READERS
        unseen = blind_spots(
            (silent, int(first.kind is ExportKind.DATASET)), (BlindSpot.BEYOND, int(self.graph.truncated))
        )
        return Frontier(parse_instant(begun) if begun else NEVER, unseen=unseen)

    def forest(self, roots: Sequence[ExportNode]) -> Forest[ExportNode]:
        return Forest(roots, self.below, self._entry, self.display)

    def _entry(self, node: ExportNode, _parent: ExportNode | None) -> TreeEntry:
        data, is_job = self.graph.data[node], node.kind is ExportKind.JOB
        elsewhere = self.labels.elsewhere(node)
        after = detail(f"  {elsewhere}") if elsewhere else ()
        if is_job:
            after += state_of(data.get("latestRun"))
            after += detail("  may use its inputs") if data.get("candidateInputs") else ()
        elif node.kind is ExportKind.EXPOSURE:
            told = [*(f"of {owner}" for owner in data["owners"]), *filter(None, [data.get("url")])]
            after += detail("".join(f"  {inert(text)}" for text in told))
        elif data.get("type") == "STREAM":
            after += detail("  stream")
        elif data.get("datasetType") == "MODEL":
            after += detail("  model")
        if data.get("caution"):
            after += (Span(f"  {data['caution']}", Role.BAD),)
        is_dataset = node.kind is ExportKind.DATASET
        role, kind = (
            Role.DATASET if is_dataset else Role.JOB,
            "job" if is_job else inert(data.get("type") or "exposure"),
        )
        return TreeEntry(lambda width: self.labels.fit(node, width), role, "" if is_dataset else f"{kind} ", after)


def reachable(below: Neighbours, roots: Iterable[ExportNode]) -> set[ExportNode]:
    """The nodes that a walk from some roots comes to, with the roots."""
    reached, stack = set(roots), list(roots)
    while stack:
        new = set(below.get(stack.pop(), ())) - reached
        reached |= new
        stack += new
    return reached


def _neighbours(graph: ExportGraph, way: str) -> dict[ExportNode, list[ExportNode]]:
    below: dict[ExportNode, list[ExportNode]] = defaultdict(list)
    for edge in graph.edges:
        near, far = (edge.target, edge.origin) if way == UP else (edge.origin, edge.target)
        below[near].append(far)
    return below


def _around(sections: Sequence[_LineageSection], first: ExportNode) -> Iterator[Line]:
    for number, section in enumerate(sections):
        if number:
            yield BLANK
        yield from section.lines(first)
    yield from _control_flow(sections[0], first)
    reached = {node for section in sections for node in reachable(section.below, [first])}
    if beside := _counts(set(sections[0].graph.nodes) - reached):
        yield BLANK
        yield detail(f"and beside it {beside}, neither upstream nor downstream")


def _control_flow(section: _LineageSection, first: ExportNode) -> Iterator[Line]:
    """The jobs that a scheduler runs before and after a job, which says nothing of data."""
    flow = section.graph.data.get(first, {}).get("jobDependencies") or {}
    for side, told in (("upstream", "runs after"), ("downstream", "runs before")):
        names = [inert(str(job["name"])) for job in flow.get(side) or ()]
        if names:
            yield BLANK
            yield from sentence(f"By its scheduler, it {told} {', '.join(names)}.", section.display)


def _without_first(section: _LineageSection) -> Iterator[Line]:
    """A graph without the node in question: a later page, or one in which a parent stands for it."""
    if not section.graph.nodes:
        yield detail("nothing is known")
        return
    yield (Span("lineage", Role.HEADING), *detail(f": {_counts(section.graph.nodes)}"))
    yield detail(section.labels.where(section.display.width))
    yield BLANK
    yield from section.forest(_roots(section)).lines()


def _roots(section: _LineageSection) -> list[ExportNode]:
    """Nodes from which all others are reached: those below no other, and one of each cycle that is below none."""
    above = {node for others in section.below.values() for node in others}
    roots = [node for node in section.graph.nodes if node not in above]
    reached = reachable(section.below, roots)
    for node in section.graph.nodes:
        if node not in reached:
            roots.append(node)
            reached |= reachable(section.below, [node])
    return roots


def _counts(nodes: Collection[ExportNode]) -> str:
    kinds = Counter(node.kind for node in nodes)
    return counts((kinds[kind], kind.value) for kind in (ExportKind.JOB, ExportKind.DATASET, ExportKind.EXPOSURE))


def _deleted(answer: Document, labels: Labels) -> list[Line]:
    """Where the walk ended because a dataset is deleted."""
    names = [labels.name(ExportNode(ExportKind.DATASET, **name)) for name in answer.get("deleted", ())]
    return [BLANK, detail(f"deleted, and nothing is shown beyond: {', '.join(names)}")] if names else []


def _truncated(graph: ExportGraph) -> list[Line]:
    return [BLANK, detail(label.TRUNCATED)] if graph.truncated else []
