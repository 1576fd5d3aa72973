"""Applications and their queries, as one node or as several."""

import pytest

from headwater.fold.fold import fold
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.traversal.rollup import jobs_started_by
from tests import factory
from tests.factory import Document
from tests.lookup.test_cost import CountedTable
from tests.producer_records import recorded
from tests.traversal.lineage import APPLICATION, LAKE, RETENTION, after, edges, ran

ACTION = {"jobType": factory.facet(processingType="STREAMING", integration="SPARK", jobType="SQL_JOB")}
TASK = {"jobType": factory.facet(processingType="BATCH", integration="AIRFLOW", jobType="TASK")}


def test_an_application_is_one_node_of_a_rolled_up_graph() -> None:
    get = after(*APPLICATION)
    expected = {("raw", "app"), ("app", "clean"), ("clean", "app"), ("app", "daily")}
    for node in (f"dataset:{LAKE}:raw", "job:demo:app", "job:demo:app.action1"):
        assert edges(get("lineage", nodeId=node, rollup="parent")) == expected


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
    get = after(*stream(micro_batches))
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:topic", **query)) == DRAWN
    assert get("namespaces/demo/jobs/app.topic_to_nothing/runs")["totalCount"] == micro_batches


def test_its_actions_are_drawn_when_asked_for() -> None:
    get = after(*stream(1))
    actions = {("topic", "app.topic_to_nothing"), ("app.nothing_to_orders", "orders")}
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:topic", rollup="none")) == DRAWN | actions
    assert edges(get("lineage", nodeId="job:demo:app.topic_to_nothing")) == DRAWN | actions


def test_a_dataset_of_a_query_alone_is_shown_as_its_application_s() -> None:
    drawn = edges(after(*stream(1), part("orders", "audit", run=30))("lineage", nodeId=f"dataset:{LAKE}:topic"))
    assert drawn == DRAWN | {("orders", "app"), ("app", "audit")}


def test_an_application_without_lineage_of_its_own_is_shown_by_its_queries() -> None:
    get = after(*APPLICATION)
    drawn = {("raw", "app.action1"), ("app.action1", "clean"), ("clean", "app.action2"), ("app.action2", "daily")}
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:raw")) == drawn


def test_a_task_is_no_action_and_stays_beside_the_job_that_started_it() -> None:
    get = after(ran("app", "topic", "orders", run=9), part("topic", "orders", run=10, facets=TASK))
    expected = {
        ("topic", "app"),
        ("app", "orders"),
        ("topic", "app.topic_to_orders"),
        ("app.topic_to_orders", "orders"),
    }
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:topic")) == expected


def below(parent: tuple[int, str], run: int, job: str, reads: str = "", writes: str = "") -> Document:
    return ran(job, reads, writes, run=run, seconds=run, run_facets={"parent": factory.parent(*parent)})


DAG = (
    ran("dag", "", "", run=1),
    below((1, "dag"), 2, "dag.clean"),
    below((2, "dag.clean"), 3, "app"),
    below((3, "app"), 4, "app.read", "raw", "clean"),
    below((3, "app"), 5, "app.write", "clean", "daily"),
    ran("report", "daily", "mail", run=6),
)


@pytest.mark.parametrize("requested", ["dag", "dag.clean", "app"])
def test_the_requested_job_is_one_node_with_all_that_it_started(requested: str) -> None:
    expected = {
        ("raw", requested),
        (requested, "clean"),
        ("clean", requested),
        (requested, "daily"),
        ("daily", "report"),
        ("report", "mail"),
    }
    answer = after(*DAG)("lineage", nodeId=f"job:demo:{requested}", rollup="parent")
    assert edges(answer) == expected
    assert {node["data"]["name"] for node in answer["graph"] if node["type"] == "JOB"} == {requested, "report"}


def test_children_of_queries_are_not_read() -> None:
    above = {"parent": factory.parent(1, "app")}
    started = [
        ran(f"app.action{run % 9}", "topic", "", run=run, run_facets=above, job_facets=ACTION) for run in range(10, 300)
    ]
    table = CountedTable()
    fold(factory.received(ran("app", "", "", run=1), *started), GraphStore(table, RETENTION))
    table.calls = 0
    assert len(jobs_started_by(Reader(GraphReader(table), Naming()), job_id(Name("demo", "app")))) == 9
    assert table.calls == 3, "the job, its children, and what these are"


@pytest.mark.parametrize("query", [{}, {"rollup": "parent"}, {"direction": "downstream"}])
@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_the_pages_of_a_rolled_up_graph_have_each_node_once(limit: int, query: dict[str, str]) -> None:
    batches = [part("topic", f"part{run % 2}", run=run) for run in range(20, 50)]
    numbered = [{**event, "job": {**event["job"], "name": f"app.batch{run}"}} for run, event in enumerate(batches)]
    get = after(ran("app", "topic", "orders", run=9), *numbered, ran("report", "orders", "daily", run=1))
    parameters = {"nodeId": f"dataset:{LAKE}:topic", **query}
    whole = {node["id"] for node in get("lineage", **parameters)["graph"]}
    assert len(whole) == 7
    pages: list[str] = []
    answer = get("lineage", limit=limit, **parameters)
    while True:
        pages += [node["id"] for node in answer["graph"]]
        if "cursor" not in answer:
            break
        answer = get("lineage", limit=limit, cursor=answer["cursor"], **parameters)
    assert sorted(pages) == sorted(whole)
    assert "truncated" not in answer


