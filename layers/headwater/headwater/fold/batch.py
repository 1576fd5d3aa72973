"""A batch of events as joined states: one pass over the events, without the store."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from headwater.graph.facets.dataset_reference import (
    Document,
    dataset_references,
    documents,
    is_foreign,
    without_foreign_outputs,
)
from headwater.graph.names.identity import NO_JOB, AliasId, DatasetId, JobId, JobRunId, dataset_id, event_id, job_id
from headwater.graph.states.dataset import DatasetFacts
from headwater.graph.states.job import JobFacts
from headwater.graph.states.normalised_event import FirstWriter, NormalisedEvent
from headwater.graph.states.run import Run, runs_of
from headwater.graph.states.stored_states import DatasetWrite, KnownAlias, QualityResult
from headwater.openlineage.event import AnyEvent, DatasetEvent, Name, RunEvent
from headwater.openlineage.instant import Instant
from headwater.store.snapshot import ReadRequest


@dataclass(frozen=True)
class Batch:
    """The joins of the states in a batch of events.

    events          the events of the batch, each once
    days            the days of the events, such as `2026-11-20`
    runs            the runs, by job and run id
    writing         the runs without their foreign outputs
    jobs            the facts of each job and each derivation
    datasets        the facts of each dataset
    described       the datasets with a DatasetEvent in the batch
    versions        the writes of events without a run
    documents       the distinct schemas and column lineages, each with the earliest event time
    aliases         the aliases, each with its earliest time and its first writer
    symlink_pairs   the pairs of ids that a symlinks facet links, by the job that sent the facet (or NO_JOB)
    named           for each dataset and each of its names, the first event time of that name
    used            the last event time that names the dataset with the right to write it
    """

    events: tuple[NormalisedEvent, ...] = ()
    days: set[str] = field(default_factory=set)
    runs: dict[JobRunId, Run] = field(default_factory=dict)
    writing: Sequence[Run] = ()
    jobs: dict[JobId, JobFacts] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetFacts] = field(default_factory=dict)
    described: set[DatasetId] = field(default_factory=set)
    versions: list[DatasetWrite] = field(default_factory=list)
    documents: dict[tuple[DatasetId, str, str], Document] = field(default_factory=dict)
    aliases: dict[AliasId, KnownAlias] = field(default_factory=dict)
    symlink_pairs: dict[JobId, set[tuple[DatasetId, DatasetId]]] = field(default_factory=dict)
    named: dict[DatasetId, dict[Name, Instant]] = field(default_factory=dict)
    used: dict[DatasetId, Instant] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[NormalisedEvent]) -> "Batch":
        distinct: dict[str, NormalisedEvent] = {}
        for event in events:
            distinct.setdefault(event.event.digest, event)
        of_runs = [event.event for event in distinct.values() if isinstance(event.event, RunEvent)]
        writing = [without_foreign_outputs(event) for event in of_runs]
        runs = runs_of(of_runs)
        writing_runs = runs if writing == of_runs else runs_of(writing)
        by_id = {run.id: run for run in runs.values()}
        batch = cls(tuple(distinct.values()), runs=by_id, writing=tuple(writing_runs.values()))
        for event in batch.events:
            batch._add(event)
        return batch

    @cached_property
    def writes(self) -> list[DatasetWrite]:
        return [write for run in self.writing for write in DatasetWrite.by_run(run)]

    @cached_property
    def results(self) -> list[QualityResult]:
        return [result for run in self.runs.values() for result in QualityResult.by_run(run)]

    @cached_property
    def wanted(self) -> ReadRequest:
        """The ids of the states to read first: runs and their parents, writes, quality results, heads and latency of
        jobs, aliases, days, events."""
        parents = {parent.id for run in self.runs.values() for parent in run.parents}
        return ReadRequest(
            jobs={*self.jobs, *(parent.job for parent in parents)},
            runs={*self.runs, *parents},
            writes=[write.id for write in (*self.writes, *self.versions)],
            quality=[result.id for result in self.results],
            latencies={run.job for run in self.runs},
            rhythms={run_id.job for run_id, run in self.runs.items() if run.ending},
            aliases=self.aliases,
            days=self.days,
            events=[event_id(event.event) for event in self.events],
        )

    def _add(self, normalised: NormalisedEvent) -> None:
        event = normalised.event
        self.days.add(event.time[:10])
        self.versions.extend(DatasetWrite.by_event(event))
        if job := JobFacts.of(event):
            self.jobs[job.id] = job.join(self.jobs.get(job.id))
        if isinstance(event, DatasetEvent):
            self.described.add(dataset_id(event.dataset.name))
        self._add_datasets(event)
        self._add_names(normalised)

    def _add_datasets(self, event: AnyEvent) -> None:
        for facts in DatasetFacts.all_of(event):
            dataset = dataset_id(facts.name)
            self.datasets[dataset] = facts.join(self.datasets.get(dataset))
            if facts.is_foreign:
                continue
            names = self.named.setdefault(dataset, {})
            names[facts.name] = min(event.time, names.get(facts.name, event.time))
        for reference in dataset_references(event):
            if is_foreign(reference):
                continue
            dataset = dataset_id(reference.name)
            self.used[dataset] = max(event.time, self.used.get(dataset, event.time))
        for document in documents(event):
            key = (document.dataset, document.facet, document.digest)
            self.documents[key] = document.join(self.documents.get(key))

    def _add_names(self, normalised: NormalisedEvent) -> None:
        event = normalised.event
        job = NO_JOB if isinstance(event, DatasetEvent) else job_id(event.job.name)
        pairs = {(dataset_id(link.dataset), dataset_id(link.symlink)) for link in normalised.links}
        self.symlink_pairs.setdefault(job, set()).update(pairs)
        writer = FirstWriter(event.time, event.run_id, event.job.name) if isinstance(event, RunEvent) else None
        for alias in normalised.aliases:
            known = KnownAlias(alias, event.time, writer if alias in normalised.written else None)
            self.aliases[known.id] = known.join(self.aliases.get(known.id))
