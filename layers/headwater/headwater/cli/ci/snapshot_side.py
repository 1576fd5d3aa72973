"""One side of a comparison by snapshots of tests (headwater.cli.testing): tables, their columns, and no jobs. A folder
is the union of its snapshots: each test tells a part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from headwater.cli.ci.side import DIRECT, INDIRECT, ChangeSide, Meant, columns_together, read, side_of
from headwater.cli.failure import WRONG_COMMAND, CommandFailure
from headwater.cli.load.sources import SUFFIXES
from headwater.cli.testing.folded import UNTOLD, snapshot_of
from headwater.cli.testing.snapshot import Kinds, LineageSnapshot, TableSnapshot
from headwater.graph.facets.column_lineage import Column
from headwater.graph.names.identity import NodeKind, node_id
from headwater.lookup.text.labels import node_of
from headwater.openlineage.event import Name
from headwater.read.frontier import BlindSpot
from headwater.traversal.graph_diff import Columns, GraphAtTime, GraphEdge, LineageFlow

SUFFIX = ".yaml"
MASKED = "masked"
_INDIRECT = frozenset({"JOIN", "GROUP_BY", "FILTER", "SORT", "WINDOW", "CONDITIONAL", INDIRECT})


def sides_of(sources: Sequence[Path], meant: Meant) -> Iterator[ChangeSide]:
    """The sides of files or folders of events or snapshots. Events are compared with snapshots as the snapshot that
    they make. Raises CommandFailure."""
    found = [_snapshots(source) for source in sources]
    for source, snapshots in zip(sources, found, strict=True):
        if snapshots:
            yield _side(str(source), snapshots, meant)
        elif any(found):
            failed = side_of(source, meant).failed
            yield replace(_side(str(source), [snapshot_of(read(source))], meant), failed=failed)
        else:
            yield side_of(source, meant)


def _snapshots(source: Path) -> list[LineageSnapshot]:
    """The snapshots of a file, or of a folder without events."""
    files = sorted(source.rglob("*")) if source.is_dir() else [source]
    if any(file.suffix in SUFFIXES for file in files):
        return []
    return [_snapshot(file) for file in files if file.suffix == SUFFIX]


def _snapshot(file: Path) -> LineageSnapshot:
    try:
        found = LineageSnapshot.of_yaml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandFailure(f"{file} cannot be read: {reason}", status=WRONG_COMMAND) from None
    if not found.tables:
        raise CommandFailure(
            f"{file} is not a snapshot: it has no tables", "`pytest --lineage-update` writes one", status=WRONG_COMMAND
        )
    return found


def _side(source: str, snapshots: Sequence[LineageSnapshot], meant: Meant) -> ChangeSide:
    tables: dict[str, list[TableSnapshot]] = defaultdict(list)
    for snapshot in snapshots:
        for key, table in snapshot.tables.items():
            tables[key].append(table)
    names = _SideNames(tables, meant)
    columns: dict[str, Columns | None] = {}
    edges: set[GraphEdge] = set()
    flows: set[LineageFlow] = set()
    unseen: dict[BlindSpot, set[str]] = defaultdict(set)
    schemas: dict[str, list[tuple[bool, Columns]]] = defaultdict(list)
    for key, found in tables.items():
        node = names.node(key)
        schemas[node] += [(bool(of.reads), {name: of.columns[name].type for name in of.columns}) for of in found]
        for table in found:
            edges |= {(names.node(read_table), node) for read_table in table.reads}
            flows |= {LineageFlow(names.column(of), node, kind) for of, kind in _flows(table.rows, INDIRECT)}
            for name, column in table.columns.items():
                target = Column(names.of[key], name).node
                flows |= {LineageFlow(names.column(of), target, kind) for of, kind in _flows(column.sources, DIRECT)}
                unseen[BlindSpot.COLUMNS] |= {target} if column.may_come_from else set()
    for node, told in schemas.items():
        columns[node] = dict(sorted(columns_together(told).items()))
        unseen[BlindSpot.SCHEMAS] |= set() if columns[node] else {node}
    graph = GraphAtTime(columns, frozenset(edges), frozenset(flows), is_ordered=False)
    return ChangeSide(source, graph, {names.node(key): name for key, name in names.of.items()}, unseen, ())


class _SideNames:
    """The names that are meant by those in snapshots: `file:TMP/orders`, and `file:TMP/orders.price` of a column."""

    def __init__(self, tables: Mapping[str, Sequence[TableSnapshot]], meant: Meant) -> None:
        self._meant = meant
        self.of = {key: self._name(key) for named in (tables, *_read_tables(tables)) for key in named}

    def node(self, key: str) -> str:
        return node_id(NodeKind.DATASET, self.of[key])

    def column(self, key: str) -> str:
        """The nodeId of a column. Names of tables and columns have dots: the tables that are known tell apart."""
        dots = [at for at, letter in enumerate(key) if letter == "."]
        at = next((at for at in reversed(dots) if key[:at] in self.of), dots[-1] if dots else len(key))
        return Column(self.of.get(key[:at]) or self._name(key[:at]), key[at + 1 :]).node

    def _name(self, key: str) -> Name:
        found = node_of(f"dataset:{key}")
        return self._meant(Name(found.namespace, found.name))


def _read_tables(tables: Mapping[str, Sequence[TableSnapshot]]) -> Iterator[Sequence[str]]:
    return (table.reads for found in tables.values() for table in found)


def _flows(kinds: Kinds, unless_told: str) -> Iterator[tuple[str, str]]:
    """The sources with each kind, as events tell it: `DIRECT AGGREGATION` of `AGGREGATION`."""
    for source, text in kinds.items():
        words = text.split(", ")
        masked = f" {MASKED}" * (MASKED in words)
        for word in (word for word in words if word not in (MASKED, "")):
            kind = INDIRECT if word in _INDIRECT else DIRECT if word != UNTOLD else unless_told
            yield source, (f"{kind} {word}" if word not in (UNTOLD, DIRECT, INDIRECT) else kind) + masked
