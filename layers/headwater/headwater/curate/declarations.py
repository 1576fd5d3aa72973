"""Declared datasets and jobs: requests of Marquez's clients from before OpenLineage.

A declaration does not change the members that its body lacks.
"""

from collections.abc import Iterable, Mapping, Sequence

from headwater.curate import body
from headwater.curate.answers import dataset_answer, job_answer
from headwater.curate.body import DatasetBody, FieldBody, JobBody
from headwater.curate.curation_events import (
    Document,
    facet,
    naming,
    of_dataset,
    of_job,
    of_run,
    own_facet,
    time_after,
    times_of,
)
from headwater.curate.curator import Curator
from headwater.curate.known_references import known_run, require_datasets, require_source
from headwater.curate.subjects import refuse_reserved
from headwater.curate.tagging import new_tags, tag_document
from headwater.graph.facets.curation import DECLARED, deleted_through, tag_facet
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, NodeKind
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.run import CREATED, Run, RunState
from headwater.http.request import ApiRequest
from headwater.openlineage.event import EventType, Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

_PROCESSING_TYPES = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}
_DATASET_TYPES = {"DB_TABLE": "TABLE", "STREAM": "STREAM"}


def put_node(curator: Curator, request: ApiRequest, node: NamedNode) -> JsonObject:
    """Declares the dataset or the job that the path names."""
    return (_put_job if node.kind is NodeKind.JOB else _put_dataset)(curator, request, node)


def _put_dataset(curator: Curator, request: ApiRequest, node: NamedNode) -> JsonObject:
    """Declares a dataset with a DatasetEvent, as a catalogue does; with `runId`, as an output of that run. The tags are
    added to the dataset's tags."""
    declared, reader = body.read(DatasetBody, request), curator.before
    run = known_run(curator, declared.runId) if declared.runId else None
    require_source(curator, declared.sourceName, node.name)
    head = reader.datasets([node.dataset], deleted=True).get(node.dataset)
    facets = {**_dataset_facets(declared, head), **_tag_facets(declared)}
    at = time_after(request.received_at, *_known_of_dataset(head, facets), *([run.updated] if run else []))
    event = _of_run(run, at, (), {node.name: facets}) if run else of_dataset(node.name, facets, at)
    curator.apply(request.received_at, [*new_tags(reader, request, _tags(declared)), event])
    return dataset_answer(curator, node)


def _put_job(curator: Curator, request: ApiRequest, node: NamedNode) -> JsonObject:
    """Declares a job. The declared inputs and outputs count until a newer run of the job names datasets; with `runId`,
    they are those of that run, too."""
    declared = body.read(JobBody, request)
    facets = _job_facets(declared)
    run = known_run(curator, declared.runId, node.name) if declared.runId else None
    inputs, outputs = ([dataset.as_name for dataset in side or ()] for side in (declared.inputs, declared.outputs))
    for member, names in (("inputs", inputs), ("outputs", outputs)):
        for name in names:
            refuse_reserved(name.namespace)
        require_datasets(curator, member, names)
    at = time_after(request.received_at, *_known_of_job(curator.before, node.job, facets))
    of_the_run = [_of_run(run, at, inputs, {name: {} for name in outputs})] if run else []
    curator.apply(request.received_at, [of_job(node.name, facets, at, inputs, outputs), *of_the_run])
    return job_answer(curator, node)


def _of_run(run: Run, at: Instant, inputs: Iterable[Name], outputs: Mapping[Name, Facets]) -> Document:
    """The event of a run that names these datasets. A run that is NEW stays NEW."""
    created = {CREATED: run.facets[CREATED].value} if run.state is RunState.NEW and run.last else {}
    return naming(of_run(EventType.OTHER, run.run_id, run.job, at, created), inputs, outputs)


def _dataset_facets(declared: DatasetBody, before: DatasetHead | None) -> dict[str, Document]:
    location = declared.schemaLocation or (before and facet_text(before.facets, DECLARED, "schemaLocation"))
    facets = {
        "datasetType": facet("1-0-1/DatasetTypeDatasetFacet", datasetType=_DATASET_TYPES[declared.type]),
        "dataSource": facet("1-0-1/DatasourceDatasetFacet", name=declared.sourceName),
        DECLARED: own_facet(physicalName=declared.physicalName, **({"schemaLocation": location} if location else {})),
    }
    if declared.fields is not None:
        facets["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=list(map(_schema_field, declared.fields)))
    if declared.description is not None:
        facets["documentation"] = facet("1-1-0/DocumentationDatasetFacet", description=declared.description)
    return facets


def _schema_field(field: FieldBody) -> Document:
    members = {"name": field.name, "type": field.type, "description": field.description}
    return {name: value for name, value in members.items() if value is not None}


def _tag_facets(declared: DatasetBody) -> dict[str, Document]:
    of_fields = [(tag.upper(), field.name) for field in declared.fields or () for tag in field.tags or ()]
    facets = {tag_facet(tag): tag_document(tag) for tag in declared.tags or ()}
    return facets | {tag_facet(tag, field): tag_document(tag, field) for tag, field in of_fields}


def _tags(declared: DatasetBody) -> Sequence[str]:
    of_fields = [tag.upper() for field in declared.fields or () for tag in field.tags or ()]
    return [*(declared.tags or ()), *of_fields]


def _job_facets(declared: JobBody) -> dict[str, Document]:
    processing = _PROCESSING_TYPES[declared.type]
    facets = {"jobType": facet("2-0-4/JobTypeJobFacet", processingType=processing, integration="HEADWATER")}
    if declared.location is not None:
        facets["sourceCodeLocation"] = facet("1-1-0/SourceCodeLocationJobFacet", type="unknown", url=declared.location)
    if declared.description is not None:
        facets["documentation"] = facet("1-1-0/DocumentationJobFacet", description=declared.description)
    return facets


def _known_of_dataset(head: DatasetHead | None, facets: Mapping[str, Document]) -> list[Instant]:
    return [*times_of(head.facts.own, facets), head.deleted_through or NEVER] if head else []


def _known_of_job(reader: Reader, job: JobId, facets: Mapping[str, Document]) -> list[Instant]:
    head = reader.store.read(ReadRequest(jobs=[job])).jobs.get(job)
    if head is None:
        return []
    facts = head.facts
    declared = [facts.declared.time] if facts.declared else []
    return [*times_of(facts.facets, facets), *declared, deleted_through(values(facts.facets)) or NEVER]
