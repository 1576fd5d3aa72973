"""`Run Failed`: one alert for each failure.

A run has one alert, whatever events come after its failure, and in whatever order. If a run fails because of one of its
children, or of an assertion, the alert is only about the child or the assertion (failure_cause).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from headwater.alerts.alert import Alert, DetailType, Record, distinct_owners, quantity, short_name
from headwater.alerts.downstream import suffering_from
from headwater.alerts.failure_cause import failure_id, is_told_elsewhere
from headwater.alerts.run_ancestors import ancestors_of, owners_of_job
from headwater.alerts.schema_cause import causes_of_failure
from headwater.graph.facets.dataset_reference import IoDatasets
from headwater.graph.facets.members import GIGABYTE, error_message, error_summary, owners_of, runtime_of, skewed_stage
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NodeKind, job_id, node_id
from headwater.graph.states.run import ParentRef, Run, RunState
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.read.run_end import messages_of

OUT_OF_MEMORY = re.compile(
    r"(?:^|: )(?:[a-z]+\.)*"
    r"(?P<java>\w*OutOfMemoryError: (?!Metaspace|[Uu]nable to create|Compressed class)[^\n]{1,100})"
    r"|\bexceeding (?:physical |virtual )?memory limits|^(?:[\w.]+\.)?(?:_Array)?MemoryError\b(?=:|\s*$)"
    r"|Not enough memory to build and broadcast the table|\b[Ee]xited with code 52\b",
    re.MULTILINE,
)
"""What the error of a run says that had too little memory for its data: Java, Spark, YARN, or Python in a UDF. An
executor of Spark that runs out of memory exits with 52. Too many threads or classes are an OutOfMemoryError as well."""
KILLED = re.compile(r"\b[Ee]xit(?:ed with)? (?:code|status)(?: is|:)? ?137\b")
"""What Spark says, by itself, on YARN and on Kubernetes, of an executor that SIGKILL ended. It does not say why."""
MAX_OUTPUTS = 50
"""Outputs of a run that an alert names."""


def run_failed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a changed run, if the run failed and had not failed before the change."""
    before: Run | None = record.change.before
    run: Run | None = record.change.after
    had_failed = before is not None and before.state is RunState.FAILED
    if run and run.state is RunState.FAILED and not had_failed and not is_told_elsewhere(reader, run):
        yield _alert(run, reader, record)


def _alert(run: Run, reader: Reader, record: Record) -> Alert:
    ancestors = ancestors_of(reader, run)
    application = ancestors.application
    outputs = run.outputs or _outputs_of(reader, application)
    owners = [owners_of(head.facets) for head in reader.datasets(outputs).values()]
    message = messages_of(reader.store, [run])[run.id]
    written = [node_id(NodeKind.DATASET, use.name) for use in outputs.values()]
    at, causes = run.ended_at or run.updated, causes_of_failure(reader, run)
    run_writing = replace(run, outputs=outputs)
    # What it usually writes is known of today, and an alert tells what was known when its event came.
    suffering = suffering_from(reader, run_writing, at, record.skip) if outputs else []
    lines = [
        f"Run {run.run_id} of job {run.job.name} in {run.job.namespace} failed at {shown(at)}{ancestors.as_text()}.",
        *([message] if message else []),
        *_memory(run),
        *_skew(run),
        *(cause.sentence for cause in causes),
        *(
            [f"It was writing {quantity(len(written), 'dataset')}, which may be stale: {_some(written)}."]
            * bool(written)
        ),
        *(line for each in suffering for line in each.lines("The failure", "affects", "affect")),
    ]
    return Alert(
        type=DetailType.RUN_FAILED,
        id=failure_id(run),
        time=at,
        severity=Severity.CRITICAL,
        kind=NodeKind.JOB,
        name=run.job,
        owners=distinct_owners(owners_of_job(reader, run), *owners, *(each.owners for each in suffering)),
        title=f"{short_name(_called(run, application))} failed{_while_writing(outputs) if application else ''}",
        lines=tuple(lines),
        group=job_id(run.job),
        details={
            "job": run.job.as_json(),
            "run": {"runId": run.run_id, "startedAt": shown(run.started_at), "endedAt": shown(at)},
            **ancestors.as_json(),
            "message": message or None,
            "outputs": written[:MAX_OUTPUTS],
            "causes": [cause.as_json() for cause in causes],
            "suffers": [each.as_json() for each in suffering],
        },
    )


def _called(run: Run, application: ParentRef | None) -> str:
    """The author's name for what failed; for a query, that of its application, with whose name the query's begins."""
    if application is None:
        return run.called
    of_query = run.job.name.removeprefix(application.job.name)
    return application.job.name if of_query == run.job.name else run.called.removesuffix(of_query)


def _memory(run: Run) -> Iterator[str]:
    """A sentence about a run whose error says that memory ran out, with the most that a task is known to have used; or
    that a process was killed, for which that is often the reason."""
    facets = values(run.facets)
    error = error_message(facets)
    if found := OUT_OF_MEMORY.search(error):
        peak = (runtime_of(facets) or {"peakMemoryBytes": 0})["peakMemoryBytes"]
        used = f": of the tasks that ended, one used {peak / GIGABYTE:,.1f} GB" if 10 * peak >= GIGABYTE else ""
        yield f"Memory ran out ({error_summary(found['java'] or found[0])}){used}."
    elif KILLED.search(error):
        yield "A process was killed (exit code 137). Often memory had run out; the error does not say."


def _skew(run: Run) -> Iterator[str]:
    """A sentence about the stage of Spark in which one task read most of what all read."""
    if stage := skewed_stage(values(run.facets)):
        most, all_ = stage["maxBytes"] / GIGABYTE, stage["bytes"] / GIGABYTE
        does = f" ({stage['operation']})" if "operation" in stage else ""
        yield f"In stage {stage['stage']}{does} one task read {most:,.0f} GB of {all_:,.0f}."


def _outputs_of(reader: Reader, application: ParentRef | None) -> IoDatasets:
    """The outputs of the run of an application, as far as they are known."""
    runs = reader.runs([application.id]) if application else []
    return runs[0].outputs if runs else {}


def _while_writing(outputs: IoDatasets) -> str:
    names = sorted(output.name.name for output in outputs.values())
    return f" while writing {short_name(names[0])}" if len(names) == 1 else ""


def _some(written: list[str], most: int = 3) -> str:
    names = ", ".join(map(short_name, written[:most]))
    return names if len(written) <= most else f"{names} and {len(written) - most} more"
