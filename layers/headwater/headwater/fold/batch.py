"""What a batch of events says, gathered by the item it bears on: one pass over the events, no table."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from headwater.graph.dataset import DatasetFacts
from headwater.graph.identity import NodeId, dataset_id, job_id
from headwater.graph.job import JobFacts
from headwater.graph.mention import Document, documents
from headwater.graph.run import Run, runs_of
from headwater.openlineage.event import AnyEvent, DatasetEvent, Name, RunEvent
from headwater.store import keys
from headwater.store.keys import Key


class Received(NamedTuple):
    """An event and its canonical text."""

    event: AnyEvent
    canonical: str


@dataclass(frozen=True)
class Batch:
    """The joins of what events say, by run, job, dataset and document."""

    received: tuple[Received, ...]
    runs: dict[tuple[Name, str], Run]
    jobs: dict[NodeId, JobFacts]
    datasets: dict[NodeId, DatasetFacts]
    documents: dict[tuple[NodeId, str, str], Document]

    @classmethod
    def of(cls, received: Iterable[Received]) -> "Batch":
        distinct = {each.event.digest: each for each in received}
        batch = cls(tuple(distinct.values()), {}, {}, {}, {})
        batch.runs.update(runs_of(each.event for each in batch.received if isinstance(each.event, RunEvent)))
        for each in batch.received:
            batch._add(each.event)
        return batch

    @cached_property
    def _keys(self) -> frozenset[Key]:
        runs = {keys.run(job_id(job), run_id) for job, run_id in self.runs}
        writes = {
            keys.write(dataset, run.run_id, job_id(run.job)) for run in self.runs.values() for dataset in run.outputs
        }
        return frozenset(runs | writes | {keys.job_head(job) for job in self.jobs})

    def keys_to_read(self) -> frozenset[Key]:
        """The runs, their writes and the heads of their jobs."""
        return self._keys

    def _add(self, event: AnyEvent) -> None:
        if not isinstance(event, DatasetEvent):
            facts = JobFacts.of(event)
            node = job_id(facts.name)
            self.jobs[node] = facts.join(self.jobs.get(node))
        for said in DatasetFacts.all_of(event):
            dataset = dataset_id(said.name)
            self.datasets[dataset] = said.join(self.datasets.get(dataset))
        for document in documents(event):
            key = (document.dataset, document.facet, document.digest)
            known = self.documents.get(key, document)
            self.documents[key] = min(document, known, key=lambda each: each.time)
