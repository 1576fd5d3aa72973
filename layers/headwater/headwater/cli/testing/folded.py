"""What events say, folded in memory by the rules of the product, as a snapshot."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from headwater.cli.testing.snapshot import ColumnSnapshot, Kinds, LineageSnapshot, TableSnapshot
from headwater.fold.fold import fold
from headwater.graph.facets.column_lineage import Steps
from headwater.graph.facets.schema_diff import columns_of, without_metadata
from headwater.graph.names.identity import DatasetId, NodeKind, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.event import DatasetEvent, Name
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.table import Retention
from headwater.traversal.column_graph import ColumnId
from headwater.traversal.column_lineage import ColumnLineage, walk_column_lineage
from headwater.traversal.lineage import Direction, Walk
from headwater.traversal.unknown_origins import unknown_origins

UNTOLD = "untold"
AT_A_TIME = 100
"""Events that are folded at a time."""
HOP = Walk(1, Direction.UPSTREAM)
NameOf = Callable[[str], str]


def reader_of(events: Sequence[NormalisedEvent]) -> Reader:
    """A reader of the graph of these events, in whichever order and however often they come."""
    table, cache = MemoryTable(), StateCache()
    store = GraphStore(table, Retention(timedelta(days=1), timedelta(days=1)), cache)
    for start in range(0, len(events), AT_A_TIME):
        fold(events[start : start + AT_A_TIME], store)
    return Reader(GraphReader(table, cache=cache).for_one_request(), Naming())


def snapshot_of(events: Sequence[NormalisedEvent], name_of: NameOf = str) -> LineageSnapshot:
    """The tables that events name. `name_of` gives the name to show for a name such as `file:/tmp/orders`."""
    reader = reader_of(events)
    around = reader.neighbourhood({dataset_id(name) for event in events for name in named_datasets(event)}, ())
    return LineageSnapshot(dict(_Lineage(reader, head.facts.name, name_of).table() for head in around.heads.values()))


def named_datasets(event: NormalisedEvent) -> Iterable[Name]:
    read = event.event
    references = (read.dataset,) if isinstance(read, DatasetEvent) else (*read.inputs, *read.outputs)
    return (reference.name for reference in references)


class _Lineage:
    """A table, with the flows into its columns."""

    def __init__(self, reader: Reader, name: Name, name_of: NameOf) -> None:
        node = NamedNode(NodeKind.DATASET, name)
        self._lineage: ColumnLineage = walk_column_lineage(reader, node, HOP)
        self._graph = self._lineage.graph
        self._id = self._graph.representative(node.dataset)
        self._reader, self._name, self._name_of = reader, name, name_of
        self._unknown, _ = unknown_origins(reader, self._lineage, self._id, HOP)

    def table(self) -> tuple[str, TableSnapshot]:
        """The table with its name."""
        types = without_metadata(columns_of(self._graph.heads[self._id].schema))
        flows = {_spelled(each.field, types): of for each, of in self._graph.into.items() if each.dataset == self._id}
        candidates = self._candidates()
        columns = {
            name: ColumnSnapshot(
                str(types.get(name) or ""), self._kinds(flows.get(name, {})), tuple(sorted(candidates.get(name, ())))
            )
            for name in {*types, *flows, *candidates}
        }
        return self._shown(self._name), TableSnapshot(
            self._reads(), columns, self._kinds(self._graph.indirect[self._id])
        )

    def _reads(self) -> tuple[str, ...]:
        graph = self._graph
        writers = graph.users.get(self._id, NO_NEIGHBOURS)[Side.WRITES]
        heads = self._reader.jobs([job for job in writers if (job, self._id) not in graph.without_data])
        edges = self._reader.edges(heads, None, graph.renamed_away).values()
        outputs = [(each, output) for each in edges for output in each.output_ids]
        own = [(each, output) for each, output in outputs if graph.representative(output) == self._id]
        return tuple(sorted({self._named(source) for each, output in own for source in each.upstream_of(output)}))

    def _candidates(self) -> dict[str, set[str]]:
        """What columns may be made of: columns of inputs, or whole inputs if it may be any of their columns."""
        found: dict[str, set[str]] = defaultdict(set)
        for origin in self._unknown:
            inputs = [(self._shown(name), self._fields(dataset_id(name))) for name in origin.inputs]
            some = {f"{table}.{field}" for table, fields in inputs for field in fields & set(origin.candidates)}
            for field in origin.fields if origin.dataset == self._name else ():
                found[field] |= some or {table for table, _ in inputs}
        return found

    def _fields(self, dataset: DatasetId) -> set[str]:
        head = self._head(dataset)
        return {name.lower() for name in columns_of(head.schema)} if head else set()

    def _kinds(self, flows: dict[ColumnId, Steps]) -> Kinds:
        steps: dict[str, Steps] = defaultdict(list)
        for source, of_source in flows.items():
            head = self._head(source.dataset)
            field = _spelled(source.field, columns_of(head.schema) if head else ())
            steps[f"{self._named(source.dataset)}.{field}"] += of_source
        return {source: _kinds(of_source) for source, of_source in steps.items()}

    def _named(self, dataset: DatasetId) -> str:
        head = self._head(dataset)
        return self._shown(head.facts.name if head else self._graph.names[dataset])

    def _head(self, dataset: DatasetId) -> DatasetHead | None:
        around = self._reader.neighbourhood([dataset], ())
        return around.heads.get(around.representative(dataset))

    def _shown(self, name: Name) -> str:
        return self._name_of(f"{name.namespace}:{name.name}")


def _spelled(field: str, columns: Iterable[str]) -> str:
    """A column as the schema of its table spells it: engines that pass over case may say `Total` of `total`."""
    return next((name for name in columns if name.lower() == field.lower()), field)


def _kinds(steps: Steps) -> str:
    """The transformations of a flow: `AGGREGATION, masked`; `untold` if the producer tells none, as dbt does."""
    kinds = {str(step.get("subtype") or step.get("type") or "") for step in steps} - {""}
    masked = ["masked"] if any(step.get("masking") for step in steps) else []
    return ", ".join([*(sorted(kinds) or [UNTOLD]), *masked])
