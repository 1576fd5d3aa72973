"""Deletions: of a dataset, of a job, and of a namespace with all its jobs and datasets.

A deletion covers the events up to its time; a newer event brings the node back.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TypeVar

from headwater.access.principal import Principal
from headwater.curate.curation_events import Document, of_dataset, of_job, own_facet, time_after, times_of
from headwater.curate.curator import Curator
from headwater.curate.subjects import DatasetNames
from headwater.curate.tagging import tag_name
from headwater.graph.facets.curation import DELETED, NAMESPACES, TAGS
from headwater.graph.names.identity import DatasetId, JobId, dataset_id
from headwater.graph.states.dataset import DatasetFacts
from headwater.graph.states.job import JobFacts
from headwater.graph.states.neighbours import NO_NEIGHBOURS, all_jobs
from headwater.http.marquez.datasets import dataset as dataset_as_json
from headwater.http.marquez.descriptions import namespace as namespace_as_json
from headwater.http.marquez.descriptions import tag as tag_as_json
from headwater.http.marquez.jobs import job as job_as_json
from headwater.http.parameters import NAMED_BY_OTHERS
from headwater.http.request import ApiRequest
from headwater.http.response import RequestError
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.dataset_details import read_dataset_details
from headwater.read.job_details import read_job_details
from headwater.read.name_resolution import NamedNode
from headwater.read.namespace_details import read_namespace_details
from headwater.read.reader import Reader
from headwater.store.ranges import Listing
from headwater.store.snapshot import ReadRequest

AT_ONCE = 25
"""Nodes of a namespace that are deleted together: each node takes some ten calls."""
UNFINISHED = "some jobs or datasets of the namespace are not deleted yet; send the request again to delete the rest"

Id = TypeVar("Id")


def delete_dataset(curator: Curator, request: ApiRequest, dataset: DatasetNames) -> JsonObject:
    """Deletes a dataset under all its names, and returns the dataset before the deletion."""
    reader = curator.reader()
    document = dataset_as_json(reader, read_dataset_details(reader, dataset.node.dataset))
    curator.apply(request.received_at, _of_datasets(curator.before, request, dataset.heads))
    return document


def delete_job(curator: Curator, request: ApiRequest, job: NamedNode) -> JsonObject:
    """Deletes a job, and returns the job before the deletion."""
    document = job_as_json(read_job_details(curator.reader(), job.job))
    curator.apply(request.received_at, _of_jobs(curator.before, request, [job.job]))
    return document


def delete_namespace(curator: Curator, request: ApiRequest, name: str) -> JsonObject:
    """Deletes all jobs and datasets of a namespace, then hides the namespace. Returns the namespace before the
    deletion.

    Raises RequestError (503) if the time of the request is too short for all jobs and datasets. The same request, sent
    again, deletes the rest.
    """
    document = namespace_as_json(read_namespace_details(curator.before, name))
    _apply(curator, request, _of_listed(curator, request, name))
    curator.apply(request.received_at, [_of_namespace(curator.before, request, name)])
    return document


def delete_named_by_others(curator: Curator, request: ApiRequest, namespace: str) -> JsonObject:
    """Deletes the datasets of a namespace that only the jobs of others have named: they stay deleted until a job of the
    owner names them. Returns how many there were.

    Raises RequestError (503), as `delete_namespace` does; InvalidRequest without `namedByOthers=true`: nothing else is
    deleted by a list.
    """
    if not request.flag(NAMED_BY_OTHERS.name):
        raise InvalidRequest(Fault(NAMED_BY_OTHERS.name, "expected true: only what others have named is deleted so"))
    listing = curator.store.datasets_in(namespace, named_by_others=True)
    document = {"totalCount": listing.count()}
    _apply(curator, request, (_of_datasets(curator.whole(), request, ids) for ids in _chunks(listing)))
    return document


def delete_tag(curator: Curator, request: ApiRequest, _caller: Principal) -> JsonObject:
    """Removes a tag from the list of tags, and returns the tag before. Nodes keep the tags that they have."""
    name = tag_name(request)
    head = curator.before.datasets([dataset_id(Name(TAGS, name))]).get(dataset_id(Name(TAGS, name)))
    if head is None:
        raise NotFound(f"Tag '{name}' not found.")
    through = max(head.facts.created, head.facts.described)
    curator.apply(request.received_at, [_dataset_deletion(request, head.facts, through)])
    return tag_as_json(name, head)


def _apply(curator: Curator, request: ApiRequest, chunks: Iterator[list[Document]]) -> None:
    for deletions in chunks:
        if not request.has_time():
            raise RequestError(503, UNFINISHED)
        curator.apply(request.received_at, deletions)


def _of_listed(curator: Curator, request: ApiRequest, namespace: str) -> Iterator[list[Document]]:
    for jobs in _chunks(curator.store.jobs_in(namespace)):
        yield _of_jobs(curator.whole(), request, jobs)
    for by_others in (False, True):
        for datasets in _chunks(curator.store.datasets_in(namespace, named_by_others=by_others)):
            yield _of_datasets(curator.whole(), request, datasets)


def _chunks(listing: Listing[Id]) -> Iterator[list[Id]]:
    entries = listing.entries()
    while chunk := [entry.id for entry in islice(entries, AT_ONCE)]:
        yield chunk


def _of_jobs(reader: Reader, request: ApiRequest, jobs: Collection[JobId]) -> list[Document]:
    return [_job_deletion(request, head.facts) for head in reader.jobs(jobs, usages=False).values()]


def _job_deletion(request: ApiRequest, facts: JobFacts) -> Document:
    at = time_after(request.received_at, *times_of(facts.facets, [DELETED]))
    return of_job(facts.name, _facet(request, facts.updated), at)


def _of_datasets(reader: Reader, request: ApiRequest, datasets: Collection[DatasetId]) -> list[Document]:
    heads = reader.datasets(datasets)
    last = _last_used(reader, [dataset for dataset, head in heads.items() if not head.facts.is_foreign])
    return [
        _dataset_deletion(request, head.facts, max(head.facts.created, head.facts.described, last.get(dataset, NEVER)))
        for dataset, head in heads.items()
    ]


def _dataset_deletion(request: ApiRequest, facts: DatasetFacts, through: Instant) -> Document:
    at = time_after(request.received_at, *times_of(facts.own, [DELETED]))
    return of_dataset(facts.name, _facet(request, through), at)


def _of_namespace(reader: Reader, request: ApiRequest, namespace: str) -> Document:
    name = Name(NAMESPACES, namespace)
    head = reader.datasets([dataset_id(name)], deleted=True).get(dataset_id(name))
    if head:
        return _dataset_deletion(request, head.facts, max(head.facts.created, head.facts.described))
    at = time_after(request.received_at)
    return of_dataset(name, _facet(request, at), at)


def _last_used(reader: Reader, datasets: Collection[DatasetId]) -> dict[DatasetId, Instant]:
    """The time of the last use of each dataset by any job, deleted or not."""
    neighbourhood = reader.neighbourhood(datasets)
    users = [neighbourhood.users.get(neighbourhood.representative(dataset), NO_NEIGHBOURS) for dataset in datasets]
    heads = reader.store.read(ReadRequest(jobs=frozenset().union(*map(all_jobs, users)))).jobs.all()
    newest: dict[DatasetId, Instant] = {}
    for head in heads.values():
        for dataset, usage in head.facts.usages.items():
            newest[dataset] = max(usage.last, newest.get(dataset, usage.last))
    return newest


def _facet(request: ApiRequest, through: Instant) -> dict[str, Document]:
    """The facet that deletes a node up to a time, with the id of the principal's key."""
    return {DELETED: own_facet(through=through, by=request.principal.key_id)}
