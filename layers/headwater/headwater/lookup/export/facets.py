"""The members of a node in a response, and the flows into the node, as facets of OpenLineage.

A response does not have whole facets: of a description it has the text, of a location the URL.
"""

from collections.abc import Iterable

from headwater.lookup.export.graph import Document, ExportEdge, ExportKind, ExportNode
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.own_events import OwnProducer

PRODUCER = OwnProducer()
_PROCESSING_TYPES = {"STREAM": "STREAMING", "SERVICE": "SERVICE"}


def of_job(data: Document) -> JsonObject:
    """The facets of a job, from its members in the response."""
    facets: JsonObject = {}
    if data.get("description"):
        facets["documentation"] = PRODUCER.facet("1-1-0/DocumentationJobFacet", description=data["description"])
    if data.get("location"):
        facets["sourceCodeLocation"] = PRODUCER.facet(
            "1-1-0/SourceCodeLocationJobFacet", type="unknown", url=data["location"]
        )
    if data.get("type") in _PROCESSING_TYPES:
        processing = _PROCESSING_TYPES[data["type"]]
        facets["jobType"] = PRODUCER.facet("2-0-4/JobTypeJobFacet", processingType=processing, integration="HEADWATER")
    return facets


def of_dataset(data: Document) -> JsonObject:
    """The facets of a dataset, from its members in the response. A response with only columns gives none."""
    facets: JsonObject = {}
    if data.get("fields"):
        facets["schema"] = PRODUCER.facet(
            "1-2-0/SchemaDatasetFacet", fields=[_field(column) for column in data["fields"]]
        )
    if data.get("description"):
        facets["documentation"] = PRODUCER.facet("1-1-0/DocumentationDatasetFacet", description=data["description"])
    if data.get("datasetType"):
        facets["datasetType"] = PRODUCER.facet("1-0-1/DatasetTypeDatasetFacet", datasetType=data["datasetType"])
    if data.get("sourceName") not in (None, data.get("namespace")):
        facets["dataSource"] = PRODUCER.facet("1-0-1/DatasourceDatasetFacet", name=data["sourceName"])
    if data.get("lastLifecycleState"):
        state = data["lastLifecycleState"]
        facets["lifecycleStateChange"] = PRODUCER.facet(
            "1-0-1/LifecycleStateChangeDatasetFacet", lifecycleStateChange=state
        )
    tags = _tags(data)
    return facets | {"tags": PRODUCER.facet("1-0-0/TagsDatasetFacet", tags=tags)} if tags else facets


def of_flows(edges: Iterable[ExportEdge]) -> JsonObject:
    """The facets columnLineage and lineage of a dataset, from the edges into the dataset and into its columns."""
    columns: dict[str, JsonObject] = {}
    whole: list[JsonObject] = []
    datasets: list[JsonObject] = []
    for edge in edges:
        if edge.origin.kind is ExportKind.DATASET:
            datasets.append({"namespace": edge.origin.namespace, "name": edge.origin.name, "type": "DATASET"})
        elif edge.target.field is None:
            whole.append(_input(edge))
        else:
            columns.setdefault(edge.target.field, {"inputFields": []})["inputFields"].append(_input(edge))
    facets: JsonObject = {}
    if columns or whole:
        facets["columnLineage"] = PRODUCER.facet("1-2-0/ColumnLineageDatasetFacet", fields=columns, dataset=whole)
    if datasets:
        facets["lineage"] = PRODUCER.facet("1-0-0/LineageFacet", "LineageDatasetFacet", inputs=datasets)
    return facets


def _input(edge: ExportEdge) -> JsonObject:
    source: ExportNode = edge.origin
    steps = [_present(step) for step in edge.steps or ()]
    return {"namespace": source.namespace, "name": source.name, "field": source.field, "transformations": steps}


def _field(field: Document) -> JsonObject:
    document = _present({member: field.get(member) for member in ("name", "type", "description")})
    nested = field.get("fields")
    return document | {"fields": [_field(inner) for inner in nested]} if nested else document


def _tags(data: Document) -> list[JsonObject]:
    """The tags of a dataset and of its columns."""
    own = [_tag(tag, data) for tag in data.get("tags") or ()]
    fields = [(field, tag) for field in data.get("fields") or () for tag in field.get("tags") or ()]
    return own + [{**_tag(tag, field), "field": field["name"]} for field, tag in fields]


def _tag(text: str, holder: Document) -> JsonObject:
    """A tag of a node or of a field: `classification=PII` is a key and its value."""
    key, _, value = text.partition("=")
    return _present({"key": key, "value": value or "true", "source": (holder.get("tagSources") or {}).get(text)})


def _present(members: Document) -> JsonObject:
    """The members that are not null, since the spec allows no null."""
    return {name: value for name, value in members.items() if value is not None}
