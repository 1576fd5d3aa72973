"""Folds the heads of datasets: new ones, and those of which somebody now says something else."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from headwater.fold.batch import Batch
from headwater.fold.jobs import Preconditions
from headwater.fold.supporting_items import put_namespaces
from headwater.graph.curation import DELETED, NAMESPACES
from headwater.graph.dataset import DatasetFacts, DatasetHead, first_users, newest_facets, newest_written
from headwater.graph.dataset_reference import SCHEMA, schema_said
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead
from headwater.graph.neighbours import everybody
from headwater.graph.register import Register
from headwater.openlineage.instant import NEVER, Instant
from headwater.store import item_codec, keys
from headwater.store.neighbour_pages import read_neighbours
from headwater.store.table import ConditionalPut, Conflict, Stored, Table, version_of


@dataclass(frozen=True)
class _JobClaims:
    """What the jobs of a dataset say of it, as far as they are asked."""

    jobs: Mapping[NodeId, JobHead]
    dataset: NodeId

    def __post_init__(self) -> None:
        asked = {job: head for job, head in self.jobs.items() if self.dataset in head.facts.usages}
        object.__setattr__(self, "jobs", asked)

    @property
    def columns(self) -> dict[NodeId, str]:
        """The digest of what each job says of the columns; what a deleted job said is gone with it."""
        asked = {job: head for job, head in self.jobs.items() if not head.facts.is_deleted}
        found = {job: head.column_lineage(self.dataset) for job, head in asked.items()}
        return {job: register.value for job, register in sorted(found.items()) if register}

    @property
    def wrote(self) -> list[Register]:
        """What each job says it wrote last."""
        return [each for head in self.jobs.values() if (each := head.facts.usages[self.dataset].wrote)]

    @property
    def users(self) -> Iterable[tuple[int, NodeId]]:
        return [(int(not head.facts.usages[self.dataset].writes), job) for job, head in self.jobs.items()]

    @property
    def last(self) -> Instant:
        return max((head.facts.usages[self.dataset].last for head in self.jobs.values()), default=NEVER)


def fold_datasets(batch: Batch, table: Table, jobs: Mapping[NodeId, JobHead], preconditions: Preconditions) -> None:
    """Writes the heads of datasets that are new or that now say something else.

    Raises Conflict if what the heads of jobs rest on is no longer as it was: it is read along with the datasets.
    """
    concerned = {*batch.datasets, *_written_by_deleted(jobs)}
    stored = table.read([*map(keys.dataset_head, concerned), *preconditions])
    if any(version_of(stored.get(key)) != version_of(item) for key, item in preconditions.items()):
        raise Conflict("a job's newest run changed while it was chosen")
    put_namespaces(table, _new_namespaces(batch, stored))
    changes: list[ConditionalPut] = []
    copied: set[NodeId] = set()
    for dataset in sorted(concerned):
        item = stored.get(keys.dataset_head(dataset))
        before = item_codec.read_dataset(item) if item else None
        facts = batch.datasets.get(dataset) or (before.facts if before else None)
        if facts is None:
            continue
        joined = facts.join(before.facts if before else None)
        claims = _JobClaims(jobs, dataset)
        if before and _must_ask(before, joined, claims, batch.used.get(dataset, NEVER)):
            marked = item_codec.dataset_item(replace(before, facts=joined, reselecting=uuid.uuid4().hex))
            table.change([ConditionalPut(marked, item)])
            chosen = _dataset_head(batch, table, joined, _everybody(table, dataset), before)
            changes.append(ConditionalPut(item_codec.dataset_item(chosen), marked))
            continue
        if before:
            head = replace(before, facts=joined, users=first_users([*before.users, *claims.users]))
        else:
            head = _dataset_head(batch, table, joined, claims, None)
            copied |= {job for job, of_job in claims.jobs.items() if of_job.column_lineage(dataset)}
        if head != before:
            changes.append(ConditionalPut(item_codec.dataset_item(head), item))
    table.change(changes)
    _check_copied(table, {job: jobs[job].facts.is_deleted for job in copied})


def _check_copied(table: Table, were_deleted: Mapping[NodeId, bool]) -> None:
    """Looks once more at the jobs that new heads quote, or do not since they are deleted: who deletes or revives one of
    them meanwhile finds no head to change yet. Raises Conflict if somebody did.
    """
    items = table.read([keys.job_head(job) for job in were_deleted]) if were_deleted else {}
    now = {keys.node_of(key.pk): item_codec.read_job(item).facts.is_deleted for key, item in items.items()}
    if now != dict(were_deleted):
        raise Conflict("a job was deleted or revived while what it says was stored")


def _written_by_deleted(jobs: Mapping[NodeId, JobHead]) -> set[NodeId]:
    """The datasets whose columns jobs told of that were deleted, or were once, and came back."""
    deleted = [head for head in jobs.values() if DELETED in head.facts.facets]
    return {dataset for head in deleted for dataset in head.facts.usages if head.column_lineage(dataset)}


def _must_ask(before: DatasetHead, facts: DatasetFacts, claims: _JobClaims, used: Instant) -> bool:
    """Whether all the jobs of a dataset have to be asked, since what one says is not what its head says."""
    said = [head.facts.usages[claims.dataset].facets for head in claims.jobs.values()]
    columns = claims.columns
    through = before.deleted_through
    return (
        before.reselecting is not None
        or any(map(before.disagrees_with, [*said, facts.own]))
        or before.was_written_otherwise(_wrote(claims, facts))
        or any(before.columns.get(job) != columns.get(job) for job in claims.jobs)
        or (before.is_deleted and through is not None and used > through)
    )


def _wrote(claims: _JobClaims, facts: DatasetFacts) -> list[Register]:
    """The schemas that the dataset was written with, by its jobs and by what DatasetEvents say of it."""
    own = schema_said(facts.own)
    return [*claims.wrote, *([own] if own else [])]


def _new_namespaces(batch: Batch, stored: Stored) -> Iterator[tuple[str, Instant]]:
    """The namespaces of datasets that are new, or go by another name, or were named earlier than was known; and those
    that such datasets stand for."""
    for dataset, names in batch.named.items():
        item = stored.get(keys.dataset_head(dataset))
        known = item_codec.read_dataset(item).facts if item else None
        for name, time in names.items():
            if known is None or name != known.name or time < known.named:
                yield name.name if name.namespace == NAMESPACES else name.namespace, time


def _dataset_head(
    batch: Batch, table: Table, facts: DatasetFacts, claims: _JobClaims, before: DatasetHead | None
) -> DatasetHead:
    dataset = claims.dataset
    said = [head.facts.usages[dataset].facets for head in claims.jobs.values()]
    head = DatasetHead(facts, newest_facets([*said, facts.own]))
    written = newest_written(_wrote(claims, facts))
    head = replace(head, written=written, columns=claims.columns, users=first_users(claims.users))
    through = head.deleted_through
    head = replace(head, is_deleted=through is not None and max(claims.last, facts.said) <= through)
    digest = head.schema_digest
    if digest is None:
        return head
    if before and before.schema_digest == digest:
        return replace(head, schema=before.schema)
    document = batch.documents.get((dataset, SCHEMA, digest))
    if document:
        return replace(head, schema=document.value)
    key = keys.schema(dataset, digest)
    return replace(head, schema=item_codec.read_document(table.read([key])[key]))


def _everybody(table: Table, dataset: NodeId) -> _JobClaims:
    """What every job that has ever used a dataset says of it."""
    users = sorted(everybody(read_neighbours(table, dataset)))
    heads = table.read([keys.job_head(job) for job in users])
    return _JobClaims({keys.node_of(key.pk): item_codec.read_job(item) for key, item in heads.items()}, dataset)
