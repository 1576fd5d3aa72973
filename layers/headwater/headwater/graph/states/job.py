"""A job: its facts, and its head with the run that gives the job's current inputs and outputs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from headwater.graph.facets.curation import (
    FOREIGN,
    JUDGEMENT,
    SENT_TAGS,
    SET_ASIDE,
    current_tags,
    deleted_through,
    is_curation,
    run_tags,
)
from headwater.graph.facets.dataset_reference import (
    QUALITY,
    SOURCES,
    SYMLINKS,
    Document,
    io_datasets,
    schema_register,
    sources_of_dataset,
    symlinks,
)
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.members import (
    EXTRACTION_ERROR,
    INPUTS,
    JOB_DEPENDENCIES,
    are_candidates,
    incompleteness,
    job_dependencies_of,
)
from headwater.graph.facets.register import (
    Register,
    Registers,
    Stamp,
    deletable_registers,
    join_registers,
    stamp,
    values,
)
from headwater.graph.facets.schema import PARTIAL, column_registers
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, dataset_id, derivation_id, job_id
from headwater.graph.states.edges import NO_EDGES, DatasetRef, DatasetUsage, Edges, RunOrder, edges_of
from headwater.graph.states.generation import NO_GENERATION, Generation, RunOfGeneration, candidates
from headwater.graph.states.neighbours import Neighbours, Side
from headwater.graph.states.run import NOT_REPORTED, PARENT, Run, RunState, is_good, outcome_of
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, JobEvent, Name, RunEvent
from headwater.openlineage.instant import NEVER, Instant

OF_THE_WRITE = frozenset({"version"})
"""Facets of an output that are new with every run: they belong to the write, and the dataset's head does not copy
them."""
NO_CLAIMS = QUALITY | {FOREIGN}
"""Facets that claim nothing lasting of a dataset."""
KEPT_JUDGEMENTS = 20
"""The last judged runs that a job's head keeps, so that the good ones need not be searched for."""


_JUDGED = f"{JUDGEMENT}:"


class LatestRun(NamedTuple):
    """The newest run of a job, with the members that a graph shows."""

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
        return cls(run.started_at, run.run_id, run.stored_state.value, run.created, run.updated, run.ended_at, failed)

    @property
    def order(self) -> RunOrder:
        return RunOrder(self.started_at, self.run_id)

    @property
    def is_reported(self) -> bool:
        """Whether an event of the run came, as far as was looked at (read/run_end.py)."""
        return self.state != NOT_REPORTED

    @property
    def outcome(self) -> str:
        """The state of the run with the runs that it started."""
        return outcome_of(RunState(self.state), self.failed_children) if self.is_reported else NOT_REPORTED

    def has_superseded(self, run: Run) -> bool:
        """Whether this run started after the last event of another run of the job: it took the other run's place."""
        return self.run_id != run.run_id and self.started_at > run.updated


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What events say of a job, or of a derivation.

    first, last      the times of the earliest and latest event; `last` is empty for a job that only its children named
    facets           the newest job facet of each name
    run_facets       the newest parent facet of the job's runs, their newest tags, the jobs before and after them,
                     the newest run that only may use its inputs, the newest with incomplete lineage, and the judgements
                     on runs, by run id
    declared         the edges of the newest JobEvent that names any dataset
    usages           the datasets that the job ever used
    is_derivation    whether this is a derivation: a dataset declared to be made of others, stored as a job of the
                     dataset's name, with edges only
    """

    name: Name
    first: Instant
    last: Instant
    facets: Registers
    run_facets: Registers
    declared: Register | None
    usages: Mapping[DatasetId, DatasetUsage]
    is_derivation: bool = False

    @classmethod
    def of(cls, event: AnyEvent) -> "JobFacts | None":
        """The facts in one event: of its job, or of a derivation."""
        if isinstance(event, DatasetEvent):
            return _derivation(event)
        at = stamp(event)
        return cls(
            name=event.job.name,
            first=event.time,
            last=NEVER if is_curation(event) else event.time,
            facets=deletable_registers(event.job.facets, at),
            run_facets=_of_runs(event),
            declared=_declared(event, at) if isinstance(event, JobEvent) else None,
            usages=_usages(event),
        )

    @classmethod
    def only_named(cls, run: Run) -> "JobFacts":
        """The facts of a job that a run names as its parent: the time of the first such run."""
        return cls(run.job, run.named, NEVER, {}, {}, None, {})

    @property
    def id(self) -> JobId:
        return derivation_id(self.name) if self.is_derivation else job_id(self.name)

    @property
    def updated(self) -> Instant:
        """The time of the job's last event; without any, that of the first event of its earliest child."""
        return max(self.first, self.last)

    @property
    def is_deleted(self) -> bool:
        """Whether the job was deleted, and no newer event names it."""
        through = deleted_through(values(self.facets))
        return through is not None and self.updated <= through

    @property
    def good_runs(self) -> list[JobRunId]:
        """The runs that a person called good, of the last `KEPT_JUDGEMENTS` that were judged."""
        judged = {name: facet for name, facet in values(self.run_facets).items() if name.startswith(_JUDGED)}
        return [JobRunId(self.id, name.removeprefix(_JUDGED)) for name, facet in judged.items() if is_good(facet)]

    @property
    def tags(self) -> set[str]:
        """The tags of the job, and those of its newest run that had any."""
        return current_tags(values(self.facets)) | current_tags(values(self.run_facets))

    @property
    def symlink_pairs(self) -> set[tuple[DatasetId, DatasetId]]:
        """The pairs of ids that a symlinks facet of the job ever gave: a dataset, and the id of its other name."""
        facets = {dataset: usage.facets.get(SYMLINKS) for dataset, usage in self.usages.items()}
        return {
            (dataset, dataset_id(name))
            for dataset, register in facets.items()
            if register
            for name in symlinks(register.value)
        }

    def refers_to(self, document: Document) -> bool:
        """Whether these facts have the document's digest. Of a schema, the facts must be as early as the document: the
        stored schema has the earliest event time at which it was seen."""
        usage = self.usages.get(document.dataset)
        register = usage.facets.get(document.facet) if usage else None
        if register is None or register.value != document.digest:
            return False
        return document.facet == COLUMN_LINEAGE or register.time <= document.time

    def new_edges(self, known: "JobFacts | None") -> Iterator[tuple[DatasetId, Neighbours]]:
        """The edges of these facts that the known facts lack, by dataset."""
        for dataset, usage in self.usages.items():
            before = known.usages.get(dataset) if known else None
            if before is None or usage.reads > before.reads or usage.writes > before.writes:
                job, no_job = frozenset([self.id]), frozenset[JobId]()
                reads, writes = job if usage.reads else no_job, job if usage.writes else no_job
                yield dataset, {Side.READS: reads, Side.WRITES: writes}

    def join(self, other: "JobFacts | None") -> "JobFacts":
        if other is None or other == self:
            return self
        usages = {**self.usages, **{node: usage.join(self.usages.get(node)) for node, usage in other.usages.items()}}
        return JobFacts(
            name=min(self.name, other.name),
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            facets=join_registers(self.facets, other.facets),
            run_facets=_newest_judgements(join_registers(self.run_facets, other.run_facets)),
            declared=self.declared.join(other.declared) if self.declared else other.declared,
            usages=usages,
            is_derivation=self.is_derivation,
        )


