"""`Run Failed`: once a run, whatever comes after its failure, and in whatever order; and once a failure, of the action
that failed and not of the application as well."""

from collections.abc import Iterator
from datetime import timedelta

from headwater.alerts.alert import Alert, Severity, Type, counted, id_of, link_to, short, united
from headwater.alerts.record import Record
from headwater.alerts.run_ancestors import ancestors_of
from headwater.graph.facets import error_message, first_line, owners_of
from headwater.graph.identity import NodeKind, job_id, node_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.openlineage.instant import shown, to_datetime
from headwater.read.reader import Reader
from headwater.store import item_codec, keys

MOST_OUTPUTS = 50
SOON = timedelta(minutes=1)
"""An application that fails so soon after one of its actions failed by that."""


def run_failed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a run, if it failed and had not failed before."""
    if record.after is None or (record.before and item_codec.read_run(record.before).state is RunState.FAILED):
        return
    run = item_codec.read_run(record.after)
    if run.state is RunState.FAILED and not _was_told(reader, run):
        yield _alert(run, reader)


def _was_told(reader: Reader, run: Run) -> bool:
    """Whether it is an application that failed by an action of its own, of which was told where it ran. One that
    outlived the failure of an action, and fails later, fails by something else."""
    own = f"{run.job.name}."
    actions = [each for each in run.failed_children if each.job.namespace == run.job.namespace]
    found = reader.read_runs([keys.run(job_id(job), run_id) for run_id, job in actions if job.name.startswith(own)])
    ends = [to_datetime(action.ended_at) for action in found if action.ended_at]
    return any(abs(to_datetime(run.ended_at or run.updated) - end) < SOON for end in ends)


def _alert(run: Run, reader: Reader) -> Alert:
    outputs = reader.datasets(run.outputs)
    owners = [owners_of(head.facets) for head in outputs.values()]
    of_run = ancestors_of(reader, run)
    message = first_line(error_message(values(run.facets)))
    written = [node_id(NodeKind.DATASET, use.name) for use in run.outputs.values()]
    at = run.ended_at or run.updated
    lines = [
        f"Run {run.run_id} of job {run.job.name} in {run.job.namespace} failed at {shown(at)}{of_run.told()}.",
        *([message] if message else []),
        *(
            [f"It was writing {counted(len(written), 'dataset')}, which may be stale: {_some(written)}."]
            * bool(written)
        ),
    ]
    return Alert(
        type=Type.RUN_FAILED,
        id=id_of(Type.RUN_FAILED, job_id(run.job), run.run_id),
        time=at,
        severity=Severity.CRITICAL,
        kind=NodeKind.JOB,
        name=run.job,
        owners=united(owners_of(values(run.job_facets)), *owners),
        title=f"{short(run.job.name)} failed",
        lines=tuple(lines),
        group=job_id(run.job),
        link=link_to("lineage", NodeKind.JOB, run.job),
        details={
            "job": run.job.as_json(),
            "run": {"runId": run.run_id, "startedAt": shown(run.started_at), "endedAt": shown(at)},
            **of_run.as_json(),
            "message": message or None,
            "outputs": written[:MOST_OUTPUTS],
        },
    )


def _some(written: list[str], most: int = 3) -> str:
    told = ", ".join(map(short, written[:most]))
    return told if len(written) <= most else f"{told} and {len(written) - most} more"
