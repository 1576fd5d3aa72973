"""The cause of a failed run, if another alert reports it: a failed child, or a failed assertion.

One failure fails many runs: a query, its application, the task that started the application, the DAG. Only the
innermost alerts. Children are known by their run ids (parent and root of the parent facet), whatever their jobs are
named.

    runs that failed                              alert about
    query of a Spark application, application     the query
    only an application                           the application
    statement of Spark, the query inside it       the query, as the jar beside the listener says
    write in a batch, batch, stream of Spark      the write; without one the stream
    model of dbt, wrapper                         the model
    test of dbt with a failed assertion, wrapper  the assertion
    test that dbt skipped, since a model failed   nothing: dbt sends FAIL, and the test never ran (ABORT, in dbt.py)
    test of several tables, or without assertions the test: nothing says which table is at fault
    wrapper, before the events of its test come   the wrapper: its alert is out, and the assertion has none
    task of Airflow, each of its queries          the task: the provider gives each query the state of its task
    try of an Airflow task that is tried again    nothing: the last try alerts, or if none comes, the DAG
"""

from datetime import timedelta
from itertools import islice

from headwater.alerts.alert import DetailType, id_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import job_id
from headwater.graph.producers import is_query_job, kind_of, producer_of
from headwater.graph.producers.producer import Producer
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.instant import to_datetime
from headwater.read.reader import Reader
from headwater.read.run_end import failed_assertions
from headwater.store.snapshot import ReadRequest

SAME_FAILURE = timedelta(minutes=1)
"""An application that fails within this time of a failure of one of its queries failed because of that query. Code of
an application may go on after a query failed. A DAG and a dbt run fail in the end, however long that takes."""
MAX_CHILDREN = 100
"""The children of a failed run among which a failed assertion is looked for."""


def is_told_elsewhere(reader: Reader, run: Run) -> bool:
    """Whether the failure of a run has no alert of its own: another alert reports its cause, or it is not a failure."""
    if _is_no_failure(run) or failed_assertions(run):
        return True
    return _failed_by_child(reader, run) or _is_told_above(reader, run)


def _is_no_failure(run: Run) -> bool:
    """Whether a failed run only has the state of another run, or will be retried."""
    job_facets = values(run.job_facets)
    producer = _producer(run)
    is_of_another = producer.has_state_of_parent(kind_of(job_facets)) or producer.is_told_by_another(values(run.facets))
    return is_of_another or _is_tried_again(run)


def _is_tried_again(run: Run) -> bool:
    return _producer(run).is_tried_again(values(run.facets))


def _producer(run: Run) -> Producer:
    return producer_of(values(run.job_facets), run.producer.value)


def _failed_by_child(reader: Reader, run: Run) -> bool:
    """Whether a run failed because of one of its children, whose failure raises an alert."""
    children = [child for child in reader.runs([child.id for child in run.failed_children]) if _is_cause(child, run)]
    heads = reader.jobs([child.id.job for child in children], usages=False) if children else {}
    return any(not _has_recovered(child, heads.get(child.id.job), run) for child in children) or (
        not children and _has_child_with_failed_assertion(reader, run)
    )


def _has_child_with_failed_assertion(reader: Reader, run: Run) -> bool:
    """Whether an assertion failed in a child whose end is not known yet."""
    ids = [child.id for child in islice(reader.store.children_of(run.run_id).entries(limit=MAX_CHILDREN), MAX_CHILDREN)]
    return any(_is_failing(child) for child in reader.runs(ids) if child.is_child_of(run))


def _is_failing(run: Run) -> bool:
    """Whether an assertion failed in a run that will fail because of it: dbt sends assertions with START, too."""
    return run.state is RunState.RUNNING and bool(failed_assertions(run))


def _is_told_above(reader: Reader, run: Run) -> bool:
    """Whether an alert reports the failure of a run above, or of another try of the same job under the same parent.

    The events of a run above, or of a later try, may come before those of the run: then that alert was sent, and is
    stored.
    """
    above = _failed_above(reader, run)
    failed = {ref.id for parent in above for ref in parent.failed_children if ref.job == run.job} - {run.id}
    tries = [other for other in reader.runs(sorted(failed)) if not _is_tried_again(other)]
    is_later_try = any(other.state is RunState.FAILED and other.order < run.order for other in tries)
    return is_later_try or _is_stored(reader, [*above, *tries])


def is_told_by_run_above(reader: Reader, run: Run) -> bool:
    """Whether an alert about a run above was sent before the events of this run came. This failure is its cause, and
    counts as reported with it."""
    return _is_stored(reader, _above(reader, run) if _is_failing(run) else _failed_above(reader, run))


def _failed_above(reader: Reader, run: Run) -> list[Run]:
    """The runs above that this run may have failed."""
    return [parent for parent in _above(reader, run) if _is_cause(run, parent)]


def _above(reader: Reader, run: Run) -> list[Run]:
    return reader.runs([ref.id for ref in sorted(run.parents)])


def _is_stored(reader: Reader, runs: list[Run]) -> bool:
    """Whether one of the failures of some runs has a stored alert."""
    told = [failure_id(run) for run in runs if run.state is RunState.FAILED]
    return bool(told and reader.store.read(ReadRequest(alerts=told)).alerts.of(told))


def failure_id(run: Run) -> str:
    """The id of the alert for a failed run."""
    return id_of(DetailType.RUN_FAILED, job_id(run.job), run.run_id)


def _is_cause(child: Run, run: Run) -> bool:
    if child.state is not RunState.FAILED or _is_no_failure(child):
        return False
    if not _is_query(child, run) or child.ended_at is None:
        return True
    return abs(to_datetime(run.ended_at or run.updated) - to_datetime(child.ended_at)) < SAME_FAILURE


def _is_query(child: Run, run: Run) -> bool:
    """Whether a child is a query of an application: by its jobType facet, or without the facet by its name."""
    facets = values(child.job_facets)
    return is_query_job(facets) or ("jobType" not in facets and child.job.name.startswith(f"{run.job.name}."))


def _has_recovered(child: Run, head: JobHead | None, run: Run) -> bool:
    """Whether a newer run of the child's job went well before the run ended: an orchestrator tried the task again."""
    latest = head.latest if head else None
    if latest is None or latest.run_id == child.run_id or latest.state != RunState.COMPLETED:
        return False
    return child.started_at < (latest.ended_at or latest.updated) <= (run.ended_at or run.updated)