@dataclass(frozen=True, slots=True)
class JobHead:
    """A job as it is now: its facts, its newest run (`latest`), and its newest runs that name a dataset (`generation`).

    Both are chosen among all runs of the job, which the head does not hold. The choice is updated run by run as long as
    the head holds enough. Otherwise the runs have to be read again:

        event folded                     latest    generation
        COMPLETE of r1 at 10:00          r1 10:00  r1
        COMPLETE of r2 at 10:05          r2 10:05  r2
        START of r2, sent at 09:55       r2 now started before r1: read the runs, choose r1

    `reselecting` marks a head whose choice is being made anew; no head has the mark once a fold is complete.
    `is_foreign` marks a job that the caller may not read (graph/states/visibility.py); no stored head has the mark.
    """

    facts: JobFacts
    latest: LatestRun | None = None
    generation: Generation = NO_GENERATION
    reselecting: str | None = None
    is_foreign: bool = False

    @property
    def is_reported(self) -> bool:
        """Whether the job itself sent an event, and not only its children."""
        return bool(self.facts.last)

    @property
    def latest_state(self) -> str | None:
        """The state of the newest run, if there is one: NEW if only its children named it."""
        return self.latest and (self.latest.state if self.latest.is_reported else RunState.NEW.value)

    @property
    def parent_name(self) -> Name | None:
        """The job that the newest `parent` facet of the job's runs names."""
        match values(self.facts.run_facets).get(PARENT):
            case {"job": {"namespace": str(namespace), "name": str(name)}}:
                return Name(namespace, name)
        return None

    @property
    def parent_run_id(self) -> str | None:
        """The run that the newest `parent` facet of the job's runs names."""
        match values(self.facts.run_facets).get(PARENT):
            case {"run": {"runId": str(run_id)}}:
                return run_id.lower()
        return None

    @property
    def is_incomplete(self) -> bool:
        """Whether the producer says that the lineage of a run is incomplete, of the newest or of those of the edges."""
        return self._has_newest_run_of(EXTRACTION_ERROR)

    @property
    def reads_candidates(self) -> bool:
        """Whether the job only may use its inputs, in its newest run or in one of those of the edges. If one of these
        runs only may, all their inputs are in doubt."""
        return self._has_newest_run_of(INPUTS)

    def in_the_past(self, time: Instant, generation: Generation) -> "JobHead":
        """The head for a time in the past, with the generation of that time. Of the runs that only may use their inputs
        the newest is kept: before its event, all are in doubt."""
        register = self.facts.run_facets.get(INPUTS)
        if not register or not self.latest:
            return self
        is_in_doubt = register.time > time or generation.run(register.value["runId"]) is not None
        of_time = Register(register.stamp, {"runId": self.latest.run_id} if is_in_doubt else None)
        return replace(self, facts=replace(self.facts, run_facets={**self.facts.run_facets, INPUTS: of_time}))

    def _has_newest_run_of(self, facet: str) -> bool:
        register = self.facts.run_facets.get(facet)
        match register and register.value:
            case {"runId": str(run_id)}:
                newest = {self.latest.run_id} if self.latest else set()
                return run_id in newest | {chosen.edges.run_id for chosen in self.generation.runs}
        return False

    @property
    def declared(self) -> Edges:
        """The edges of the newest JobEvent that names a dataset."""
        declared = self.facts.declared
        return edges_of([declared.time, "", *declared.value]) if declared else NO_EDGES

    @property
    def current(self) -> Edges:
        """The edges of the job now: of its generation, or of a newer JobEvent."""
        declared = self.facts.declared
        is_declared = declared is not None and declared.time >= self.generation.newest.edges.time
        return self.declared if is_declared else self.generation.edges

    @property
    def ever(self) -> Edges:
        """The edges to all datasets that the job ever used. Sources of outputs are those of the current edges."""
        usages, current = self.facts.usages, self.current
        inputs = tuple(DatasetRef(node, usages[node].name) for node in sorted(usages) if usages[node].reads)
        outputs = tuple(DatasetRef(node, usages[node].name) for node in sorted(usages) if usages[node].writes)
        return Edges(current.time, current.run_id, inputs, outputs, current.sources, current.foreign)

    @property
    def ever_written(self) -> list[DatasetId]:
        """The ids of the outputs of all time."""
        return [node for node, usage in self.facts.usages.items() if usage.writes]

    @property
    def listed_at(self) -> Instant:
        """The time by which its namespace lists the job: the START of its newest run moves the job.

        Each move takes two write units. Until the next START a Spark application sends a dozen events, and a stream
        sends thousands. The note of what was set aside moves the job, too, since such jobs are found by this list.
        """
        if self.latest is None:
            return self.facts.updated
        noted = [register for register in (self.facts.declared, self.facts.facets.get(SET_ASIDE)) if register]
        return max([self.facts.first, self.latest.started_at, *(register.time for register in noted)])

    def chooses(self, run: Run) -> bool:
        """Whether the run is this head's latest run, or one of its generation."""
        return run.order in (self.latest and self.latest.order, *(chosen.order for chosen in self.generation.runs))

    def column_lineages(self, dataset: DatasetId) -> dict[str, Instant]:
        """The digests of the job's column lineage for an output, each with its time: those of the generation; if it has
        none, the last that the job sent. Of too many, none is known."""
        usage = self.facts.usages.get(dataset)
        last = usage.facets.get(COLUMN_LINEAGE) if usage and usage.writes else None
        if last is None or last.value is None:
            return {}
        digests = self.generation.columns(dataset)
        if digests is None:
            return {}
        return dict(sorted({**(digests or {last.value: last.time})}.items()))

    @property
    def outputs_with_columns(self) -> set[DatasetId]:
        """The outputs of which the job ever sent column lineage."""
        usages = self.facts.usages.items()
        return {node for node, usage in usages if usage.writes and COLUMN_LINEAGE in usage.facets}

    def with_run(self, run: Run, began: Callable[[JobRunId], Instant] | None = None) -> "JobHead":
        """The head with one more run, or with a newer state of a run. With `began` (`Generation.has_to_be_read_again`),
        its generation is not known if that takes more runs than the head holds."""
        is_latest = self.latest is None or RunOrder(*run.order) >= self.latest.order
        latest = LatestRun.of(run) if is_latest else self.latest
        if not run.names_datasets:
            return replace(self, latest=latest)
        chosen = RunOfGeneration.of(run)
        is_enough = began is None or not self.generation.has_to_be_read_again(chosen, began)
        generation = self.generation.with_run(chosen)
        is_known = self.generation.is_known and is_enough
        return replace(self, latest=latest, generation=generation if is_known else generation._replace(is_known=False))

    def join(self, other: "JobHead") -> "JobHead":
        """The head by the facts and the runs of both heads, as long as each run is known in full to its head. Its runs
        are those that may be in the generation (`candidates`) until it is `complete`."""
        latest = max((run for run in (self.latest, other.latest) if run), key=lambda run: run.order, default=None)
        runs = candidates([*self.generation.runs, *other.generation.runs])
        return JobHead(self.facts.join(other.facts), latest, Generation(runs))

    @property
    def complete(self) -> "JobHead":
        """The head, once all its runs were joined."""
        return replace(self, generation=Generation.of(self.generation.runs))

    def was_thought_newer(self, run: Run) -> bool:
        """Whether a run is the latest run, and started earlier than the head has it."""
        return self.latest is not None and self.latest.run_id == run.run_id and self.latest.order > run.order


