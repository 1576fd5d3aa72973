"""A job: what its events say of it, and which of its runs says what it reads and writes now."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from headwater.graph.curation import deleted_through, is_curation
from headwater.graph.dataset_reference import COLUMN_LINEAGE, QUALITY, SOURCES, Uses, schema_said, uses
from headwater.graph.identity import NodeId, derivation_id, job_id
from headwater.graph.register import Register, Registers, deletable, join_registers, stamp, values
from headwater.graph.run import PARENT, Run
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, JobEvent, Name, RunEvent
from headwater.openlineage.instant import NEVER, Instant

OF_THE_WRITE = frozenset({"version"})
"""Facets of an output that are new with every run: they belong to the write, and the dataset's head stays as it is."""


class RunOrder(NamedTuple):
    """A run by its place among its job's runs."""

    started_at: Instant
    run_id: str


class LatestRun(NamedTuple):
    """A job's newest run, as much of it as a graph shows."""

    started_at: Instant
    run_id: str
    state: str
    created: Instant
    updated: Instant
    ended_at: Instant | None
    failed_children: int

    @classmethod
    def of(cls, run: Run) -> "LatestRun":
        failed = len(run.failed_children)
        return cls(run.started_at, run.run_id, run.state.value, run.created, run.updated, run.ended_at, failed)

    @property
    def order(self) -> RunOrder:
        return RunOrder(self.started_at, self.run_id)


@dataclass(frozen=True, slots=True)
class DatasetUsage:
    """A dataset as a job has ever seen it: what it calls it, whether it read it, wrote it, when it last named it, the
    newest it said of its facets, the run that last found something out about its data, and the schema (its digest) that
    it wrote last: of a dataset that it also reads, its facets may tell what it read."""

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
        quality = max((each for each in (self.quality, other.quality) if each), default=None)
        name, last = min(self.name, other.name), max(self.last, other.last)
        wrote = self.wrote.join(other.wrote) if self.wrote else other.wrote
        return DatasetUsage(name, self.reads or other.reads, self.writes or other.writes, last, facets, quality, wrote)


class DatasetRef(NamedTuple):
    """A dataset that a job reads or writes, and what the job calls it."""

    id: NodeId
    name: Name


