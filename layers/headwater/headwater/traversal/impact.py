"""What would break downstream if a dataset or some of its columns changed, how far away, on which way, and whose it is.

A hop costs what one of lineage costs, two reads, and one more for columns. The walk is bounded in hops, in what it
finds and in time, and says so.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from headwater.graph.application import is_query_job
from headwater.graph.column_lineage import Steps
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import owners_of, parent_name
from headwater.graph.identity import NodeId, NodeKind, job_id, node_id
from headwater.graph.register import values
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.consumers import Consumers
from headwater.traversal.impact_propagation import Granularity, ImpactedNode, ImpactPropagation, ImpactTarget
from headwater.traversal.lineage import DEFAULT_DEPTH

_TYPES = {NodeKind.JOB: "JOB", NodeKind.DATASET: "DATASET", NodeKind.FIELD: "DATASET_FIELD"}
PUSHED_DOWN = ("max({})", "min({})", "count({})")
"""What Spark has an Iceberg scan compute, the listener names as if it were a column of the table: `max(id)`."""


class Reach(NamedTuple):
    """How far to go: how many job hops, until how much is found; and by what was known at a time, or is now."""

    depth: int = DEFAULT_DEPTH
    most: int = 5_000
    as_of: Instant | None = None


_FAR = Reach()


@dataclass(frozen=True, slots=True)
class AtRisk:
    """A job, dataset or column that would break. `distance` counts the jobs on the way, and `path` names what is on it,
    from what changed to this node. `owners` are those of the dataset, else those of the job that writes it."""

    node_id: str
    kind: NodeKind
    distance: int
    granularity: Granularity
    is_indirect: bool
    path: tuple[str, ...]
    transformations: Steps
    owners: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """Its members in answers and alerts, but for its owners."""
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
    """What is at risk, nearest first, and whether there is more. `head` is that of the dataset itself, if known."""

    head: DatasetHead | None
    at_risk: tuple[AtRisk, ...]
    is_truncated: bool


def impact(reader: Reader, dataset: NodeId, columns: Collection[str] | None = None, reach: Reach = _FAR) -> Impact:
    """What a change of a dataset, or only of some of its columns, puts at risk. The columns need not be there (any
    more): what is known of those who use them counts."""
    known = Consumers(reader, reach.most + 1, of_columns=columns is not None, as_of=reach.as_of)
    known.read_datasets([dataset])
    one = known.one(dataset)
    head = known.heads.get(one)
    if head is None:
        return Impact(None, (), is_truncated=False)
    propagation = ImpactPropagation(known, reach.most)
    whole = ImpactedNode(ImpactTarget(NodeKind.DATASET, one), 0, Granularity.DATASET)
    fields = sorted(name for field in columns or () for name in (field, *(each.format(field) for each in PUSHED_DOWN)))
    parts = [ImpactedNode(ImpactTarget(NodeKind.FIELD, one, field), 0, Granularity.COLUMN) for field in fields]
    propagation.propagate([whole] if columns is None else parts, reach.depth)
    found = sorted(_at_risk(propagation), key=lambda each: (each.distance, each.node_id))
    is_truncated = propagation.is_truncated or known.is_cut or len(found) > reach.most
    return Impact(head, tuple(found[: reach.most]), is_truncated)


def _at_risk(propagation: ImpactPropagation) -> Iterator[AtRisk]:
    """What was reached, but for what changed itself."""
    known = propagation.known
    jobs = {each.target.id for each in propagation.impacted.values() if each.target.kind is NodeKind.JOB}
    for each in propagation.impacted.values():
        if each.distance and not _is_derivation(known, each.target) and not _is_part(known, each.target, jobs):
            path = tuple(_node_id(known, target) for target in each.path if not _is_derivation(known, target))
            steps = [step for of_hop in each.steps for step in of_hop]
            owners = tuple(dict.fromkeys(_owners(known, each)))
            yield AtRisk(
                path[-1], each.target.kind, each.distance, each.granularity, each.is_indirect, path, steps, owners
            )


def _is_derivation(known: Consumers, target: ImpactTarget) -> bool:
    """What makes a view, or another dataset without a job, is a hop, but no node that anybody could look at."""
    return target.kind is NodeKind.JOB and known.jobs[target.id].facts.is_derivation


def _is_part(known: Consumers, target: ImpactTarget, jobs: Collection[NodeId]) -> bool:
    """Whether it is an action of an application that is at risk itself: that is one thing that would break."""
    if target.kind is not NodeKind.JOB:
        return False
    head = known.jobs[target.id]
    application = parent_name(head)
    return application is not None and job_id(application) in jobs and is_query_job(values(head.facts.facets))


def _owners(known: Consumers, impacted: ImpactedNode) -> list[str]:
    target = impacted.target
    job = target.id if target.kind is NodeKind.JOB else impacted.job
    of_job = owners_of(values(known.jobs[job].facts.facets)) if job else []
    return of_job if target.kind is NodeKind.JOB else owners_of(known.heads[target.id].facets) or of_job


def _node_id(known: Consumers, target: ImpactTarget) -> str:
    if target.kind is NodeKind.JOB:
        return node_id(target.kind, known.jobs[target.id].facts.name)
    dataset = node_id(target.kind, known.heads[target.id].facts.name)
    return dataset if target.field is None else f"{dataset}:{target.field}"
