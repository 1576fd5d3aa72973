"""The job and run that a schema transition is attributed to."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from headwater.alerts.schema_transition import SchemaTransition
from headwater.alerts.schemas import newest_writes
from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.members import is_drop
from headwater.graph.facets.register import Register, values
from headwater.graph.names.identity import NO_JOB, DatasetId, WriteId
from headwater.graph.producers import integration_of
from headwater.graph.states.edges import DatasetUsage
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.reader import Reader

DROPPED = "dropped"
MAX_JOBS = 1_000
"""Jobs of a dataset that are read; a table may have more readers."""
MAX_RUNS = 20
"""Runs of a job that are read for the schemas that the job reported before."""
MAX_READERS = 10
"""Readers whose earlier runs are read if no reader's newest report has the schema."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The report of a schema: its time, and its job and run, if known.

    `earlier` are the job's runs before that run, newest first.
    """

    at: Instant
    job: JobHead | None = None
    run: Run | None = None
    earlier: tuple[Run, ...] = ()

    @property
    def since(self) -> Instant:
        """The earliest time at which the dataset may have had the schema: a run reports after it started to write."""
        return min(self.at, self.run.started_at) if self.run else self.at


def attribute_transition(reader: Reader, dataset: DatasetId, transition: SchemaTransition) -> Attribution | None:
    """The run that wrote the schema after a transition, or the first run that read the dataset with that schema.

    None if no job is known to have reported the schema.
    """
    if transition.side is Side.WRITES:
        return _writing_run(reader, dataset, transition)
    usages = [*users_of(reader, dataset, tuple(Side))]
    read = [(usage, job) for job, usage in usages if usage.reads]
    reports = [_SchemaReport(register, job) for usage, job in read if (register := schema_register(usage.facets))]
    reports.sort(key=lambda report: report.register.stamp)
    agreeing = [report for report in reports if report.register.value == transition.after]
    if agreeing:
        return _first_reading_run(reader, dataset, agreeing, [usage for _, usage in usages])
    # The reader has reported another schema since, perhaps in the same batch.
    runs = [
        run.attribution(report.job)
        for report in reports[-MAX_READERS:]
        for run in _reading_runs(reader, dataset, report.job)
        if run.register.value == transition.after
    ]
    return max(runs, key=lambda attribution: attribution.at, default=None)


def is_of_another_engine(
    reader: Reader, dataset: DatasetId, transition: SchemaTransition, attribution: Attribution
) -> bool:
    """Whether the schema before a transition is the word of another integration than the schema after."""
    if attribution.job is None or any(_has_schema(run, dataset, transition.before) for run in attribution.earlier):
        return False
    versions = _versions(reader, dataset)
    writers = reader.jobs(sorted({version.write.job for version in versions if version.schema == transition.before}))
    return _integration(attribution.job) not in map(_integration, writers.values())


def _integration(head: JobHead) -> str:
    return integration_of(values(head.facts.facets))


def _has_schema(run: Run, dataset: DatasetId, digest: str) -> bool:
    """Whether a run reported a schema of a dataset."""
    uses = (side.get(dataset) for side in (run.inputs, run.outputs))
    return any(register.value == digest for use in uses if use and (register := schema_register(use.facets)))


class _SchemaReport(NamedTuple):
    """The digest of the newest schema that a job reported of a dataset, and the job."""

    register: Register
    job: JobHead


def users_of(reader: Reader, dataset: DatasetId, sides: Collection[Side]) -> Iterator[tuple[JobHead, DatasetUsage]]:
    """The jobs that use a dataset on some sides, each with its usage of the dataset."""
    neighbourhood = reader.neighbourhood([dataset], sides, MAX_JOBS)
    users = neighbourhood.users.get(neighbourhood.representative(dataset), NO_NEIGHBOURS)
    heads = reader.jobs(sorted({job for side in sides for job in users[side]})[:MAX_JOBS])
    return ((head, head.facts.usages[dataset]) for head in heads.values() if dataset in head.facts.usages)


def _first_reading_run(
    reader: Reader, dataset: DatasetId, agreeing: Sequence[_SchemaReport], usages: Collection[DatasetUsage]
) -> Attribution:
    """The first of the runs that read a dataset with one schema, since another schema was last reported before these
    reports. The reports are the newest of each reader, the oldest first.

    A batch may have several runs of a reader, and several readers:

        10:00  report reads `id, coupon`
        11:00  report reads `id`            this run saw the change
        11:05  audit reads `id`
        12:00  report reads `id`            this run is the newest with the schema
    """
    newest = agreeing[-1].register
    registers = [register for usage in usages for register in (schema_register(usage.facets), usage.wrote)]
    since = _last_other(registers, newest)
    found: list[Attribution] = []
    for report in agreeing[: -MAX_READERS - 1 : -1]:
        if report.register.time <= since:
            break
        runs = _reading_runs(reader, dataset, report.job)
        since = max(since, _last_other((run.register for run in runs), newest))
        found += [run.attribution(report.job) for run in runs if run.register.value == newest.value]
    first = min((run for run in found if run.at > since), key=lambda attribution: attribution.at, default=None)
    return first or Attribution(newest.time, agreeing[-1].job)


def _last_other(registers: Iterable[Register | None], newest: Register) -> Instant:
    """The time of the last register with another value before the newest."""
    others = [register.time for register in registers if register and register.value != newest.value]
    return max((time for time in others if time < newest.time), default=NEVER)


class _ReadingRun(NamedTuple):
    """A run that reported a schema of a dataset that it read, and the job's runs before it."""

    register: Register
    run: Run
    earlier: tuple[Run, ...]

    def attribution(self, job: JobHead) -> Attribution:
        return Attribution(self.register.time, job, self.run, self.earlier)


