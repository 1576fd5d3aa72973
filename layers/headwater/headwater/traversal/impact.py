"""The impact of a change of a dataset or of some of its columns: the nodes downstream that are at risk, each with its
distance, its path and its owners.

A hop costs two reads, as in a lineage graph, and a third read for columns. The walk is bounded in hops, nodes and time;
`is_truncated` says that the walk ended at a bound.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from headwater.graph.facets.column_lineage import Steps
from headwater.graph.facets.curation import HIDDEN
from headwater.graph.facets.insights import criticality_of
from headwater.graph.facets.members import exposure_nodes, owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, NodeKind, node_id
from headwater.graph.producers import is_test
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import RenamedAway
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.reader import Reader
from headwater.traversal.application_queries import parts_of_applications
from headwater.traversal.consumers import Consumers
from headwater.traversal.impact_propagation import ImpactPropagation, by_dataset_and_column, surest_of
from headwater.traversal.impacted_node import Granularity, ImpactedDataset, ImpactedJob, ImpactedNode, ImpactTarget
from headwater.traversal.lineage import DEFAULT_DEPTH, View

_TYPES = {
    NodeKind.JOB: "JOB",
    NodeKind.DATASET: "DATASET",
    NodeKind.FIELD: "DATASET_FIELD",
    NodeKind.EXPOSURE: "EXPOSURE",
}
_NOUNS = {NodeKind.FIELD: "column", NodeKind.DATASET: "dataset", NodeKind.JOB: "job"}
_ALL_NOUNS = {**_NOUNS, NodeKind.EXPOSURE: "exposure"}


class Reach(NamedTuple):
    """The bounds of the walk in hops and nodes, the time of the graph (None: now), and its view."""

    depth: int = DEFAULT_DEPTH
    most: int = 5_000
    as_of: Instant | None = None
    view: View = View.CURRENT


_FAR = Reach()


@dataclass(frozen=True, slots=True)
class NodeAtRisk:
    """A job, dataset, column or exposure at risk. `distance` counts the jobs on the path, and the exposure at its end,
    which reads as a job does; `path` has the nodeIds from the changed node to this one. `is_test` marks a job that only
    checks data. `owners` are the owners of the dataset or exposure, else those of the job that writes the dataset.
    `is_possible` marks a node that a change of columns may break, or may not: a job on the path leaves open whether it
    uses the columns. `dataset` is the id of a dataset, or that of a column's. `field` is the name of a column, also of
    that by which an exposure is reached. `criticality` is that of the last analysis of the whole graph
    (graph/facets/insights.py). `exposure` has the name, type, URL and owner of one."""

    node_id: str
    kind: NodeKind
    distance: int
    granularity: Granularity
    is_indirect: bool
    is_possible: bool
    path: tuple[str, ...]
    transformations: Steps
    owners: tuple[str, ...]
    criticality: JsonObject | None = None
    is_test: bool = False
    dataset: DatasetId | None = None
    field: str | None = None
    exposure: JsonObject | None = None

    @property
    def table(self) -> str:
        """The nodeId of a column's dataset, or of the dataset that an exposure reads; of any other node, its own."""
        node = self.path[-2] if self.exposure else self.node_id
        if self.field is None:
            return node
        return node.replace(NodeKind.FIELD, NodeKind.DATASET, 1).removesuffix(f":{self.field}")

    def as_json(self) -> JsonObject:
        """The node as JSON, for responses and alerts, without its owners."""
        transformations = {"transformations": self.transformations} if self.transformations else {}
        criticality = {"criticality": self.criticality} if self.criticality else {}
        exposure = {"exposure": self.exposure} if self.exposure else {}
        return {
            "nodeId": self.node_id,
            "type": _TYPES[self.kind],
            "distance": self.distance,
            "by": self.granularity.value,
            "indirect": self.is_indirect,
            "possible": self.is_possible,
            "path": list(self.path),
            **transformations,
            **criticality,
            **exposure,
        }


