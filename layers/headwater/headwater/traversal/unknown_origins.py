"""The columns of a column lineage whose origin a producer does not know, and what else its walk cannot see.

A column without column lineage may be a constant, or be made by code that the producer does not look into. Spark's
listener says nothing about either, so the column may be made of any column of the job's inputs. What runs beside the
listener tells the two apart, and lists the columns that the code may use.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import DatasetId, JobId, NodeKind, node_id
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.column_lineage import ColumnLineage
from headwater.traversal.consumers import Consumers
from headwater.traversal.lineage import Direction, View, Walk

MAX_WRITERS = 100
"""Writers of the datasets of a walk that are read; few datasets have more than one."""


class UnknownOrigin(NamedTuple):
    """Columns of a dataset that a job writes, and the inputs of the job, of which the columns may be made: of the
    columns `candidates` of these inputs, in lower case; if there are none, of any. The job sends no column lineage for
    the dataset, or none for these columns."""

    dataset: Name
    fields: tuple[str, ...]
    job: Name
    inputs: tuple[Name, ...]
    reason: BlindSpot
    candidates: tuple[str, ...] = ()


def unknown_origins(
    reader: Reader, lineage: ColumnLineage, whole: DatasetId | None, walk: Walk
) -> tuple[list[UnknownOrigin], Frontier]:
    """The columns of a walk whose origin is unknown, and all such columns of the dataset `whole`, if there is one; and
    what else the walk cannot see. Downstream, nothing is read for it."""
    known = Consumers(reader, MAX_WRITERS, of_columns=True, as_of=walk.as_of)
    if walk.direction is not Direction.DOWNSTREAM:
        _read_writers(known, lineage, whole)
    origins = sorted(_origins(known, lineage, whole))
    return origins, _frontier(known, lineage, origins, walk)


def _read_writers(known: Consumers, lineage: ColumnLineage, whole: DatasetId | None) -> None:
    graph = lineage.graph
    datasets = [dataset for dataset in lineage.datasets | ({whole} if whole else set()) if dataset in graph.heads]
    writers = sorted({job for dataset in datasets for job in graph.users.get(dataset, NO_NEIGHBOURS)[Side.WRITES]})
    known.heads |= {dataset: graph.heads[dataset] for dataset in datasets}
    known.representatives |= graph.representatives
    known.is_cut = len(writers) > MAX_WRITERS
    known.read_jobs(writers[:MAX_WRITERS])
    known.read_columns(list(known.jobs), datasets)


def _frontier(known: Consumers, lineage: ColumnLineage, origins: Iterable[UnknownOrigin], walk: Walk) -> Frontier:
    graph = lineage.graph
    begin = {dataset: head for dataset in lineage.begin if (head := graph.heads.get(dataset)) and not head.is_foreign}
    is_upstream, is_downstream = walk.direction is not Direction.DOWNSTREAM, walk.direction is not Direction.UPSTREAM
    written = {dataset for dataset, users in graph.users.items() if users[Side.WRITES] or graph.told[dataset]}
    columns = {f"{node_id(NodeKind.FIELD, origin.dataset)}:{field}" for origin in origins for field in origin.fields}
    silent = {known.jobs[job].facts.name for job, output in _made(known, graph) if not known.tells_columns(job, output)}
    for reader, output in _outputs_of_readers(graph, walk):
        if not (reader.column_lineages(output) or graph.heads[output].column_lineage):
            silent.add(reader.facts.name)
        elif (told := graph.told[output]) or output in graph.opaque:
            field = node_id(NodeKind.FIELD, graph.heads[output].facts.name)
            names = [column["name"] for column in fields_of(graph.heads[output].schema)]
            columns |= {f"{field}:{name}" for name in names if name.lower() not in told}
    incomplete = {head.facts.name for head in (*known.jobs.values(), *graph.readers.values()) if head.is_incomplete}
    unseen = blind_spots(
        (BlindSpot.COLUMNS, columns),
        (BlindSpot.JOBS_INCOMPLETE, {node_id(NodeKind.JOB, name) for name in incomplete}),
        (BlindSpot.JOBS_WITHOUT_COLUMNS, {node_id(NodeKind.JOB, name) for name in silent}),
        (BlindSpot.WRITERS, _ids(graph, begin.keys() - written if is_upstream else ())),
        (BlindSpot.READERS, _ids(graph, () if walk.as_of else graph.unread())),
        (BlindSpot.PAST_READERS, int(is_downstream and walk.as_of is not None)),
        (BlindSpot.HIDDEN, sum(head.is_foreign for head in map(graph.heads.get, lineage.datasets) if head)),
        (BlindSpot.BEYOND, int(known.is_cut or graph.is_truncated or graph.is_ended_by_depth)),
    )
    since = min((head.facts.created for head in begin.values()), default=NEVER)
    jobs = {job for job, edges in known.edges.items() if edges} | (set() if walk.as_of else graph.readers.keys())
    return Frontier(since, len(jobs), len(lineage.datasets | lineage.begin), unseen)


def _ids(graph: ColumnGraph, datasets: Iterable[DatasetId]) -> set[str]:
    return {node_id(NodeKind.DATASET, graph.name(dataset)) for dataset in datasets}


def _made(known: Consumers, graph: ColumnGraph) -> Iterator[tuple[JobId, DatasetId]]:
    """The outputs that jobs make of something, without those of retired writers."""
    for job, edges in known.edges.items():
        for output in edges.output_ids if edges.inputs else ():
            if (job, graph.representative(output)) not in graph.without_data:
                yield job, output


def _outputs_of_readers(graph: ColumnGraph, walk: Walk) -> Iterator[tuple[JobHead, DatasetId]]:
    """What the readers of a walk downstream write, as far as the caller may read it. Of a past time nothing is known
    without further reads."""
    for head in () if walk.as_of else graph.readers.values():
        edges = head.current if walk.view is View.CURRENT else head.ever
        near = [source for source in edges.input_ids if graph.representative(source) in graph.downstream]
        far = {graph.representative(output) for source in near for output in edges.downstream_of(source)}
        for output in far & graph.heads.keys() if not head.is_foreign else ():
            if not graph.heads[output].is_foreign:
                yield head, output


def _origins(known: Consumers, lineage: ColumnLineage, whole: DatasetId | None) -> Iterator[UnknownOrigin]:
    for job, head in known.jobs.items():
        for output in known.edges[job].output_ids:
            dataset = known.representative(output)
            if (job, dataset) in lineage.graph.without_data:
                continue
            fields = defaultdict(list)
            for field, candidates in _untold(known, job, output).items():
                if dataset == whole or ColumnId(dataset, field) in lineage.walked:
                    fields[tuple(sorted(candidates))].append(field)
            inputs = tuple(sorted({source.name for source in known.edges[job].inputs}))
            tells = known.tells_columns(job, output)
            reason = BlindSpot.COLUMNS if tells else BlindSpot.JOBS_WITHOUT_COLUMNS
            for of_columns, names in fields.items():
                written = known.heads[dataset].facts.name
                yield UnknownOrigin(written, tuple(names), head.facts.name, inputs, reason, of_columns)


def _untold(known: Consumers, job: JobId, output: DatasetId) -> dict[str, frozenset[str]]:
    """The columns of an output that a job made of unknown columns. A job without inputs makes them from nothing, if it
    does not say otherwise: a checkpoint has no inputs."""
    if known.representative(output) not in known.heads or not (
        known.edges[job].inputs or known.names_origins(job, output)
    ):
        return {}
    return known.untold(job, output)
