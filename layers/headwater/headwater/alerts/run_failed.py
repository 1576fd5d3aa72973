"""`Run Failed`: one alert for each failure.

A run has one alert, whatever events come after its failure, and in whatever order. If a query of a Spark application
fails, and the application with it, the alert is about the query alone.
"""

from collections.abc import Iterator
from datetime import timedelta

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, link_to, quantity, short_name
from headwater.alerts.record import Record
from headwater.alerts.run_ancestors import ancestors_of
from headwater.graph.facets import error_message, error_summary, owners_of
from headwater.graph.identity import NodeKind, job_id, node_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.graph.stored_states import Severity
from headwater.openlineage.instant import shown, to_datetime
from headwater.read.reader import Reader

MAX_OUTPUTS = 50
"""Outputs of a run that an alert names."""
SAME_FAILURE = timedelta(minutes=1)
"""An application that fails within this time of a failure of one of its queries failed because of that query."""


def run_failed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a changed run, if the run failed and had not failed before the change."""
    before: Run | None = record.change.before
    run: Run | None = record.change.after
    had_failed = before is not None and before.state is RunState.FAILED
    if run and run.state is RunState.FAILED and not had_failed and not _failed_by_query(reader, run):
        yield _alert(run, reader)


def _failed_by_query(reader: Reader, run: Run) -> bool:
    """Whether a run is an application that failed because of one of its queries, which has an alert of its own.

    An application that outlived the failed query, and fails later, fails for another reason.
    """
    prefix = f"{run.job.name}."  # the jobs of a Spark application's queries are named after the application
    children = [child for child in run.failed_children if child.job.namespace == run.job.namespace]
    queries = reader.runs([child.id for child in children if child.job.name.startswith(prefix)])
    ends = [to_datetime(query.ended_at) for query in queries if query.ended_at]
    return any(abs(to_datetime(run.ended_at or run.updated) - end) < SAME_FAILURE for end in ends)


def _alert(run: Run, reader: Reader) -> Alert:
    outputs = reader.datasets(run.outputs)
    owners = [owners_of(head.facets) for head in outputs.values()]
    ancestors = ancestors_of(reader, run)
    message = error_summary(error_message(values(run.facets)))
    written = [node_id(NodeKind.DATASET, use.name) for use in run.outputs.values()]
    at = run.ended_at or run.updated
    lines = [
        f"Run {run.run_id} of job {run.job.name} in {run.job.namespace} failed at {shown(at)}{ancestors.as_text()}.",
        *([message] if message else []),
        *(
            [f"It was writing {quantity(len(written), 'dataset')}, which may be stale: {_some(written)}."]
            * bool(written)
        ),
    ]
    return Alert(
        type=DetailType.RUN_FAILED,
        id=id_of(DetailType.RUN_FAILED, job_id(run.job), run.run_id),
        time=at,
        severity=Severity.CRITICAL,
        kind=NodeKind.JOB,
        name=run.job,
        owners=distinct_owners(owners_of(values(run.job_facets)), *owners),
        title=f"{short_name(run.job.name)} failed",
        lines=tuple(lines),
        group=job_id(run.job),
        link=link_to("lineage", NodeKind.JOB, run.job),
        details={
            "job": run.job.as_json(),
            "run": {"runId": run.run_id, "startedAt": shown(run.started_at), "endedAt": shown(at)},
            **ancestors.as_json(),
            "message": message or None,
            "outputs": written[:MAX_OUTPUTS],
        },
    )


def _some(written: list[str], most: int = 3) -> str:
    names = ", ".join(map(short_name, written[:most]))
    return names if len(written) <= most else f"{names} and {len(written) - most} more"