def counted(at_risk: Collection[NodeAtRisk]) -> JsonObject:
    """The sum of an impact, which every answer and alert has: how many columns, datasets and jobs a change breaks, and
    exposures if there are some, how many of these it may break or may not, and the sentence of both. `by` is the
    coarsest granularity of the columns and datasets, else of the jobs and exposures."""
    possible = [node for node in at_risk if node.is_possible]
    certain = [node for node in at_risk if not node.is_possible]
    of_data = [node for node in at_risk if node.kind in (NodeKind.DATASET, NodeKind.FIELD)]
    by = max((node.granularity for node in of_data or at_risk), key=lambda each: each.weakness, default=None)
    return {
        **_counts(at_risk),
        "possible": _counts(possible),
        "by": by.value if by else None,
        "sentence": _sentence(certain, possible),
    }


def is_by_table(certain: Collection[NodeAtRisk]) -> bool:
    """Whether only table lineage leads to these nodes: then a change may break them, but nobody knows."""
    return any(node.granularity is not Granularity.COLUMN for node in certain)


def quantities(at_risk: Iterable[NodeAtRisk]) -> str:
    """Example: `2 columns, 1 job`."""
    counts = Counter(node.kind for node in at_risk)
    told = [(counts[kind], noun) for kind, noun in _ALL_NOUNS.items() if counts[kind]]
    return ", ".join(f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in told)


def _sentence(certain: Collection[NodeAtRisk], possible: Collection[NodeAtRisk]) -> str:
    """Example: `It breaks 2 columns, 1 job, and may break 1 column.`; without nodes nothing."""
    if certain and is_by_table(certain):
        return f"By table lineage, it may break {quantities([*certain, *possible])}."
    parts = [f"breaks {quantities(certain)}"] * bool(certain) + [f"may break {quantities(possible)}"] * bool(possible)
    return f"It {', and '.join(parts)}." if parts else ""


def _counts(at_risk: Iterable[NodeAtRisk]) -> JsonObject:
    counts = Counter(node.kind for node in at_risk)
    return {f"{noun}s": counts[kind] for kind, noun in _ALL_NOUNS.items() if kind in _NOUNS or counts[kind]}


class Impact(NamedTuple):
    """The nodes at risk, the certain ones first, then the nearest, and whether there are more. `head` is the head of
    the changed dataset, None if the dataset is not stored. `hidden` counts the nodes at risk that the caller may not
    read and never named. `frontier` says what the walk cannot see. `known` is what the walk read."""

    head: DatasetHead | None
    at_risk: tuple[NodeAtRisk, ...]
    is_truncated: bool
    hidden: int = 0
    frontier: Frontier = Frontier()
    known: Consumers | None = None


def impact(
    reader: Reader,
    dataset: DatasetId,
    columns: Collection[str] | None = None,
    reach: Reach = _FAR,
    others: Collection[DatasetId] = (),
) -> Impact:
    """The impact of a change of a dataset, or only of some of its columns; with `others`, of theirs, too.

    The columns need not be in the dataset's schema: the column lineage of the consumers counts.
    """
    away: RenamedAway = {}
    while (
        propagation := _propagated(reader, [dataset, *others], columns, reach, away)
    ).known.renamed_away.keys() > away.keys():
        away = propagation.known.renamed_away
    known = propagation.known
    head = next((head for each in (dataset, *others) if (head := known.heads.get(known.representative(each)))), None)
    if head is None:
        return Impact(None, (), is_truncated=False)
    reached = list(propagation.impacted.values())
    hidden = {node.target.id for node in reached if _is_hidden(known, node.target)}
    propagation.impacted = {node.target: node for node in reached if node.target.id not in hidden}
    asked = Granularity.DATASET if columns is None else Granularity.COLUMN
    found = [*_at_risk(propagation, asked), *_exposures(propagation, asked)]
    at_risk = sorted(found, key=lambda node: (node.is_possible, node.distance, node.node_id))
    is_truncated = propagation.is_truncated or known.is_cut or len(at_risk) > reach.most
    frontier = _frontier(propagation, head.facts.created, len(hidden), is_cut=is_truncated)
    return Impact(head, tuple(at_risk[: reach.most]), is_truncated, len(hidden), frontier, known)