class Edges(NamedTuple):
    """What a job reads and writes, by the run that says so (or by the JobEvent: then `run_id` is empty).

    `sources` has, for outputs of which the producer says what they are made of, those datasets.
    """

    said_at: Instant
    run_id: str
    inputs: tuple[DatasetRef, ...]
    outputs: tuple[DatasetRef, ...]
    sources: tuple[tuple[NodeId, tuple[NodeId, ...]], ...] = ()

    @classmethod
    def between(cls, said_at: Instant, run_id: str, inputs: Uses, outputs: Uses) -> "Edges":
        sources = {node: use.sources for node, use in outputs.items()}
        said = tuple(sorted((node, made_of) for node, made_of in sources.items() if made_of is not None))
        return cls(said_at, run_id, _dataset_refs(inputs), _dataset_refs(outputs), said)

    @classmethod
    def of(cls, run: Run) -> "Edges":
        return cls.between(run.started_at, run.run_id, run.inputs, run.outputs)

    def __bool__(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def input_ids(self) -> frozenset[NodeId]:
        return frozenset(used.id for used in self.inputs)

    @property
    def output_ids(self) -> frozenset[NodeId]:
        return frozenset(used.id for used in self.outputs)

    def upstream_of(self, output: NodeId) -> frozenset[NodeId]:
        """The inputs that an output is made of: those that the producer names, else all."""
        made_of = dict(self.sources).get(output)
        return self.input_ids if made_of is None else frozenset(made_of)

    def downstream_of(self, given: NodeId) -> frozenset[NodeId]:
        """The outputs that are made of an input."""
        return frozenset(output for output in self.output_ids if given in self.upstream_of(output))


NO_EDGES = Edges(NEVER, "", (), ())


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What events say of a job. `declared` holds the edges of its newest JobEvent that names any dataset.

    `last` is empty for a job that was only named, as the parent of another. A dataset that is declared to be made of
    others, without a job, is kept as a job too, of the dataset's name: a derivation, which only has edges.
    """

    name: Name
    first: Instant
    last: Instant
    facets: Registers
    run_facets: Registers
    declared: Register | None
    usages: Mapping[NodeId, DatasetUsage]
    is_derivation: bool = False

    @classmethod
    def of(cls, event: AnyEvent) -> "JobFacts | None":
        """What one event says of its job, or of what makes a dataset without a job."""
        if isinstance(event, DatasetEvent):
            return _derivation(event)
        at = stamp(event)
        inputs, outputs = uses(event.inputs, at), uses(event.outputs, at)
        declares = isinstance(event, JobEvent) and (inputs or outputs)
        return cls(
            name=event.job.name,
            first=event.time,
            last=NEVER if is_curation(event) else event.time,
            facets=deletable(event.job.facets, at),
            run_facets=_parent(event),
            declared=Register(at, Edges.between(event.time, "", inputs, outputs)[2:]) if declares else None,
            usages=_usages(event),
        )

    @classmethod
    def only_named(cls, run: Run) -> "JobFacts":
        """A job that a run names as its parent."""
        return cls(run.job, run.named, NEVER, {}, {}, None, {})

    @property
    def node(self) -> NodeId:
        return derivation_id(self.name) if self.is_derivation else job_id(self.name)

    @property
    def updated(self) -> Instant:
        """The time of its last event; of the first that named it, if it sent none."""
        return max(self.first, self.last)

    @property
    def is_deleted(self) -> bool:
        """Whether somebody deleted it, and nothing newer has been heard of it since."""
        through = deleted_through(values(self.facets))
        return through is not None and self.updated <= through

    def join(self, other: "JobFacts | None") -> "JobFacts":
        if other is None or other == self:
            return self
        usages = {**self.usages, **{node: usage.join(self.usages.get(node)) for node, usage in other.usages.items()}}
        return JobFacts(
            name=min(self.name, other.name),
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            facets=join_registers(self.facets, other.facets),
            run_facets=join_registers(self.run_facets, other.run_facets),
            declared=self.declared.join(other.declared) if self.declared else other.declared,
            usages=usages,
            is_derivation=self.is_derivation,
        )


@dataclass(frozen=True, slots=True)
class JobHead:
    """A job's facts, and the choice among its runs: the newest, and the newest that names a dataset.

    The choice is a maximum over all runs, which the head cannot hold. It can follow it as long as no chosen run
    turns out to have started earlier than was thought (a START that came late): then the runs must be asked again.
    `reselecting` marks a head whose choice is being made anew; it is never there once a fold is through.
    """

    facts: JobFacts
    latest: LatestRun | None = None
    chosen: Edges = NO_EDGES
    reselecting: str | None = None

    @property
    def current(self) -> Edges:
        """What the job reads and writes now: by its newest run that names a dataset, or a newer JobEvent."""
        declared = self.facts.declared
        if declared is None or declared.time < self.chosen.said_at:
            return self.chosen
        return edges_of([declared.time, "", *declared.value])

    @property
    def ever(self) -> Edges:
        """All that the job has ever read or written. Of what an output was made is known of the current ones alone."""
        usages, current = self.facts.usages, self.current
        inputs = tuple(DatasetRef(node, usages[node].name) for node in sorted(usages) if usages[node].reads)
        outputs = tuple(DatasetRef(node, usages[node].name) for node in sorted(usages) if usages[node].writes)
        return Edges(current.said_at, current.run_id, inputs, outputs, current.sources)

    def chooses(self, run: Run) -> bool:
        """Whether this head names the run, as it knows it, as its newest or as the one that says what is current."""
        return run.order in (self.latest and self.latest.order, self.chosen[:2])

    def column_lineage(self, dataset: NodeId) -> Register | None:
        """The digest of the newest column lineage that the job gave of an output, and when."""
        usage = self.facts.usages.get(dataset)
        register = usage.facets.get(COLUMN_LINEAGE) if usage and usage.writes else None
        return register if register and register.value is not None else None

    def with_run(self, run: Run) -> "JobHead":
        """The choice with one more run, or a newer state of a known one, in view."""
        is_latest = self.latest is None or RunOrder(*run.order) >= self.latest.order
        latest = LatestRun.of(run) if is_latest else self.latest
        edges = Edges.of(run) if run.names_datasets else NO_EDGES
        return replace(self, latest=latest, chosen=max(edges, self.chosen, key=lambda edges: edges[:2]))

    def is_stale_after(self, run: Run) -> bool:
        """Whether a run that this head chose started earlier than the head believes."""
        chosen = [RunOrder(self.chosen.said_at, self.chosen.run_id), self.latest.order if self.latest else None]
        return any(ref is not None and ref.run_id == run.run_id and ref > run.order for ref in chosen)


def edges_of(document: Sequence[Any]) -> Edges:
    """Edges from their JSON."""
    said_at, run_id, inputs, outputs, sources = document
    return Edges(
        said_at,
        run_id,
        tuple(DatasetRef(node, Name(*name)) for node, name in inputs),
        tuple(DatasetRef(node, Name(*name)) for node, name in outputs),
        tuple((node, tuple(made_of)) for node, made_of in sources),
    )


def _dataset_refs(uses: Uses) -> tuple[DatasetRef, ...]:
    return tuple(DatasetRef(node, use.name) for node, use in sorted(uses.items()))


def _derivation(event: DatasetEvent) -> JobFacts | None:
    sources = event.dataset.facets.get(SOURCES)
    if not isinstance(sources, list):
        return None
    at = stamp(event)
    outputs = uses([event.dataset], at)
    (output,) = outputs
    inputs = uses((replace(event.dataset, name=Name(*each), facets={}) for each in sources), at)
    declared = Register(at, Edges.between(event.time, "", inputs, outputs)[2:])
    usages = {node: DatasetUsage(use.name, True, False, event.time, {}) for node, use in inputs.items()}
    usages[output] = DatasetUsage(event.dataset.name, False, True, event.time, {}).join(usages.get(output))
    return JobFacts(event.dataset.name, event.time, event.time, {}, {}, declared, usages, is_derivation=True)


def _parent(event: RunEvent | JobEvent) -> Registers:
    facet = event.run_facets.get(PARENT) if isinstance(event, RunEvent) else None
    return {PARENT: Register(stamp(event), facet)} if facet is not None else {}


def _usages(event: RunEvent | JobEvent) -> dict[NodeId, DatasetUsage]:
    usages: dict[NodeId, DatasetUsage] = {}
    for role in ("i", "o"):
        for node, use in uses(event.inputs if role == "i" else event.outputs, stamp(event, role)).items():
            elsewhere = QUALITY | (OF_THE_WRITE if role == "o" else frozenset())
            facets = {name: facet for name, facet in use.facets.items() if name not in elsewhere}
            checked = RunOrder(event.time, event.run_id) if use.quality and isinstance(event, RunEvent) else None
            wrote = schema_said(facets) if role == "o" else None
            said = DatasetUsage(use.name, role == "i", role == "o", event.time, facets, checked, wrote)
            usages[node] = said.join(usages.get(node))
    return usages


def job_version(of: Name, edges: Edges) -> str:
    """A job version's id: one for each set of inputs and outputs."""
    return str(uuid.uuid5(uuid.UUID(job_id(of)), exact_json.dumps([sorted(edges.input_ids), sorted(edges.output_ids)])))
