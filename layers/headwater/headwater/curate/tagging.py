"""Adds tags to datasets, fields and jobs, and removes them."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from headwater.curate.answers import dataset_answer, job_answer
from headwater.curate.curation_events import (
    Document,
    deleted_facet,
    of_dataset,
    of_job,
    own_facet,
    time_after,
    times_of,
)
from headwater.curate.curator import Curator
from headwater.curate.subjects import DatasetNames
from headwater.graph.facets.curation import TAGS, sent_tags, tag_facet
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobFacts
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def tag_dataset(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Adds a tag to a dataset. An unknown tag is created."""
    return _tag(curator, request, dataset, tag_name(request), None)


def untag_dataset(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    return _untag(curator, request, dataset, [tag_name(request)], None)


def tag_field(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Adds a tag to a field of a dataset, in capitals as in Marquez."""
    return _tag(curator, request, dataset, tag_name(request).upper(), _field_name(request))


def untag_field(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Removes a tag from a field, in the spelling of the request and in capitals: a producer may have sent the tag in
    lower case."""
    name = tag_name(request)
    return _untag(curator, request, dataset, [*dict.fromkeys([name, name.upper()])], _field_name(request))


def tag_job(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    reader, name = curator.before, tag_name(request)
    facets = {tag_facet(name): tag_document(name)}
    documents = [*new_tags(reader, request, [name]), event_of_job(request, facts_of(reader, job), facets)]
    curator.apply(request.received_at, documents)
    return job_answer(curator, job)


def untag_job(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    name, facts = tag_name(request), facts_of(curator.before, job)
    facets = {tag_facet(name): _removed_tag(values(facts.facets), name, None)}
    curator.apply(request.received_at, [event_of_job(request, facts, facets)])
    return job_answer(curator, job)


def tag_document(tag: str, field: str | None = None) -> Document:
    return own_facet(tag=tag) if field is None else own_facet(tag=tag, field=field)


def new_tags(reader: Reader, request: ApiRequest, tags: Iterable[str]) -> list[Document]:
    """The events that create the unknown tags among these. A tag from a caller that may only write some namespaces is
    only on its node: the list of tags is everybody's."""
    if not request.principal.writes_all_namespaces:
        return []
    names = {dataset_id(Name(TAGS, tag)): Name(TAGS, tag) for tag in tags}
    known = reader.datasets(names)
    at = time_after(request.received_at)
    return [of_dataset(name, {}, at) for dataset, name in names.items() if dataset not in known]


def tag_name(request: ApiRequest) -> str:
    """The tag in the path. Raises InvalidRequest for an empty name."""
    name = unquote(request.parameters["tag"]).rstrip("/")
    if not name:
        raise InvalidRequest(Fault("tag", "empty; expected a name after /tags/"))
    return name


def _field_name(request: ApiRequest) -> str:
    return unquote(request.parameters["field"])


def _tag(curator: Curator, request: ApiRequest, dataset: DatasetNames, tag: str, field: str | None) -> JsonObject:
    _require_field(dataset.shown, field)
    head = dataset.heads[dataset_id(dataset.shown.facts.name)]
    document = event_of_dataset(request, head, {tag_facet(tag, field): tag_document(tag, field)})
    curator.apply(request.received_at, [*new_tags(curator.before, request, [tag]), document])
    return dataset_answer(curator, dataset.node)


def _untag(
    curator: Curator, request: ApiRequest, dataset: DatasetNames, tags: Iterable[str], field: str | None
) -> JsonObject:
    """Removes tags from every name of the dataset that has one: a tag may have been added under any name."""
    _require_field(dataset.shown, field)
    facets = {tag_facet(tag, field): _removed_tag(dataset.shown.facets, tag, field) for tag in tags}
    holders = [head for head in dataset.heads.values() if facets.keys() & head.facets.keys()]
    heads = holders or [dataset.heads[dataset_id(dataset.shown.facts.name)]]
    curator.apply(request.received_at, [event_of_dataset(request, head, facets) for head in heads])
    return dataset_answer(curator, dataset.node)


def _require_field(head: DatasetHead, field: str | None) -> None:
    if field is not None and all(known["name"] != field for known in fields_of(head.schema)):
        raise NotFound(f"Field '{field}' not found in dataset '{head.facts.name.name}'.")


def _removed_tag(facets: Mapping[str, Any], tag: str, field: str | None) -> Document:
    """The replacement of the facet of a removed tag. A producer's tag is marked as removed, so it stays hidden."""
    is_sent = any(sent.field == field and tag in (sent.key, sent.text) for sent in sent_tags(facets))
    return {**tag_document(tag, field), "isRemoved": True} if is_sent else deleted_facet()


def event_of_dataset(request: ApiRequest, head: DatasetHead, facets: Mapping[str, Document]) -> Document:
    """The event that gives facets to a dataset under one of its names. The principal needs the namespace of that
    name."""
    request.principal.require_writing(head.facts.name.namespace, "namespace")
    return of_dataset(head.facts.name, facets, time_after(request.received_at, *times_of(head.facts.own, facets)))


def event_of_job(request: ApiRequest, facts: JobFacts, facets: Mapping[str, Document]) -> Document:
    return of_job(facts.name, facets, time_after(request.received_at, *times_of(facts.facets, facets)))


def facts_of(reader: Reader, job: NamedNode) -> JobFacts:
    return reader.jobs([job.job])[job.job].facts
