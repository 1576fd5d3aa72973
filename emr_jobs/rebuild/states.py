"""What events say, as states that are joined by their keys: the states that the fold joins with those of the table.

Each function takes the events or states of one partition and joins what it can before anything is sent on, so a key
with a million states is a few hundred states in the shuffle.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, NamedTuple

from emr_jobs.archive.events import ArchivedEvent, LineFault
from emr_jobs.archive.normalised import normalised
from emr_jobs.rebuild.latency import measures
from emr_jobs.rebuild.packets import Packer, Packet
from emr_jobs.rebuild.settings import RebuildSettings
from headwater.fold.batch import Batch
from headwater.fold.datasets import namespace_of
from headwater.fold.supporting_items import known_namespaces
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetFacts
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.generation import Generation, RunOfGeneration, candidates
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.neighbours import NeighbourPage, Side
from headwater.graph.states.run import Run
from headwater.graph.states.search_terms import (
    SearchTerm,
    dataset_terms,
    job_terms,
    node_facets_in,
    query_terms,
    terms_of_labels,
)
from headwater.graph.states.stored_states import DatasetWrite, KnownAlias, KnownNamespace, QualityResult
from headwater.store.bulk import encode

AT_ONCE = 200
"""Events that are joined at once."""


class Edge(NamedTuple):
    """A job reads or writes a dataset."""

    dataset: DatasetId
    side: Side
    job: JobId


class Day(NamedTuple):
    """A day with events, which is joined as other states are."""

    id: str

    def join(self, _same: "Day") -> "Day":
        return self


Joined = (
    Run
    | DatasetWrite
    | QualityResult
    | JobHead
    | DatasetFacts
    | Document
    | KnownAlias
    | KnownNamespace
    | NeighbourPage
    | Day
    | SearchTerm
)
"""The states that events give. Two states of a type with one key are joined."""


def states_of(archived: Iterable[ArchivedEvent | LineFault], settings: RebuildSettings, tasks: int) -> Iterator[Packet]:
    """The states of the events of a partition; the items of the events themselves (`event`); what counts for their
    jobs' emission latency (`Measure`); and what could not be read (`LineFault`)."""
    naming, packer = Naming(settings.namespace_aliases), Packer(tasks)
    seen = _SeenNodes(set(), set())
    read = (normalised(each, naming) if isinstance(each, ArchivedEvent) else each for each in archived)
    while chunk := list(islice(read, AT_ONCE)):
        for fault in chunk:
            if isinstance(fault, LineFault):
                packer.add("Fault", fault, fault)
        events = [each for each in chunk if not isinstance(each, LineFault)]
        for measure in measures(events):
            packer.add("Measure", (measure.job, measure.run_id), measure)
        batch = Batch.of(events)
        for state in _joined(batch, seen):
            packer.join(type(state).__name__, key_of(state), state)
        for event in batch.events:
            item = encode(event, settings.retention)
            packer.add("event", item.key, item)
        seen.datasets.update(dataset for dataset, facts in batch.datasets.items() if not facts.is_foreign)
        if packer.is_full:
            yield from packer.packets()
            seen = _SeenNodes(set(), set())
    yield from packer.packets()


def key_of(state: Joined) -> Any:
    """The key by which a state is joined with others of its type."""
    match state:
        case DatasetFacts():
            return dataset_id(state.name)
        case JobHead():
            return state.facts.id
    return state.id


def head_by(run: Run) -> JobHead:
    """The head of a run's job, as far as this run shows it."""
    return JobHead(JobFacts.only_named(replace(run, named=run.created))).with_run(run)


def heads_by(runs: Iterable[Run]) -> Iterator[JobHead]:
    """The heads of the jobs of some runs, as far as these runs show them: each has the runs that it may choose."""
    of_jobs: dict[JobId, list[Run]] = {}
    for run in runs:
        of_jobs.setdefault(run.id.job, []).append(run)
    for of_job in of_jobs.values():
        first = min(of_job, key=lambda run: run.created)
        latest = max(of_job, key=lambda run: run.order)
        chosen = candidates(RunOfGeneration.of(run) for run in of_job if run.names_datasets)
        yield replace(head_by(first).with_run(latest), generation=Generation(chosen))


def edges_of(head: JobHead) -> Iterator[Edge]:
    """The edges of a job to every dataset that it ever used."""
    for dataset, neighbours in head.facts.new_edges(None):
        for side, jobs in neighbours.items():
            yield from (Edge(dataset, side, job) for job in jobs)


def claims_of(head: JobHead) -> Iterator[tuple[DatasetId, DatasetClaims]]:
    """The claims of a job about each dataset that it ever used."""
    for dataset in head.facts.usages:
        yield dataset, DatasetClaims.of(head, dataset)


def names_of(head: JobHead) -> Iterator[SearchTerm | KnownNamespace]:
    """The search terms of a job's name, and its namespace."""
    if not head.facts.is_derivation:
        yield from set(job_terms(head.facts.name))
        yield from known_namespaces([(head.facts.name.namespace, head.facts.first)]).values()


class _SeenNodes(NamedTuple):
    """The nodes and datasets whose search terms the packer has: every run names them again."""

    nodes: set[Hashable]
    datasets: set[DatasetId]


def _joined(batch: Batch, seen: _SeenNodes) -> Iterator[Joined]:
    yield from batch.runs.values()
    yield from batch.writes
    yield from batch.versions
    yield from batch.results
    yield from map(JobHead, batch.jobs.values())
    yield from batch.datasets.values()
    yield from batch.documents.values()
    yield from batch.aliases.values()
    named = ((namespace_of(name), time) for names in batch.named.values() for name, time in names.items())
    yield from known_namespaces(named).values()
    yield from map(Day, batch.days)
    yield from _pages(batch)
    yield from _label_terms(batch, seen.nodes)
    yield from {term for event in batch.events for term in query_terms(event.event)}
    found = ((dataset, facts) for dataset, facts in batch.datasets.items() if not facts.is_foreign)
    new = (facts for dataset, facts in found if dataset not in seen.datasets)
    yield from {term for facts in new for term in dataset_terms(facts.name)}


def _label_terms(batch: Batch, seen: set[Hashable]) -> list[SearchTerm]:
    """The terms of columns, owners and tags, except those of nodes in `seen`; new nodes are added to it."""
    nodes = (node for event in batch.events for node in node_facets_in(event.event))
    new = {key: node for node in nodes if (key := node.key) not in seen}
    seen.update(new)
    return terms_of_labels(chain.from_iterable(node.labels() for node in new.values()))


def _pages(batch: Batch) -> Iterator[NeighbourPage]:
    """The first pages of datasets with links, and of datasets with a DatasetEvent."""
    for dataset in batch.described:
        yield NeighbourPage(NeighbourPageId(dataset), is_described=True)
    for left, right in {pair for pairs in batch.symlink_pairs.values() for pair in pairs}:
        yield NeighbourPage(NeighbourPageId(left), linked=frozenset([right]))
        yield NeighbourPage(NeighbourPageId(right), linked=frozenset([left]))
