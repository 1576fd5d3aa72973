"""Queries of an application without an end of their own."""

import pytest

from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from tests import factory
from tests.factory import Document
from tests.lookup.requests import RETENTION, LookupClient, after
from tests.lookup.test_cost import CountedTable

ACTION = {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="RDD_JOB")}
TASK = {"jobType": factory.facet(processingType="BATCH", integration="AIRFLOW", jobType="TASK")}


def started(run: int = 2, facets: Document = ACTION) -> Document:
    return factory.run_event(
        "START",
        job="app.map_partitions",
        run=run,
        seconds=10,
        run_facets={"parent": factory.parent(1, "app")},
        job_facets=facets,
        inputs=[factory.dataset("raw")],
    )


def application(kind: str, seconds: float = 60) -> Document:
    return factory.run_event(kind, job="app", run=1, seconds=seconds)


def states(get: LookupClient) -> set[str]:
    """State and end of the query job's run, in every response that shows the run."""
    run = get(f"jobs/runs/{factory.run_id(2)}")
    (child,) = get(f"jobs/runs/{factory.run_id(1)}/children")["runs"]
    (listed,) = get("namespaces/demo/jobs/app.map_partitions/runs")["runs"]
    job = get("namespaces/demo/jobs/app.map_partitions")["latestRun"]
    (in_list,) = [job for job in get("jobs")["jobs"] if job["name"] == "app.map_partitions"]
    (drawn,) = [
        node["data"] for node in get("lineage", nodeId="job:demo:app.map_partitions")["graph"] if node["type"] == "JOB"
    ]
    runs = [run, child, listed, job, in_list["latestRun"], drawn["latestRun"]]
    return {f"{run['state']} {run['endedAt']}" for run in runs}


@pytest.mark.parametrize(
    ("kind", "state"), [("COMPLETE", "COMPLETED"), ("FAIL", "FAILED"), ("ABORT", "ABORTED"), ("RUNNING", "RUNNING")]
)
def test_an_action_that_was_left_open_ended_with_its_application(kind: str, state: str) -> None:
    ended = None if kind == "RUNNING" else application(kind)["eventTime"]
    assert states(after(started(), application(kind))) == {f"{state} {ended}"}
    assert states(after(application(kind), started())) == {f"{state} {ended}"}


def test_an_end_of_its_own_is_its_end() -> None:
    failed = {**started(), "eventType": "FAIL"}
    assert {state.split()[0] for state in states(after(started(), failed, application("COMPLETE")))} == {"FAILED"}


def test_a_task_may_outlive_its_parent() -> None:
    assert {state.split()[0] for state in states(after(started(facets=TASK), application("COMPLETE")))} == {"RUNNING"}


def test_it_costs_a_read_for_a_list_and_none_where_nothing_is_open() -> None:
    def calls(*events: Document) -> int:
        table = CountedTable()
        fold(factory.received(*events), GraphStore(table, RETENTION))
        table.calls = 0
        LookupClient(table)("jobs")
        return table.calls

    parents = [factory.run_event("COMPLETE", job="app", run=1, seconds=60)]
    closed = [{**started(run), "eventType": "COMPLETE"} for run in range(2, 30)]
    opened = [started(run) for run in range(2, 30)]
    assert calls(*parents, *opened) == calls(*parents, *closed) + 1


def test_runs_of_one_id_end_each_by_the_job_that_is_theirs() -> None:
    """A producer renamed a job while it ran, or a run id was made twice."""
    stream = {"jobType": factory.facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
    runs = [("a", 1, 100), ("a", 2, 200), ("b", 1, 300)]
    get = after(*(factory.run_event("START", job=job, run=run, seconds=at, job_facets=stream) for job, run, at in runs))
    listed = {job["name"]: [run["state"] for run in job["latestRuns"]] for job in get("jobs")["jobs"]}
    assert listed == {"a": ["RUNNING", "ABORTED"], "b": ["RUNNING"]}
