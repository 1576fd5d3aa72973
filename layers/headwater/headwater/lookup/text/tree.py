"""Trees of nodes in a graph that is not a tree: each node is expanded once, where it is nearest to a root.

Everywhere else it is referred to: `(above)`, `(below)`, or `(cycle)` below itself. If a tree gets too deep for the
display, the rest of a branch follows as its own tree.

    orders_daily
    ├─ job daily_orders
    │  ├─ orders_clean
    │  │  └─ job clean_orders
    │  │     ├─ customers
    │  │     └─ orders_clean (cycle)
    │  └─ customers (above)
    └─ and 3 more
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, width_of_line

LEAST_NAME = 16
"""Columns that a name gets, however little room there is."""

Node = TypeVar("Node", bound=Hashable)
Fit = Callable[[int], str]
"""The name of an entry in at most so many columns."""


class TreeEntry(NamedTuple):
    """What stands for a node: its name, and what is before it and after it."""

    fit: Fit
    role: Role
    before: str = ""
    after: Line = ()

    def line(self, width: int, *more: Span) -> Line:
        """The entry in so many columns, if its name can be made that short."""
        before = (Span(self.before, Role.DETAIL),) if self.before else ()
        rest = (*self.after, *more)
        room = width - width_of_line(before) - width_of_line(rest)
        return (*before, Span(self.fit(max(LEAST_NAME, room)), self.role), *rest)


@dataclass
class _Plan(Generic[Node]):
    """What of a graph is shown, and where.

    parents     the nodes in the order of their nearness, each with the node that it is expanded below; a root has none
    branches    what is below each node, expanded there or referred to
    hidden      how many more are below each node
    """

    parents: dict[Node, Node | None] = field(default_factory=dict)
    branches: dict[Node, list[Node]] = field(default_factory=dict)
    hidden: dict[Node, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Forest(Generic[Node]):
    """Draws a graph from its roots.

    below          the neighbours of each node, in the order in which they are shown
    entry          what stands for a node below another, or for a root (None)
    arrow          if not empty, an only neighbour stays on the line, behind this arrow
    refers_to_ends whether a node without neighbours is referred to, too, where it is shown again
    """

    roots: Sequence[Node]
    below: Mapping[Node, Sequence[Node]]
    entry: Callable[[Node, Node | None], TreeEntry]
    display: Display
    arrow: str = ""
    refers_to_ends: bool = True

    def lines(self) -> Iterator[Line]:
        drawing = _Drawing(self, self._plan())
        for root in self.roots:
            yield from drawing.tree(root)
        while drawing.postponed:
            yield BLANK
            yield from drawing.tree(drawing.postponed.popleft())

    def _plan(self) -> _Plan[Node]:
        plan: _Plan[Node] = _Plan(parents=dict.fromkeys(self.roots))
        queue = deque(self.roots)
        while queue:
            node = queue.popleft()
            below = self.below.get(node, ())
            plan.branches[node] = []
            for other in below[: self.display.shown(len(below))]:
                if other not in plan.parents and not self._is_full(plan):
                    plan.parents[other] = node
                    queue.append(other)
                if other in plan.parents:
                    plan.branches[node].append(other)
            plan.hidden[node] = len(below) - len(plan.branches[node])
        return plan

    def _is_full(self, plan: _Plan[Node]) -> bool:
        most = self.display.most_nodes
        return most is not None and len(plan.parents) >= most


class _Branch(NamedTuple, Generic[Node]):
    """A place of the drawing that is yet to be drawn. `leads` are the marks before the lines below it."""

    node: Node
    parent: Node | None
    mark: str
    leads: str


class _End(NamedTuple, Generic[Node]):
    """The end of what is below the nodes of a line: here stands how many more there are."""

    nodes: Sequence[Node]
    leads: str


class _Drawing(Generic[Node]):
    """Draws what was planned, tree by tree; `postponed` are the branches that get trees of their own."""

    def __init__(self, forest: Forest[Node], plan: _Plan[Node]) -> None:
        self.forest = forest
        self.plan = plan
        self.postponed: deque[Node] = deque()
        self._drawn: set[Node] = set()
        self._path: set[Node] = set()

    def tree(self, root: Node) -> Iterator[Line]:
        stack: list[_Branch[Node] | _End[Node]] = [_Branch(root, None, "", "")]
        while stack:
            place = stack.pop()
            if isinstance(place, _End):
                self._path.difference_update(place.nodes)
                if hidden := self.plan.hidden[place.nodes[-1]]:
                    yield detail(f"{place.leads}└─ and {hidden:,} more")
                continue
            line, nodes = self._line(place)
            yield line
            if nodes:
                stack += self._branches(nodes, place.leads)

    def _line(self, place: _Branch[Node]) -> tuple[Line, list[Node]]:
        """The line of a place, and the nodes that it expands; the branches of the last one follow below the line."""
        lead = (Span(place.mark, Role.DETAIL),) if place.mark else ()
        width = self.forest.display.width - width_of_line(lead)
        entry = self.forest.entry(place.node, place.parent)
        if place.parent is not None and (reference := self._reference(place.node, place.parent)):
            return lead + entry.line(width, *detail(f" ({reference})")), []
        if place.parent is not None and self._is_too_deep(place):
            self.postponed.append(place.node)
            return lead + entry.line(width, *detail(" (below)")), []
        line, nodes = lead + entry.line(width), [place.node]
        self._enter(place.node)
        while longer := self._joined(line, nodes[-1]):
            line = longer
            nodes += self.plan.branches[nodes[-1]]
            self._enter(nodes[-1])
        return line, nodes

    def _reference(self, node: Node, parent: Node) -> str:
        """Where a node is that is not expanded below this parent."""
        if self.plan.parents[node] == parent and node not in self._drawn:
            return ""
        if node in self._path:
            return "cycle"
        is_end = not self.plan.branches[node] and not self.plan.hidden[node]
        if is_end and not self.forest.refers_to_ends:
            return ""
        return "above" if node in self._drawn else "below"

    def _is_too_deep(self, place: _Branch[Node]) -> bool:
        return len(place.leads) > self.forest.display.width // 2 and bool(self.plan.branches[place.node])

    def _enter(self, node: Node) -> None:
        self._drawn.add(node)
        self._path.add(node)

    def _joined(self, line: Line, node: Node) -> Line | None:
        """A line with the only neighbour of its last node, if that is expanded here and fits."""
        branches = self.plan.branches[node]
        if not self.forest.arrow or len(branches) != 1 or self.plan.hidden[node] or self._reference(branches[0], node):
            return None
        entry = self.forest.entry(branches[0], node).line(self.forest.display.width * 2)
        longer = (*line, Span(f" {self.forest.arrow} ", Role.DETAIL), *entry)
        return longer if width_of_line(longer) <= self.forest.display.width else None

    def _branches(self, nodes: Sequence[Node], leads: str) -> Iterable[_Branch[Node] | _End[Node]]:
        """The places below the last of the nodes of a line, the last first, as a stack has them."""
        node = nodes[-1]
        yield _End(nodes, leads)
        branches = self.plan.branches[node]
        for number, other in reversed(list(enumerate(branches, start=1))):
            is_last = number == len(branches) and not self.plan.hidden[node]
            mark, lead = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
            yield _Branch(other, node, leads + mark, leads + lead)
