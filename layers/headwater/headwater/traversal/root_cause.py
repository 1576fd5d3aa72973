"""Root cause of a wrong number: the failures and changes at a node and upstream of it since the last good run.

The suspect is the newest run that wrote the dataset, or the newest run of the job. The last good run is the newest run
that a person called good; without one, the newest run before the suspect that completed and has no failed children, of
its job or else of another job that wrote the dataset: it may have been as wrong. Any failure or change since the start
of the last good run, at the node or upstream, may be the cause, and a change of a schema before it, as long as it
stands (traversal/standing_changes.py). Without a last good run, any stored failure or change may be the cause.

    called good        changes                            completed        the suspect
        |                 a schema of a table that         |
        |                 is read as before: stands        |   each failure and change counts
        |--- other changes: told as earlier ones ----------|--------------------------------->

A run that was late or missing, or wrote an unusual amount by its job's rhythm, is a finding if it was before the
suspect ended and nothing above explains it (run_findings.py). So is the next run of a job that writes the dataset, if
it is late now, or that of the job for which it waits: a table that is not written any more has no newer run that would
show it.

The walk upstream costs two reads a hop. Then a job costs up to two queries, and a dataset three, or four if no write of
the dataset is known, or if its schema changed before the runs that are read. A change that may stand costs a query for
each of its readers, and judged runs one read for all, a query for each that started others, and a read for each level
of jobs above those upstream. The queries are concurrent. The numbers of nodes, and of runs and
versions of a node, are bounded.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import called
from headwater.graph.facets.dataset_reference import OUTPUT_STATISTICS, display_name
from headwater.graph.facets.members import is_drop
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.identity import DatasetId, JobId, NodeKind, dataset_id, job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.job import JobHead
from headwater.graph.states.rhythm import moment
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant, moved_back
from headwater.read.activity import Activity, KnownDataset, read_activity
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.good_writes import newest_good_writes, renames
from headwater.read.name_resolution import NamedNode
from headwater.read.neighbourhood import NameSpan
from headwater.read.reader import RUNS_AT_A_TIME, Reader
from headwater.read.schema_changes import SchemaChange
from headwater.read.window import Window
from headwater.store.ranges import run_position
from headwater.traversal.column_lineage import ColumnRelevance
from headwater.traversal.findings import Finding, FindingKind, UpstreamNode, of_quality_results, of_schemas
from headwater.traversal.lineage import Direction, Walk, walk_lineage
from headwater.traversal.lineage_graph import LineageGraph
from headwater.traversal.run_findings import following, of_changes, of_late, of_rhythm, of_runs, went_well
from headwater.traversal.standing_changes import Way, standing_changes

if TYPE_CHECKING:
    from headwater.traversal.expectations import Expected

MAX_NODES = 200
MAX_RUNS = 100
"""Writes of the dataset, or runs of the job, among which the suspect and the last good run are searched."""
LEVELS = 3
"""Levels of runs above a query that may be called good in its place: its application, a task, the DAG."""
COMPARED_WRITES = 10
"""Writes before that of the suspect, with which it is compared."""


class AmountWritten(NamedTuple):
    """A number of a write, None if it was not reported; the median of the last writes before that have it, and their
    number."""

    value: int | None
    median: int | None
    compared: int


class Amount(NamedTuple):
    """How much the suspect wrote: rows, and bytes."""

    rows: AmountWritten
    size: AmountWritten


@dataclass(frozen=True, slots=True)
class RootCause:
    """The findings, newest first, and for each job the number of its runs that went well. Of findings with the same
    time, the nearest comes first. Of a column, those come first that the likeliest explain it. `graph` is the graph
    upstream. `frontier` says what the search cannot see.

    last_good       the newest good run; `is_confirmed` if a person said so of the run, or of one above it
    earlier         the changes since a run that was called good that count no more, newest first
    amount          how much the suspect wrote; None if that is not reported
    knows_column    whether the column that was asked for is known
    distances       the distance of each dataset upstream
    """

    suspect: Run | None
    last_good: Run | None
    is_confirmed: bool
    findings: tuple[Finding, ...]
    earlier: tuple[Finding, ...]
    amount: Amount | None
    went_well: tuple[tuple[UpstreamNode, int], ...]
    is_truncated: bool
    graph: LineageGraph
    frontier: Frontier
    knows_column: bool
    distances: Mapping[DatasetId, int]

    @property
    def affecting(self) -> Finding | None:
        """The finding whose impact is to be asked for: the first, or the change that it follows from."""
        first = next(iter(self.findings), None)
        causes = first.details.get("causes") if first else None
        changed = (finding for finding in self.findings if finding.kind is FindingKind.SCHEMA_CHANGED)
        return next((each for each in changed if causes and each.node.node_id == causes[0]["nodeId"]), first)

    def outputs_of(self, finding: Finding) -> list[Name]:
        """What the job of a finding writes upstream, the nearest to the node first; otherwise everything it writes."""
        edges = self.graph.edges_of.get(job_id(finding.node.name))
        heads = (self.graph.datasets.get(self.graph.representative(node)) for node in edges.output_ids) if edges else ()
        names = {head.facts.name for head in heads if head}
        return sorted(names, key=lambda name: (self.distances.get(dataset_id(name), len(self.distances)), name))


def root_cause(reader: Reader, node: NamedNode, walk: Walk, now: Instant) -> RootCause:
    """The findings at a job or dataset and upstream of it, or for a column, until now or until a time. `walk` says how
    far upstream, in which view, and until when."""
    depth, view, as_of = walk.depth, walk.view, walk.as_of
    start = node._replace(kind=NodeKind.DATASET, field=None) if node.kind is NodeKind.FIELD else node
    graph = walk_lineage(reader, start, walk._replace(direction=Direction.UPSTREAM, most=MAX_NODES))
    ids, all_time = _ids(reader, graph), Window(NEVER, as_of)
    begin = graph.representative(start.dataset)
    spans = graph.renamed.get(begin) or [NameSpan(name) for name in sorted(ids.get(begin, ()))]
    suspect = _suspect(reader, start, spans, all_time)
    upstream = _upstream(graph, start)
    good = _good_runs(reader, graph, suspect, all_time)
    confirmed = good.get(job_id(suspect.job)) if suspect else None
    completed = _last_completed(reader, suspect, confirmed, all_time) if suspect else None
    if suspect and start.kind is NodeKind.DATASET and not (confirmed or completed):
        completed = _last_good_writer(reader, spans, suspect)
    last_good = confirmed or completed
    window = all_time._replace(since=last_good.started_at if last_good else NEVER)
    changes = all_time._replace(since=confirmed.started_at if confirmed else NEVER)
    jobs = [job for job in upstream.jobs if not graph.jobs[job].facts.is_derivation and not graph.jobs[job].is_foreign]
    own = {dataset: graph.datasets[dataset] for dataset in upstream.datasets if not graph.datasets[dataset].is_foreign}
    known = {dataset: KnownDataset(ids[dataset], head.facts.created) for dataset, head in own.items()}
    activity = read_activity(reader, window, changes.since, jobs, known)
    recent = max(changes.since, completed.started_at if completed else NEVER)
    columns = {dataset: {} if _is_gone(activity, dataset) else columns_of(head.schema) for dataset, head in own.items()}
    way = Way(columns, upstream.readers, activity.runs, good)
    standing = standing_changes(reader, activity.schema_changes, recent, way)
    found = _Found()
    for dataset, at in upstream.datasets.items():
        found.failures += of_quality_results(at, activity.checks.get(dataset, ()))
        for change in activity.schema_changes.get(dataset, ()):
            (found.changes if (dataset, change.at) in standing.changes else found.earlier).extend(
                of_schemas(at, [change])
            )
    for job, at in upstream.jobs.items():
        found.failures += of_runs(at, activity.runs.get(job, ()), window)
        for finding in of_changes(at, activity.runs.get(job, ()), changes, graph.representative):
            (found.changes if window.has(finding.at) else found.earlier).append(finding)
    if suspect and suspect.last:
        by_rhythms = _by_rhythms(upstream, activity, suspect, window)
        by_rhythms = _without_replaced(reader, graph, activity, suspect, by_rhythms)
        found.failures += _at_their_sources(reader, graph, by_rhythms)
        if as_of is None:
            missing = {each.node.name for each in found.failures if each.kind is FindingKind.RUN_MISSING}
            late = _not_come(reader, graph, upstream, now)
            found.failures += (each for each in late if each.node.name not in missing)
    changed = [finding for finding in found.changes if not _is_of(confirmed, finding)]
    failures = [
        following(finding, _changes_before(finding, upstream, activity)) if "message" in finding.details else finding
        for finding in found.failures
    ]
    findings = _newest_first([*failures, *changed])
    column = ColumnRelevance(reader, node, depth, as_of, view) if node.kind is NodeKind.FIELD else None
    return RootCause(
        suspect,
        last_good,
        is_confirmed=confirmed is not None,
        findings=tuple(column.ranked(findings, graph) if column else findings),
        earlier=tuple(_newest_first(finding for finding in found.earlier if not _is_of(confirmed, finding))),
        amount=_amount(suspect, activity.writes.get(graph.representative(start.dataset), ())),
        went_well=tuple(_went_well(upstream, activity, window)),
        is_truncated=graph.is_truncated or activity.is_truncated,
        graph=graph,
        frontier=_frontier(graph, upstream._replace(untold=standing.untold), activity, window, depth),
        knows_column=column is None or column.is_known or node.field in columns_of(_schema(graph, start)),
        distances={dataset: at.distance for dataset, at in upstream.datasets.items()},
    )


@dataclass(slots=True)
class _Found:
    failures: list[Finding] = field(default_factory=list)
    changes: list[Finding] = field(default_factory=list)
    earlier: list[Finding] = field(default_factory=list)


def _by_rhythms(upstream: "_Upstream", activity: Activity, suspect: Run, window: Window) -> dict[JobId, list[Finding]]:
    """Runs of each job that were late or missing, or wrote an unusual amount, until the suspect ended."""
    until = moment(suspect.ended_at or suspect.last)
    return {
        job: list(of_rhythm(upstream.jobs[job], rhythm, activity.runs.get(job, ()), until, window))
        for job, rhythm in activity.rhythms.items()
        if rhythm.observations
    }


def _without_replaced(
    reader: Reader, graph: LineageGraph, activity: Activity, suspect: Run, found: dict[JobId, list[Finding]]
) -> dict[JobId, list[Finding]]:
    """The findings without the runs that were missing of jobs whose place another had taken when the suspect ended."""
    from headwater.traversal.expectations import replaced  # noqa: PLC0415 - no function needs it to start

    missing = [job for job, each in found.items() if any(finding.kind is FindingKind.RUN_MISSING for finding in each)]
    begun = {job: max(moment(run.started_at) for run in activity.runs[job] if run.started_at) for job in missing}
    last_runs = {job: (graph.jobs[job], begun[job]) for job in missing}
    over = replaced(reader, last_runs, moment(suspect.ended_at or suspect.last))
    kept = {job: [each for each in found[job] if each.kind is not FindingKind.RUN_MISSING] for job in over}
    return found | kept


def _not_come(reader: Reader, graph: LineageGraph, upstream: "_Upstream", now: Instant) -> Iterator[Finding]:
    """The next run of each job that writes the dataset, or of the application that starts it, if the run is late, as
    its alert says; or that of the job for which it waits, however far above. Of a job, its own."""
    from headwater.traversal.expectations import expected, replaced  # noqa: PLC0415 - no function needs it to start

    first = min((at.distance for at in upstream.jobs.values()), default=0)
    left = {_by_the_clock(graph.jobs[job]): first for job, at in upstream.jobs.items() if at.distance == first}
    known, late = dict[JobId, int](), list["Expected"]()
    while left:
        known |= left
        found = expected(reader, [*left], now)
        above = {each.waits_for.id: left[job] + 1 for job, each in found.items() if each.waits_for}
        late += (each for each in found.values() if not each.waits_for)
        left = {job: distance for job, distance in above.items() if job not in known}
    over = replaced(reader, {each.id: each.last_run for each in late}, moment(now))
    for each in late:
        if each.id not in over:
            name = each.head.facts.name
            at = upstream.jobs.get(each.id) or UpstreamNode(NodeKind.JOB, name, known[each.id])
            yield from of_late(at, each, moment(now))


def _by_the_clock(head: JobHead) -> JobId:
    """The job, or of a query the application that starts it."""
    is_started = head.parent_name and is_query_job(values(head.facts.facets))
    return job_id(head.parent_name) if is_started and head.parent_name else head.facts.id


def _at_their_sources(reader: Reader, graph: LineageGraph, found: Mapping[JobId, list[Finding]]) -> Iterator[Finding]:
    """The findings not explained by anything the job reads. The appends of a loop have no usual amount."""
    for job, findings in found.items():
        inputs = {graph.representative(used) for used in graph.edges_of[job].input_ids}
        above = [
            other
            for source, edges in graph.edges_of.items()
            if source != job and inputs & {graph.representative(used) for used in edges.output_ids}
            for other in found.get(source, ())
        ]
        own = [finding for finding in findings if not any(_explains(other, finding) for other in above)]
        is_loop = any(finding.kind is FindingKind.VOLUME_UNUSUAL for finding in own) and reader.is_of_a_loop(job)
        yield from (finding for finding in own if not (is_loop and finding.kind is FindingKind.VOLUME_UNUSUAL))


def _explains(above: Finding, finding: Finding) -> bool:
    """Whether what was found at a job follows from what was found at a job whose tables it reads."""
    if finding.kind is FindingKind.VOLUME_UNUSUAL:
        return above.kind is finding.kind and above.at <= finding.at and _way(above) == _way(finding)
    return above.kind in (FindingKind.RUN_LATE, FindingKind.RUN_MISSING) and above.at <= finding.at


def _way(finding: Finding) -> tuple[bool, bool]:
    """Whether a run left a dataset out, and whether it wrote less than is usual."""
    details = finding.details
    return details["unit"] == "datasets", details["amount"] < details["usual"]["usual"]


def _changes_before(
    failure: Finding, upstream: "_Upstream", activity: Activity
) -> list[tuple[UpstreamNode, SchemaChange]]:
    """The changes of what a failed job reads between its last run that went well and the failure, the newest first."""
    job = job_id(failure.node.name)
    good = [run.started_at for run in activity.runs.get(job, ()) if went_well(run, Window(NEVER, failure.at))]
    changes = [
        (upstream.datasets[dataset], change)
        for dataset, readers in upstream.readers.items()
        if job in readers
        for change in activity.schema_changes.get(dataset, ())
        if good and good[-1] <= change.at <= failure.at
    ]
    return sorted(changes, key=lambda each: each[1].at, reverse=True)


def _is_gone(activity: Activity, dataset: DatasetId) -> bool:
    """Whether a dataset was dropped, and not written since."""
    changes, writes = activity.schema_changes.get(dataset), activity.writes.get(dataset)
    newest = max(writes, key=lambda write: write.output.first) if writes else None
    return bool(changes and changes[-1].is_drop and newest and is_drop(values(newest.output.facets)))


def _is_of(good: Run | None, change: Finding) -> bool:
    """Whether a change came with the run that was called good: it was good with the change."""
    return good is not None and (change.run_id == good.run_id or change.at in (good.started_at, good.ended_at))


def _newest_first(findings: Iterable[Finding]) -> list[Finding]:
    nearest = sorted(findings, key=lambda finding: (finding.node.distance, finding.node))
    return sorted(nearest, key=lambda finding: finding.at, reverse=True)


def _schema(graph: LineageGraph, start: NamedNode) -> object:
    head = graph.datasets.get(graph.representative(start.dataset))
    return head.schema if head else None


def _good_runs(reader: Reader, graph: LineageGraph, suspect: Run | None, window: Window) -> dict[JobId, Run]:
    """The newest run of each job that a person called good, itself or with a run above it, such as that of its
    application, and that did not fail; of the suspect's job not after the suspect. Runs are read if any was judged, and
    the jobs above those of the graph, a call for each level."""
    heads = dict(graph.jobs)
    if suspect and job_id(suspect.job) not in heads:
        heads |= reader.jobs([job_id(suspect.job)], usages=False)
    above, level = dict[JobId, JobHead](), heads
    for _ in range(LEVELS):
        parents = (
            {job_id(head.parent_name) for head in level.values() if head.parent_name} - heads.keys() - above.keys()
        )
        level = reader.jobs(parents, usages=False) if parents else {}
        above |= level
    ids = [run for head in (*heads.values(), *above.values()) for run in head.facts.good_runs]
    judged = [run for run in reader.runs(ids) if run.is_judged_good and run.may_be_good] if ids else []
    covered = [*judged, *_children_of(reader, [run for run in judged if run.id.job in above])]
    return {
        run.id.job: run
        for run in sorted(covered, key=lambda run: run.order)
        if run.id.job in heads
        and window.has(run.started_at)
        and not (suspect and run.job == suspect.job and run.order > suspect.order)
    }


def _children_of(reader: Reader, parents: Sequence[Run]) -> Iterator[Run]:
    """The runs below some runs that did not fail: a query for each of these, level by level."""
    for _ in range(LEVELS):
        listed = concurrent_map(
            lambda run: list(islice(reader.store.children_of(run.run_id).entries(limit=MAX_RUNS), MAX_RUNS)), parents
        )
        children = reader.runs([entry.id for entries in listed for entry in entries])
        parents = [run for run in children if run.may_be_good and any(run.is_child_of(parent) for parent in parents)]
        yield from parents


def _amount(suspect: Run | None, writes: Iterable[DatasetWrite]) -> Amount | None:
    ordered = sorted(writes, key=lambda write: write.output.first)
    own = next((write for write in reversed(ordered) if suspect and write.id.run == suspect.id), None)
    if own is None:
        return None
    before = [write for write in ordered if write.output.first < own.output.first and write.id != own.id]
    amount = Amount(*(_measured(own, before[-COMPARED_WRITES:], member) for member in ("rowCount", "size")))
    return amount if any(measured.value is not None for measured in amount) else None


def _measured(own: DatasetWrite, before: Iterable[DatasetWrite], member: str) -> AmountWritten:
    told = sorted(number for write in before if (number := _counted(write, member)) is not None)
    middle = (told[(len(told) - 1) // 2] + told[len(told) // 2]) // 2 if told else None
    return AmountWritten(_counted(own, member), middle, len(told))


def _counted(write: DatasetWrite, member: str) -> int | None:
    facet = values(write.output.io_facets).get(OUTPUT_STATISTICS)
    number = facet.get(member) if isinstance(facet, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


def _suspect(reader: Reader, node: NamedNode, spans: Collection[NameSpan], window: Window) -> Run | None:
    """The newest run that wrote the dataset, under any of its ids. For a job, its newest run."""
    if node.kind is NodeKind.JOB:
        newest = islice(reader.store.runs_of(node.job).newest(until=window.until, limit=1), 1)
        return next(iter(reader.runs(list(newest))), None)
    writers = [writer for span in spans if (writer := _newest_writer(reader, span, window))]
    return max(writers, key=lambda run: run.order, default=None)


def _newest_writer(reader: Reader, span: NameSpan, window: Window) -> Run | None:
    """The newest run that wrote a dataset under a name. Writes of events without a run do not count, nor renames."""
    line = reader.store.writes_of(span.id).between(span.since, span.end)
    newest = islice(line.newest(until=window.until, limit=MAX_RUNS), MAX_RUNS)
    while writes := list(islice(newest, RUNS_AT_A_TIME)):
        runs = reader.runs([write.run for write in writes])
        if writer := next((run for run in runs if not renames(run, span.id)), None):
            return writer
    return None


def _last_completed(reader: Reader, suspect: Run, confirmed: Run | None, window: Window) -> Run | None:
    """The newest run before the suspect that went well, not looking beyond the one that was called good."""
    if confirmed and confirmed.run_id == suspect.run_id:
        return None
    line = reader.store.runs_of(job_id(suspect.job))
    earlier = islice(line.newest(before=run_position(suspect), limit=MAX_RUNS), MAX_RUNS)
    while runs := list(islice(earlier, RUNS_AT_A_TIME)):
        if good := next((run for run in reader.runs(runs) if went_well(run, window)), None):
            return good
    return None


def _last_good_writer(reader: Reader, spans: Collection[NameSpan], suspect: Run) -> Run | None:
    """The run of another job that wrote the dataset well before the suspect: Spark names a query by its plan, so a
    program that was changed, or has failed, is another job."""
    just_before = moved_back(suspect.started_at, timedelta(microseconds=1))
    ((write, *_),) = newest_good_writes(reader, [spans], just_before)
    runs = reader.runs([write.run]) if write else []
    return next((run for run in runs if not run.failed_children), None)


class _Upstream(NamedTuple):
    """The nodes upstream, each with the distance of the shortest path; readers of each dataset on the way, and those
    of a changed one that report no code."""

    jobs: dict[JobId, UpstreamNode]
    datasets: dict[DatasetId, UpstreamNode]
    readers: dict[DatasetId, set[JobId]]
    untold: Collection[JobId] = ()


def _upstream(graph: LineageGraph, start: NamedNode) -> _Upstream:
    """The nodes upstream of the start, by the flow through each job."""
    upstream = _Upstream({}, {}, defaultdict(set))
    datasets = {graph.representative(start.dataset)}
    if start.kind is NodeKind.JOB and start.job in graph.jobs:
        upstream.jobs[start.job] = _job_at(graph.jobs[start.job], 0)
        datasets = {graph.representative(dataset) for dataset in graph.edges_of[start.job].input_ids}
        upstream.readers.update({dataset: {start.job} for dataset in datasets})
    distance = 0
    while datasets := (datasets & graph.datasets.keys()) - upstream.datasets.keys():
        for dataset in datasets:
            head = graph.datasets[dataset]
            display = display_name(head.facts.name, head.facets)
            upstream.datasets[dataset] = UpstreamNode(NodeKind.DATASET, head.facts.name, distance, display)
        distance += 1
        sources: set[DatasetId] = set()
        for job, edges in graph.edges_of.items():
            written = [output for output in edges.output_ids if graph.representative(output) in datasets]
            if written and job in graph.jobs:
                upstream.jobs.setdefault(job, _job_at(graph.jobs[job], distance))
                made_of = {graph.representative(source) for output in written for source in edges.upstream_of(output)}
                for source in made_of if not graph.jobs[job].facts.is_derivation else ():
                    upstream.readers[source].add(job)
                sources |= made_of
        datasets = sources
    return upstream


def _job_at(head: JobHead, distance: int) -> UpstreamNode:
    return UpstreamNode(NodeKind.JOB, head.facts.name, distance, called(values(head.facts.facets)))


def _ids(reader: Reader, graph: LineageGraph) -> dict[DatasetId, set[DatasetId]]:
    """The ids of each dataset under which states may be stored: its own id, and linked ids that events use."""
    ids = {dataset: {dataset} for dataset in graph.datasets}
    for other in reader.datasets(graph.representatives.keys() - ids.keys()):
        if graph.representative(other) in ids:
            ids[graph.representative(other)].add(other)
    return ids


def _frontier(graph: LineageGraph, upstream: _Upstream, activity: Activity, window: Window, depth: int) -> Frontier:
    """What was looked at since the last good run, else since the first event of a node upstream, and what was not."""
    jobs = {job: node for job, node in upstream.jobs.items() if job in activity.runs}
    foreign_jobs = sum(graph.jobs[job].is_foreign for job in upstream.jobs)
    datasets = {node: graph.datasets[node] for node in upstream.datasets if not graph.datasets[node].is_foreign}
    unwritten = datasets.keys() - {written for _, written in graph.writes}
    sources = {dataset for dataset in unwritten if not datasets[dataset].has_writer}
    is_ended_by_depth = any(upstream.datasets[dataset].distance >= depth for dataset in unwritten - sources)

    def ids(nodes: Iterable[UpstreamNode]) -> set[str]:
        return {node.node_id for node in nodes}

    unseen = blind_spots(
        (BlindSpot.JOBS_INCOMPLETE, ids(node for job, node in jobs.items() if graph.jobs[job].is_incomplete)),
        (BlindSpot.JOBS_WITHOUT_RUNS, ids(node for job, node in jobs.items() if not activity.runs[job])),
        (BlindSpot.JOBS_WITHOUT_CODE, ids(jobs[job] for job in upstream.untold if job in jobs)),
        (BlindSpot.WRITERS, ids(upstream.datasets[dataset] for dataset in sources)),
        (BlindSpot.SCHEMAS, ids(upstream.datasets[node] for node, head in datasets.items() if head.schema is None)),
        (BlindSpot.HIDDEN, foreign_jobs + len(upstream.datasets) - len(datasets)),
        (BlindSpot.BEYOND, int(is_ended_by_depth or graph.is_truncated or activity.is_truncated)),
    )
    since = min((head.facts.created for head in datasets.values()), default=NEVER)
    return Frontier(window.since or since, len(jobs), len(datasets), unseen)


def _went_well(upstream: _Upstream, activity: Activity, window: Window) -> Iterator[tuple[UpstreamNode, int]]:
    """The jobs with runs that went well, nearest first, each with the number of the runs."""
    for job, node in sorted(upstream.jobs.items(), key=lambda entry: (entry[1].distance, entry[1])):
        good = [run for run in activity.runs.get(job, ()) if went_well(run, window)]
        count = sum(window.has(run.ended_at or run.started_at) for run in good)
        if count:
            yield node, count
