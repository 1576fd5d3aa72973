"""The datasets that a job reads and writes: its edges, by the run or the event that says so, and its use of each over
all its runs."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from headwater.graph.facets.dataset_reference import IoDatasets
from headwater.graph.facets.register import Register, Registers, join_registers
from headwater.graph.names.identity import DatasetId, JobId, job_id
from headwater.graph.states.run import Run
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant


class DatasetRef(NamedTuple):
    """A dataset that a job reads or writes, with its name as the job sent it."""

    id: DatasetId
    name: Name


class Ends(NamedTuple):
    """The ids of the inputs and outputs of a job."""

    inputs: frozenset[DatasetId]
    outputs: frozenset[DatasetId]


class Edges(NamedTuple):
    """The inputs and outputs of a job by one run, or by a JobEvent: then `run_id` is empty.

    `time` is the start of the run, or the time of the JobEvent. `sources` has, for each output whose sources the
    producer names, the datasets that the output is made of. `foreign` has the datasets whose namespaces the producer
    may not write: their owners have not confirmed the edges.
    """

    time: Instant
    run_id: str
    inputs: tuple[DatasetRef, ...]
    outputs: tuple[DatasetRef, ...]
    sources: tuple[tuple[DatasetId, tuple[DatasetId, ...]], ...] = ()
    foreign: tuple[DatasetId, ...] = ()

    @classmethod
    def between(cls, time: Instant, run_id: str, inputs: IoDatasets, outputs: IoDatasets) -> "Edges":
        sources_of = {node: output.sources for node, output in outputs.items()}
        sources = tuple(sorted((node, made_of) for node, made_of in sources_of.items() if made_of is not None))
        used = {**inputs, **outputs}
        foreign = tuple(sorted(node for node, io_dataset in used.items() if io_dataset.is_foreign))
        return cls(time, run_id, _dataset_refs(inputs), _dataset_refs(outputs), sources, foreign)

    @classmethod
    def of(cls, run: Run) -> "Edges":
        return cls.between(run.started_at, run.run_id, run.inputs, run.outputs)

    @property
    def stored(self) -> tuple[Any, ...]:
        """The edges as an item has them: without `foreign` if it is empty."""
        return tuple(self if self.foreign else self[:-1])

    @property
    def of_no_run(self) -> tuple[Any, ...]:
        """The stored form without time and run."""
        return self.stored[2:]

    def __bool__(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def ends(self) -> Ends:
        return Ends(self.input_ids, self.output_ids)

    @property
    def input_ids(self) -> frozenset[DatasetId]:
        return frozenset([dataset.id for dataset in self.inputs])

    @property
    def output_ids(self) -> frozenset[DatasetId]:
        return frozenset([dataset.id for dataset in self.outputs])

    def upstream_of(self, output: DatasetId) -> frozenset[DatasetId]:
        """The inputs that an output is made of: the sources that the producer names, else all inputs."""
        made_of = dict(self.sources).get(output)
        return self.input_ids if made_of is None else frozenset(made_of)

    def downstream_of(self, source: DatasetId) -> frozenset[DatasetId]:
        """The outputs that are made of an input."""
        return frozenset(output for output in self.output_ids if source in self.upstream_of(output))

    def under_later_names(self, renamed: "RenamedAway", *, ever: bool = False) -> "Edges":
        """The edges to the datasets of their time, some of whose names have since gone to other datasets. The edges of
        all time (`ever`) are to both."""

        def later(dataset: DatasetId) -> tuple[DatasetId, ...]:
            if ever:
                return tuple(dict.fromkeys([dataset, *(name for _, name in renamed.get(dataset, ()))]))
            return (meant(dataset, self.time, renamed),)

        if renamed.keys().isdisjoint(self.input_ids | self.output_ids):
            return self
        return self._replace(
            inputs=tuple(DatasetRef(node, ref.name) for ref in self.inputs for node in later(ref.id)),
            outputs=tuple(DatasetRef(node, ref.name) for ref in self.outputs for node in later(ref.id)),
            sources=tuple(
                (node, tuple(source for each in made_of for source in later(each)))
                for output, made_of in self.sources
                for node in later(output)
            ),
        )

    def without_outputs(self, gone: Collection[DatasetId]) -> "Edges":
        """The edges without some outputs. A job that is left without an output reads nothing."""
        kept = tuple(output for output in self.outputs if output.id not in gone)
        return self if kept == self.outputs else self._replace(inputs=self.inputs if kept else (), outputs=kept)


NO_EDGES = Edges(NEVER, "", (), ())


RenamedAway = Mapping[DatasetId, tuple[tuple[Instant, DatasetId], ...]]
"""Names that another dataset has by now: the times of their renames, the earliest first, each with the id under which
the earlier dataset continued."""


def meant(name: DatasetId, time: Instant, renamed: RenamedAway) -> DatasetId:
    """The dataset that a name meant at a time."""
    return next((later for at, later in renamed[name] if time < at), name) if name in renamed else name


class RunOrder(NamedTuple):
    """A run by its start; sorts the runs of a job."""

    started_at: Instant
    run_id: str


@dataclass(frozen=True, slots=True)
class DatasetUsage:
    """A job's use of one dataset over all the job's runs.

    name       the dataset's name as the job sent it
    reads      whether the job ever read the dataset
    writes     whether the job ever wrote the dataset
    last       the time of the job's last event that names the dataset; empty if all of them only name it
               (`headwater_foreign`): such an event uses a dataset without the right to change what its owner sees
    facets     the newest facet of each name that the job sent for the dataset
    quality    the last run of the job that sent assertions or metrics for the dataset
    wrote      the digest of the schema with which the job last wrote the dataset: of a dataset that the job reads too,
               `facets` may have the schema that was read
    """

    name: Name
    reads: bool
    writes: bool
    last: Instant
    facets: Registers
    quality: RunOrder | None = None
    wrote: Register | None = None

    def join(self, other: "DatasetUsage | None") -> "DatasetUsage":
        if other is None:
            return self
        facets = join_registers(self.facets, other.facets)
        quality = max((run for run in (self.quality, other.quality) if run), default=None)
        name, last = min(self.name, other.name), max(self.last, other.last)
        wrote = self.wrote.join(other.wrote) if self.wrote else other.wrote
        return DatasetUsage(name, self.reads or other.reads, self.writes or other.writes, last, facets, quality, wrote)


def edges_of(document: Sequence[Any]) -> Edges:
    time, run_id, inputs, outputs, sources, *foreign = document
    return Edges(
        time,
        run_id,
        tuple(DatasetRef(node, Name(*name)) for node, name in inputs),
        tuple(DatasetRef(node, Name(*name)) for node, name in outputs),
        tuple((node, tuple(made_of)) for node, made_of in sources),
        *map(tuple, foreign),
    )


def job_version(job: Name, edges: Edges) -> str:
    """A job version's id: one for each set of inputs and outputs."""
    return _version_of(job_id(job), edges.input_ids, edges.output_ids)


def version_of_run(run: Run) -> str:
    """The version of the job of a run, by the run's inputs and outputs."""
    return _version_of(run.id.job, frozenset(run.inputs), frozenset(run.outputs))


@lru_cache(maxsize=10_000)
def _version_of(job: JobId, inputs: frozenset[DatasetId], outputs: frozenset[DatasetId]) -> str:
    """Cached, because a list shows many runs with few versions."""
    return str(uuid.uuid5(uuid.UUID(job), exact_json.dumps([sorted(inputs), sorted(outputs)])))


def _dataset_refs(datasets: IoDatasets) -> tuple[DatasetRef, ...]:
    return tuple(DatasetRef(node, io_dataset.name) for node, io_dataset in sorted(datasets.items()))
