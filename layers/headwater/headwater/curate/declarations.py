"""Datasets and jobs declared outright, as Marquez's clients did before there was OpenLineage.

What a body leaves out is left as it is.
"""

from collections.abc import Mapping, Sequence

from headwater.curate import body
from headwater.curate.body import DatasetBody, FieldBody, JobBody
from headwater.curate.curation_events import Document, facet, moment, of_dataset, of_job, own_facet, said_of
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import new_node
from headwater.curate.tagging import made_known, tagged
from headwater.graph.curation import DECLARED, deleted_through, tag_facet
from headwater.graph.identity import NodeKind
from headwater.graph.register import values
from headwater.http.response import ApiResponse
from headwater.lookup.nodes.datasets import dataset_as_json
from headwater.lookup.nodes.jobs import job_as_json
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.store import item_codec, keys

_PROCESSING_TYPES = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}
_DATASET_TYPES = {"DB_TABLE": "TABLE", "STREAM": "STREAM"}


def put_node(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Declares a dataset or a job; which, tells the path."""
    node = new_node(curator.reader(), command.request, path)
    return (_put_job if node.kind is NodeKind.JOB else _put_dataset)(curator, command, node)


def _put_dataset(curator: Curator, command: Command, node: NamedNode) -> ApiResponse:
    """An event like that of a catalogue, which uses the dataset. Its tags are added to those it has."""
    said, reader = body.read(DatasetBody, command.body), curator.reader()
    facets = {**_dataset_facets(said), **_tag_facets(said)}
    at = moment(command.now, *_known_of_dataset(reader, node, facets))
    curator.apply(command.now, [*made_known(reader, command, _tags(said)), of_dataset(node.name, facets, at)])
    return ApiResponse(200, dataset_as_json(curator.reader(), node.id))


def _put_job(curator: Curator, command: Command, node: NamedNode) -> ApiResponse:
    """With what it reads and writes until one of its runs says so."""
    said, reader = body.read(JobBody, command.body), curator.reader()
    facets = _job_facets(said)
    datasets = [[each.whole for each in side or ()] for side in (said.inputs, said.outputs)]
    at = moment(command.now, *_known_of_job(reader, node, facets))
    curator.apply(command.now, [of_job(node.name, facets, at, *datasets)])
    return ApiResponse(200, job_as_json(curator.reader(), node.id))


def _dataset_facets(said: DatasetBody) -> dict[str, Document]:
    facets = {
        "datasetType": facet("1-0-1/DatasetTypeDatasetFacet", datasetType=_DATASET_TYPES[said.type]),
        "dataSource": facet("1-0-1/DatasourceDatasetFacet", name=said.sourceName),
        DECLARED: own_facet(physicalName=said.physicalName),
    }
    if said.fields is not None:
        facets["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=list(map(_schema_field, said.fields)))
    if said.description is not None:
        facets["documentation"] = facet("1-1-0/DocumentationDatasetFacet", description=said.description)
    return facets


def _schema_field(field: FieldBody) -> Document:
    return field.model_dump(include={"name", "type", "description"}, exclude_none=True)


def _tag_facets(said: DatasetBody) -> dict[str, Document]:
    of_fields = [(tag.upper(), field.name) for field in said.fields or () for tag in field.tags or ()]
    facets = {tag_facet(tag): tagged(tag) for tag in said.tags or ()}
    return facets | {tag_facet(tag, field): tagged(tag, field) for tag, field in of_fields}


def _tags(said: DatasetBody) -> Sequence[str]:
    of_fields = [tag.upper() for field in said.fields or () for tag in field.tags or ()]
    return [*(said.tags or ()), *of_fields]


def _job_facets(said: JobBody) -> dict[str, Document]:
    processing = _PROCESSING_TYPES[said.type]
    facets = {"jobType": facet("2-0-4/JobTypeJobFacet", processingType=processing, integration="HEADWATER")}
    if said.location is not None:
        facets["sourceCodeLocation"] = facet("1-1-0/SourceCodeLocationJobFacet", type="unknown", url=said.location)
    if said.description is not None:
        facets["documentation"] = facet("1-1-0/DocumentationJobFacet", description=said.description)
    return facets


def _known_of_dataset(reader: Reader, node: NamedNode, facets: Mapping[str, Document]) -> list[Instant]:
    head = reader.datasets([node.id], deleted=True).get(node.id)
    return [*said_of(head.facts.own, facets), head.deleted_through or Instant("")] if head else []


def _known_of_job(reader: Reader, node: NamedNode, facets: Mapping[str, Document]) -> list[Instant]:
    item = reader.table.read([keys.job_head(node.id)]).get(keys.job_head(node.id))
    if not item:
        return []
    facts = item_codec.read_job(item).facts
    declared = [facts.declared.time] if facts.declared else []
    return [*said_of(facts.facets, facets), *declared, deleted_through(values(facts.facets)) or Instant("")]
