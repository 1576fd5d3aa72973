"""The response to GET /column-lineage: the columns of a walk in the form of Marquez's API."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.graph.facets.column_lineage import transformation
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import DatasetId, NodeKind, node_id, version_of_schema
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.traversal.column_graph import ColumnGraph, ColumnId
from headwater.traversal.column_lineage import ColumnLineage
from headwater.traversal.unknown_origins import UnknownOrigin


def serialise_columns(lineage: ColumnLineage) -> list[JsonObject]:
    """The columns of a walk as nodes, nearest first."""
    graph, shown = lineage.graph, lineage.columns
    among = set(shown)
    datasets: dict[DatasetId, _ShownDataset] = {}
    return [_node(graph, datasets, column, among) for column in shown]


def of_versions(nodes: list[JsonObject], start: Name | None, version: str) -> list[JsonObject]:
    """The nodes of a walk that began at a version of the dataset `start`: each column is of a version, too. The others
    are of the schema that their dataset had at that time."""
    ids = {}
    for node in nodes:
        for data in (node["data"], *node["data"]["inputFields"]):
            if start == (data["namespace"], data["dataset"]):
                data["datasetVersion"] = version
        of_column = node["data"]["datasetVersion"]
        ids[node["id"]] = f"{node['id']}#{of_column}" if of_column else node["id"]
    return [
        node
        | {"id": ids[node["id"]]}
        | {side: [{end: ids[edge[end]] for end in edge} for edge in node[side]] for side in ("inEdges", "outEdges")}
        for node in nodes
    ]


class _ShownDataset(NamedTuple):
    """The name of a dataset, the beginning of the nodeIds of its columns, its members of their nodes, and the types of
    its columns."""

    name: Name
    column: str
    members: JsonObject
    types: Mapping[str, Any]

    @classmethod
    def of(cls, graph: ColumnGraph, dataset: DatasetId) -> "_ShownDataset":
        name, head = graph.name(dataset), graph.heads.get(dataset)
        version = version_of_schema(head.schema_digest) if head and head.schema_digest else None
        members = {"namespace": name.namespace, "dataset": name.name, "datasetVersion": version}
        types = {field["name"]: field.get("type") for field in fields_of(head.schema if head else None)}
        return cls(name, f"{node_id(NodeKind.FIELD, name)}:", members, types)


def _node(
    graph: ColumnGraph, datasets: dict[DatasetId, _ShownDataset], column: ColumnId, among: set[ColumnId]
) -> JsonObject:
    give_way()

    def shown(dataset: DatasetId) -> _ShownDataset:
        if dataset not in datasets:
            datasets[dataset] = _ShownDataset.of(graph, dataset)
        return datasets[dataset]

    of_dataset = shown(column.dataset)
    node = of_dataset.column + column.field
    sources = [
        (shown(source.dataset), source.field, steps)
        for source, steps in graph.into.get(column, {}).items()
        if source in among
    ]
    sources.sort(key=lambda source: (source[0].name, source[1]))
    targets = graph.out_of.get(column, set()) & among
    data = {
        **of_dataset.members,
        "field": column.field,
        "fieldType": kind if isinstance(kind := of_dataset.types.get(column.field), str) else "",
        **transformation([step for _, _, steps in sources for step in steps]),
        "inputFields": [
            {**source.members, "field": field, **transformation(steps), "transformations": steps}
            for source, field, steps in sources
        ],
    }
    into = [{"origin": node, "destination": source.column + field} for source, field, _ in sources]
    ends = sorted(shown(target.dataset).column + target.field for target in targets)
    out_of = [{"origin": node, "destination": end} for end in ends]
    return {"id": node, "type": "DATASET_FIELD", "data": data, "inEdges": into, "outEdges": out_of}


def serialise_unknown(origins: Iterable[UnknownOrigin]) -> list[JsonObject]:
    """The columns whose origin the producer of a job does not know, with the inputs that they may be made of, and the
    columns of these, if they are known."""
    return [
        {
            **origin.dataset.as_json("dataset"),
            "fields": list(origin.fields),
            "job": origin.job.as_json(),
            "inputs": [source.as_json("dataset") for source in origin.inputs],
            "reason": origin.reason.value,
            **({"candidates": list(origin.candidates)} if origin.candidates else {}),
        }
        for origin in origins
    ]


def serialise_indirect(lineage: ColumnLineage) -> list[JsonObject]:
    """The inputs of indirect flows, such as columns of a filter: once for each output dataset, not for each column."""
    graph = lineage.graph
    pairs = [(dataset, source) for dataset in lineage.datasets for source in graph.indirect.get(dataset, ())]
    named = sorted(pairs, key=lambda entry: (graph.name(entry[0]), graph.name(entry[1].dataset), entry[1].field))
    return [
        {
            **graph.name(dataset).as_json("dataset"),
            "inputField": {
                **graph.name(source.dataset).as_json("dataset"),
                "field": source.field,
                "transformations": graph.indirect[dataset][source],
            },
        }
        for dataset, source in named
    ]
