"""Tags: put on datasets, their fields and jobs, and taken off again."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from headwater.curate.curation_events import Document, moment, no_facet, of_dataset, of_job, own_facet, said_of
from headwater.curate.curator import Curator
from headwater.curate.subjects import DatasetNames
from headwater.graph.curation import TAGS, sent_tags, tag_facet
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import fields_of
from headwater.graph.identity import dataset_id
from headwater.graph.job import JobFacts
from headwater.graph.register import values
from headwater.http.marquez.datasets import dataset as dataset_as_json
from headwater.http.marquez.jobs import job as job_as_json
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.dataset_details import read_dataset_details
from headwater.read.job_details import read_job_details
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def tag_dataset(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Puts a tag on a dataset; a tag that is not known is from then on."""
    return _tag(curator, request, dataset, tag_name(request), None)


def untag_dataset(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    return _untag(curator, request, dataset, [tag_name(request)], None)


def tag_field(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Puts a tag, in capitals as Marquez does, on a field of a dataset."""
    return _tag(curator, request, dataset, tag_name(request).upper(), _field_name(request))


def untag_field(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Takes a tag off a field of a dataset, as it is spelled and in capitals: a producer may have sent it small."""
    name = tag_name(request)
    return _untag(curator, request, dataset, [*dict.fromkeys([name, name.upper()])], _field_name(request))


def tag_job(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    reader, name = curator.before, tag_name(request)
    facets = {tag_facet(name): tagged(name)}
    documents = [*made_known(reader, request, [name]), _of_job(request, _facts(reader, job), facets)]
    curator.apply(request.received_at, documents)
    return job_as_json(read_job_details(curator.reader(), job.job))


def untag_job(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    name, facts = tag_name(request), _facts(curator.before, job)
    facets = {tag_facet(name): _taken_off(values(facts.facets), name, None)}
    curator.apply(request.received_at, [_of_job(request, facts, facets)])
    return job_as_json(read_job_details(curator.reader(), job.job))


def tagged(tag: str, field: str | None = None) -> Document:
    """The facet that stands for a tag."""
    return own_facet(tag=tag) if field is None else own_facet(tag=tag, field=field)


def made_known(reader: Reader, request: ApiRequest, tags: Iterable[str]) -> list[Document]:
    """The events that make tags known, of those that are not."""
    names = {dataset_id(Name(TAGS, tag)): Name(TAGS, tag) for tag in tags}
    known = reader.datasets(names)
    at = moment(request.received_at)
    return [of_dataset(name, {}, at) for dataset, name in names.items() if dataset not in known]


def tag_name(request: ApiRequest) -> str:
    """The tag that the path names. Raises InvalidRequest for an empty one."""
    name = unquote(request.parameters["tag"]).rstrip("/")
    if not name:
        raise InvalidRequest(Fault("tag", "empty"))
    return name


def _field_name(request: ApiRequest) -> str:
    return unquote(request.parameters["field"])


def _tag(curator: Curator, request: ApiRequest, dataset: DatasetNames, tag: str, field: str | None) -> JsonObject:
    _require_field(dataset.shown, field)
    head = dataset.heads[dataset_id(dataset.shown.facts.name)]
    document = _of_dataset(request, head, {tag_facet(tag, field): tagged(tag, field)})
    curator.apply(request.received_at, [*made_known(curator.before, request, [tag]), document])
    return dataset_as_json(read_dataset_details(curator.reader(), dataset.node.dataset))


def _untag(
    curator: Curator, request: ApiRequest, dataset: DatasetNames, tags: Iterable[str], field: str | None
) -> JsonObject:
    """Under those of the dataset's names that have it, since the tag may have been put on any."""
    _require_field(dataset.shown, field)
    facets = {tag_facet(tag, field): _taken_off(dataset.shown.facets, tag, field) for tag in tags}
    holders = [head for head in dataset.heads.values() if facets.keys() & head.facets.keys()]
    heads = holders or [dataset.heads[dataset_id(dataset.shown.facts.name)]]
    curator.apply(request.received_at, [_of_dataset(request, head, facets) for head in heads])
    return dataset_as_json(read_dataset_details(curator.reader(), dataset.node.dataset))


def _require_field(head: DatasetHead, field: str | None) -> None:
    if field is not None and all(known["name"] != field for known in fields_of(head.schema)):
        raise NotFound(f"Field '{field}' not found in dataset '{head.facts.name.name}'.")


def _taken_off(facets: Mapping[str, Any], tag: str, field: str | None) -> Document:
    """In place of the facet of a tag; of one that a producer sends, that it is not to be shown."""
    return {**tagged(tag, field), "isRemoved": True} if tag in sent_tags(facets, field) else no_facet()


def _of_dataset(request: ApiRequest, head: DatasetHead, facets: Mapping[str, Document]) -> Document:
    """The event that gives a dataset facets under one of its names, which the caller's key has to be for, too."""
    request.principal.require_namespace(head.facts.name.namespace, "namespace")
    return of_dataset(head.facts.name, facets, moment(request.received_at, *said_of(head.facts.own, facets)))


def _of_job(request: ApiRequest, facts: JobFacts, facets: Mapping[str, Document]) -> Document:
    return of_job(facts.name, facets, moment(request.received_at, *said_of(facts.facets, facets)))


def _facts(reader: Reader, job: NamedNode) -> JobFacts:
    return reader.jobs([job.job])[job.job].facts
