"""A run: the join of what its events say, and the lattice of its states."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

from headwater.graph.mention import Uses, join_uses, uses
from headwater.graph.register import Register, Registers, deletable, join_registers, said, stamp
from headwater.openlineage.event import EventType, Name, RunEvent
from headwater.openlineage.instant import Instant


class RunState(StrEnum):
    """As Marquez names them."""

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


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one job. `started` is the earliest START, if one is known; `first` and `last` are of all events."""

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
        )

    def join(self, other: "Run | None") -> "Run":
        if other is None or other == self:
            return self
        return Run(
            job=self.job,
            run_id=self.run_id,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            started=min((time for time in (self.started, other.started) if time), default=None),
            ending=max((ending for ending in (self.ending, other.ending) if ending), default=None),
            producer=self.producer.join(other.producer),
            facets=join_registers(self.facets, other.facets),
            job_facets=join_registers(self.job_facets, other.job_facets),
            inputs=join_uses(self.inputs, other.inputs),
            outputs=join_uses(self.outputs, other.outputs),
        )

    @property
    def state(self) -> RunState:
        return _STATES[self.ending.type] if self.ending else RunState.RUNNING

    @property
    def started_at(self) -> Instant:
        """The earliest START, else the earliest event: some producers send only the terminal one."""
        return self.started or self.first

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
    def parent(self) -> tuple[str, Name] | None:
        """The parent's run id and job, where the `parent` facet names them rightly."""
        match self.facets.get("parent"):
            case Register(
                value={"run": {"runId": str(run_id)}, "job": {"namespace": str(namespace), "name": str(name)}}
            ):
                return run_id, Name(namespace, name)
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
    return reduce(Run.join, sorted(runs, key=lambda run: (run.last, run.job), reverse=True))
