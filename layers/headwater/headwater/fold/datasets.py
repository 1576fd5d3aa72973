"""Folds the heads of datasets: new ones, and those whose copied claims are out of date."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

from headwater.concurrent import give_way
from headwater.fold.batch import Batch
from headwater.fold.head_selection import HeadSelection
from headwater.fold.job_claims import JobClaims
from headwater.fold.supporting_items import join_namespaces
from headwater.graph.facets.curation import DELETED, NAMESPACES
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.names.identity import DatasetId, JobId, SchemaId, dataset_id
from headwater.graph.states.dataset import DatasetFacts, DatasetHead, first_users
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import all_jobs
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant
from headwater.store.errors import Conflict
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Preconditions, ReadRequest, Snapshot


def fold_datasets(
    batch: Batch,
    store: GraphStore,
    jobs: Mapping[JobId, JobHead],
    preconditions: Preconditions,
    claimed_anew: Collection[DatasetId] = (),
) -> None:
    """Writes the heads of new datasets and those that these events change, including datasets that no event names but
    whose jobs now claim other column lineage.

    A dataset's head copies claims of jobs; a job's head copies nothing from datasets. Example: the head of `orders` has
    schema A, which the job `load` claimed.

        event of the batch             the head of `orders`
        `load` claims A once more      stays as it is; nothing is written
        `load` claims B                is chosen anew: `report` may have claimed C since, so the heads of all jobs of
                                       `orders` are read, and the newest claim counts
        `report` reads `orders` for    has one user more; the rest stays as it is
        the first time

    Reads the preconditions of the heads of jobs along with the datasets, and raises Conflict if one does not hold.
    """
    affected = {*batch.datasets, *_written_by_deleted(jobs), *claimed_anew}
    read = store.read(ReadRequest(datasets=affected), unless_changed=preconditions)
    join_namespaces(store, _new_namespaces(batch, read))
    selection = HeadSelection(store, read)
    heads: list[DatasetHead] = []
    copied: dict[JobId, bool] = {}
    for dataset in sorted(affected):
        give_way()
        before, facts = read.datasets.get(dataset), _facts(batch, read, dataset)
        if facts is None:
            continue
        claims = JobClaims(dataset, jobs)
        if before is None:
            heads.append(_with_schema(claims.head(facts), None, batch, store))
            copied |= claims.copied_by()
        elif before.reselecting or claims.contradict(before, facts, batch.used.get(dataset, NEVER)):
            choose = partial(_chosen, store, batch, before, facts)
            if store.is_alone:  # no other writer needs a mark; a fold that fails here finds the contradiction again
                heads.append(choose())
            else:
                selection.reselect(replace(before, facts=facts), choose)
        else:
            users = first_users([*before.users, *claims.users()])
            heads.append(replace(before, facts=facts, users=users, written=claims.written(before, facts)))
    store.save([head for head in heads if head != read.datasets.get(head.id)], read)
    _check_copied(store, copied)


def choose_dataset_anew(store: GraphStore, facts: DatasetFacts) -> None:
    """Writes a dataset's head from these facts, its stored head, and the stored heads of all its jobs. Raises
    Conflict."""
    dataset = dataset_id(facts.name)
    read = store.read(ReadRequest(datasets=[dataset]))
    before = read.datasets.get(dataset)
    joined = facts.join(before.facts) if before else facts
    marked = replace(before, facts=joined) if before else DatasetHead(joined)
    HeadSelection(store, read).reselect(marked, partial(_chosen, store, Batch(), before, joined))


def _facts(batch: Batch, read: Snapshot, dataset: DatasetId) -> DatasetFacts | None:
    facts, before = batch.datasets.get(dataset), read.datasets.get(dataset)
    if facts is None:
        return before.facts if before else None
    return facts.join(before.facts if before else None)


def _check_copied(store: GraphStore, were_deleted: Mapping[JobId, bool]) -> None:
    """After creating a head, rereads the jobs whose column lineage it copies, or leaves out because they are deleted.

    A concurrent fold that deleted or revived such a job could not have updated a head that did not exist yet. Raises
    Conflict if a job was deleted or revived.
    """
    now = store.read(ReadRequest(jobs=were_deleted)).jobs.all()
    if {job: head.facts.is_deleted for job, head in now.items()} != dict(were_deleted):
        raise Conflict("a job was deleted or revived while its column lineage was copied")


def _written_by_deleted(jobs: Mapping[JobId, JobHead]) -> set[DatasetId]:
    """The datasets with column lineage of jobs that are deleted, or that were deleted and came back."""
    deleted = [head for head in jobs.values() if DELETED in head.facts.facets]
    return {dataset for head in deleted for dataset in head.facts.usages if head.column_lineages(dataset)}


def _new_namespaces(batch: Batch, read: Snapshot) -> Iterator[tuple[str, Instant]]:
    """The namespaces of datasets that are new, have a new name, or were named earlier than the stored time. A dataset
    that its producer may only name creates no namespace."""
    for dataset, names in batch.named.items():
        head = read.datasets.get(dataset)
        for name, time in names.items():
            if head is None or head.facts.is_foreign or name != head.facts.name or time < head.facts.named:
                yield namespace_of(name), time


def namespace_of(name: Name) -> str:
    """The namespace of a dataset's name. A dataset of the reserved namespace for namespaces stands for the namespace of
    its name."""
    return name.name if name.namespace == NAMESPACES else name.namespace


def _with_schema(head: DatasetHead, before: DatasetHead | None, batch: Batch, store: GraphStore) -> DatasetHead:
    """A head with the schema that its digest stands for, from the previous head, the batch or the store."""
    digest, dataset = head.schema_digest, head.id
    if digest is None:
        return head
    if before and before.schema_digest == digest:
        return replace(head, schema=before.schema)
    schema = SchemaId(dataset, digest)
    document = batch.documents.get((dataset, SCHEMA, digest)) or store.read(ReadRequest(schemas=[schema])).schemas.get(
        schema
    )
    if document is None:
        raise Conflict("a head refers to a schema that is not stored")
    return replace(head, schema=document.value)


def _chosen(store: GraphStore, batch: Batch, before: DatasetHead | None, facts: DatasetFacts) -> DatasetHead:
    """A head with these facts, by the claims of all jobs of the dataset."""
    return _with_schema(_claims_of_all(store, dataset_id(facts.name)).head(facts), before, batch, store)


def _claims_of_all(store: GraphStore, dataset: DatasetId) -> JobClaims:
    """The claims of every job that has ever used a dataset."""
    users = all_jobs(store.neighbours(dataset))
    return JobClaims(dataset, store.read(ReadRequest(jobs=users)).jobs.all())
