"""Writes the search terms of new names. A run whose names are known neither writes nor reads any."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from headwater.concurrent import give_way
from headwater.fold.batch import Batch
from headwater.graph.facets.dataset_reference import dataset_references
from headwater.graph.names.identity import JobId, NodeId, dataset_id, job_id
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
from headwater.store.snapshot import Snapshot

TERMS_AT_ONCE = 200
"""They take a millisecond."""


def put_search_terms(
    store: GraphStore, batch: Batch, jobs: Mapping[JobId, JobFacts], before: Mapping[JobId, JobFacts]
) -> None:
    """Writes the terms of the names in a batch, as far as no stored head of a job (`before`) has the name.

    Heads are written later, so every name in a head already has its terms.
    """
    found, terms = _terms(batch, jobs, before), set[SearchTerm]()
    while part := set(islice(found, TERMS_AT_ONCE)):
        give_way()
        terms |= part
    store.put(sorted(terms - store.stored_terms(terms)), Snapshot())


def _terms(batch: Batch, jobs: Mapping[JobId, JobFacts], before: Mapping[JobId, JobFacts]) -> Iterator[SearchTerm]:
    usages = [usage for facts in before.values() for usage in facts.usages.items()]
    used = {dataset for dataset, usage in usages if usage.last}  # not those that a job may only name
    for job, facts in jobs.items():
        if job not in before and not facts.is_derivation:
            yield from job_terms(facts.name)
    for dataset, described in batch.datasets.items():
        give_way()
        if dataset not in used and not described.is_foreign:
            yield from dataset_terms(described.name)
    yield from terms_of_labels(chain.from_iterable(_labels(batch, before)))
    yield from chain.from_iterable(query_terms(event.event) for event in batch.events)


def _labels(batch: Batch, before: Mapping[JobId, JobFacts]) -> Iterator[Iterator[Label]]:
    for event in batch.events:
        give_way()
        yield labels_in(event.event, known_labels(event.event, before))


def known_labels(event: AnyEvent, before: Mapping[JobId, JobFacts]) -> dict[NodeId, KnownLabels]:
    """What the stored head of an event's job (`before`) says of the job and of the event's datasets."""
    facts = None if isinstance(event, DatasetEvent) else before.get(job_id(event.job.name))
    if facts is None:
        return {}
    known: dict[NodeId, KnownLabels] = {facts.id: KnownLabels.of(facts.facets, of_runs=facts.run_facets)}
    for dataset in {dataset_id(reference.name) for reference in dataset_references(event)}:
        if usage := facts.usages.get(dataset):
            known[dataset] = KnownLabels.of(usage.facets, usage.wrote and usage.wrote.value)
    return known