def _derivation(event: DatasetEvent) -> JobFacts | None:
    if not isinstance(event.dataset.facets.get(SOURCES), list):
        return None
    at = stamp(event)
    outputs = io_datasets([event.dataset], at)
    (output,) = outputs
    inputs = io_datasets(sources_of_dataset(event.dataset), at)
    declared = Register(at, Edges.between(event.time, "", inputs, outputs).of_no_run)
    usages = {
        node: DatasetUsage(source.name, True, False, NEVER if source.is_foreign else event.time, {})
        for node, source in inputs.items()
    }
    usages[output] = DatasetUsage(event.dataset.name, False, True, event.time, {}).join(usages.get(output))
    return JobFacts(event.dataset.name, event.time, event.time, {}, {}, declared, usages, is_derivation=True)


def _declared(event: JobEvent, at: Stamp) -> Register | None:
    inputs, outputs = io_datasets(event.inputs, at), io_datasets(event.outputs, at)
    return Register(at, Edges.between(event.time, "", inputs, outputs).of_no_run) if inputs or outputs else None


def _of_runs(event: RunEvent | JobEvent) -> Registers:
    """The parent facet of an event, the tags of its run, the jobs before and after it, whether the run only may use its
    inputs, whether its producer says that its lineage is incomplete, and the judgement on it."""
    if not isinstance(event, RunEvent):
        return {}
    facets = {
        PARENT: event.run_facets.get(PARENT),
        SENT_TAGS: run_tags(event.run_facets),
        JOB_DEPENDENCIES: job_dependencies_of(event.run_facets) or None,
        INPUTS: {"runId": event.run_id} if are_candidates(event.run_facets) else None,
        EXTRACTION_ERROR: {"runId": event.run_id} if incompleteness(event.run_facets) else None,
        f"{_JUDGED}{event.run_id}": event.run_facets.get(JUDGEMENT),
    }
    return {name: Register(stamp(event), facet) for name, facet in facets.items() if facet is not None}


