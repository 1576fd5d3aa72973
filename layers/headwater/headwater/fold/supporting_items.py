"""Writes supporting items, before the heads that refer to them: edges, schemas, column lineage,
namespaces, aliases."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.fold.neighbour_updates import NeighbourUpdates, write_neighbours
from headwater.graph.facets.curation import RESERVED
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobId, NamespaceId, SchemaId
from headwater.graph.states.job import JobFacts
from headwater.graph.states.stored_states import KnownNamespace
from headwater.openlineage.instant import Instant
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot


class ReadDocuments(NamedTuple):
    """The documents of a batch that no stored head of a job refers to, and those of them that are `stored`."""

    documents: Collection[Document]
    stored: Snapshot


def read_documents(batch: Batch, store: GraphStore, before: Iterable[JobFacts]) -> ReadDocuments:
    """The documents of a batch, except those to which the stored heads of its jobs (`before`) refer."""
    users: dict[DatasetId, list[JobFacts]] = {}
    for facts in before:
        for dataset in facts.usages:
            users.setdefault(dataset, []).append(facts)
    new = [
        each for each in batch.documents.values() if not any(job.refers_to(each) for job in users.get(each.dataset, ()))
    ]
    schemas = [SchemaId(each.dataset, each.digest) for each in new if each.facet == SCHEMA]
    lineages = [ColumnLineageId(each.dataset, each.digest) for each in new if each.facet != SCHEMA]
    return ReadDocuments(new, store.read(ReadRequest(schemas=schemas, column_lineages=lineages)))


def write_supporting_items(
    batch: Batch, store: GraphStore, jobs: Mapping[JobId, JobFacts], new: ReadDocuments, read: Snapshot
) -> None:
    """Writes the items that the new heads of jobs refer to, except those that the stored heads already refer to."""
    before = {job: head.facts for job in jobs if (head := read.jobs.get(job))}
    write_neighbours(store, NeighbourUpdates.by(batch, jobs, before))
    store.put([each for each in new.documents if each.facet != SCHEMA], new.stored)
    store.join([each for each in new.documents if each.facet == SCHEMA], new.stored)
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
