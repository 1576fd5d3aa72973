"""Writes supporting items, before the heads that refer to them: edges, schemas, column lineage, namespaces, aliases."""

from collections.abc import Collection, Iterable, Mapping

from headwater.fold.batch import Batch
from headwater.fold.neighbour_updates import NeighbourUpdates, merge
from headwater.graph.curation import RESERVED
from headwater.graph.dataset_reference import Document
from headwater.graph.identity import ColumnLineageId, DatasetId, JobId, SchemaId
from headwater.graph.job import JobFacts
from headwater.graph.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.neighbours import NO_NEIGHBOURS, Neighbours, Side, union
from headwater.graph.stored_states import EventDay, KnownNamespace
from headwater.openlineage.instant import Instant
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot, Wanted


def put_events(batch: Batch, store: GraphStore, read: Snapshot) -> None:
    """Writes the events, and the days that had no events before."""
    store.put([*batch.events, *(EventDay(day) for day in batch.days if not read.has_day(day))], read)


def write_supporting_items(batch: Batch, store: GraphStore, jobs: Mapping[JobId, JobFacts], read: Snapshot) -> None:
    """Writes the items that the heads of jobs will refer to, except those that the stored heads refer to already."""
    before = {job: head.facts for job in jobs if (head := read.job(job))}
    merge(store, _neighbour_updates(batch, jobs, before))
    stored = before.values()
    needed = [
        document for document in batch.documents.values() if not any(facts.refers_to(document) for facts in stored)
    ]
    _put_documents(store, needed)
    join_namespaces(
        store,
        [
            (facts.name.namespace, facts.first)
            for job, facts in jobs.items()
            if not facts.is_derivation and (job not in before or facts.first < before[job].first)
        ],
    )


def _neighbour_updates(
    batch: Batch, jobs: Mapping[JobId, JobFacts], before: Mapping[JobId, JobFacts]
) -> NeighbourUpdates:
    """The edges, links and described datasets that no stored head of a job has."""
    edges: dict[DatasetId, Neighbours] = {}
    for job, facts in jobs.items():
        for dataset, neighbours in facts.new_edges(before.get(job)):
            edges[dataset] = union(edges.get(dataset, NO_NEIGHBOURS), neighbours)
    for job, source in batch.column_sources:
        edges[source] = union(edges.get(source, NO_NEIGHBOURS), {Side.READS: frozenset([job])})
    links = {
        pair
        for job, pairs in batch.symlink_pairs.items()
        for pair in (pairs - before[job].symlink_pairs if job in before else pairs)
    }
    return NeighbourUpdates(edges, sorted(links), batch.described)


def join_namespaces(store: GraphStore, named: Iterable[tuple[str, Instant]]) -> None:
    """Writes namespaces, each with the earliest event time that names it."""
    namespaces: dict[str, KnownNamespace] = {}
    for name, time in named:
        if name not in RESERVED:
            namespaces[name] = KnownNamespace(name, time).join(namespaces.get(name))
    store.join(namespaces.values(), store.read(Wanted(namespaces=namespaces)))


def _put_documents(store: GraphStore, documents: Collection[Document]) -> None:
    """Writes column lineage, and schemas with the earliest event time of each."""
    schemas = {SchemaId(facet.dataset, facet.digest): facet for facet in documents if facet.facet == SCHEMA}
    lineages = {
        ColumnLineageId(facet.dataset, facet.digest): facet for facet in documents if facet.facet == COLUMN_LINEAGE
    }
    read = store.read(Wanted(schemas=schemas, column_lineages=lineages))
    store.put(lineages.values(), read)
    store.join(schemas.values(), read)
