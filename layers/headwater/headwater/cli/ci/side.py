"""One side of a comparison: the graph of a folder of events, folded in memory as a server folds them.

The graph has all that the events say, whatever their order: a job has the edges and columns of all its runs. A query of
a Spark application counts as its application: a query is named by how Spark plans it, which any refactoring changes.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.failure import WRONG_COMMAND, CommandFailure
from headwater.cli.load.sources import events, normalised
from headwater.cli.testing.folded import named_datasets, reader_of
from headwater.graph.facets.column_lineage import Column, Steps
from headwater.graph.facets.curation import RESERVED
from headwater.graph.facets.members import is_canary
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.identity import DatasetId, NodeKind, dataset_id, job_id, node_id
from headwater.graph.names.naming import Naming
from headwater.graph.producers import is_query_job, kind_of
from headwater.graph.states.job import JobHead
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.run import RunState
from headwater.lookup.text.labels import node_of
from headwater.openlineage.event import DatasetEvent, Name
from headwater.openlineage.faults import InvalidRequest
from headwater.read.frontier import BlindSpot
from headwater.traversal.column_graph import ColumnGraph
from headwater.traversal.graph_diff import Columns, GraphAtTime, GraphEdge, LineageFlow
from headwater.traversal.lineage import View

DIRECT, INDIRECT = "DIRECT", "INDIRECT"
UNNAMED = "unknown"
"""What the listener may call an application until it ends, also as the parent of its queries, whose names begin with
that of the application: `daily.adaptive_spark_plan.lake_daily` (OpenLineage/OpenLineage#3846)."""
Meant = Callable[[Name], Name]
"""The name in production of a name in a test."""


@dataclass(frozen=True, slots=True)
class ChangeSide:
    """The graph of one side by nodeIds, the names behind these, the nodes that it cannot see into, and the jobs whose
    newest run failed: the side may lack what they write."""

    source: str
    graph: GraphAtTime
    names: Mapping[str, Name]
    unseen: Mapping[BlindSpot, Collection[str]]
    failed: Sequence[Name]

    @property
    def datasets(self) -> list[str]:
        return sorted(node for node in self.names if node.startswith("dataset:"))

    @property
    def names_jobs(self) -> bool:
        """Whether the side says which job writes a table. Snapshots do not."""
        return any(node.startswith("job:") for node in self.names)

    def column_of(self, node: str) -> Column:
        """The column of a nodeId, without one the dataset. Names have colons: the datasets of this side tell apart."""
        kind, _, rest = node.partition(":")
        parts = rest.split(":")
        for at in range(len(parts) - 1, 0, -1):
            if kind == "datasetField" and (name := self.names.get(f"dataset:{':'.join(parts[:at])}")):
                return Column(name, ":".join(parts[at:]))
        found = node_of(node)
        return Column(Name(found.namespace, found.name), found.field or "")


def side_of(source: Path, meant: Meant) -> ChangeSide:
    """The graph of the events of a file or folder, by the names that are meant. Raises CommandFailure."""
    sent = read(source)
    reader = reader_of(sent)
    graph = ColumnGraph(reader, view=View.EVER)
    graph.read_upstream({dataset_id(name) for each in sent for name in named_datasets(each)})
    heads = {
        node: head
        for node, head in graph.heads.items()
        if head.facts.name.namespace not in RESERVED and not is_canary(head.facets)
    }
    graph.read_heads(heads)
    names = {node: meant(head.facts.name) for node, head in heads.items()}
    shown = {node: node_id(NodeKind.DATASET, name) for node, name in names.items()}
    jobs = reader.jobs({job_id(each.event.job.name) for each in sent if not isinstance(each.event, DatasetEvent)})
    unseen: dict[BlindSpot, set[str]] = defaultdict(set)
    columns: dict[str, Columns | None] = {}
    written = {graph.representative(node) for head in jobs.values() for node in head.ever.output_ids}
    schemas: dict[str, list[tuple[bool, Columns]]] = defaultdict(list)
    for node, head in heads.items():
        of_schema = columns_of(head.schema)
        schemas[shown[node]].append((node in written, of_schema))
        untold = {column for column in of_schema if column.lower().partition(".")[0] not in graph.told[node]}
        unseen[BlindSpot.COLUMNS] |= {_field(names[node], name) for name in untold if graph.told[node]}
    for called, found in schemas.items():
        columns[called] = columns_together(found)
        unseen[BlindSpot.SCHEMAS] |= set() if columns[called] else {called}
    edges: set[GraphEdge] = set()
    of_jobs: dict[str, Name] = {}
    failed: set[Name] = set()
    for job_head in (head for head in jobs.values() if not _is_no_job(head)):
        name, is_query = _job(job_head)
        job, ever = node_id(NodeKind.JOB, meant(name)), job_head.ever
        of_jobs[job], columns[job] = meant(name), None
        reads, writes = (
            {graph.representative(node) for node in ids} & shown.keys() for ids in (ever.input_ids, ever.output_ids)
        )
        edges |= {(job, shown[node]) for node in writes}
        edges |= {(shown[node], job) for node in reads if writes or not is_query}
        is_untold = reads and any(not graph.told[node] for node in writes)
        unseen[BlindSpot.JOBS_WITHOUT_COLUMNS] |= {job} if is_untold else set()
        failed |= {meant(name)} if job_head.latest_state == RunState.FAILED else set()
        unseen[BlindSpot.JOBS_INCOMPLETE] |= {job} if job_head.is_incomplete else set()
    flows = frozenset(_flows(graph, lambda node: names.get(node) or meant(graph.name(node))))
    of_datasets = {node_id(NodeKind.DATASET, name): name for name in names.values()}
    return ChangeSide(
        str(source), GraphAtTime(columns, frozenset(edges), flows), of_datasets | of_jobs, unseen, sorted(failed)
    )


def columns_together(schemas: Sequence[tuple[bool, Columns]]) -> Columns:
    """The columns of a table by those of all tables that tests call by its name, each with whether a job wrote it: a
    table that a test made itself says nothing of one that a job writes. Where types differ, the type is not known."""
    own = [schema for is_written, schema in schemas if is_written] or [schema for _, schema in schemas]
    types: dict[str, list[Any]] = defaultdict(list)
    for schema in own:
        for name, kind in schema.items():
            types[name] += [kind] if kind and kind not in types[name] else []
    return {name: found[0] if len(found) == 1 else None for name, found in types.items()}


def read(source: Path) -> list[NormalisedEvent]:
    """The events of a file or folder. Raises CommandFailure."""
    sent = []
    try:
        for found in events([source]):
            if found.fault:
                raise CommandFailure(f"{found.place}: {found.fault}", status=WRONG_COMMAND)
            try:
                sent.append(normalised(found.text, Naming()))
            except InvalidRequest as error:
                raise CommandFailure(f"{found.place} is not an event: {error}", status=WRONG_COMMAND) from None
    except OSError as error:
        raise CommandFailure(f"{source} cannot be read: {error.strerror or error}", status=WRONG_COMMAND) from None
    if not sent:
        raise CommandFailure(f"{source} has no events", "jobs write their events when they run", status=WRONG_COMMAND)
    return sent


def _is_no_job(head: JobHead) -> bool:
    facets = values(head.facts.facets)
    return is_canary(facets) or (head.facts.name.name == UNNAMED and kind_of(facets) == "APPLICATION")


def _job(head: JobHead) -> tuple[Name, bool]:
    """The name under which a job is compared, and whether it is a query of an application."""
    application = head.parent_name if is_query_job(values(head.facts.facets)) else None
    if application and application.name == UNNAMED:
        application = application._replace(name=head.facts.name.name.partition(".")[0])
    return application or head.facts.name, application is not None


def _flows(graph: ColumnGraph, name: Callable[[DatasetId], Name]) -> Iterator[LineageFlow]:
    for output, sources in graph.into.items():
        for source, steps in sources.items():
            for kind in _kinds(steps, DIRECT):
                yield LineageFlow(
                    _field(name(source.dataset), source.field), _field(name(output.dataset), output.field), kind
                )
    for dataset, sources in graph.indirect.items():
        for source, steps in sources.items():
            for kind in _kinds(steps, INDIRECT):
                yield LineageFlow(
                    _field(name(source.dataset), source.field), node_id(NodeKind.DATASET, name(dataset)), kind
                )


def _kinds(steps: Steps, unless_told: str) -> set[str]:
    """The kinds of a flow: `DIRECT IDENTITY`, `INDIRECT FILTER`, `DIRECT TRANSFORMATION masked`."""
    kinds = {(step["type"] or unless_told, step["subtype"] or "", "masked" * bool(step["masking"])) for step in steps}
    return {" ".join(filter(None, kind)) for kind in kinds} or {unless_told}


def _field(dataset: Name, field: str) -> str:
    return Column(dataset, field).node
