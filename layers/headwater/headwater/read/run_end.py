"""How a run ended: the inferred end of a run without an end event, and what went wrong in a run.

A query's run ends with its application, and a stream's run with the START of a newer run of its job. This takes one
read for each of the two, and none if every run has an end event.

What went wrong is one line, the same in alerts, on the board, on a run's page and in the terminal. Many failed runs do
not say: Spark ends an application COMPLETE, dbt says that dbt failed, Airflow that a task did.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from headwater.graph.facets.members import (
    MAX_FIRST_LINE,
    assertions_of,
    beat_of,
    describe_assertion,
    describe_failure,
    error_message,
    error_summary,
    facet_text,
    tests_of,
)
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId, job_id
from headwater.graph.producers import is_query_job, producer_of
from headwater.graph.states.job import JobHead, LatestRun
from headwater.graph.states.run import NOT_REPORTED, PARENT, Ending, ParentRef, Run, RunState, parent_reference
from headwater.openlineage.event import EventType
from headwater.openlineage.instant import FOREVER, NEVER, Instant, moved_back
from headwater.store.graph_store import GraphReader
from headwater.store.snapshot import ReadRequest

MIN_SILENCE = timedelta(minutes=15)
"""A run silent for less than this is never abandoned. It is also the interval of sweeps."""


def with_inferred_ends(store: GraphReader, runs: Sequence[Run]) -> list[Run]:
    """Runs, each with its own end or the end of its application."""
    open_runs = [run for run in runs if run.state is RunState.RUNNING]
    parents = {run.id: run.parent for run in open_runs if run.parent and is_query_job(values(run.job_facets))}
    applications = _ended(store, parents.values())
    known = [
        run.with_inferred_end(applications[parent]) if (parent := parents.get(run.id)) in applications else run
        for run in runs
    ]
    latest = _latest_runs(store, [run for run in known if run.state is RunState.RUNNING and is_stream(run)])
    return [_ended_by(run, latest[run.id]) if run.id in latest else run for run in known]


def is_stream(run: Run) -> bool:
    """Whether a run never ends by itself, by its jobType facet."""
    return facet_text(values(run.job_facets), "jobType", "processingType") == "STREAMING"


def _latest_runs(store: GraphReader, streams: Sequence[Run]) -> dict[JobRunId, LatestRun]:
    """The newest run of the job of each open run, where it has superseded the open run; by the open run's id."""
    if not streams:
        return {}
    heads = store.read(ReadRequest(jobs={run.id.job for run in streams})).jobs
    latest = {run.id: head.latest for run in streams if (head := heads.get(run.id.job)) and head.latest}
    return {run.id: latest[run.id] for run in streams if run.id in latest and latest[run.id].has_superseded(run)}


def _ended_by(run: Run, newer: LatestRun) -> Run:
    return replace(run, ending=Ending(failed=True, time=newer.started_at, digest="", type=EventType.ABORT))


def heads_with_inferred_ends(store: GraphReader, heads: Mapping[JobId, JobHead]) -> dict[JobId, JobHead]:
    """Heads of jobs, each with a latest run that has its own end or the end of its application, or that is not
    reported: only its children named it. A head cannot distinguish such a run from one with only a START."""
    parents = {job: parent for job, head in heads.items() if (parent := _application(head))}
    single = {job: JobRunId(job, head.latest.run_id) for job, head in heads.items() if head.latest and _has_one(head)}
    ids = {*(parent.id for parent in parents.values()), *single.values()}
    runs = store.read(ReadRequest(runs=ids)).runs

    def ended(job: JobId, head: JobHead) -> JobHead:
        named = runs.get(single[job]) if job in single else None
        if head.latest and (not head.is_reported or (named and not named.last)):
            return replace(head, latest=head.latest._replace(state=NOT_REPORTED))
        application = runs.get(parents[job].id) if job in parents else None
        return _with_inferred_end(head, application) if application and application.ending else head

    return {job: ended(job, head) for job, head in heads.items()}


def is_told_by_head(head: JobHead) -> bool:
    """Whether no other run tells more of the newest run of a job."""
    return _application(head) is None and not _has_one(head)


def _has_one(head: JobHead) -> bool:
    """Whether the newest run of a job may be one that only a child named: no later event of it is known."""
    latest = head.latest
    is_open = latest is not None and latest.state == RunState.RUNNING and head.is_reported
    return is_open and latest is not None and latest.started_at == latest.created == latest.updated


def _application(head: JobHead) -> ParentRef | None:
    if head.latest is None or head.latest.state != RunState.RUNNING or not is_query_job(values(head.facts.facets)):
        return None
    return parent_reference(values(head.facts.run_facets).get(PARENT))