def _newest_judgements(registers: Registers) -> Registers:
    """The registers with the last `KEPT_JUDGEMENTS`. Of one that is left out, no later join can need the value: as many
    that are newer stay."""
    judged = [name for name in registers if name.startswith(_JUDGED)]
    if len(judged) <= KEPT_JUDGEMENTS:
        return registers
    oldest = sorted(judged, key=lambda name: registers[name].stamp)[:-KEPT_JUDGEMENTS]
    return {name: register for name, register in registers.items() if name not in oldest}


def _usages(event: RunEvent | JobEvent) -> dict[DatasetId, DatasetUsage]:
    usages: dict[DatasetId, DatasetUsage] = {}
    for role in ("i", "o"):
        references = event.inputs if role == "i" else event.outputs
        columns = _columns(references, stamp(event, role), is_written=role == "o")
        for node, io_dataset in io_datasets(references, stamp(event, role)).items():
            elsewhere = NO_CLAIMS | (OF_THE_WRITE if role == "o" else frozenset())
            facets = {name: facet for name, facet in io_dataset.facets.items() if name not in elsewhere}
            facets |= columns.get(node, {})
            checked = RunOrder(event.time, event.run_id) if io_dataset.quality and isinstance(event, RunEvent) else None
            wrote = schema_register(facets) if role == "o" else None
            last = NEVER if io_dataset.is_foreign else event.time
            usage = DatasetUsage(io_dataset.name, role == "i", role == "o", last, facets, checked, wrote)
            usages[node] = usage.join(usages.get(node))
    return usages


def _columns(references: Iterable[DatasetReference], at: Stamp, *, is_written: bool) -> dict[DatasetId, Registers]:
    """The columns of the partial schemas of an event's inputs or outputs, by dataset."""
    columns: dict[DatasetId, Registers] = {}
    for reference in references:
        if PARTIAL in reference.facets:
            dataset = dataset_id(reference.name)
            own = column_registers(reference.facets, at, is_written=is_written)
            columns[dataset] = join_registers(own, columns.get(dataset, {}))
    return columns
