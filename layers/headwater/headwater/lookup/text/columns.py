"""The graph of GET /column-lineage: what each column is made of, what is made of it, and what decides on rows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from headwater.lookup.export import label
from headwater.lookup.export.graph import Document, ExportEdge, ExportGraph, ExportKind, ExportNode, graph_of
from headwater.lookup.text.amounts import count
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, frontier, width_of_line
from headwater.lookup.text.inert import inert, shortened
from headwater.lookup.text.labels import Labels
from headwater.lookup.text.lineage import DOWN, UP, reachable
from headwater.lookup.text.tree import Forest, TreeEntry

_ARROWS = {UP: "←", DOWN: "→"}
_UNKNOWN = "columns of unknown origin: they may be made of any column that the job reads"
_SILENT = "JOBS_WITHOUT_COLUMN_LINEAGE"
_ROWS = "what decides which rows there are: filters, joins, groupings"


def render(answer: Document, display: Display, direction: str | None = UP) -> str:
    """The text of an answer about the dataset, column or job `nodeId`: upstream, downstream, or both."""
    graph = _of_columns(graph_of(answer))
    subject = _Subject(str(answer.get("nodeId")), graph)
    labels = Labels(graph.nodes, subject.dataset, answer.get("displayNames"))
    lines: list[Line] = []
    for way in [direction] if direction in (UP, DOWN) else [UP, DOWN]:
        lines += [BLANK] * bool(lines) + list(_ColumnSection(graph, labels, display, way, subject).lines())
    lines += _rows(answer, labels, display, subject)
    lines += _unknown(answer, display)
    lines += [BLANK, detail(label.TRUNCATED)] if graph.truncated else []
    return display.text([*lines, *frontier(answer, display)])


class _Subject:
    """What an answer is about: the columns of the answer that `node_id` names, and their dataset."""

    def __init__(self, node_id: str, graph: ExportGraph) -> None:
        columns = [node for node in graph.data if node_id in (node.id, node.dataset.id)]
        self.columns = sorted(columns)
        self.dataset = columns[0].dataset if columns else None
        self.is_column = [node.id for node in columns] == [node_id]

    def roots(self, graph: ExportGraph, way: str) -> list[ExportNode]:
        """The columns to begin with. Of a job, or of a dataset by another name, those are the ends of all flows."""
        passed = {edge.origin if way == UP else edge.target for edge in graph.edges}
        return self.columns or [node for node in graph.nodes if node not in passed] or list(graph.nodes[:1])


class _ColumnSection:
    """One direction of a graph of columns."""

    def __init__(self, graph: ExportGraph, labels: Labels, display: Display, way: str, subject: _Subject) -> None:
        self.labels = labels
        self.display = display
        self.way = way
        self.subject = subject
        self.edges: dict[tuple[ExportNode, ExportNode], ExportEdge] = {}
        for edge in graph.edges:
            near, far = (edge.target, edge.origin) if way == UP else (edge.origin, edge.target)
            self.edges[near, far] = edge
        self.below = _nearest_first(self.edges)
        self.roots = [root for root in subject.roots(graph, way) if root in self.below]

    def lines(self) -> Iterator[Line]:
        others = reachable(self.below, self.roots) - set(self.roots)
        known = f"{count(len(others), 'column')} of {count(len({column.dataset for column in others}), 'dataset')}"
        rest = f": {known if self.roots else 'no column lineage has been reported'}"
        yield (Span(self._heading(self.display.width - len(rest)), Role.HEADING), *detail(rest))
        if not self.roots:
            return
        yield detail(self.labels.where(self.display.width))
        yield BLANK
        shown = self.display.shown(len(self.roots))
        forest = Forest(
            self.roots[:shown], self.below, self._entry, self.display, _ARROWS[self.way], refers_to_ends=False
        )
        yield from forest.lines()
        if shown < len(self.roots):
            yield detail(f"and {len(self.roots) - shown:,} more")

    def _heading(self, width: int) -> str:
        """What the section shows: `what orders.total is made of`."""
        dataset = self.subject.dataset
        if self.subject.is_column:
            words, named = ("what {} is made of", "what is made of {}"), self.subject.columns[0]
        elif dataset:
            words, named = ("what the columns of {} are made of", "what is made of the columns of {}"), dataset
        else:
            return "what the columns are made of" if self.way == UP else "what is made of the columns"
        heading = words[self.way != UP]
        return heading.format(self.labels.fit(named, max(20, width - len(heading) + len("{}"))))

    def _entry(self, node: ExportNode, parent: ExportNode | None) -> TreeEntry:
        steps = _steps(self.edges[parent, node]) if parent else ""
        after: Line = detail(f" ({steps})") if steps else ()
        if elsewhere := self.labels.elsewhere(node):
            after += detail(f"  {elsewhere}")
        if parent is None and node.dataset == self.subject.dataset:
            return TreeEntry(lambda width: shortened(inert(node.field or ""), width), Role.COLUMN, after=after)
        return TreeEntry(lambda width: self.labels.fit(node, width), Role.COLUMN, after=after)


def _of_columns(graph: ExportGraph) -> ExportGraph:
    """The graph without what bears on whole datasets, which is shown apart."""
    edges = tuple(edge for edge in graph.edges if edge.target.kind is ExportKind.COLUMN)
    used = {*graph.data, *(node for edge in edges for node in (edge.origin, edge.target))}
    return ExportGraph(tuple(sorted(used)), edges, graph.data, graph.truncated)


def _nearest_first(edges: Mapping[tuple[ExportNode, ExportNode], ExportEdge]) -> dict[ExportNode, list[ExportNode]]:
    """The neighbours of each column: those whose values flow before those that only decide on a value."""
    below: dict[ExportNode, list[ExportNode]] = defaultdict(list)
    for (near, far), _ in sorted(edges.items(), key=lambda entry: (entry[1].is_indirect, entry[0])):
        below[near].append(far)
    return below


def _steps(edge: ExportEdge) -> str:
    """The transformations of a flow, and whether one of them masks: `AGGREGATION, masked`."""
    words = [word for word in (label.of_edge(edge),) if word]
    words += ["indirect"] if edge.is_indirect else []
    return ", ".join([*words, *(["masked"] if any(step.get("masking") for step in edge.steps or ()) else [])])


def _rows(answer: Document, labels: Labels, display: Display, subject: _Subject) -> Iterator[Line]:
    """The indirect inputs of whole datasets, by dataset: `orders <- raw: status (FILTER), day (GROUP_BY)`."""
    by_dataset: dict[ExportNode, dict[ExportNode, list[str]]] = defaultdict(lambda: defaultdict(list))
    for edge in graph_of({"graph": [], "indirect": answer.get("indirect") or ()}).edges:
        kinds = _steps(edge).removesuffix(", indirect")
        by_dataset[edge.target][edge.origin.dataset].append(f"{inert(edge.origin.field or '')} ({kinds})")
    if not by_dataset:
        return
    yield BLANK
    yield (Span(_ROWS, Role.HEADING),)
    yield BLANK
    for dataset in sorted(by_dataset, key=lambda node: (node != subject.dataset, node)):
        yield (Span(labels.fit(dataset, display.width), Role.DATASET),)
        sources = sorted(by_dataset[dataset].items())
        for number, (source, columns) in enumerate(sources, start=1):
            is_last = number == len(sources)
            lead = (*detail(f"{'└─' if is_last else '├─'} "), Span(f"{labels.fit(source, display.width // 2)}: "))
            yield from _wrapped(lead, columns, display, "   " if is_last else "│  ")


def _unknown(answer: Document, display: Display) -> Iterator[Line]:
    """What is of unknown origin, by job: `job lake_scores, of customers: scores.segment, scores.version`. If its
    possible columns are known: `of id, country of customers`."""
    origins = answer.get("unknown") or ()
    if not origins:
        return
    yield BLANK
    named = ", or of those named" * any(origin.get("candidates") for origin in origins)
    yield (Span(f"{_UNKNOWN}{named}", Role.HEADING),)
    yield BLANK

    def called(named: Document) -> str:
        shown = (answer.get("displayNames") or {}).get(f"dataset:{named['namespace']}:{named['dataset']}")
        return inert(shown) if shown else _last(named["dataset"])

    for origin in origins:
        table, job = called(origin), inert(str(origin["job"]["name"]))
        sources = ", ".join(sorted(set(map(called, origin["inputs"])))) or "what it does not name"
        silent = ", which sends no column lineage" * (origin.get("reason") == _SILENT)
        if candidates := [inert(column) for column in origin.get("candidates") or ()]:
            sources = f"{', '.join(candidates)} of {sources}"
        columns = [f"{table}.{inert(field)}" for field in origin["fields"]]
        shown = display.shown(len(columns))
        more = [f"and {len(columns) - shown:,} more"] * (shown < len(columns))
        lead = shortened(f"job {job}{silent}, of {sources}", display.width - 2)
        yield from _wrapped(detail(f"{lead}: "), [*columns[:shown], *more], display, "  ")


def _last(name: str) -> str:
    """The end of a path: `customers` of `/srv/lake/customers`."""
    return inert(name.rstrip("/").rpartition("/")[2] or name)


def _wrapped(lead: Line, words: Sequence[str], display: Display, below: str) -> Iterator[Line]:
    """Words, with commas, on as many lines as they need. `below` is what the further lines begin with."""
    line, is_empty = lead, True
    for number, word in enumerate(words, start=1):
        text = word + ("," if number < len(words) else "")
        more = text if is_empty else f" {text}"
        if not is_empty and width_of_line((*line, Span(more))) > display.width:
            yield line
            line, more = (*detail(below), Span("  ")), text
        line, is_empty = (*line, Span(more)), False
    yield line