def test_an_application_under_a_task_is_one_node_also_if_it_tells_of_itself() -> None:
    application = ran("app", "topic", "orders", run=9, run_facets={"parent": factory.parent(1, "dag.task")})
    get = after(ran("dag.task", "", "", run=1), application, part("topic", "", run=20), part("", "orders", run=10))
    for node in (f"dataset:{LAKE}:topic", f"dataset:{LAKE}:orders", "job:demo:app"):
        assert edges(get("lineage", nodeId=node, rollup="parent")) == {("topic", "app"), ("app", "orders")}
    by_task = edges(get("lineage", nodeId="job:demo:dag.task", rollup="parent"))
    assert by_task == {("topic", "dag.task"), ("dag.task", "orders")}


def test_an_output_of_a_query_is_its_application_s_from_any_start() -> None:
    get = after(ran("app", "topic", "orders", run=9), part("topic", "audit", run=21))
    for node, direction in (("audit", "upstream"), ("topic", "downstream")):
        drawn = edges(get("lineage", nodeId=f"dataset:{LAKE}:{node}", direction=direction))
        assert ("app", "audit") in drawn
        assert not any("app." in name for edge in drawn for name in edge)


def scored() -> list[Document]:
    """An application whose one query reads a model, and another makes scores of visitors; `audit` is of its own."""
    loads, scores = part("model", "", run=10), part("visitors", "scores", run=11)
    looks, audits = part("visitors", "", run=12), part("log", "audit", run=13)
    return [ran("train", "visitors", "model", run=1), loads, scores, looks, audits, ran("app", "", "", run=9)]


UP = {("visitors", "train"), ("train", "model"), ("model", "app"), ("visitors", "app"), ("app", "scores")}


def test_what_an_application_only_reads_bears_on_what_it_writes() -> None:
    get = after(*scored())

    def drawn(name: str, direction: str) -> set[tuple[str, str]]:
        query = {"nodeId": f"dataset:{LAKE}:{name}", "direction": direction}
        return edges(get("lineage", rollup="parent", **query))

    assert drawn("scores", "upstream") == UP
    assert drawn("model", "downstream") == {("model", "app"), ("app", "scores"), ("app", "audit")}
    assert drawn("log", "downstream") == {("log", "app"), ("app", "audit")}
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:scores", rollup="parent")) >= UP


def test_without_roll_up_a_query_has_the_edges_that_it_told() -> None:
    drawn = edges(after(*scored())("lineage", nodeId=f"dataset:{LAKE}:scores", direction="upstream", rollup="none"))
    assert drawn == {("visitors", "app.visitors_to_scores"), ("app.visitors_to_scores", "scores")}


def test_an_application_that_loads_a_saved_model_reads_the_model_from_any_start() -> None:
    get = after(*recorded("spark", "model_trained"), *recorded("spark", "model_scores"))
    model = {("models/churn", "score_visitors"), ("train_churn", "models/churn"), ("score_visitors", "churn_scores")}
    for start, direction in (("churn_scores", "upstream"), ("visitors", "downstream"), ("churn_scores", "both")):
        graph = get("lineage", nodeId=f"dataset:file:/srv/lake/{start}", direction=direction, rollup="parent")
        drawn = {(a.removeprefix("/srv/lake/"), b.removeprefix("/srv/lake/")) for a, b in edges(graph)}
        assert drawn == model | {("visitors", "score_visitors"), ("visitors", "train_churn")}


def test_a_stream_is_one_node_at_risk() -> None:
    (owner,) = after(*stream(3))("impact", nodeId=f"dataset:{LAKE}:topic")["owners"]
    jobs = [node["nodeId"] for node in owner["items"] if node["nodeId"].startswith("job:")]
    assert jobs == ["job:demo:app", "job:demo:report"]


def test_what_a_job_only_may_use_stays_what_its_application_only_reads() -> None:
    """A pipeline of which nobody knows what it was fitted on may use all that the application has read."""
    doubtful = {"parent": factory.parent(9, "app"), "headwater_inputs": factory.facet(areCandidates=True)}
    saves = ran("app.model", "visitors names", "model", run=14, job_facets=ACTION, run_facets=doubtful)
    get = after(part("names", "", run=10), part("visitors", "scores", run=11), saves, ran("app", "", "", run=9))
    drawn = edges(get("lineage", nodeId=f"dataset:{LAKE}:scores", direction="upstream", rollup="parent"))
    assert drawn >= {("names", "app"), ("app", "scores")}
