"""The job and run that a schema transition is attributed to, by what was known when its event came.

An alert may be raised long after its event: if many events come at once, when all are known. So the run is searched
among the reports of the dataset's schemas in time order, and shown as it was at that time.

    10:00  report reads `id, coupon`
    11:00  report reads `id`            this run saw the change
    11:05  audit reads `id`
    12:00  report reads `id`            this run repeats the schema

A run mostly says the same of a dataset in each of its events. So a report dates from the first event of its run that
names the dataset, or from the first event of any run with the schema, if that is later. A run that names one schema at
its start and another at its end changes it twice; its report has only the last (`_restated`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import NamedTuple

from headwater.alerts.schema_transition import SchemaTransition
from headwater.alerts.schemas import MAX_VERSIONS, Schemas, newest_writes
from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.members import DROPPED, is_drop
from headwater.graph.facets.register import values
from headwater.graph.facets.renaming import renames_to
from headwater.graph.facets.schema import COLUMN, LAST
from headwater.graph.names.identity import NO_JOB, DatasetId, JobId, WriteId
from headwater.graph.producers import integration_of
from headwater.graph.states.edges import DatasetUsage
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.good_writes import wraps
from headwater.read.reader import Reader
from headwater.store.ranges import run_position

MAX_JOBS = 1_000
"""Jobs of a dataset that are read; a table may have more readers."""
MAX_RUNS = 20
"""Runs of a job that are read for the schemas that the job reported before."""
MAX_READERS = 10
"""Readers, those that reported last, whose runs are read."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The report of a schema: its time, and its job and run, if known.

    `earlier` are the job's runs before that run, newest first, and `others` the reports of other jobs before.
    """

    at: Instant
    job: JobHead | None = None
    run: Run | None = None
    earlier: tuple[Run, ...] = ()
    others: "tuple[Report, ...]" = ()

    @property
    def since(self) -> Instant:
        """The earliest time at which the dataset may have had the schema: a run reports after it started to write."""
        return min(self.at, self.run.started_at) if self.run else self.at


class Report(NamedTuple):
    """A report of a dataset's schema: `schema` is a digest, or DROPPED, also by a rename. `stated` is the time of the
    event that named it last, and `earlier` are the runs of the reader before."""

    at: Instant
    schema: str
    digest: str | None
    job: JobId
    run: Run | WriteId
    earlier: tuple[Run, ...] = ()
    stated: Instant = NEVER


def attribute_transition(schemas: Schemas, transition: SchemaTransition) -> Attribution | None:
    """The run that wrote the schema after a transition, or the first run that read the dataset with that schema.

    None if no job is known to have reported the schema.
    """
    return _writing_run(schemas, transition) if transition.side is Side.WRITES else _reading_run(schemas, transition)


def attribute_withdrawal(reader: Reader, dataset: DatasetId, gone: Collection[str]) -> Attribution:
    """The first run of the job that wrote the dataset without columns which the job had named before."""
    names = {f"{COLUMN}{name}" for name in gone}
    writers = [
        (usage.facets[LAST].time, max(usage.facets[name].time for name in names & usage.facets.keys()), head)
        for head, usage in users_of(reader, dataset, (Side.WRITES,))
        if LAST in usage.facets and names & usage.facets.keys()
    ]
    at, named, job = max(writers, key=lambda writer: writer[0])
    writes = [write for write in newest_writes(reader, dataset) if write.id.job == job.facts.id]
    is_all = any(write.output.first <= named for write in writes)  # else an older one may have been the first
    first = next((write.id.run for write in reversed(writes) if is_all and write.output.first > named), None)
    run = next(iter(reader.runs([first])), None) if first else None
    if run is None:
        return Attribution(at, job)
    at = run.ended_at or run.updated
    return Attribution(at, job, run.until(at), _runs_before(reader, run, at))


def is_of_another_engine(
    reader: Reader, dataset: DatasetId, transition: SchemaTransition, attribution: Attribution
) -> bool:
    """Whether the schemas before and after a transition come from different integrations."""
    if attribution.job is None or any(_has_schema(run, dataset, transition.before) for run in attribution.earlier):
        return False
    versions = _versions(reader, dataset, attribution.at)
    writers = reader.jobs(sorted({version.job for version in versions if version.schema == transition.before}))
    return _integration(attribution.job) not in map(_integration, writers.values())


def _integration(head: JobHead) -> str:
    return integration_of(values(head.facts.facets))


def _has_schema(run: Run, dataset: DatasetId, digest: str) -> bool:
    uses = (side.get(dataset) for side in (run.inputs, run.outputs))
    return any(register.value == digest for use in uses if use and (register := schema_register(use.facets)))


def users_of(reader: Reader, dataset: DatasetId, sides: Collection[Side]) -> Iterator[tuple[JobHead, DatasetUsage]]:
    """The jobs that use a dataset on some sides, each with its usage of the dataset."""
    neighbourhood = reader.neighbourhood([dataset], sides, MAX_JOBS)
    users = neighbourhood.users.get(neighbourhood.representative(dataset), NO_NEIGHBOURS)
    heads = reader.jobs(sorted({job for side in sides for job in users[side]})[:MAX_JOBS])
    return ((head, head.facts.usages[dataset]) for head in heads.values() if dataset in head.facts.usages)


def _first_report(schemas: Schemas, reports: Sequence[Report], transition: SchemaTransition) -> Report | None:
    """The first of the consecutive reports with the schema after a transition; the later ones only repeat the schema.
    Of a statement that Spark runs as two queries, it is that of the inner one.

    If the schema came several times, it is the newest time that followed the schema before, that has no alert yet, and
    that is before the `repeats`: the others may be in later batches of the stream.
    """
    groups = [[*group] for _, group in groupby(reports, key=lambda report: report.schema)]
    schema = DROPPED if transition.is_drop else transition.after
    known = [number for number, group in enumerate(groups) if group[0].schema == schema]
    following = [number for number in known if _last_digest(groups[number + 1 :]) == transition.before]
    found = following or known
    firsts = _innermost(schemas.reader, {number: groups[number][-2:] for number in found})
    if len(found) > 1:
        alerts = schemas.reader.store.alerts_of(schemas.dataset)
        told = {each.time for each in alerts if each.alert != transition.alert}
        found = [number for number in found if _reported_at(schemas, firsts[number], transition) not in told] or found
    return firsts[found[min(transition.repeats, len(found) - 1)]] if found else None


def _innermost(reader: Reader, reports: Mapping[int, Sequence[Report]]) -> dict[int, Report]:
    """The first of each few reports, the newest first; in place of one by a wrapper, that by the query inside."""
    ids = {each.run.run for few in reports.values() for each in few[1:] and few if isinstance(each.run, WriteId)}
    runs = {run.id: run for run in reader.runs(sorted(ids))} if ids else {}

    def first(few: Sequence[Report]) -> Report:
        match [runs.get(each.run.run) for each in few if isinstance(each.run, WriteId)]:
            case [Run() as inner, Run() as outer] if wraps(outer, inner):
                return few[0]
        return few[-1]

    return {number: first(few) for number, few in reports.items()}


def _reported_at(schemas: Schemas, first: Report, transition: SchemaTransition) -> Instant:
    """The time of a change by its first report, never before the new schema was first seen."""
    is_schema = transition.after is not None and not transition.is_drop
    return max(first.at, schemas.first(transition.after or "")) if is_schema else first.at


def _last_digest(groups: Sequence[Sequence[Report]]) -> str | None:
    """The schema of the newest version among reports, else the newest that a reader reported."""
    reports = [report for group in groups for report in group]
    versions = (report for report in reports if isinstance(report.run, WriteId))
    last = next(versions, reports[0] if reports else None)
    return last.digest if last else None


def _writing_run(schemas: Schemas, transition: SchemaTransition) -> Attribution | None:
    """The run that wrote the first of the consecutive versions with the schema after a transition.

    A drop that came late has no such run: by event time, a newer version was written.
    """
    reader, after = schemas.reader, None if transition.is_drop else transition.after
    versions = [*_versions(reader, schemas.dataset)]
    is_late = transition.is_drop and transition.after == transition.before
    if is_late and versions and (versions[0].schema, versions[0].digest) == (transition.before, transition.before):
        return None
    if restated := _restated(schemas, versions, transition):
        first, at = restated
    else:
        found = _first_report(schemas, versions, transition)
        if after and len(versions) == MAX_VERSIONS and found in (None, versions[-1]):
            # That many versions were written since.
            earliest = [*_versions(reader, schemas.dataset, schemas.first(after))]
            found = _first_report(schemas, earliest, transition) or found
        if found is None:
            return None
        first, at = found, _reported_at(schemas, found, transition)
    job = reader.jobs([first.job]).get(first.job) if first.job != NO_JOB else None
    run = next(iter(reader.runs([first.run.run])), None) if job and isinstance(first.run, WriteId) else None
    return Attribution(at, job, run.until(at), _runs_before(reader, run, at)) if run else Attribution(at, job)


def _restated(
    schemas: Schemas, versions: Sequence[Report], transition: SchemaTransition
) -> tuple[Report, Instant] | None:
    """The version of a run that changed the schema twice, and the time of one of these transitions.

    10:00  load wrote `id`
    11:00  START of report names `id, x`    from `id`
    11:09  COMPLETE names `id`              from `id, x`, which no version has any more
    """
    names, known = (transition.after, transition.before), {version.schema for version in versions}
    gone = next((name for name in names if name and name not in known), None)
    if gone is None or transition.after is None or transition.is_drop:
        return None
    came = schemas.first(gone)
    first = next((version for version in reversed(versions) if version.stated >= came), None)
    if first is None or (len(versions) == MAX_VERSIONS and first is versions[-1]):
        return None
    is_end = gone == transition.before
    if is_end and first.schema != transition.after:
        return None
    at = first.stated if is_end and first.at <= came else first.at
    return first, max(at, schemas.first(transition.after))


def _versions(reader: Reader, dataset: DatasetId, until: Instant | None = None) -> Iterator[Report]:
    """The versions with a known schema, the newest first."""
    for write in newest_writes(reader, dataset, until):
        register = schema_register(write.output.facets)
        digest = register.value if register else None
        facets = values(write.output.facets)
        schema = DROPPED if is_drop(facets) or renames_to(facets) else digest
        if schema:
            stated = register.time if register else NEVER
            yield Report(write.output.first, schema, digest, write.id.job, write.id, stated=stated)


def _runs_before(reader: Reader, run: Run, at: Instant) -> tuple[Run, ...]:
    """The runs of a job before a run, as they were at a time, the newest first."""
    line = reader.store.runs_of(run.id.job)
    ids = list(islice(line.newest(before=run_position(run), limit=MAX_RUNS), MAX_RUNS))
    return tuple(earlier.until(at) for earlier in reader.runs(ids))


def _reading_run(schemas: Schemas, transition: SchemaTransition) -> Attribution | None:
    """The first of the runs that read a dataset with the schema after a transition, since another schema was reported.

    A batch may have several runs of a reader, and several readers.
    """
    usages = [(head, usage) for head, usage in users_of(schemas.reader, schemas.dataset, (Side.READS,)) if usage.reads]
    newest = [(register, head) for head, usage in usages if (register := schema_register(usage.facets))]
    newest.sort(key=lambda report: report[0].stamp, reverse=True)
    readers = {head.facts.id: head for _, head in newest[:MAX_READERS]}
    reports = [report for report in _versions(schemas.reader, schemas.dataset) if report.schema != transition.after]
    reports += _reading_reports(schemas, readers, transition.after)
    reports.sort(key=lambda report: report.at, reverse=True)
    first = _first_report(schemas, reports, transition)
    if first is None or not isinstance(first.run, Run):
        agreeing = [head for register, head in newest if register.value == transition.after]
        return Attribution(schemas.first(transition.after or ""), agreeing[-1]) if agreeing else None
    others = tuple(report for report in reports if report.job != first.job)
    earlier = tuple(run.until(first.at) for run in first.earlier)
    return Attribution(first.at, readers[first.job], first.run.until(first.at), earlier, others)


def _reading_reports(schemas: Schemas, readers: Mapping[JobId, JobHead], after: str | None) -> Iterator[Report]:
    """The schemas that the runs of some jobs reported of a dataset that they read: when a run first named the dataset,
    and when it last did, since it may have ended after another schema was reported."""
    with_runs = [job for job, head in readers.items() if head.latest]
    for job, runs in schemas.reader.newest_runs_of_each(with_runs, MAX_RUNS).items():
        for number, run in enumerate(runs):
            use = run.inputs.get(schemas.dataset)
            register = schema_register(use.facets) if use else None
            if use and register:
                first = max(use.first, schemas.first(register.value)) if register.value == after else use.first
                for at in {first, register.time}:
                    yield Report(at, register.value, register.value, job, run, tuple(runs[number + 1 :]))
