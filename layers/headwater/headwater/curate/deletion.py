"""Deletions: of a dataset, of a job, and of a namespace with all that is listed in it.

What is deleted is so up to the last that is known of it; whatever is heard of it after that brings it back.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from headwater.answers import Answer, failure
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import known_node, refuse_reserved
from headwater.curate.statement import Document, moment, of_dataset, of_job, own_facet, said_of
from headwater.graph.curation import DELETED, NAMESPACES
from headwater.graph.dataset import DatasetFacts
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.job import JobFacts
from headwater.graph.neighbours import NOBODY, everybody
from headwater.lookup.asking import known_namespace, permit
from headwater.lookup.datasets import dataset_shape
from headwater.lookup.jobs import job_shape
from headwater.lookup.names import Kind
from headwater.lookup.namespaces import namespace as namespace_answer
from headwater.lookup.reader import Reader
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store import keys, records
from headwater.store.table import Listed

AT_ONCE = 25
"""Nodes of a namespace that are deleted together: each takes some ten calls."""
UNFINISHED = "not everything in the namespace is deleted yet; send it again for the rest"


def delete_dataset(curator: Curator, command: Command, path: str) -> Answer:
    """Deletes a dataset under all of its names; answers with it as it was."""
    reader = curator.reader()
    node = known_node(reader, command.question, Kind.DATASET, path)
    shape = dataset_shape(reader, node.id)
    around = reader.around([node.id], ())
    ids = around.ids_of(around.same.get(node.id, node.id))
    for head in reader.datasets(ids).values():
        permit(command.question, head.facts.name.namespace)
    curator.say(command.now, _of_datasets(reader, command, ids))
    return Answer(200, shape)


def delete_job(curator: Curator, command: Command, path: str) -> Answer:
    """Deletes a job; answers with it as it was."""
    reader = curator.reader()
    node = known_node(reader, command.question, Kind.JOB, path)
    shape = job_shape(reader, node.id)
    curator.say(command.now, _of_jobs(reader, command, [node.id]))
    return Answer(200, shape)


def delete_namespace(curator: Curator, command: Command, path: str) -> Answer:
    """Deletes what is listed in a namespace, then says that it is hidden; answers with it as it was.

    If there is too much for one request, 503: who sends it again goes on where this one ended.
    """
    reader = curator.reader()
    name = known_namespace(reader, path)
    permit(command.question, name)
    refuse_reserved(name)
    answer = namespace_answer(reader, command.question, path)
    for documents in _of_listed(curator, command, name):
        if not command.has_time():
            return failure(503, UNFINISHED)
        curator.say(command.now, documents)
    curator.say(command.now, [_of_namespace(reader, command, name)])
    return answer


def _of_listed(curator: Curator, command: Command, namespace: str) -> Iterator[list[Document]]:
    reader = curator.reader()
    for ids in _chunks(reader.table.listed(keys.jobs_of(namespace))):
        yield _of_jobs(curator.reader(), command, ids)
    for ids in _chunks(reader.table.listed(keys.datasets_of(namespace))):
        yield _of_datasets(curator.reader(), command, ids)


def _chunks(listed: Iterator[Listed]) -> Iterator[list[NodeId]]:
    while chunk := [keys.node_of(each.key.pk) for each in islice(listed, AT_ONCE)]:
        yield chunk


def _of_jobs(reader: Reader, command: Command, ids: Collection[NodeId]) -> list[Document]:
    return [_job_deletion(command, head.facts) for head in reader.jobs(ids, seen=False).values()]


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
    around = reader.around(datasets)
    users = [around.users.get(around.same.get(each, each), NOBODY) for each in datasets]
    jobs = frozenset().union(*map(everybody, users))
    items = reader.table.read([keys.job_head(job) for job in jobs]) if jobs else {}
    return _newest(
        (node, seen.last) for item in items.values() for node, seen in records.read_job(item).facts.seen.items()
    )


def _newest(named: Iterable[tuple[NodeId, Instant]]) -> dict[NodeId, Instant]:
    newest: dict[NodeId, Instant] = {}
    for node, time in named:
        newest[node] = max(time, newest.get(node, time))
    return newest


def _facet(command: Command, through: Instant) -> dict[str, Document]:
    """That the node is deleted up to a time, and by whose key."""
    return {DELETED: own_facet(through=through, by=command.question.principal.key_id)}
