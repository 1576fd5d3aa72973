"""A run: the join of what its events say, and the lattice of its states."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from typing import Any, NamedTuple

from headwater.graph.dataset_reference import Uses, join_uses, uses
from headwater.graph.identity import NodeId
from headwater.graph.register import Register, Registers, Stamp, deletable, join_registers, said, stamp
from headwater.openlineage.event import MAX_NAME_LENGTH, EventType, Name, RunEvent, is_uuid
from headwater.openlineage.instant import NEVER, Instant

PARENT = "parent"
KEPT_FAILURES = 20
CREATED = "headwater_run"
"""A run facet: the run was announced through the API, and nothing was heard of it since."""


class RunState(StrEnum):
    """As Marquez names them."""

    NEW = "NEW"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    ABORTED = "ABORTED"


_STATES = {
    EventType.COMPLETE: RunState.COMPLETED,
    EventType.FAIL: RunState.FAILED,
    EventType.ABORT: RunState.ABORTED,
}


class Ending(NamedTuple):
    """A terminal event. The greatest counts: a failure beats COMPLETE, since the Spark listener sends COMPLETE a tenth
    of a second after FAIL; then the later event time, then the digest."""

    failed: bool
    time: Instant
    digest: str
    type: EventType


class ParentRef(NamedTuple):
    """A run, and its job."""

    run_id: str
    job: Name


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one job. `started` is the earliest START, if one is known; `first` and `last` are of all events.

    A run that was only named, as the parent of another, is known too: then `first` and `last` are empty, and `named` is
    the first event of its earliest child. `parents` are all runs that it ever named as its parent or root, and
    `failed_children` the first few runs that named it so and failed (the Spark listener ends an application COMPLETE,
    whatever its actions did).
    """

    job: Name
    run_id: str
    first: Instant
    last: Instant
    started: Instant | None
    ending: Ending | None
    producer: Register
    facets: Registers
    job_facets: Registers
    inputs: Uses
    outputs: Uses
    named: Instant = NEVER
    parents: frozenset[ParentRef] = frozenset()
    failed_children: tuple[ParentRef, ...] = ()

    @classmethod
    def of(cls, event: RunEvent) -> "Run":
        """What one event says of its run."""
        at = stamp(event)
        failed = event.type in (EventType.FAIL, EventType.ABORT)
        return cls(
            job=event.job.name,
            run_id=event.run_id,
            first=event.time,
            last=event.time,
            started=event.time if event.type is EventType.START else None,
            ending=Ending(failed, event.time, event.digest, event.type) if event.type.is_terminal else None,
            producer=Register(at, event.producer),
            facets=said(event.run_facets, at),
            job_facets=deletable(event.job.facets, at),
            inputs=uses(event.inputs, at),
            outputs=uses(event.outputs, at),
            parents=frozenset(_parents(event)),
        )

    def as_told_to(self, parent: ParentRef) -> "Run":
        """What this run tells of a parent: that there is one, and, if this run failed, that."""
        failed = (ParentRef(self.run_id, self.job),) if self.ending and self.ending.failed else ()
        nothing: Registers = {}
        return Run(
            job=parent.job,
            run_id=parent.run_id,
            first=NEVER,
            last=NEVER,
            started=None,
            ending=None,
            producer=Register(Stamp(""), ""),
            facets=nothing,
            job_facets=nothing,
            inputs={},
            outputs={},
            named=self.first,
            failed_children=failed,
        )

    def join(self, other: "Run | None") -> "Run":
        if other is None or other == self:
            return self
        return Run(
            job=self.job,
            run_id=self.run_id,
            first=_earliest(self.first, other.first),
            last=max(self.last, other.last),
            started=min((time for time in (self.started, other.started) if time), default=None),
            ending=max((ending for ending in (self.ending, other.ending) if ending), default=None),
            producer=self.producer.join(other.producer),
            facets=join_registers(self.facets, other.facets),
            job_facets=join_registers(self.job_facets, other.job_facets),
            inputs=join_uses(self.inputs, other.inputs),
            outputs=join_uses(self.outputs, other.outputs),
            named=_earliest(self.named, other.named),
            parents=self.parents | other.parents,
            failed_children=tuple(sorted({*self.failed_children, *other.failed_children})[:KEPT_FAILURES]),
        )

    @property
    def state(self) -> RunState:
        if self.ending:
            return _STATES[self.ending.type]
        created = self.facets.get(CREATED)
        is_new = created is not None and not self.started and self.last <= created.time
        return RunState.NEW if is_new else RunState.RUNNING

    def with_inferred_end(self, application: "Run") -> "Run":
        """This run, with the end of its application if it has none of its own."""
        return replace(self, ending=self.ending or application.ending)

    @property
    def created(self) -> Instant:
        """The time of the first event of it, or of a child that names it."""
        return _earliest(self.first, self.named)

    @property
    def updated(self) -> Instant:
        """The time of its last event; of the first that named it, if it sent none."""
        return self.last or self.named

    @property
    def started_at(self) -> Instant:
        """The earliest START, else the earliest event: some producers send only the terminal one."""
        return self.started or self.created

    @property
    def ended_at(self) -> Instant | None:
        return self.ending.time if self.ending else None

    @property
    def order(self) -> tuple[Instant, str]:
        """Runs of a job from oldest to newest."""
        return self.started_at, self.run_id

    @property
    def names_datasets(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def found_out(self) -> dict[NodeId, Registers]:
        """What it found out about the data of each dataset that it checked."""
        found = {node: use.quality for node, use in join_uses(self.inputs, self.outputs).items()}
        return {node: quality for node, quality in found.items() if quality}

    @property
    def parent(self) -> ParentRef | None:
        """The parent's run id and job, where the newest `parent` facet names them rightly."""
        register = self.facets.get(PARENT)
        return parent_reference(register.value) if register else None


def _earliest(*times: Instant) -> Instant:
    return min(time for time in times if time) if any(times) else NEVER


def _parents(event: RunEvent) -> Iterator[ParentRef]:
    """The runs that an event names above its own: its parent, and the root of all."""
    facet = event.run_facets.get(PARENT)
    for holder in (facet, facet.get("root") if isinstance(facet, dict) else None):
        parent = parent_reference(holder)
        if parent and parent.run_id != event.run_id:
            yield parent


def parent_reference(holder: Any) -> ParentRef | None:
    """The run, and its job, that a parent facet or its root names, if it names them rightly."""
    match holder:
        case {"run": {"runId": str(run_id)}, "job": {"namespace": str(namespace), "name": str(name)}}:
            if is_uuid(run_id) and 0 < len(namespace) <= MAX_NAME_LENGTH and 0 < len(name) <= MAX_NAME_LENGTH:
                return ParentRef(run_id.lower(), Name(namespace, name))
    return None


def runs_of(events: Iterable[RunEvent]) -> dict[tuple[Name, str], Run]:
    """The runs that events tell of, by job and run id."""
    found: dict[tuple[Name, str], Run] = {}
    for event in events:
        run = Run.of(event)
        found[run.job, run.run_id] = run.join(found.get((run.job, run.run_id)))
    return found


def joined(runs: Iterable[Run]) -> Run:
    """One run id may come under two job names; an answer shows their join, under the name said last."""
    return reduce(Run.join, sorted(runs, key=lambda run: (run.updated, run.job), reverse=True))