def _ended(store: GraphReader, applications: Iterable[ParentRef]) -> dict[ParentRef, Run]:
    ids = {application: JobRunId(job_id(application.job), application.run_id) for application in applications}
    read = store.read(ReadRequest(runs=ids.values()))
    runs = {application: read.runs.get(run_id) for application, run_id in ids.items()}
    return {application: run for application, run in runs.items() if run and run.ending}


def _with_inferred_end(head: JobHead, application: Run) -> JobHead:
    if head.latest is None:
        return head
    return replace(head, latest=head.latest._replace(state=application.state.value, ended_at=application.ended_at))


MISSED_BEATS = 3


def allowed_by_beats(run: Run) -> timedelta | None:
    """The longest silence of a run that said how often it reports; None for others."""
    beat = beat_of(values(run.facets))
    return max(MIN_SILENCE, MISSED_BEATS * beat) if beat is not None else None


def silences(store: GraphReader, runs: Collection[Run], now: Instant) -> dict[JobRunId, Instant]:
    """When the open runs that have missed their heartbeats last reported, and the open queries of such an application.
    This is not an end: the run may have been killed or the network be down, and its next event revives it.

    Applications are read for open queries, unless the request has read them before, for inferred ends.
    """
    open_runs = [run for run in runs if run.state is RunState.RUNNING]
    parents = {run.id: run.parent.id for run in open_runs if run.parent and is_query_job(values(run.job_facets))}
    known = store.read(ReadRequest(runs=parents.values())).runs
    above = {run.id: run for run in known.of(parents.values())}
    beating = {run.id: above.get(parents.get(run.id, run.id), run) for run in open_runs}
    heard = {run.id: max(run.updated, beating[run.id].updated) for run in open_runs}
    allowed = {run: allowed_by_beats(beating[run]) for run in heard}
    silent = {run: at for run, at in heard.items() if (most := allowed[run]) and at <= moved_back(now, most)}
    ends = [moved_back(at, -most) for run, at in heard.items() if run not in silent and (most := allowed[run])]
    store.holds_between(now if silent else NEVER, min(ends, default=FOREVER))
    return silent


LEVELS = 5
"""Levels of failed runs below a run that are read for its message: a DAG, its task, the application, the query."""


def messages_of(store: GraphReader, runs: Collection[Run]) -> dict[JobRunId, str]:
    """What went wrong in each of some runs, in one line without secrets; empty if nothing did or nobody reported it.

    This is the run's own message, else that of its deepest failed child that has one. Children are read where a run
    says nothing: a call for a hundred, usually of one level.
    """
    messages = {run.id: "" for run in runs}
    wrong = [run for run in runs if run.failed_children or (run.ending and run.ending.failed)]
    below = _failed_below(store, wrong)
    return messages | {run.id: _own_message(run) or _deepest(run, below) or _summary(run) for run in wrong}


def failed_assertions(run: Run) -> list[dict[str, Any]]:
    """The assertions that failed in a run, except those that only warn."""
    assertions = [check for facets in run.quality_results.values() for check in assertions_of(values(facets))]
    return [check for check in assertions if check.get("success") is False and check.get("severity") != "warn"]


def _own_message(run: Run) -> str:
    """What a run itself says of what went wrong: the assertions that failed, its failed tests, or its error."""
    tests = [test for test in tests_of(values(run.facets)) if test["success"] is False]
    if failed := [*map(describe_assertion, failed_assertions(run))] or [*map(describe_failure, tests)]:
        return ", ".join(dict.fromkeys(failed))[:MAX_FIRST_LINE]
    summary = _summary(run)
    is_told_below = producer_of(values(run.job_facets), run.producer.value).tells_only_that_it_failed(summary)
    return "" if is_told_below else summary


def _summary(run: Run) -> str:
    return error_summary(error_message(values(run.facets)))


def _failed_below(store: GraphReader, runs: Iterable[Run]) -> dict[JobRunId, Run]:
    """The failed runs below those of some runs that say nothing, and so on below."""
    below: dict[JobRunId, Run] = {}
    for _ in range(LEVELS):
        wanted = {child.id for run in runs if not _own_message(run) for child in run.failed_children} - below.keys()
        if not wanted:
            break
        read = store.read(ReadRequest(runs=wanted)).runs
        runs = read.of(sorted(wanted))
        below |= {run.id: run for run in runs}
    return below


def _deepest(run: Run, below: Mapping[JobRunId, Run], levels: int = LEVELS) -> str:
    """The message of the deepest failed run below a run; a run that failed comes before one that was aborted."""
    failed = [below[child.id] for child in run.failed_children if child.id in below]
    above = {parent.id for child in failed for parent in child.parents}
    for child in sorted(failed, key=lambda child: (child.id in above, child.state is not RunState.FAILED)):
        if message := _own_message(child) or (levels and _deepest(child, below, levels - 1)):
            return message
    return ""
