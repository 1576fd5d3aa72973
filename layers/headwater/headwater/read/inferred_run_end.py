"""Infers the end of a run without an end event: a query's run ends with its application, and a stream's run with the
START of a newer run of its job.

This takes one read for each of the two, and none if every run has an end event.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId, job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.job import JobHead, LatestRun
from headwater.graph.states.run import PARENT, Ending, ParentRef, Run, RunState, parent_reference
from headwater.openlineage.event import EventType, Facets
from headwater.store.graph_store import GraphReader
from headwater.store.snapshot import ReadRequest


def with_inferred_ends(store: GraphReader, runs: Sequence[Run]) -> list[Run]:
    """Runs, each with its own end or the end of its application."""
    open_runs = [run for run in runs if run.state is RunState.RUNNING]
    parents = {run.run_id: run.parent for run in open_runs if run.parent and is_query_job(values(run.job_facets))}
    applications = _ended(store, parents.values())
    known = [
        run.with_inferred_end(applications[parent]) if (parent := parents.get(run.run_id)) in applications else run
        for run in runs
    ]
    latest = _latest_runs(store, [run for run in known if run.state is RunState.RUNNING and is_stream(run)])
    return [_ended_by(run, latest[run.run_id]) if run.run_id in latest else run for run in known]


def is_stream(run: Run) -> bool:
    """Whether a run never ends by itself, by its jobType facet."""
    return facet_text(values(run.job_facets), "jobType", "processingType") == "STREAMING"


def _latest_runs(store: GraphReader, streams: Sequence[Run]) -> dict[str, LatestRun]:
    """The newest run of the job of each open run, where it has superseded the open run; by the open run's id."""
    if not streams:
        return {}
    heads = store.read(ReadRequest(jobs={run.id.job for run in streams})).jobs
    latest = {run.run_id: head.latest for run in streams if (head := heads.get(run.id.job)) and head.latest}
    return {
        run.run_id: latest[run.run_id]
        for run in streams
        if run.run_id in latest and latest[run.run_id].has_superseded(run)
    }


def _ended_by(run: Run, newer: LatestRun) -> Run:
    return replace(run, ending=Ending(failed=True, time=newer.started_at, digest="", type=EventType.ABORT))


def heads_with_inferred_ends(store: GraphReader, heads: Mapping[JobId, JobHead]) -> dict[JobId, JobHead]:
    """Heads of jobs, each with a latest run that has its own end or the end of its application."""
    parents = {job: parent for job, head in heads.items() if (parent := _application(head))}
    applications = _ended(store, parents.values())
    return {
        job: _with_inferred_end(head, applications[parents[job]]) if parents.get(job) in applications else head
        for job, head in heads.items()
    }


def _application(head: JobHead) -> ParentRef | None:
    if head.latest is None or not _is_open(head.latest.state, values(head.facts.facets)):
        return None
    return parent_reference(values(head.facts.run_facets).get(PARENT))


def _is_open(state: str, job_facets: Facets) -> bool:
    return state == RunState.RUNNING and is_query_job(job_facets)


def _ended(store: GraphReader, applications: Iterable[ParentRef]) -> dict[ParentRef, Run]:
    """The applications that have ended."""
    ids = {application: JobRunId(job_id(application.job), application.run_id) for application in applications}
    read = store.read(ReadRequest(runs=ids.values()))
    runs = {application: read.runs.get(run_id) for application, run_id in ids.items()}
    return {application: run for application, run in runs.items() if run and run.ending}


def _with_inferred_end(head: JobHead, application: Run) -> JobHead:
    if head.latest is None:
        return head
    return replace(head, latest=head.latest._replace(state=application.state.value, ended_at=application.ended_at))
