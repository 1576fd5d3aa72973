"""Folds a batch of events into the table.

    read     runs, their writes and the heads of their jobs         one BatchGetItem for 100 items
    put      events, and what a head refers to: neighbours, schemas, column lineage, namespaces
    change   writes, then runs, then the heads of jobs              each on the version that was read
    read     the heads of the datasets, once those of the jobs are written: the second BatchGetItem
    change   the heads of datasets that now say something else      seldom

Whatever is interrupted, at any call, ends the same once the events are delivered again: each step follows from the
events and from what the steps before it have stored. Whoever loses a race (Conflict) reads and folds again.

Two choices need more than their own item: which run of a job is its newest, when a chosen one turns out to have
started earlier; and what the newest facets of a dataset are, when two jobs disagree. For these the head is first
marked, then everybody concerned is asked, then the choice is written on condition that the mark still stands. Someone
who has stored something new either looks at the head after it was marked, and joins in, or stored it before, and is
among those who are asked. docs/decisions/0003-choosing-heads.md tells why.
"""

import random
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headwater.fold.batch import Batch, Received
from headwater.fold.linking import link
from headwater.fold.settling import newest_runs, opinions
from headwater.graph.dataset import DatasetFacts, DatasetHead, newest_facets
from headwater.graph.identity import NodeId, dataset_id, job_id
from headwater.graph.job import JobHead, Seen
from headwater.graph.mention import COLUMN_LINEAGE, SCHEMA, Document
from headwater.graph.neighbours import Neighbours
from headwater.graph.register import Registers
from headwater.graph.run import Run
from headwater.openlineage.instant import Instant
from headwater.store import keys, records
from headwater.store.records import Retention
from headwater.store.table import Change, Conflict, Item, StorageError, Table

ATTEMPTS = 12

Stored = Mapping[keys.Key, Item]


def fold(received: Sequence[Received], table: Table, retention: Retention) -> None:
    """Folds events into the table; afterwards it holds what it would hold had they come in any other order.

    Raises StorageError if the table cannot be used, or is so contended that no attempt got through; whatever was
    stored until then is right, and folding the same events again completes it.
    """
    batch = Batch.of(received)
    for attempt in range(ATTEMPTS):
        try:
            _fold_once(batch, table, retention)
        except Conflict:
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))  # noqa: S311 - spreads writers, keeps no secret
        else:
            return
    raise StorageError(f"other writers were faster {ATTEMPTS} times in a row")


def _fold_once(batch: Batch, table: Table, retention: Retention) -> None:
    stored = table.read(batch.keys_to_read())
    table.put(records.event_item(event, canonical, retention) for event, canonical in batch.received)
    runs, changed = _fold_runs(batch, table, retention, stored)
    before = {job: records.read_job(stored[key]) for job in batch.jobs if (key := keys.job_head(job)) in stored}
    _put_referred(batch, table, before)
    heads, unwritten = _fold_jobs(batch, table, runs, before, stored)
    _fold_datasets(batch, table, heads, watched={job: stored.get(keys.job_head(job)) for job in unwritten & changed})


def _fold_runs(batch: Batch, table: Table, retention: Retention, stored: Stored) -> tuple[list[Run], frozenset[NodeId]]:
    """Writes what runs wrote, then the runs: a run's item is the sign that its writes are stored.

    Returns the runs as they are now, and the jobs of those that changed.
    """
    runs: list[Run] = []
    writes: list[Item] = []
    changes: list[Change] = []
    for run in batch.runs.values():
        item = stored.get(keys.run(job_id(run.job), run.run_id))
        known = records.read_run(item) if item else None
        joined = run.join(known)
        runs.append(joined)
        if joined != known:
            changes.append(Change(records.run_item(joined, retention), item))
            moved = known is not None and known.order != joined.order
            touched = joined.outputs if moved else run.outputs
            writes += [
                write for write in records.write_items(joined, retention) if keys.node_of(write.key.pk) in touched
            ]
    unread = [write.key for write in writes if write.key not in batch.keys_to_read()]
    stored = {**stored, **table.read(unread)} if unread else stored
    table.change(_changed(writes, stored))
    table.change(changes)
    return runs, frozenset(keys.node_of(change.item.key.pk) for change in changes)


def _put_referred(batch: Batch, table: Table, before: Mapping[NodeId, JobHead]) -> None:
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
    _put_namespaces(
        table,
        [
            (facts.name.namespace, facts.first)
            for job, facts in batch.jobs.items()
            if job not in before or facts.first < before[job].facts.first
        ],
    )


