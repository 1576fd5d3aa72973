"""Writes the search terms of new names. A run whose names are known neither writes nor reads any."""

from collections.abc import Iterable, Mapping

from headwater.concurrent import give_way
from headwater.fold.batch import Batch
from headwater.graph.facets.dataset_reference import dataset_references
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.names.identity import DatasetId, JobId, NodeId, SchemaId, dataset_id, job_id
from headwater.graph.states.job import JobFacts
from headwater.graph.states.search_terms import (
    KnownLabels,
    Label,
    SearchTerm,
    dataset_terms,
    job_terms,
    labels_in,
    query_terms,
    terms_of_labels,
)
from headwater.openlineage.event import AnyEvent, DatasetEvent
from headwater.store.graph_store import GraphStore


def put_search_terms(
    store: GraphStore, batch: Batch, before: Mapping[JobId, JobFacts], schemas: Iterable[SchemaId]
) -> None:
    """Writes the terms of the names in a batch, as far as no stored head of a job (`before`) has the name, nor one of
    the stored `schemas` of what the job has used: its head has not the one that its START told of an output.

    Heads and schemas are written later, so every name in them already has its terms.
    """
    digests: dict[DatasetId, set[str]] = {}
    for dataset, digest in schemas:
        digests.setdefault(dataset, set()).add(digest)
    usages = [usage for facts in before.values() for usage in facts.usages.items()]
    used = {dataset for dataset, usage in usages if usage.last}  # not those that a job may only name
    jobs = {job: facts.name for job, facts in batch.jobs.items() if not facts.is_derivation}
    jobs |= {parent.id.job: parent.job for run in batch.runs.values() for parent in run.parents}
    terms, labels = set[SearchTerm](), list[Label]()
    for job in jobs.keys() - before.keys():
        terms.update(job_terms(jobs[job]))
    for dataset, described in batch.datasets.items():
        give_way()
        if dataset not in used and not described.is_foreign:
            terms.update(dataset_terms(described.name))
    for normalised in batch.events:
        give_way()
        event = normalised.event
        labels += labels_in(event, _known_labels(event, before, digests))
        terms.update(query_terms(event))
    terms.update(terms_of_labels(labels))
    store.put_new_terms(terms)


def _known_labels(
    event: AnyEvent, before: Mapping[JobId, JobFacts], schemas: Mapping[DatasetId, set[str]]
) -> dict[NodeId, KnownLabels]:
    """What is stored of an event's job and of the datasets that it used before: by its head (`before`), and the schemas
    of these datasets."""
    facts = None if isinstance(event, DatasetEvent) else before.get(job_id(event.job.name))
    if facts is None:
        return {}
    known: dict[NodeId, KnownLabels] = {facts.id: KnownLabels(facts.facets, (), facts.run_facets)}
    for dataset in {dataset_id(reference.name) for reference in dataset_references(event)}:
        if usage := facts.usages.get(dataset):
            written = [each.value for each in (usage.wrote, usage.facets.get(SCHEMA)) if each]
            known[dataset] = KnownLabels(usage.facets, {*written, *schemas.get(dataset, ())}, {})
    return known
