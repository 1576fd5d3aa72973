"""The graph in a response of /lineage or /column-lineage: nodes, and edges in the direction of the data flow.

A response lists every edge twice, at both ends. In /column-lineage the origin of every edge is the node that lists it:
as in Marquez, an `inEdge` points against the flow. The graph here has every edge once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

Document = Mapping[str, Any]


class ExportKind(StrEnum):
    JOB = "job"
    DATASET = "dataset"
    COLUMN = "column"
    EXPOSURE = "exposure"


class ExportNode(NamedTuple):
    """A job, a dataset, a column or an exposure. A column has its name in `field`, and the name of its dataset in
    `name`."""

    kind: ExportKind
    namespace: str
    name: str
    field: str | None = None

    @property
    def id(self) -> str:
        """The nodeId of the node in lookups."""
        if self.kind is ExportKind.COLUMN:
            return f"datasetField:{self.namespace}:{self.name}:{self.field}"
        return f"{self.kind}:{self.namespace}:{self.name}"

    @property
    def dataset(self) -> "ExportNode":
        """The dataset of a column; of a dataset, the dataset itself."""
        return ExportNode(ExportKind.DATASET, self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class ExportEdge:
    """Data flows from `origin` to `target`. `steps` are the transformations; only edges of columns have them."""

    origin: ExportNode
    target: ExportNode
    steps: tuple[Document, ...] | None = None

    @property
    def is_indirect(self) -> bool:
        """Whether the flow is indirect: the origin decides which rows the target has, but gives it no values."""
        return bool(self.steps) and all(step.get("type") == "INDIRECT" for step in self.steps or ())


@dataclass(frozen=True, slots=True)
class ExportGraph:
    """Nodes and edges, sorted. `data` has the members of those nodes that the response lists."""

    nodes: tuple[ExportNode, ...]
    edges: tuple[ExportEdge, ...]
    data: Mapping[ExportNode, Document]
    truncated: bool

    @property
    def displayed(self) -> dict[str, str]:
        """The names that datasets have in a catalogue, and what authors call jobs and exposures, by nodeId."""
        return {node.id: name for node, data in self.data.items() if (name := data.get("displayName"))}

    def clusters(self) -> dict[ExportNode, list[ExportNode]]:
        """In a graph of columns, the nodes that are drawn in one frame: the columns of a dataset, and the dataset."""
        clusters: dict[ExportNode, list[ExportNode]] = {}
        if any(node.kind is ExportKind.COLUMN for node in self.nodes):
            for node in self.nodes:
                clusters.setdefault(node.dataset, []).append(node)
        return clusters


def graph_of(answer: Document) -> ExportGraph:
    """The graph in a response. An indirect flow is an edge to the dataset as a whole."""
    data = {_node(entry): entry["data"] for entry in answer["graph"]}
    all_edges = [*_uses(answer), *_flows(answer), *_indirect(answer)]
    edges = {(edge.origin, edge.target): edge for edge in all_edges}
    nodes = {*data, *(node for ends in edges for node in ends)}
    return ExportGraph(
        nodes=tuple(sorted(nodes)),
        edges=tuple(edges[ends] for ends in sorted(edges)),
        data=data,
        truncated=bool(answer.get("truncated")),
    )


def _node(entry: Document) -> ExportNode:
    data = entry["data"]
    match entry["type"]:
        case "DATASET_FIELD":
            return _column(data)
        case "JOB" | "EXPOSURE" as kind:
            return ExportNode(ExportKind(kind.lower()), data["namespace"], data["name"])
    return ExportNode(ExportKind.DATASET, data["namespace"], data["name"])


def _column(data: Document) -> ExportNode:
    return ExportNode(ExportKind.COLUMN, data["namespace"], data["dataset"], data["field"])


def _uses(answer: Document) -> Iterator[ExportEdge]:
    """The edges between jobs, datasets and exposures, without edges to nodes that are not in the response."""
    known = {entry["id"]: _node(entry) for entry in answer["graph"] if entry["type"] != "DATASET_FIELD"}
    for entry in answer["graph"]:
        for edge in [*entry["inEdges"], *entry["outEdges"]]:
            if edge["origin"] in known and edge["destination"] in known:
                yield ExportEdge(known[edge["origin"]], known[edge["destination"]])


def _flows(answer: Document) -> Iterator[ExportEdge]:
    """The edges between columns. `inputFields` has names and transformations; `inEdges` only has ids."""
    for entry in answer["graph"]:
        if entry["type"] == "DATASET_FIELD":
            for source in entry["data"]["inputFields"]:
                yield ExportEdge(_column(source), _node(entry), _steps(source))


def _indirect(answer: Document) -> Iterator[ExportEdge]:
    for entry in answer.get("indirect", ()):
        source = entry["inputField"]
        yield ExportEdge(
            _column(source), ExportNode(ExportKind.DATASET, entry["namespace"], entry["dataset"]), _steps(source)
        )


def _steps(source: Document) -> tuple[Document, ...]:
    return tuple(source.get("transformations") or ())
