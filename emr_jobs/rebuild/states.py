"""What events say, as states that are joined by their keys: the states that the fold joins with those of the table.

    events          runs, writes, quality results, facts of jobs and datasets, documents, aliases, namespaces, days
    runs            what they report to their parents, and the heads of their jobs
    heads of jobs   edges, claims about datasets, namespaces

Each function takes the states of one partition and joins what it can, hence a key with a million states is a few
hundred states before they are shuffled.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from emr_jobs.archive.events import ArchivedEvent, Fault
from emr_jobs.archive.normalised import normalised
from emr_jobs.rebuild.latency import Measure, measures
from emr_jobs.rebuild.settings import RebuildSettings
from headwater.fold.batch import Batch
from headwater.fold.datasets import namespace_of
from headwater.fold.runs import reported_to_parents
from headwater.fold.supporting_items import known_namespaces
from headwater.graph.dataset import DatasetFacts
from headwater.graph.dataset_claims import DatasetClaims
from headwater.graph.dataset_reference import Document
from headwater.graph.identity import DatasetId, JobId, JobRunId, NeighbourPageId, dataset_id
from headwater.graph.job import JobFacts, JobHead
from headwater.graph.naming import Naming
from headwater.graph.neighbours import NeighbourPage, Side
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.run import Run
from headwater.graph.search_terms import SearchTerm, dataset_terms, job_terms, label_terms
from headwater.graph.stored_states import DatasetWrite, EventDay, KnownAlias, KnownNamespace, QualityResult
from headwater.store.graph_store import encode
from headwater.store.table import Item

AT_ONCE = 200
"""Events that are joined at once, before they are shuffled."""


class Edge(NamedTuple):
    """A job reads or writes a dataset."""

    dataset: DatasetId
    side: Side
    job: JobId

    def join(self, _same: "Edge") -> "Edge":
        return self


class Day(NamedTuple):
    """A day with events, which is joined as other states are."""

    day: EventDay

    def join(self, _same: "Day") -> "Day":
        return self


Joined = (
    Run
    | DatasetWrite
    | QualityResult
    | JobFacts
    | DatasetFacts
    | Document
    | KnownAlias
    | KnownNamespace
    | NeighbourPage
    | Edge
    | Day
    | SearchTerm
)
"""The states that events give. Two states with one key are joined."""
Keyed = tuple[tuple[Any, ...], Joined]


def states_of(
    archived: Iterable[ArchivedEvent | Fault], settings: RebuildSettings
) -> Iterator[Keyed | Item | Measure | Fault]:
    """The states of the events of a partition, the items of the events themselves, and what counts for their jobs'
    emission latency."""
    naming = Naming(settings.namespace_aliases)
    read = (normalised(each, naming) if isinstance(each, ArchivedEvent) else each for each in archived)
    while chunk := list(islice(read, AT_ONCE)):
        yield from (each for each in chunk if isinstance(each, Fault))
        events = [each for each in chunk if isinstance(each, NormalisedEvent)]
        yield from measures(events)
        batch = Batch.of(events)
        yield from ((key_of(state), state) for state in _joined(batch))
        yield from (encode(event, settings.retention) for event in batch.events)


def key_of(state: Joined) -> tuple[Any, ...]:
    """The key by which a state is joined: the type of the state, and its id."""
    match state:
        case DatasetFacts():
            return "DatasetFacts", dataset_id(state.name)
        case Edge():
            return "Edge", *state
        case Day():
            return "Day", state.day.day
    return type(state).__name__, state.id


def of_runs(runs: Iterable[Run]) -> Iterator[tuple[JobRunId, Run]]:
    """The runs of a partition, and the states of their parents by these runs."""
    while chunk := list(islice(runs := iter(runs), AT_ONCE)):
        yield from ((run.id, run) for run in chunk)
        yield from reported_to_parents(chunk).items()


def head_by(run: Run) -> JobHead:
    """The head of a run's job, as far as this run tells."""
    return JobHead(JobFacts.only_named(replace(run, named=run.created))).with_run(run)


def edges_of(head: JobHead) -> Iterator[tuple[tuple[Any, ...], Edge]]:
    """The edges of a job to every dataset that it ever used."""
    for dataset, neighbours in head.facts.new_edges(None):
        for side, jobs in neighbours.items():
            for job in jobs:
                edge = Edge(dataset, side, job)
                yield key_of(edge), edge


def claims_of(head: JobHead) -> Iterator[tuple[DatasetId, DatasetClaims]]:
    """The claims of a job about each dataset that it ever used."""
    for dataset in head.facts.usages:
        yield dataset, DatasetClaims.of(head, dataset)


def terms_of(heads: Iterable[JobHead]) -> Iterator[tuple[tuple[Any, ...], SearchTerm]]:
    """The search terms of the names of the jobs of a partition."""
    for term in {term for head in heads if not head.facts.is_derivation for term in job_terms(head.facts.name)}:
        yield key_of(term), term


def namespaces_of(heads: Iterable[JobHead]) -> Iterator[tuple[tuple[Any, ...], KnownNamespace]]:
    """The namespaces of the jobs of a partition."""
    named = ((head.facts.name.namespace, head.facts.first) for head in heads if not head.facts.is_derivation)
    for namespace in known_namespaces(named).values():
        yield key_of(namespace), namespace


def _joined(batch: Batch) -> Iterator[Joined]:
    yield from batch.runs.values()
    yield from batch.writes
    yield from batch.versions
    yield from batch.results
    yield from batch.jobs.values()
    yield from batch.datasets.values()
    yield from batch.documents.values()
    yield from batch.aliases.values()
    named = ((namespace_of(name), time) for names in batch.named.values() for name, time in names.items())
    yield from known_namespaces(named).values()
    yield from (Day(EventDay(day)) for day in batch.days)
    yield from _pages(batch)
    yield from {term for event in batch.events for term in label_terms(event.event)}
    yield from {term for facts in batch.datasets.values() for term in dataset_terms(facts.name)}


def _pages(batch: Batch) -> Iterator[NeighbourPage]:
    """The first pages of datasets with links, and of datasets with a DatasetEvent."""
    for dataset in batch.described:
        yield NeighbourPage(NeighbourPageId(dataset), is_described=True)
    for left, right in {pair for pairs in batch.symlink_pairs.values() for pair in pairs}:
        yield NeighbourPage(NeighbourPageId(left), linked=frozenset([right]))
        yield NeighbourPage(NeighbourPageId(right), linked=frozenset([left]))
