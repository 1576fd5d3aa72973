"""Stores what heads refer to, before they do: edges, schemas, column lineage, namespaces."""

from collections.abc import Iterable, Mapping, Sequence

from headwater.fold.batch import Batch
from headwater.fold.linking import link
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead, Seen
from headwater.graph.mention import COLUMN_LINEAGE, SCHEMA, Document
from headwater.graph.neighbours import Neighbours
from headwater.openlineage.instant import Instant
from headwater.store import records
from headwater.store.table import Change, Item, Table


def put_referred(batch: Batch, table: Table, before: Mapping[NodeId, JobHead]) -> None:
    """Stores what the heads of jobs will refer to, as far as the heads stored do not refer to it already."""
    edges: dict[NodeId, Neighbours] = {}
    for job, facts in batch.jobs.items():
        known = before[job].facts.seen if job in before else {}
        for dataset, seen in facts.seen.items():
            if _is_new_edge(seen, known.get(dataset)):
                edges[dataset] = edges.get(dataset, Neighbours()).union(_neighbour(job, seen))
    link(table, edges)
    needed = [document for document in batch.documents.values() if not _is_stored(document, before.values())]
    table.put(records.document_item(document) for document in needed if document.facet == COLUMN_LINEAGE)
    _put_earliest(table, [records.document_item(document) for document in needed if document.facet == SCHEMA])
    put_namespaces(
        table,
        [
            (facts.name.namespace, facts.first)
            for job, facts in batch.jobs.items()
            if job not in before or facts.first < before[job].facts.first
        ],
    )


def put_namespaces(table: Table, named: Iterable[tuple[str, Instant]]) -> None:
    earliest: dict[str, Instant] = {}
    for namespace, instant in named:
        earliest[namespace] = min(instant, earliest.get(namespace, instant))
    _put_earliest(table, [records.namespace_item(*namespace) for namespace in earliest.items()])


def _put_earliest(table: Table, items: Sequence[Item]) -> None:
    """Stores items that hold when they were first seen, unless an earlier time is stored already."""
    stored = table.read([item.key for item in items]) if items else {}
    later = [
        item for item in items if item.key not in stored or item.labels["first"] < stored[item.key].labels["first"]
    ]
    table.change([Change(item, stored.get(item.key)) for item in later])


def _is_stored(document: Document, heads: Iterable[JobHead]) -> bool:
    """Whether a head refers to the document already; a schema also has to be known for as early as it is seen now."""
    for head in heads:
        seen = head.facts.seen.get(document.dataset)
        register = seen.facets.get(document.facet) if seen else None
        if register and register.value == document.digest:
            return document.facet == COLUMN_LINEAGE or register.time <= document.time
    return False


def _is_new_edge(seen: Seen, known: Seen | None) -> bool:
    return known is None or seen.reads > known.reads or seen.writes > known.writes


def _neighbour(job: NodeId, seen: Seen) -> Neighbours:
    only = frozenset([job])
    return Neighbours(only if seen.reads else frozenset(), only if seen.writes else frozenset())
