"""Sets the owners of datasets and jobs, in place of the owners that producers send."""

from headwater.curate import body
from headwater.curate.answers import dataset_answer, job_answer
from headwater.curate.curation_events import Document, deleted_facet, own_facet
from headwater.curate.curator import Curator
from headwater.curate.subjects import DatasetNames
from headwater.curate.tagging import event_of_dataset, event_of_job, facts_of
from headwater.graph.facets.curation import OWNED
from headwater.graph.names.identity import dataset_id
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.name_resolution import NamedNode


def put_dataset_owners(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Sets the owners of a dataset, in place of those that producers send. Without owners, those of producers count."""
    facets, shown = _facets(request), dataset.heads[dataset_id(dataset.shown.facts.name)]
    holders = {name: head for name, head in dataset.heads.items() if OWNED in head.facets}  # set under another name
    heads = {**holders, shown.id: shown}.values()
    curator.apply(request.received_at, [event_of_dataset(request, head, facets) for head in heads])
    return dataset_answer(curator, dataset.node)


def put_job_owners(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    """Sets the owners of a job, in place of those that producers send. Without owners, those of producers count."""
    facts = facts_of(curator.before, job)
    curator.apply(request.received_at, [event_of_job(request, facts, _facets(request))])
    return job_answer(curator, job)


def _facets(request: ApiRequest) -> dict[str, Document]:
    owners = dict.fromkeys(body.read(body.OwnersBody, request).owners)
    return {OWNED: own_facet(owners=[{"name": owner} for owner in owners]) if owners else deleted_facet()}
