"""Folds the heads of datasets: new ones, and those of which somebody now says something else."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace

from headwater.fold.batch import Batch
from headwater.fold.jobs import Watched
from headwater.fold.referred import put_namespaces
from headwater.graph.dataset import DatasetFacts, DatasetHead, newest_facets
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.job import JobHead
from headwater.graph.mention import SCHEMA
from headwater.graph.register import Registers
from headwater.store import keys, records
from headwater.store.pages import read_neighbours
from headwater.store.table import Change, Conflict, Stored, Table, version_of


def fold_datasets(batch: Batch, table: Table, jobs: Mapping[NodeId, JobHead], watched: Watched) -> None:
    """Writes the heads of datasets that are new or that now say something else.

    Raises Conflict if what the heads of jobs rest on is no longer as it was: it is read along with the datasets.
    """
    stored = table.read([*map(keys.dataset_head, batch.datasets), *watched])
    if any(version_of(stored.get(key)) != version_of(item) for key, item in watched.items()):
        raise Conflict("a job's newest run changed while it was chosen")
    put_namespaces(table, [(facts.name.namespace, facts.created) for facts in _earlier(batch, stored)])
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
            chosen = _dataset_head(batch, table, joined, [*_opinions(table, dataset), joined.own], head)
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


def _opinions(table: Table, dataset: NodeId) -> list[Registers]:
    """What each job that has ever used a dataset says of its facets."""
    neighbours = read_neighbours(table, dataset)
    heads = table.read([keys.job_head(job) for job in sorted(neighbours.readers | neighbours.writers)])
    facts = [records.read_job(item).facts for item in heads.values()]
    return [seen.seen[dataset].facets for seen in facts if dataset in seen.seen]
