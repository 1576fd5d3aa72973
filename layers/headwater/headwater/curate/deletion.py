"""Deletions: of a dataset, of a job, and of a namespace with all that is listed in it.

What is deleted is so up to the last that is known of it; whatever is heard of it after that brings it back.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from headwater.curate.curation_events import Document, moment, of_dataset, of_job, own_facet, said_of
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import known_node, refuse_reserved
from headwater.graph.curation import DELETED, NAMESPACES
from headwater.graph.dataset import DatasetFacts
from headwater.graph.identity import NodeId, NodeKind, dataset_id
from headwater.graph.job import JobFacts
from headwater.graph.neighbours import NOBODY, everybody
from headwater.http.response import ApiResponse, error_response
from headwater.lookup.nodes.datasets import dataset_as_json
from headwater.lookup.nodes.jobs import job_as_json
from headwater.lookup.nodes.namespaces import namespace as namespace_answer
from headwater.lookup.request_nodes import known_namespace, permit
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.table import IndexEntry

AT_ONCE = 25
"""Nodes of a namespace that are deleted together: each takes some ten calls."""
UNFINISHED = "not everything in the namespace is deleted yet; send it again for the rest"


def delete_dataset(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Deletes a dataset under all of its names; answers with it as it was."""
    reader = curator.reader()
    node = known_node(reader, command.request, NodeKind.DATASET, path)
    document = dataset_as_json(reader, node.id)
    neighbourhood = reader.neighbourhood([node.id], ())
    ids = neighbourhood.ids_of(neighbourhood.same.get(node.id, node.id))
    for head in reader.datasets(ids).values():
        permit(command.request, head.facts.name.namespace)
    curator.apply(command.now, _of_datasets(reader, command, ids))
    return ApiResponse(200, document)


def delete_job(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Deletes a job; answers with it as it was."""
    reader = curator.reader()
    node = known_node(reader, command.request, NodeKind.JOB, path)
    document = job_as_json(reader, node.id)
    curator.apply(command.now, _of_jobs(reader, command, [node.id]))
    return ApiResponse(200, document)


def delete_namespace(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Deletes what is listed in a namespace, then says that it is hidden; answers with it as it was.

    If there is too much for one request, 503: who sends it again goes on where this one ended.
    """
    reader = curator.reader()
    name = known_namespace(reader, path)
    permit(command.request, name)
    refuse_reserved(name)
    answer = namespace_answer(reader, command.request, path)
    for documents in _of_listed(curator, command, name):
        if not command.has_time():
            return error_response(503, UNFINISHED)
        curator.apply(command.now, documents)
    curator.apply(command.now, [_of_namespace(reader, command, name)])
    return answer


def _of_listed(curator: Curator, command: Command, namespace: str) -> Iterator[list[Document]]:
    reader = curator.reader()
    for ids in _chunks(reader.table.list_entries(keys.jobs_of(namespace))):
        yield _of_jobs(curator.reader(), command, ids)
    for ids in _chunks(reader.table.list_entries(keys.datasets_of(namespace))):
        yield _of_datasets(curator.reader(), command, ids)


def _chunks(listed: Iterator[IndexEntry]) -> Iterator[list[NodeId]]:
    while chunk := [keys.node_of(each.key.pk) for each in islice(listed, AT_ONCE)]:
        yield chunk


def _of_jobs(reader: Reader, command: Command, ids: Collection[NodeId]) -> list[Document]:
    return [_job_deletion(command, head.facts) for head in reader.jobs(ids, usages=False).values()]


def _job_deletion(command: Command, facts: JobFacts) -> Document:
    at = moment(command.now, *said_of(facts.facets, [DELETED]))
    return of_job(facts.name, _facet(command, facts.updated), at)


def _of_datasets(reader: Reader, command: Command, ids: Collection[NodeId]) -> list[Document]:
    heads = reader.datasets(ids)
    last = _last_used(reader, heads)
    return [
        _dataset_deletion(command, head.facts, max(head.facts.created, head.facts.said, last.get(dataset, Instant(""))))
        for dataset, head in heads.items()
    ]


def _dataset_deletion(command: Command, facts: DatasetFacts, through: Instant) -> Document:
    at = moment(command.now, *said_of(facts.own, [DELETED]))
    return of_dataset(facts.name, _facet(command, through), at)


def _of_namespace(reader: Reader, command: Command, namespace: str) -> Document:
    name = Name(NAMESPACES, namespace)
    head = reader.datasets([dataset_id(name)], deleted=True).get(dataset_id(name))
    if head:
        return _dataset_deletion(command, head.facts, max(head.facts.created, head.facts.said))
    at = moment(command.now)
    return of_dataset(name, _facet(command, at), at)


def _last_used(reader: Reader, datasets: Collection[NodeId]) -> dict[NodeId, Instant]:
    """When each of some datasets was last named by a job, whether or not that job is deleted."""
    neighbourhood = reader.neighbourhood(datasets)
    users = [neighbourhood.users.get(neighbourhood.same.get(each, each), NOBODY) for each in datasets]
    jobs = frozenset().union(*map(everybody, users))
    items = reader.table.read([keys.job_head(job) for job in jobs]) if jobs else {}
    return _newest(
        (node, seen.last) for item in items.values() for node, seen in item_codec.read_job(item).facts.usages.items()
    )


def _newest(named: Iterable[tuple[NodeId, Instant]]) -> dict[NodeId, Instant]:
    newest: dict[NodeId, Instant] = {}
    for node, time in named:
        newest[node] = max(time, newest.get(node, time))
    return newest


def _facet(command: Command, through: Instant) -> dict[str, Document]:
    """That the node is deleted up to a time, and by whose key."""
    return {DELETED: own_facet(through=through, by=command.request.principal.key_id)}
