"""A run: the join of its events, and the order of its endings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from typing import Any, NamedTuple

from headwater.graph.facets.curation import JUDGEMENT, called, is_curation, tags
from headwater.graph.facets.dataset_reference import IoDatasets, io_datasets, join_io_datasets
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.register import (
    Register,
    Registers,
    Stamp,
    deletable_registers,
    join_registers,
    registers_of,
    stamp,
    values,
)
from headwater.graph.names.identity import ColumnLineageId, DatasetId, JobRunId, job_id
from headwater.openlineage.event import MAX_NAME_LENGTH, EventType, Name, RunEvent, is_uuid
from headwater.openlineage.instant import NEVER, Instant

PARENT = "parent"
KEPT_FAILURES = 20
CREATED = "headwater_run"
"""A run facet: the run was created through the API. Its state is NEW until another event of the run arrives."""


class RunState(StrEnum):
    """The states of a run, named as in Marquez."""

    NEW = "NEW"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    ABORTED = "ABORTED"


_STATES = {EventType.COMPLETE: RunState.COMPLETED, EventType.FAIL: RunState.FAILED, EventType.ABORT: RunState.ABORTED}


NOT_REPORTED = "NOT_REPORTED"
"""The outcome of a run that only its children named: nothing is known of how it went."""


class Ending(NamedTuple):
    """A terminal event. Of several, the greatest counts: a failure beats COMPLETE (the Spark listener sends COMPLETE a
    tenth of a second after FAIL), then the later event time, then the digest."""

    failed: bool
    time: Instant
    digest: str
    type: EventType


class ParentRef(NamedTuple):
    """A run that another run names as its parent or root, with the run's job."""

    run_id: str
    job: Name

    @property
    def id(self) -> JobRunId:
        return JobRunId(job_id(self.job), self.run_id)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one job.

    first, last        the times of its earliest and latest event; empty for a run that only its children named
    started            the time of its earliest START event, if there is one
    named              the time of the first event of its earliest child, or of a judgement on it
    facets             its run facets; of a judgement nothing else counts
    parents            every run that it named as its parent or root
    failed_children    the first few runs that named it as parent or root and failed: the Spark listener ends an
                       application COMPLETE, whatever its queries did
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
    inputs: IoDatasets
    outputs: IoDatasets
    named: Instant = NEVER
    parents: frozenset[ParentRef] = frozenset()
    failed_children: tuple[ParentRef, ...] = ()

    @classmethod
    def of(cls, event: RunEvent) -> "Run":
        at = stamp(event)
        if is_curation(event):
            judged = cls.only_named(event.job.name, event.run_id, event.time)
            return replace(judged, facets={JUDGEMENT: Register(at, event.run_facets[JUDGEMENT])})
        failed = event.type in (EventType.FAIL, EventType.ABORT)
        return cls(
            job=event.job.name,
            run_id=event.run_id,
            first=event.time,
            last=event.time,
            started=event.time if event.type is EventType.START else None,
            ending=Ending(failed, event.time, event.digest, event.type) if event.type.is_terminal else None,
            producer=Register(at, event.producer),
            facets=registers_of(event.run_facets, at),
            job_facets=deletable_registers(event.job.facets, at),
            inputs=io_datasets(event.inputs, at),
            outputs=io_datasets(event.outputs, at),
            parents=frozenset(_parents(event)),
        )

    def reported_to(self, parent: ParentRef) -> "Run":
        """The state of a parent by this run: the parent exists, and this run is a failed child if it failed."""
        failed = (ParentRef(self.run_id, self.job),) if self.ending and self.ending.failed else ()
        return replace(Run.only_named(parent.job, parent.run_id, self.first), failed_children=failed)

    @classmethod
    def only_named(cls, job: Name, run_id: str, at: Instant) -> "Run":
        """The state of a run with no known events, except that it existed at a time."""
        nothing: Registers = {}
        return cls(
            job=job,
            run_id=run_id,
            first=NEVER,
            last=NEVER,
            started=None,
            ending=None,
            producer=Register(Stamp(""), ""),
            facets=nothing,
            job_facets=nothing,
            inputs={},
            outputs={},
            named=at,
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
            inputs=join_io_datasets(self.inputs, other.inputs),
            outputs=join_io_datasets(self.outputs, other.outputs),
            named=_earliest(self.named, other.named),
            parents=self.parents | other.parents,
            failed_children=tuple(sorted({*self.failed_children, *other.failed_children})[:KEPT_FAILURES]),
        )

    @property
    def id(self) -> JobRunId:
        return JobRunId(job_id(self.job), self.run_id)

    def until(self, time: Instant) -> "Run":
        """The run as it was at a time: without an end that came later, and without the datasets that it named later.

        What it said last about a dataset counts: a run repeats it in each event.
        """
        if max(self.last, self.ended_at or self.last) <= time:
            return self
        return replace(
            self,
            last=min(self.last, max(self.first, time)),
            ending=self.ending if self.ending and self.ending.time <= time else None,
            inputs=_named_until(time, self.inputs),
            outputs=_named_until(time, self.outputs),
        )

    @property
    def state(self) -> RunState:
        """The state as Marquez has it. A run that only its children named is NEW: no event says that it runs."""
        if self.ending:
            return _STATES[self.ending.type]
        if not self.last:
            return RunState.NEW
        created = self.facets.get(CREATED)
        is_new = created is not None and not self.started and self.last <= created.time
        return RunState.NEW if is_new else RunState.RUNNING

    @property
    def tags(self) -> list[str]:
        return tags(values(self.facets))

    @property
    def is_judged_good(self) -> bool:
        """Whether a person said that the run was good and nobody took it back."""
        judgement = self.facets.get(JUDGEMENT)
        return judgement is not None and is_good(judgement.value)

    def with_inferred_end(self, application: "Run") -> "Run":
        """This run, with the end of its application if it has none of its own."""
        return replace(self, ending=self.ending or application.ending)

    @property
    def created(self) -> Instant:
        """The time of the run's first event, or of the first event of its earliest child."""
        return _earliest(self.first, self.named)

    @property
    def updated(self) -> Instant:
        """The time of the run's last event; without any event, that of the first event of its earliest child."""
        return self.last or self.named

    @property
    def started_at(self) -> Instant:
        """The time of the earliest START, else of the earliest event: some producers send only the terminal event."""
        return self.started or self.created

    @property
    def ended_at(self) -> Instant | None:
        return self.ending.time if self.ending else None

    @property
    def outcome(self) -> str:
        """The state of the run with the runs that it started, as shown everywhere."""
        return outcome_of(self.state, len(self.failed_children)) if self.last else NOT_REPORTED

    @property
    def may_be_good(self) -> bool:
        """Whether a person may call the run good: it went well, or is still running. For a run that never reported,
        such as a DAG run that only its tasks name, the runs that it started decide."""
        return self.outcome in (RunState.COMPLETED, RunState.RUNNING) or not (self.last or self.failed_children)

    @property
    def stored_state(self) -> RunState:
        """The state by which items and their lists know the run. One that only its children named is RUNNING there, as
        0.1.0 has it."""
        return self.state if self.last else RunState.RUNNING

    @property
    def outcome_at(self) -> Instant:
        """The time of the outcome: the run's end, else its start."""
        return self.ended_at or self.started_at

    @property
    def order(self) -> tuple[Instant, str]:
        """Sorts the runs of a job, the oldest first."""
        return self.started_at, self.run_id

    @property
    def called(self) -> str:
        """What its author calls the job, else the job's name."""
        return called(values(self.job_facets)) or self.job.name

    @property
    def names_datasets(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def quality_results(self) -> dict[DatasetId, Registers]:
        """The assertions and metrics that the run sent, by dataset."""
        results = {
            dataset: io_dataset.quality for dataset, io_dataset in join_io_datasets(self.inputs, self.outputs).items()
        }
        return {dataset: quality for dataset, quality in results.items() if quality}

    @property
    def parent(self) -> ParentRef | None:
        """The run's parent by its newest parent facet; None if the facet has another form."""
        register = self.facets.get(PARENT)
        return parent_reference(register.value) if register else None

    def is_child_of(self, other: "Run") -> bool:
        """Whether this run names another run as its parent. One run id may come under jobs of several namespaces, and
        those are different runs: a child names the namespace of its parent's job, too."""
        parent = self.parent
        return parent is not None and (parent.run_id, parent.job.namespace) == (other.run_id, other.job.namespace)


def outcome_of(state: RunState, failed_children: int) -> RunState:
    """The state of a run with the runs that it started: it has FAILED if it COMPLETED although one of them failed."""
    return RunState.FAILED if failed_children and state is RunState.COMPLETED else state


def is_good(judgement: Any) -> bool:
    """Whether a judgement on a run says that it was good."""
    return isinstance(judgement, dict) and judgement.get("good") is True


def _named_until(time: Instant, datasets: IoDatasets) -> IoDatasets:
    return {dataset: io_dataset for dataset, io_dataset in datasets.items() if io_dataset.first <= time}


def _earliest(*times: Instant) -> Instant:
    return min(time for time in times if time) if any(times) else NEVER


def _parents(event: RunEvent) -> Iterator[ParentRef]:
    """The runs that an event names as the parent and the root of its run."""
    facet = event.run_facets.get(PARENT)
    for holder in (facet, facet.get("root") if isinstance(facet, dict) else None):
        parent = parent_reference(holder)
        if parent and parent.run_id != event.run_id:
            yield parent


def parent_reference(holder: Any) -> ParentRef | None:
    """The run in a parent facet or in the facet's root; None if the facet has another form."""
    match holder:
        case {"run": {"runId": str(run_id)}, "job": {"namespace": str(namespace), "name": str(name)}}:
            if is_uuid(run_id) and 0 < len(namespace) <= MAX_NAME_LENGTH and 0 < len(name) <= MAX_NAME_LENGTH:
                return ParentRef(run_id.lower(), Name(namespace, name))
    return None


def runs_of(events: Iterable[RunEvent]) -> dict[tuple[Name, str], Run]:
    """The runs of events, by job and run id."""
    runs: dict[tuple[Name, str], Run] = {}
    for event in events:
        run = Run.of(event)
        runs[run.job, run.run_id] = run.join(runs.get((run.job, run.run_id)))
    return runs


def joined_in_earliest_namespace(runs: Iterable[Run]) -> Run | None:
    """The join of those runs with one run id whose jobs are in the namespace of the earliest run."""
    by_age = sorted(runs, key=lambda run: (run.created, run.job))
    return joined(run for run in by_age if run.job.namespace == by_age[0].job.namespace) if by_age else None


def joined(runs: Iterable[Run]) -> Run:
    """The join of runs with one run id under several job names, under the job name of the newest event."""
    return reduce(Run.join, sorted(runs, key=lambda run: (run.updated, run.job), reverse=True))


def newest_column_lineage(dataset: DatasetId, runs: Iterable[Run]) -> ColumnLineageId | None:
    """The column lineage of a dataset by the first of some runs that sent any; the newest run comes first."""
    uses = (use for run in runs if (use := run.outputs.get(dataset)))
    digests = (values(use.facets).get(COLUMN_LINEAGE) for use in uses)
    return next((ColumnLineageId(dataset, digest) for digest in digests if isinstance(digest, str)), None)