def _exposures(propagation: ImpactPropagation, asked: Granularity) -> Iterator[NodeAtRisk]:
    """The exposures that read the changed dataset, or those that the change reaches, each by its surest way, then by
    its shortest. An exposure does not report columns: like a job without column lineage, it may use what changes."""
    known, told = propagation.known, set[str]()
    reached = by_dataset_and_column(propagation.impacted.values()).items()
    ways = [(surest_of(columns.values()), known.heads[dataset]) for dataset, columns in reached]
    for way, head in sorted(ways, key=lambda way: (way[0].granularity.weakness, way[0].distance, way[1].facts.name)):
        weaker = max(way.granularity, Granularity.DATASET, key=lambda each: each.weakness)
        nodes = exposure_nodes(head.facts.name, head.facets)
        for exposure_id in nodes.keys() - told:
            told.add(exposure_id)
            yield NodeAtRisk(
                node_id=exposure_id,
                kind=NodeKind.EXPOSURE,
                distance=way.distance + 1,
                granularity=weaker,
                is_indirect=way.is_indirect,
                is_possible=weaker.weakness > asked.weakness,
                path=(*_path(known, way), exposure_id),
                transformations=[step for hop_steps in way.steps for step in hop_steps],
                owners=(nodes[exposure_id]["owner"],) if "owner" in nodes[exposure_id] else (),
                field=way.target.field if isinstance(way.target, ImpactedDataset) else None,
                exposure=nodes[exposure_id],
            )


def _frontier(propagation: ImpactPropagation, since: Instant, hidden: int, *, is_cut: bool) -> Frontier:
    """What the walk looked at, and what it cannot see, without reading anything more."""
    known, targets = propagation.known, propagation.impacted
    jobs = {target.id for target in targets if isinstance(target, ImpactedJob)}
    datasets = {target.id for target in targets if isinstance(target, ImpactedDataset)}
    foreign = {dataset for dataset in datasets if known.heads[dataset].is_foreign}
    sources = {job: set(map(known.representative, edges.input_ids)) for job, edges in known.edges.items()}
    made = {job: set(map(known.representative, edges.output_ids)) for job, edges in known.edges.items()}
    users = [job for job in sources if not _is_test(known, ImpactedJob(job))]
    read = set[DatasetId]().union(*(sources[job] - made[job] for job in users))  # a MERGE reads its own target
    looked_at = [
        job for job, of in sources.items() if of & known.heads.keys() and not _is_derivation(known, ImpactedJob(job))
    ]
    open_columns = {target for target, node in targets.items() if target.kind is NodeKind.FIELD and node.is_opened}
    of_filters = {node.job for node in targets.values() if node.target.kind is NodeKind.DATASET and node.is_opened}
    of_filters -= {job for job in known.jobs if known.jobs[job].reads_candidates}
    quiet = {job for job in jobs & set(users) - known.without_data if not known.edges[job].outputs}

    def untold(job: JobId) -> bool:
        return known.of_columns and not all(known.tells_columns(job, output) for output in known.edges[job].output_ids)

    def ids(nodes: Iterable[ImpactTarget]) -> set[str]:
        return {_node_id(known, target) for target in nodes if not _is_derivation(known, target)}

    unseen = blind_spots(
        (BlindSpot.COLUMNS, ids(open_columns)),
        (BlindSpot.JOBS_WITHOUT_COLUMNS, ids(map(ImpactedJob, filter(untold, jobs)))),
        (BlindSpot.JOBS_WITHOUT_FILTERS, ids(ImpactedJob(job) for job in of_filters if job)),
        (BlindSpot.JOBS_INCOMPLETE, ids(ImpactedJob(job) for job in looked_at if known.jobs[job].is_incomplete)),
        (
            BlindSpot.JOBS_WITHOUT_OUTPUTS,
            ids(map(ImpactedJob, quiet - parts_of_applications(known.jobs, known.edges, jobs))),
        ),
        (BlindSpot.READERS, ids(map(ImpactedDataset, datasets - read - propagation.beyond - foreign))),
        (BlindSpot.HIDDEN, hidden + len(foreign)),
        (BlindSpot.BEYOND, int(is_cut or bool(propagation.beyond))),
    )
    return Frontier(since, len(looked_at), len(known.heads), unseen)