def _reading_runs(reader: Reader, dataset: DatasetId, job: JobHead) -> list[_ReadingRun]:
    """The runs of a job that reported a schema of a dataset that they read, the newest first."""
    runs = _runs(reader, job)
    registers = [schema_register(use.facets) if (use := run.inputs.get(dataset)) else None for run in runs]
    return [
        _ReadingRun(register, runs[number], tuple(runs[number + 1 :]))
        for number, register in enumerate(registers)
        if register
    ]


class _WrittenVersion(NamedTuple):
    """A version of a dataset: `schema` is a digest, or DROPPED."""

    write: WriteId
    schema: str
    at: Instant


def _writing_run(reader: Reader, dataset: DatasetId, transition: SchemaTransition) -> Attribution | None:
    """The run that wrote the first of the consecutive versions with the schema after a transition.

    The later versions only repeat the schema. A drop that came late has no such run: by event time, a newer version
    was written.
    """
    # Consecutive versions with the same schema, the newest group first; each later transition began a newer group.
    groups = [[*group] for _, group in groupby(_versions(reader, dataset), key=lambda version: version.schema)]
    schema = DROPPED if transition.is_drop else transition.after
    expected = groups[transition.later_transitions : transition.later_transitions + 1]
    candidates = expected if transition.is_drop else [*expected, *groups]
    group = next((group for group in candidates if group[0].schema == schema), None)
    if group is None:
        return None
    write, _, at = group[-1]
    if write.job == NO_JOB:
        return Attribution(at)
    job = reader.jobs([write.job]).get(write.job)
    run = next(iter(reader.runs([write.run])), None)
    earlier = [other for other in _runs(reader, job) if other.order < run.order] if job and run else []
    return Attribution(at, job, run, tuple(earlier))


def _versions(reader: Reader, dataset: DatasetId) -> Iterator[_WrittenVersion]:
    """The versions with a known schema, the newest first."""
    for write in newest_writes(reader, dataset):
        register = schema_register(write.output.facets)
        if is_drop(values(write.output.facets)):
            yield _WrittenVersion(write.id, DROPPED, write.output.first)
        elif register:
            yield _WrittenVersion(write.id, register.value, register.time)


def _runs(reader: Reader, job: JobHead) -> list[Run]:
    return reader.newest_runs(job.facts.id, MAX_RUNS)
