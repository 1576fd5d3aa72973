"""The columns of a column lineage whose origin a producer does not know.

A column without column lineage may be a constant, or be made by code that the producer does not look into. Spark's
listener says the same of both: nothing. So the column may be made of any column of the job's inputs.
"""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.column_graph import ColumnId
from headwater.traversal.column_lineage import ColumnLineage
from headwater.traversal.consumers import Consumers

MAX_WRITERS = 100
"""Writers of the datasets of a walk that are read; few datasets have more than one."""


class UnknownOrigin(NamedTuple):
    """Columns of a dataset that a job writes, and the inputs of the job, of which the columns may be made."""

    dataset: Name
    fields: tuple[str, ...]
    job: Name
    inputs: tuple[Name, ...]


def unknown_origins(
    reader: Reader, lineage: ColumnLineage, whole: DatasetId | None, as_of: Instant | None
) -> list[UnknownOrigin]:
    """The columns of a walk whose origin is unknown, and all such columns of the dataset `whole`, if there is one."""
    graph = lineage.graph
    datasets = [dataset for dataset in lineage.datasets | ({whole} if whole else set()) if dataset in graph.heads]
    writers = sorted({job for dataset in datasets for job in graph.users.get(dataset, NO_NEIGHBOURS)[Side.WRITES]})
    known = Consumers(reader, MAX_WRITERS, of_columns=True, as_of=as_of)
    known.heads |= {dataset: graph.heads[dataset] for dataset in datasets}
    known.representatives |= graph.representatives
    known.read_jobs(writers[:MAX_WRITERS])
    known.read_columns(list(known.jobs), datasets)
    return sorted(_origins(known, lineage, whole))


def _origins(known: Consumers, lineage: ColumnLineage, whole: DatasetId | None) -> Iterator[UnknownOrigin]:
    for job, head in known.jobs.items():
        for output in known.edges[job].output_ids:
            dataset = known.representative(output)
            if (job, dataset) in lineage.graph.retired:
                continue
            fields = tuple(
                field
                for field in _untold(known, job, output)
                if dataset == whole or ColumnId(dataset, field) in lineage.walked
            )
            if fields:
                inputs = tuple(sorted({source.name for source in known.edges[job].inputs}))
                yield UnknownOrigin(known.heads[dataset].facts.name, fields, head.facts.name, inputs)


def _untold(known: Consumers, job: JobId, output: DatasetId) -> list[str]:
    """The columns of an output that a job made of unknown columns. A job without inputs makes them of nothing."""
    is_read = known.representative(output) in known.heads
    return known.untold(job, output) if is_read and known.edges[job].inputs else []
