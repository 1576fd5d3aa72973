"""What a batch of events says, gathered by the item it bears on: one pass over the events, no table."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from headwater.graph.dataset import DatasetFacts
from headwater.graph.dataset_reference import Document, dataset_references, documents
from headwater.graph.identity import NodeId, dataset_id, job_id, sent_id
from headwater.graph.job import JobFacts
from headwater.graph.normalised_event import Alias, FirstWriter, NormalisedEvent
from headwater.graph.run import Run, runs_of
from headwater.openlineage.event import Name, RunEvent
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.keys import Key


@dataclass(frozen=True)
class Batch:
    """The joins of what events say, by run, job, dataset, document and name.

    `first_writers` has the run that first wrote what an alias stands for, if it was an output.
    `named` has when each dataset was first called what, `used` when it was last named.
    """

    normalised: tuple[NormalisedEvent, ...]
    runs: dict[tuple[Name, str], Run]
    jobs: dict[NodeId, JobFacts]
    datasets: dict[NodeId, DatasetFacts]
    documents: dict[tuple[NodeId, str, str], Document]
    aliases: dict[Alias, Instant]
    first_writers: dict[Alias, FirstWriter]
    named: dict[NodeId, dict[Name, Instant]]
    used: dict[NodeId, Instant]

    @classmethod
    def of(cls, normalised: Iterable[NormalisedEvent]) -> "Batch":
        distinct: dict[str, NormalisedEvent] = {}
        for each in normalised:
            distinct.setdefault(each.event.digest, each)
        batch = cls(tuple(distinct.values()), {}, {}, {}, {}, {}, {}, {}, {})
        batch.runs.update(runs_of(each.event for each in batch.normalised if isinstance(each.event, RunEvent)))
        for each in batch.normalised:
            batch._add(each)
        return batch

    @cached_property
    def keys_to_read(self) -> frozenset[Key]:
        """The runs, what they wrote and found out, their parents, heads and lateness of the jobs of all, and marks."""
        found = {keys.job_head(job) for job in self.jobs} | {keys.day(each.event.time) for each in self.normalised}
        found |= {keys.latency(job_id(run.job)) for run in self.runs.values()}
        found |= {keys.alias(sent_id(alias.sent), dataset_id(alias.dataset)) for alias in self.aliases}
        for run in self.runs.values():
            job = job_id(run.job)
            found.add(keys.run(job, run.run_id))
            found |= {keys.write(dataset, run.run_id, job) for dataset in run.outputs}
            found |= {keys.quality(dataset, run.run_id, job) for dataset in run.found_out}
            for parent in run.parents:
                found |= {keys.run(job_id(parent.job), parent.run_id), keys.job_head(job_id(parent.job))}
        return frozenset(found)

    def _add(self, normalised: NormalisedEvent) -> None:
        event = normalised.event
        job = JobFacts.of(event)
        if job:
            self.jobs[job.node] = job.join(self.jobs.get(job.node))
        for said in DatasetFacts.all_of(event):
            dataset = dataset_id(said.name)
            self.datasets[dataset] = said.join(self.datasets.get(dataset))
            names = self.named.setdefault(dataset, {})
            names[said.name] = min(event.time, names.get(said.name, event.time))
        for reference in dataset_references(event):
            dataset = dataset_id(reference.name)
            self.used[dataset] = max(event.time, self.used.get(dataset, event.time))
        for document in documents(event):
            key = (document.dataset, document.facet, document.digest)
            known = self.documents.get(key, document)
            self.documents[key] = min(document, known, key=lambda each: each.time)
        for alias in normalised.aliases:
            self.aliases[alias] = min(event.time, self.aliases.get(alias, event.time))
        if isinstance(event, RunEvent):
            first_writer = FirstWriter(event.time, event.run_id, event.job.name)
            for alias in normalised.written:
                self.first_writers[alias] = min(first_writer, self.first_writers.get(alias, first_writer))
