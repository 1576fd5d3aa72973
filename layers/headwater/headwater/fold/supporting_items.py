"""Stores what heads refer to, before they do: edges, schemas, column lineage, namespaces, names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from headwater.fold.batch import Batch
from headwater.fold.neighbour_updates import NeighbourUpdates, merge
from headwater.graph.curation import RESERVED
from headwater.graph.dataset_reference import COLUMN_LINEAGE, SCHEMA, SYMLINKS, Document, symlinks
from headwater.graph.identity import NodeId, dataset_id, job_id, sent_id
from headwater.graph.job import DatasetUsage, JobFacts, JobHead
from headwater.graph.neighbours import NOBODY, Neighbours, Side, union
from headwater.graph.normalised_event import Alias, SymlinkPair
from headwater.openlineage.event import AnyEvent, DatasetEvent
from headwater.openlineage.instant import Instant
from headwater.store import item_codec, keys
from headwater.store.item_codec import Retention
from headwater.store.table import ConditionalPut, Item, Stored, Table, changed


def write_supporting_items(
    batch: Batch, table: Table, jobs: Mapping[NodeId, JobFacts], before: Mapping[NodeId, JobHead]
) -> None:
    """Stores what the heads of jobs will refer to, as far as the heads stored do not refer to it already."""
    edges: dict[NodeId, Neighbours] = {}
    for job, facts in jobs.items():
        known = before[job].facts.usages if job in before else {}
        for dataset, usage in facts.usages.items():
            if _is_new_edge(usage, known.get(dataset)):
                edges[dataset] = union(edges.get(dataset, NOBODY), _neighbour(job, usage))
    for job, source in _column_sources(batch):
        edges[source] = union(edges.get(source, NOBODY), {Side.READS: frozenset([job])})
    links = {(dataset_id(each.dataset), dataset_id(each.symlink)) for each in _new_links(batch, before)}
    events = [each.event for each in batch.normalised]
    described = {dataset_id(event.dataset.name) for event in events if isinstance(event, DatasetEvent)}
    merge(table, NeighbourUpdates(edges, sorted(links), described))
    needed = [document for document in batch.documents.values() if not _is_stored(document, before.values())]
    table.put(item_codec.document_item(document) for document in needed if document.facet == COLUMN_LINEAGE)
    _put_earliest(table, [item_codec.document_item(document) for document in needed if document.facet == SCHEMA])
    put_namespaces(
        table,
        [
            (facts.name.namespace, facts.first)
            for job, facts in jobs.items()
            if not facts.is_derivation and (job not in before or facts.first < before[job].facts.first)
        ],
    )


def put_days(batch: Batch, table: Table, stored: Stored, retention: Retention) -> None:
    """Stores the marks of days with events."""
    days = {keys.day(each.event.time): each.event.time for each in batch.normalised}
    table.put(item_codec.day_item(time, retention) for key, time in days.items() if key not in stored)


def put_aliases(batch: Batch, table: Table, stored: Stored, retention: Retention) -> None:
    """Stores names that stand for datasets of other names."""
    table.change(changed([_alias_item(alias, batch, stored, retention) for alias in sorted(batch.aliases)], stored))


def _alias_item(alias: Alias, batch: Batch, stored: Stored, retention: Retention) -> Item:
    """An alias with the earliest that is known of it."""
    first, first_writer = batch.aliases[alias], batch.first_writers.get(alias)
    known = stored.get(keys.alias(sent_id(alias.sent), dataset_id(alias.dataset)))
    if known:
        said_first, wrote_first = Instant(known.labels["first"]), item_codec.read_first_writer(known)
        alias = alias if first < said_first else item_codec.read_alias(known)
        first = min(first, said_first)
        first_writer = min((each for each in (first_writer, wrote_first) if each), default=None)
    return item_codec.alias_item(alias, first, first_writer, retention)


def put_namespaces(table: Table, named: Iterable[tuple[str, Instant]]) -> None:
    earliest: dict[str, Instant] = {}
    for namespace, instant in named:
        if namespace not in RESERVED:
            earliest[namespace] = min(instant, earliest.get(namespace, instant))
    _put_earliest(table, [item_codec.namespace_item(*namespace) for namespace in earliest.items()])


def _put_earliest(table: Table, items: Sequence[Item]) -> None:
    """Stores items that hold when they were first seen, unless an earlier time is stored already."""
    stored = table.read([item.key for item in items]) if items else {}
    table.change([ConditionalPut(item, stored.get(item.key)) for item in items if _is_earlier(item, stored)])


def _is_earlier(item: Item, stored: Stored) -> bool:
    return item.key not in stored or item.labels["first"] < stored[item.key].labels["first"]


def _column_sources(batch: Batch) -> Iterator[tuple[NodeId, NodeId]]:
    """The jobs whose column lineage names a source that is none of their inputs, and that source."""
    for normalised in batch.normalised:
        if not isinstance(normalised.event, DatasetEvent):
            job = job_id(normalised.event.job.name)
            yield from ((job, dataset_id(source)) for source in normalised.sources)


def _new_links(batch: Batch, before: Mapping[NodeId, JobHead]) -> Iterator[SymlinkPair]:
    """The links of events, but for those of jobs that have said the same before."""
    for normalised in batch.normalised:
        known = _links_said(normalised.event, before) if normalised.links else set()
        for each in normalised.links:
            if (dataset_id(each.dataset), dataset_id(each.symlink)) not in known:
                yield each


def _links_said(event: AnyEvent, before: Mapping[NodeId, JobHead]) -> set[tuple[NodeId, NodeId]]:
    """What the event's job is known to have said of symlinks before."""
    head = None if isinstance(event, DatasetEvent) else before.get(job_id(event.job.name))
    said = {node: each.facets.get(SYMLINKS) for node, each in head.facts.usages.items()} if head else {}
    return {(node, dataset_id(name)) for node, facet in said.items() if facet for name in symlinks(facet.value)}


def _is_stored(document: Document, heads: Iterable[JobHead]) -> bool:
    """Whether a head refers to the document already; a schema also has to be known for as early as it is seen now."""
    for head in heads:
        usage = head.facts.usages.get(document.dataset)
        register = usage.facets.get(document.facet) if usage else None
        if register and register.value == document.digest:
            return document.facet == COLUMN_LINEAGE or register.time <= document.time
    return False


def _is_new_edge(usage: DatasetUsage, known: DatasetUsage | None) -> bool:
    return known is None or usage.reads > known.reads or usage.writes > known.writes


def _neighbour(job: NodeId, usage: DatasetUsage) -> Neighbours:
    does = {Side.READS: usage.reads, Side.WRITES: usage.writes}
    return {side: frozenset([job]) if is_so else frozenset() for side, is_so in does.items()}