def _propagated(
    reader: Reader,
    datasets: Collection[DatasetId],
    columns: Collection[str] | None,
    reach: Reach,
    renamed_away: RenamedAway,
) -> ImpactPropagation:
    of_columns = columns is not None
    known = Consumers(reader, reach.most + 1, of_columns=of_columns, as_of=reach.as_of, view=reach.view)
    known.renamed_away = renamed_away
    known.read_datasets(datasets)
    propagation, changed = ImpactPropagation(known, reach.most), dict.fromkeys(map(known.representative, datasets))
    if nodes := [node for each in changed if each in known.heads for node in _changed_nodes(each, columns)]:
        propagation.propagate(nodes, reach.depth)
    return propagation


def _changed_nodes(dataset: DatasetId, columns: Collection[str] | None) -> list[ImpactedNode]:
    """The start of the propagation: the dataset as a whole, or some of its columns."""
    if columns is None:
        return [ImpactedNode(ImpactedDataset(dataset), 0, Granularity.DATASET)]
    return [ImpactedNode(ImpactedDataset(dataset, name), 0, Granularity.COLUMN) for name in sorted(columns)]


def _at_risk(propagation: ImpactPropagation, asked: Granularity) -> Iterator[NodeAtRisk]:
    """The nodes that the propagation reached, without the changed nodes, derivations and queries. What is known by less
    than the granularity of the changed nodes is possible."""
    known = propagation.known
    jobs = {target.id for target in propagation.impacted if isinstance(target, ImpactedJob)}
    parts = parts_of_applications(known.jobs, known.edges, jobs)
    for node in propagation.impacted.values():
        if node.distance and not _is_derivation(known, node.target) and node.target.id not in parts:
            path = _path(known, node)
            yield NodeAtRisk(
                node_id=path[-1],
                kind=node.target.kind,
                distance=node.distance,
                granularity=node.granularity,
                is_indirect=node.is_indirect,
                is_possible=node.granularity.weakness > asked.weakness,
                path=path,
                transformations=[step for hop_steps in node.steps for step in hop_steps],
                owners=tuple(dict.fromkeys(_owners(known, node))),
                criticality=_criticality(known, node.target),
                is_test=_is_test(known, node.target),
                dataset=node.target.id if isinstance(node.target, ImpactedDataset) else None,
                field=node.target.field if isinstance(node.target, ImpactedDataset) else None,
            )


def _path(known: Consumers, node: ImpactedNode) -> tuple[str, ...]:
    return tuple(_node_id(known, target) for target in node.path if not _is_derivation(known, target))


def _is_hidden(known: Consumers, target: ImpactTarget) -> bool:
    head = known.jobs[target.id] if isinstance(target, ImpactedJob) else known.heads[target.id]
    return head.facts.name.namespace == HIDDEN


def _is_derivation(known: Consumers, target: ImpactTarget) -> bool:
    """Whether a target is a derivation, which is a hop but not a node in a response."""
    return isinstance(target, ImpactedJob) and known.jobs[target.id].facts.is_derivation


def _is_test(known: Consumers, target: ImpactTarget) -> bool:
    return isinstance(target, ImpactedJob) and is_test(values(known.jobs[target.id].facts.facets))


def _criticality(known: Consumers, target: ImpactTarget) -> JsonObject | None:
    """How critical a job or dataset is; None for a column, and for another team's node."""
    if isinstance(target, ImpactedJob):
        return criticality_of(values(known.jobs[target.id].facts.facets))
    return criticality_of(known.heads[target.id].facets) if target.field is None else None


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
