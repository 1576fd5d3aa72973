"""A job: what its events say of it, and which of its runs says what it reads and writes now."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from headwater.graph.identity import NodeId
from headwater.graph.mention import COLUMN_LINEAGE, uses
from headwater.graph.register import Register, Registers, deletable, join_registers, stamp
from headwater.graph.run import Run
from headwater.openlineage.event import JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant

OF_THE_WRITE = frozenset({"version"})
"""Facets of an output that are new with every run: they belong to the write, and the dataset's head stays as it is."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A dataset as a job has ever seen it: whether it read it, wrote it, when it last named it, and the newest it said
    of its facets."""

    reads: bool
    writes: bool
    last: Instant
    facets: Registers

    def join(self, other: "Seen | None") -> "Seen":
        if other is None:
            return self
        facets = join_registers(self.facets, other.facets)
        last = max(self.last, other.last)
        return Seen(self.reads or other.reads, self.writes or other.writes, last, facets)


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What events say of a job. `declared` holds the datasets of its newest JobEvent that names any."""

    name: Name
    first: Instant
    last: Instant
    facets: Registers
    run_facets: Registers
    declared: Register | None
    seen: Mapping[NodeId, Seen]

    @classmethod
    def of(cls, event: RunEvent | JobEvent) -> "JobFacts":
        """What one event says of its job."""
        at = stamp(event)
        inputs, outputs = uses(event.inputs, at), uses(event.outputs, at)
        declares = isinstance(event, JobEvent) and (inputs or outputs)
        return cls(
            name=event.job.name,
            first=event.time,
            last=event.time,
            facets=deletable(event.job.facets, at),
            run_facets=_parent(event),
            declared=Register(at, [sorted(inputs), sorted(outputs)]) if declares else None,
            seen=_seen(event),
        )

    def join(self, other: "JobFacts | None") -> "JobFacts":
        if other is None or other == self:
            return self
        seen = {**self.seen, **{node: seen.join(self.seen.get(node)) for node, seen in other.seen.items()}}
        return JobFacts(
            name=self.name,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            facets=join_registers(self.facets, other.facets),
            run_facets=join_registers(self.run_facets, other.run_facets),
            declared=self.declared.join(other.declared) if self.declared else other.declared,
            seen=seen,
        )


class RunRef(NamedTuple):
    """A run by its place among its job's runs."""

    started_at: Instant
    run_id: str


class Edges(NamedTuple):
    """What a job reads and writes, by the run that says so (or by the JobEvent: then `run_id` is empty)."""

    said_at: Instant
    run_id: str
    inputs: tuple[NodeId, ...]
    outputs: tuple[NodeId, ...]

    @classmethod
    def of(cls, run: Run) -> "Edges":
        return cls(run.started_at, run.run_id, tuple(sorted(run.inputs)), tuple(sorted(run.outputs)))


NO_EDGES = Edges(Instant(""), "", (), ())


@dataclass(frozen=True, slots=True)
class JobHead:
    """A job's facts, and the choice among its runs: the newest, and the newest that names a dataset.

    The choice is a maximum over all runs, which the head cannot hold. It can follow it as long as no chosen run
    turns out to have started earlier than was thought (a START that came late): then the runs must be asked again.
    `settling` marks a head whose choice is being made anew; it is never there once a fold is through.
    """

    facts: JobFacts
    latest: RunRef | None = None
    chosen: Edges = NO_EDGES
    settling: str | None = None

    @property
    def current(self) -> Edges:
        """What the job reads and writes now: by its newest run that names a dataset, or a newer JobEvent."""
        declared = self.facts.declared
        if declared is None or declared.time < self.chosen.said_at:
            return self.chosen
        inputs, outputs = declared.value
        return Edges(declared.time, "", tuple(inputs), tuple(outputs))

    def chooses(self, run: Run) -> bool:
        """Whether this head names the run, as it knows it, as its newest or as the one that says what is current."""
        return run.order in (self.latest, self.chosen[:2])

    def column_lineage(self, dataset: NodeId) -> Register | None:
        """The digest of the newest column lineage that the job gave of an output, and when."""
        seen = self.facts.seen.get(dataset)
        register = seen.facets.get(COLUMN_LINEAGE) if seen and seen.writes else None
        return register if register and register.value is not None else None

    def with_run(self, run: Run) -> "JobHead":
        """The choice with one more run, or a newer state of a known one, in view."""
        latest = max(self.latest, RunRef(*run.order)) if self.latest else RunRef(*run.order)
        edges = Edges.of(run) if run.names_datasets else NO_EDGES
        return replace(self, latest=latest, chosen=max(edges, self.chosen, key=lambda edges: edges[:2]))

    def is_undercut_by(self, run: Run) -> bool:
        """Whether a run that this head chose started earlier than the head believes."""
        chosen = [RunRef(self.chosen.said_at, self.chosen.run_id), self.latest]
        return any(ref is not None and ref.run_id == run.run_id and ref > run.order for ref in chosen)


def _parent(event: RunEvent | JobEvent) -> Registers:
    facet = event.run_facets.get("parent") if isinstance(event, RunEvent) else None
    return {"parent": Register(stamp(event), facet)} if facet is not None else {}


def _seen(event: RunEvent | JobEvent) -> dict[NodeId, Seen]:
    seen: dict[NodeId, Seen] = {}
    for node, use in uses(event.inputs, stamp(event, "i")).items():
        seen[node] = Seen(True, False, event.time, use.facets)
    for node, use in uses(event.outputs, stamp(event, "o")).items():
        facets = {name: facet for name, facet in use.facets.items() if name not in OF_THE_WRITE}
        seen[node] = Seen(False, True, event.time, facets).join(seen.get(node))
    return seen
