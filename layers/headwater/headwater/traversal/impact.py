"""The impact of a change of a dataset or of some of its columns: the nodes downstream that are at risk, each with its
distance, its path and its owners.

A hop costs two reads, as in a lineage graph, and a third read for columns. The walk is bounded in hops, nodes and time;
`is_truncated` says that the walk ended at a bound.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from headwater.graph.application import is_query_job
from headwater.graph.column_lineage import Steps
from headwater.graph.curation import HIDDEN
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import owners_of, parent_name
from headwater.graph.identity import DatasetId, JobId, NodeKind, job_id, node_id
from headwater.graph.register import values
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.consumers import Consumers
from headwater.traversal.impact_propagation import (
    Granularity,
    ImpactedDataset,
    ImpactedJob,
    ImpactedNode,
    ImpactPropagation,
    ImpactTarget,
)
from headwater.traversal.lineage import DEFAULT_DEPTH

_TYPES = {NodeKind.JOB: "JOB", NodeKind.DATASET: "DATASET", NodeKind.FIELD: "DATASET_FIELD"}
PUSHED_DOWN = ("max({})", "min({})", "count({})")
"""Aggregates that Spark pushes down into an Iceberg scan. The listener reports an aggregate as a column of the table:
`max(id)`."""


class Reach(NamedTuple):
    """The bounds of the walk in hops and nodes, and the time of the graph (None: now)."""

    depth: int = DEFAULT_DEPTH
    most: int = 5_000
    as_of: Instant | None = None


_FAR = Reach()


@dataclass(frozen=True, slots=True)
class NodeAtRisk:
    """A job, dataset or column at risk. `distance` counts the jobs on the path, and `path` has the nodeIds from the
    changed node to this one. `owners` are the owners of the dataset, else those of the job that writes the dataset."""

    node_id: str
    kind: NodeKind
    distance: int
    granularity: Granularity
    is_indirect: bool
    path: tuple[str, ...]
    transformations: Steps
    owners: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """The node as JSON, for responses and alerts, without its owners."""
        transformations = {"transformations": self.transformations} if self.transformations else {}
        return {
            "nodeId": self.node_id,
            "type": _TYPES[self.kind],
            "distance": self.distance,
            "by": self.granularity.value,
            "indirect": self.is_indirect,
            "path": list(self.path),
            **transformations,
        }


class Impact(NamedTuple):
    """The nodes at risk, nearest first, and whether there are more. `head` is the head of the changed dataset, None if
    the dataset is not stored. `hidden` counts the nodes at risk that the caller may not read and never named."""

    head: DatasetHead | None
    at_risk: tuple[NodeAtRisk, ...]
    is_truncated: bool
    hidden: int = 0


def impact(reader: Reader, dataset: DatasetId, columns: Collection[str] | None = None, reach: Reach = _FAR) -> Impact:
    """The impact of a change of a dataset, or only of some of its columns.

    The columns need not be in the dataset's schema: the column lineage of the consumers counts.
    """
    known = Consumers(reader, reach.most + 1, of_columns=columns is not None, as_of=reach.as_of)
    known.read_datasets([dataset])
    changed = known.representative(dataset)
    head = known.heads.get(changed)
    if head is None:
        return Impact(None, (), is_truncated=False)
    propagation = ImpactPropagation(known, reach.most)
    propagation.propagate(_changed_nodes(changed, columns), reach.depth)
    reached = list(propagation.impacted.values())
    hidden = {node.target.id for node in reached if _is_hidden(known, node.target)}
    propagation.impacted = {node.target: node for node in reached if node.target.id not in hidden}
    at_risk = sorted(_at_risk(propagation), key=lambda node: (node.distance, node.node_id))
    is_truncated = propagation.is_truncated or known.is_cut or len(at_risk) > reach.most
    return Impact(head, tuple(at_risk[: reach.most]), is_truncated, len(hidden))


def _changed_nodes(dataset: DatasetId, columns: Collection[str] | None) -> list[ImpactedNode]:
    """The start of the propagation: the dataset as a whole, or some of its columns."""
    if columns is None:
        return [ImpactedNode(ImpactedDataset(dataset), 0, Granularity.DATASET)]
    names = [name for column in columns for name in (column, *(form.format(column) for form in PUSHED_DOWN))]
    return [ImpactedNode(ImpactedDataset(dataset, name), 0, Granularity.COLUMN) for name in sorted(names)]


def _at_risk(propagation: ImpactPropagation) -> Iterator[NodeAtRisk]:
    """The nodes that the propagation reached, without the changed nodes, derivations and queries."""
    known = propagation.known
    jobs = {target.id for target in propagation.impacted if isinstance(target, ImpactedJob)}
    for node in propagation.impacted.values():
        if node.distance and not _is_derivation(known, node.target) and not _is_part(known, node.target, jobs):
            path = tuple(_node_id(known, target) for target in node.path if not _is_derivation(known, target))
            yield NodeAtRisk(
                node_id=path[-1],
                kind=node.target.kind,
                distance=node.distance,
                granularity=node.granularity,
                is_indirect=node.is_indirect,
                path=path,
                transformations=[step for hop_steps in node.steps for step in hop_steps],
                owners=tuple(dict.fromkeys(_owners(known, node))),
            )


def _is_hidden(known: Consumers, target: ImpactTarget) -> bool:
    head = known.jobs[target.id] if isinstance(target, ImpactedJob) else known.heads[target.id]
    return head.facts.name.namespace == HIDDEN


def _is_derivation(known: Consumers, target: ImpactTarget) -> bool:
    """Whether a target is a derivation, which is a hop, but no node in a response."""
    return isinstance(target, ImpactedJob) and known.jobs[target.id].facts.is_derivation


def _is_part(known: Consumers, target: ImpactTarget, jobs: Collection[JobId]) -> bool:
    """Whether a target is a query of an application that is at risk, too. The response has the application alone."""
    if not isinstance(target, ImpactedJob):
        return False
    head = known.jobs[target.id]
    application = parent_name(head)
    return application is not None and job_id(application) in jobs and is_query_job(values(head.facts.facets))


def _owners(known: Consumers, node: ImpactedNode) -> list[str]:
    if isinstance(node.target, ImpactedJob):
        return _owners_of_job(known, node.target.id)
    return owners_of(known.heads[node.target.id].facets) or _owners_of_job(known, node.job)


def _owners_of_job(known: Consumers, job: JobId | None) -> list[str]:
    return owners_of(values(known.jobs[job].facts.facets)) if job else []


def _node_id(known: Consumers, target: ImpactTarget) -> str:
    if isinstance(target, ImpactedJob):
        return node_id(target.kind, known.jobs[target.id].facts.name)
    dataset = node_id(target.kind, known.heads[target.id].facts.name)
    return dataset if target.field is None else f"{dataset}:{target.field}"
