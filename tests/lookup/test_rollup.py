"""Applications and what they are made of, as one node or as several."""

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.test_lineage import APPLICATION, LAKE, after, edges, ran

ACTION = {"jobType": factory.facet(processingType="STREAMING", integration="SPARK", jobType="SQL_JOB")}
TASK = {"jobType": factory.facet(processingType="BATCH", integration="AIRFLOW", jobType="TASK")}


def test_an_application_is_one_node_of_a_rolled_up_graph() -> None:
    ask = after(*APPLICATION)
    found = {("raw", "app"), ("app", "clean"), ("clean", "app"), ("app", "daily")}
    for node in (f"dataset:{LAKE}:raw", "job:demo:app", "job:demo:app.action1"):
        assert edges(ask("lineage", nodeId=node, rollup="parent")) == found


def part(reads: str, writes: str, *, run: int, facets: Document = ACTION) -> Document:
    """One of the runs that run 9 of `app` started, of a job named by what it does."""
    name = f"app.{reads or 'nothing'}_to_{writes or 'nothing'}"
    parent = {"parent": factory.parent(9, "app")}
    return ran(name, reads, writes, run=run, seconds=run, run_facets=parent, job_facets=facets)


def stream(micro_batches: int) -> list[Document]:
    """A stream as the listener tells of it, whose application says where it leads; then a report on it."""
    batches = [part("topic", "", run=run) for run in range(20, 20 + micro_batches)]
    created, report = part("", "orders", run=10), ran("report", "orders", "daily", run=1)
    return [created, ran("app", "topic", "orders", run=9), *batches, report]


DRAWN = {("topic", "app"), ("app", "orders"), ("orders", "report"), ("report", "daily")}


@pytest.mark.parametrize("micro_batches", [1, 5])
@pytest.mark.parametrize("query", [{}, {"direction": "downstream"}, {"direction": "both"}])
def test_a_stream_that_tells_of_itself_is_one_job_whatever_number_of_batches_ran(
    micro_batches: int, query: dict[str, str]
) -> None:
    ask = after(*stream(micro_batches))
    assert edges(ask("lineage", nodeId=f"dataset:{LAKE}:topic", **query)) == DRAWN
    assert ask("namespaces/demo/jobs/app.topic_to_nothing/runs")["totalCount"] == micro_batches


def test_its_actions_are_drawn_when_asked_for() -> None:
    ask = after(*stream(1))
    actions = {("topic", "app.topic_to_nothing"), ("app.nothing_to_orders", "orders")}
    assert edges(ask("lineage", nodeId=f"dataset:{LAKE}:topic", rollup="none")) == DRAWN | actions
    assert edges(ask("lineage", nodeId="job:demo:app.topic_to_nothing")) == DRAWN | actions


def test_what_only_an_action_tells_of_is_drawn_as_its_applications() -> None:
    ask = after(*stream(1), part("orders", "audit", run=30))
    found = edges(ask("lineage", nodeId=f"dataset:{LAKE}:topic"))
    assert found == DRAWN | {("orders", "app"), ("app", "audit")}


def test_an_application_that_says_nothing_of_itself_has_its_actions_drawn() -> None:
    ask = after(*APPLICATION)
    drawn = {("raw", "app.action1"), ("app.action1", "clean"), ("clean", "app.action2"), ("app.action2", "daily")}
    assert edges(ask("lineage", nodeId=f"dataset:{LAKE}:raw")) == drawn


def test_a_task_is_no_action_and_stays_beside_the_job_that_started_it() -> None:
    ask = after(ran("app", "topic", "orders", run=9), part("topic", "orders", run=10, facets=TASK))
    found = {("topic", "app"), ("app", "orders"), ("topic", "app.topic_to_orders"), ("app.topic_to_orders", "orders")}
    assert edges(ask("lineage", nodeId=f"dataset:{LAKE}:topic")) == found
