"""What events say, as states that are joined by their keys: the states of the fold, and those of the tables' own.

Each function takes the events of one partition and joins what it can before anything is shuffled.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import islice
from typing import Any, NamedTuple

from emr_jobs.archive.events import ArchivedEvent, LineFault
from emr_jobs.archive.normalised import normalised
from headwater.fold.batch import Batch
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA, digest_of, stored_form
from headwater.graph.facets.register import is_deletion, join_registers
from headwater.graph.names.identity import NO_JOB, DatasetId, JobId, dataset_id, derivation_id, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetFacts
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.run import Run
from headwater.openlineage.event import AnyEvent, DatasetEvent, JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant

AT_ONCE = 200
"""Events that are joined at once, before they are shuffled."""
READ, WRITE = "read", "write"


class ReceivedEvent(NamedTuple):
    """An event and the time of its first receipt."""

    at: Instant
    event: AnyEvent
    canonical: str

    def join(self, other: "ReceivedEvent") -> "ReceivedEvent":
        return self if self.at <= other.at else other


class SentLineage(NamedTuple):
    """Column lineage as a job sent it for an output, and the first and last event times that have it."""

    job: JobId
    dataset: Name
    facet: Any
    first: Instant
    last: Instant

    def join(self, other: "SentLineage") -> "SentLineage":
        return self._replace(first=min(self.first, other.first), last=max(self.last, other.last))


class Declaration(NamedTuple):
    """A job is declared to read or write a dataset on a day, by events without a run."""

    job: JobId
    job_name: Name
    dataset: Name
    direction: str
    first: Instant
    last: Instant

    def join(self, other: "Declaration") -> "Declaration":
        return self._replace(first=min(self.first, other.first), last=max(self.last, other.last))


class Link(NamedTuple):
    """Two ids are of one dataset."""

    dataset: DatasetId
    linked: DatasetId

    def join(self, _same: "Link") -> "Link":
        return self


State = Run | JobFacts | DatasetFacts | Document | ReceivedEvent | SentLineage | Declaration | Link
"""The states that events give. Two states with one key are joined."""
Keyed = tuple[tuple[str, ...], State]


def states_of(archived: Iterable[ArchivedEvent | LineFault], aliases: Mapping[str, str]) -> Iterator[Keyed | LineFault]:
    """The states of the events of a partition, each after the name of its type and its key."""
    naming = Naming(aliases)
    read = (normalised(each, naming) if isinstance(each, ArchivedEvent) else each for each in archived)
    while chunk := list(islice(read, AT_ONCE)):
        yield from (each for each in chunk if isinstance(each, LineFault))
        joined: dict[tuple[str, ...], Any] = {}
        for key, state in _states(Batch.of(each for each in chunk if isinstance(each, NormalisedEvent))):
            joined[key] = state.join(joined[key]) if key in joined else state
        yield from joined.items()


def _states(batch: Batch) -> Iterator[Keyed]:
    for run in batch.runs.values():
        yield ("Run", *run.id), run
    for job, facts in batch.jobs.items():
        yield ("JobFacts", job), facts
    for dataset, described in batch.datasets.items():
        yield ("DatasetFacts", dataset), with_claims(described, batch.jobs.values())
    for document in batch.documents.values():
        if document.facet == SCHEMA:
            yield ("Document", *document.id), document
    for left, right in {pair for pairs in batch.symlink_pairs.values() for pair in pairs}:
        for link in (Link(left, right), Link(right, left)):
            yield ("Link", *link), link
    for each in batch.events:
        event = each.event
        yield ("ReceivedEvent", event.digest), ReceivedEvent(each.at or event.time, event, each.canonical)
        yield from _sent_columns(event)
        yield from _declarations(event)


def with_claims(facts: DatasetFacts, jobs: Iterable[JobFacts]) -> DatasetFacts:
    """The facts of a dataset with what these jobs claim of it. Claims are registers, so the facts stay a join."""
    heads = [JobHead(job) for job in jobs if dataset_id(facts.name) in job.usages]
    claims = reduce(DatasetClaims.join, (DatasetClaims.of(head, dataset_id(facts.name)) for head in heads), _NO_CLAIMS)
    own = join_registers(facts.own, claims.facets)
    return replace(facts, own=own, described=max(facts.described, claims.last))


_NO_CLAIMS = DatasetClaims()


def _sent_columns(event: AnyEvent) -> Iterator[Keyed]:
    """The column lineage in an event, under the digest of the facet: a run repeats it in each of its events."""
    job = NO_JOB if isinstance(event, DatasetEvent) else job_id(event.job.name)
    outputs = (event.dataset,) if isinstance(event, DatasetEvent) else event.outputs
    for output in outputs:
        facet = output.facets.get(COLUMN_LINEAGE)
        if facet is not None and not is_deletion(facet):
            digest, stored = digest_of(COLUMN_LINEAGE, facet), stored_form(COLUMN_LINEAGE, facet)
            sent = SentLineage(job, output.name, stored, event.time, event.time)
            yield ("SentLineage", job, dataset_id(output.name), digest), sent


def _declarations(event: AnyEvent) -> Iterator[Keyed]:
    """The edges in an event without a run: of a job, or of a dataset that is made of others."""
    facts = None if isinstance(event, RunEvent) else JobFacts.of(event)
    if facts is None or (isinstance(event, JobEvent) and not (event.inputs or event.outputs)):
        return
    job = derivation_id(facts.name) if facts.is_derivation else job_id(facts.name)
    for dataset, usage in facts.usages.items():
        for direction, is_used in ((READ, usage.reads), (WRITE, usage.writes)):
            if is_used:
                declared = Declaration(job, facts.name, usage.name, direction, event.time, event.time)
                yield ("Declaration", job, dataset, direction, event.time[:10]), declared