def _fold_jobs(
    batch: Batch, table: Table, runs: Iterable[Run], before: Mapping[NodeId, JobHead], stored: Stored
) -> tuple[dict[NodeId, JobHead], frozenset[NodeId]]:
    """Writes the heads of jobs that changed. Returns all heads, and the jobs whose head was left as it is."""
    heads = {
        job: replace(before[job], facts=facts.join(before[job].facts)) if job in before else JobHead(facts)
        for job, facts in batch.jobs.items()
    }
    settling = {job for job, head in heads.items() if head.settling}
    for run in runs:
        job = job_id(run.job)
        if heads[job].is_undercut_by(run):
            settling.add(job)
        heads[job] = heads[job].with_run(run)
    changes = _changed([records.job_item(head) for job, head in heads.items() if job not in settling], stored)
    table.change(changes)
    for job in sorted(settling):
        heads[job] = _settle_job(table, heads[job], stored.get(keys.job_head(job)))
    written = settling.union(keys.node_of(change.item.key.pk) for change in changes)
    return heads, frozenset(heads.keys() - written)


def _settle_job(table: Table, head: JobHead, item: Item | None) -> JobHead:
    marked = records.job_item(replace(head, settling=uuid.uuid4().hex))
    table.change([Change(marked, item)])
    latest, chosen = newest_runs(table, keys.node_of(marked.key.pk))
    settled = JobHead(head.facts, latest, chosen)
    table.change([Change(records.job_item(settled), marked)])
    return settled


def _fold_datasets(
    batch: Batch, table: Table, jobs: Mapping[NodeId, JobHead], watched: Mapping[NodeId, Item | None]
) -> None:
    """Writes the heads of datasets that are new or that now say something else.

    `watched` are heads of jobs that did not change although a run of theirs did: should one have been marked in the
    meantime, its choice may have missed that run.
    """
    stored = table.read([*map(keys.dataset_head, batch.datasets), *map(keys.job_head, watched)])
    if any(_version(stored.get(keys.job_head(job))) != _version(item) for job, item in watched.items()):
        raise Conflict("the head of a job was chosen anew while one of its runs was written")
    _put_namespaces(table, [(facts.name.namespace, facts.created) for facts in _earlier(batch, stored)])
    changes: list[Change] = []
    for dataset, facts in batch.datasets.items():
        item = stored.get(keys.dataset_head(dataset))
        head = records.read_dataset(item) if item else None
        joined = facts.join(head.facts if head else None)
        said = [jobs[job].facts.seen[dataset].facets for job, fact in batch.jobs.items() if dataset in fact.seen]
        said.append(joined.own)
        if head and (head.settling or any(map(head.disagrees_with, said))):
            marked = records.dataset_item(replace(head, facts=joined, settling=uuid.uuid4().hex))
            table.change([Change(marked, item)])
            chosen = _dataset_head(batch, table, joined, [*opinions(table, dataset), joined.own], head)
            changes.append(Change(records.dataset_item(chosen), marked))
        elif head is None:
            changes.append(Change(records.dataset_item(_dataset_head(batch, table, joined, said, None)), None))
        elif joined != head.facts:
            changes.append(Change(records.dataset_item(replace(head, facts=joined)), item))
    table.change(changes)


def _earlier(batch: Batch, stored: Stored) -> Iterable[DatasetFacts]:
    """Datasets that are new, or named earlier than was known."""
    for dataset, facts in batch.datasets.items():
        item = stored.get(keys.dataset_head(dataset))
        if item is None or facts.created < records.read_dataset(item).facts.created:
            yield facts


def _dataset_head(
    batch: Batch, table: Table, facts: DatasetFacts, said: Iterable[Registers], before: DatasetHead | None
) -> DatasetHead:
    head = DatasetHead(facts, newest_facets(said))
    digest = head.schema_digest
    if digest is None:
        return head
    if before and before.schema_digest == digest:
        return replace(head, schema=before.schema)
    dataset = dataset_id(facts.name)
    document = batch.documents.get((dataset, SCHEMA, digest))
    if document:
        return replace(head, schema=document.value)
    key = keys.schema(dataset, digest)
    return replace(head, schema=records.read_document(table.read([key])[key]))


def _put_namespaces(table: Table, named: Iterable[tuple[str, Instant]]) -> None:
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


def _changed(items: Iterable[Item], stored: Stored) -> list[Change]:
    changes = [Change(item, stored.get(item.key)) for item in items]
    return [change for change in changes if _version(change.item) != _version(change.replacing)]


def _version(item: Item | None) -> str | None:
    return item.version if item else None
