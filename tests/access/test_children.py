"""A run has the children that name its job's namespace, beside its id: ids are known to others, and may be forged."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.alerts.heartbeat import Heartbeat
from headwater.graph.names.identity import JobId, JobRunId, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from headwater.store.table import Item
from headwater.traversal.rollup import jobs_started_by
from tests import factory
from tests.access.teams import A_LAKE, B_RUN, ROOT, A, B, Stack, event, two_teams
from tests.lookup.requests import RETENTION

DAG_RUN, TASK_RUN, FORGED_RUN = factory.run_id(50), factory.run_id(51), factory.run_id(52)


def child_of(namespace: str, job: str = "dag") -> factory.Document:
    return {"parent": factory.facet(run={"runId": DAG_RUN}, job={"namespace": namespace, "name": job})}


FORGED = event("COMPLETE", FORGED_RUN, "team-a", "forged", seconds=900, run_facets=child_of("team-a"))
"""A run of team A, whose parent is a job of team A with the run id of team B's DAG."""


@pytest.fixture
def stack() -> Stack:
    """A DAG of team B runs, and has one task."""
    stack = Stack()
    stack.post(B, event("START", DAG_RUN, "team-b", "dag"))
    stack.post(B, event("COMPLETE", TASK_RUN, "team-b", "task", seconds=60, run_facets=child_of("team-b")))
    return stack


def children(stack: Stack) -> tuple[list[str], int]:
    """The children of the DAG's run, as a caller of all namespaces sees them."""
    answer = stack.get(ROOT, f"jobs/runs/{DAG_RUN}/children").body
    return [run["id"] for run in answer["runs"]], answer["totalCount"]


def reader(stack: Stack) -> Reader:
    return Reader(stack.store.for_one_request(), stack.naming)


def dag_run(stack: Stack) -> Run:
    run = stack.store.read(ReadRequest(runs=[JobRunId(job_id(Name("team-b", "dag")), DAG_RUN)])).runs.all().values()
    return next(iter(run))


def started(stack: Stack, namespace: str, job: str) -> list[JobId]:
    return jobs_started_by(reader(stack), job_id(Name(namespace, job)))


def test_a_caller_of_all_namespaces_sees_and_counts_the_own_children_alone(stack: Stack) -> None:
    assert children(stack) == ([TASK_RUN], 1)
    assert stack.post(A, FORGED).status == 201
    assert children(stack) == ([TASK_RUN], 1)


def test_the_first_of_many_forged_children_hide_no_child(stack: Stack) -> None:
    for number in range(30):
        forged = event(
            "COMPLETE", factory.run_id(200 + number), "team-a", "f", seconds=1, run_facets=child_of("team-a")
        )
        stack.post(A, forged)
    assert children(stack) == ([TASK_RUN], 1)
    page = stack.get(ROOT, f"jobs/runs/{DAG_RUN}/children", limit="20").body
    page = stack.get(ROOT, f"jobs/runs/{DAG_RUN}/children", limit="20", cursor=page["cursor"]).body
    assert [run["id"] for run in page["runs"]] == [TASK_RUN]


def test_a_job_takes_no_job_over_that_another_team_says_it_started(stack: Stack) -> None:
    before = started(stack, "team-b", "dag")
    assert before == [job_id(Name("team-b", "task"))]
    stack.post(A, {**FORGED, "outputs": [factory.dataset("out", A_LAKE)]})
    assert started(stack, "team-b", "dag") == before


def test_a_job_that_last_ran_below_another_parent_is_still_started_by_the_first(stack: Stack) -> None:
    """The newest run of a job does not tell of each of its runs."""
    other = {"parent": factory.facet(run={"runId": factory.run_id(60)}, job={"namespace": "team-c", "name": "dag"})}
    stack.post(ROOT, event("COMPLETE", factory.run_id(61), "team-b", "task", seconds=500, run_facets=other))
    assert started(stack, "team-b", "dag") == [job_id(Name("team-b", "task"))]


def test_a_child_of_another_namespace_than_its_parent_counts_if_it_names_the_parent_s_namespace(stack: Stack) -> None:
    """Airflow and Spark mostly have namespaces of their own."""
    query = event("COMPLETE", factory.run_id(53), "spark", "query", seconds=70, run_facets=child_of("team-b"))
    stack.post(ROOT, query)
    assert children(stack) == ([TASK_RUN, factory.run_id(53)], 2)
    assert started(stack, "team-b", "dag") == sorted(job_id(Name(*n)) for n in (("team-b", "task"), ("spark", "query")))


def test_a_parent_that_sends_no_events_has_the_children_that_name_its_namespace(stack: Stack) -> None:
    ghost = {"parent": factory.facet(run={"runId": factory.run_id(70)}, job={"namespace": "team-b", "name": "ghost"})}
    forged = {"parent": factory.facet(run={"runId": factory.run_id(70)}, job={"namespace": "team-a", "name": "ghost"})}
    stack.post(B, event("COMPLETE", factory.run_id(71), "team-b", "task", seconds=10, run_facets=ghost))
    stack.post(A, event("COMPLETE", factory.run_id(72), "team-a", "task", seconds=20, run_facets=forged))
    answer = stack.get(ROOT, f"jobs/runs/{factory.run_id(70)}/children").body
    assert ([run["id"] for run in answer["runs"]], answer["totalCount"]) == ([factory.run_id(71)], 1)


@pytest.mark.parametrize("forged", [0, 1, 120])
def test_a_forged_child_is_no_sign_of_life(stack: Stack, forged: int) -> None:
    for number in range(forged):
        child = event(
            "COMPLETE", factory.run_id(300 + number), "team-a", "f", seconds=5_000, run_facets=child_of("team-a")
        )
        stack.post(A, child)
    heartbeat = Heartbeat(reader(stack), dag_run(stack))
    assert heartbeat.last_sign() == instant_of(factory.EPOCH + timedelta(seconds=60))
    assert list(heartbeat._beats()) == [instant_of(factory.EPOCH + timedelta(seconds=60))]


class CountingTable(MemoryTable):
    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        self.calls["read"] += 1
        return super().read(keys, only)

    def runs(self, run_id: str) -> list[Key]:
        self.calls["runs"] += 1
        return super().runs(run_id)


def test_children_cost_no_call_more_unless_the_id_is_in_several_namespaces(stack: Stack) -> None:
    counted = CountingTable()
    counted.items = stack.table.items
    stack = replace(stack, table=counted)
    children(stack)
    assert counted.calls == {"runs": 1, "read": 2}
    counted.calls.clear()
    Heartbeat(Reader(GraphStore(counted, RETENTION).for_one_request(), Naming()), dag_run(stack)).last_sign()
    assert counted.calls == {"read": 2}, "the run itself and its newest child"


def test_a_forged_child_is_not_counted() -> None:
    stack = two_teams()
    forged = factory.facet(run={"runId": B_RUN}, job={"namespace": "team-a", "name": "dag"})
    child = event("COMPLETE", factory.run_id(41), "team-a", "child", seconds=70, run_facets={"parent": forged})
    assert stack.post(A, child).status == 201
    assert stack.get(B, f"jobs/runs/{B_RUN}/children").body == {"runs": [], "totalCount": 0}
