"""Writes supporting items, before the heads that refer to them: edges, search terms, schemas, column lineage,
namespaces, aliases."""

from collections.abc import Collection, Iterable, Mapping

from headwater.fold.batch import Batch
from headwater.fold.neighbour_updates import NeighbourUpdates, write_neighbours
from headwater.fold.search_terms import put_search_terms
from headwater.graph.facets.curation import RESERVED
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, NamespaceId, SchemaId
from headwater.graph.states.job import JobFacts
from headwater.graph.states.stored_states import KnownNamespace
from headwater.openlineage.instant import Instant
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot


def write_supporting_items(batch: Batch, store: GraphStore, jobs: Mapping[JobId, JobFacts], read: Snapshot) -> None:
    """Writes the items that the new heads of jobs refer to, except those that the stored heads already refer to."""
    before = {job: head.facts for job in jobs if (head := read.jobs.get(job))}
    write_neighbours(store, NeighbourUpdates.by(batch, jobs, before))
    put_search_terms(store, batch, jobs, before)
    users: dict[DatasetId, list[JobFacts]] = {}
    for facts in before.values():
        for dataset in facts.usages:
            users.setdefault(dataset, []).append(facts)
    documents = batch.documents.values()
    _put_documents(
        store, [each for each in documents if not any(job.refers_to(each) for job in users.get(each.dataset, ()))]
    )
    join_namespaces(
        store,
        [
            (facts.name.namespace, facts.first)
            for job, facts in jobs.items()
            if not facts.is_derivation and (job not in before or facts.first < before[job].first)
        ],
    )


def join_namespaces(store: GraphStore, named: Iterable[tuple[str, Instant]]) -> None:
    """Writes namespaces, each with the earliest event time that names it."""
    namespaces = known_namespaces(named)
    store.join(namespaces.values(), store.read(ReadRequest(namespaces=namespaces)))


def known_namespaces(named: Iterable[tuple[str, Instant]]) -> dict[NamespaceId, KnownNamespace]:
    """The namespaces except reserved ones, each with its earliest time."""
    namespaces: dict[NamespaceId, KnownNamespace] = {}
    for name, time in named:
        if name not in RESERVED:
            known = KnownNamespace(name, time)
            namespaces[known.id] = known.join(namespaces.get(known.id))
    return namespaces


def _put_documents(store: GraphStore, documents: Collection[Document]) -> None:
    """Writes column lineage, and schemas with the earliest event time of each."""
    schemas = {document.id: document for document in documents if isinstance(document.id, SchemaId)}
    lineages = {document.id: document for document in documents if isinstance(document.id, ColumnLineageId)}
    read = store.read(ReadRequest(schemas=schemas, column_lineages=lineages))
    store.put(lineages.values(), read)
    store.join(schemas.values(), read)
