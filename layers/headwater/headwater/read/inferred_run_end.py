"""Actions that nobody ended, as they ended with their applications. It costs a read where there are any."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headwater.graph.application import is_query_job
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import JobHead
from headwater.graph.register import values
from headwater.graph.run import PARENT, ParentRef, Run, RunState, parent_reference
from headwater.openlineage.event import Facets
from headwater.store import item_codec, keys
from headwater.store.table import Table


def with_inferred_ends(table: Table, runs: Sequence[Run]) -> list[Run]:
    """Runs, each with an end of its own or with that of its application."""
    above = {run.run_id: run.parent for run in runs if run.parent and _is_open(run.state, values(run.job_facets))}
    applications = _ended(table, above.values())
    return [
        run.with_inferred_end(applications[parent]) if (parent := above.get(run.run_id)) in applications else run
        for run in runs
    ]


def heads_with_inferred_ends(table: Table, heads: Mapping[NodeId, JobHead]) -> dict[NodeId, JobHead]:
    """Jobs, of which the newest run has an end of its own or that of its application."""
    above = {job: parent for job, head in heads.items() if (parent := _above(head))}
    applications = _ended(table, above.values())
    return {
        job: _ended_by(head, applications[above[job]]) if above.get(job) in applications else head
        for job, head in heads.items()
    }


def _above(head: JobHead) -> ParentRef | None:
    if head.latest is None or not _is_open(head.latest.state, values(head.facts.facets)):
        return None
    return parent_reference(values(head.facts.run_facets).get(PARENT))


def _is_open(state: str, job_facets: Facets) -> bool:
    return state == RunState.RUNNING and is_query_job(job_facets)


def _ended(table: Table, applications: Iterable[ParentRef]) -> dict[ParentRef, Run]:
    """Those of the runs that have ended."""
    wanted = {keys.run(job_id(each.job), each.run_id): each for each in applications}
    items = table.read(wanted) if wanted else {}
    found = {wanted[key]: item_codec.read_run(item) for key, item in items.items()}
    return {each: run for each, run in found.items() if run.ending}


def _ended_by(head: JobHead, application: Run) -> JobHead:
    if head.latest is None:
        return head
    return replace(head, latest=head.latest._replace(state=application.state.value, ended_at=application.ended_at))
