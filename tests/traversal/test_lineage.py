"""GET /lineage: direction, depth, view, time and pages; explicit lineage, symlinks and applications."""

from typing import Any

import pytest

from headwater.lookup.text.display import Display
from headwater.lookup.text.lineage import render
from tests import factory
from tests.traversal.lineage import APPLICATION, LAKE, TABLE, after, edges, nodes, ran

CHAIN = (
    ran("load", "raw", "clean", run=1),
    ran("report", "clean rates", "daily", run=2),
    ran("publish", "daily", "board", run=3),
    ran("audit", "clean", "findings", run=4),
)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("upstream", {"daily", "report", "clean", "rates", "load", "raw"}),
        ("downstream", {"daily", "publish", "board"}),
        ("both", {"daily", "report", "clean", "rates", "load", "raw", "publish", "board"}),
    ],
)
def test_lineage_in_one_direction_has_no_siblings(direction: str, expected: set[str]) -> None:
    assert nodes(after(*CHAIN)("lineage", nodeId=f"dataset:{LAKE}:daily", direction=direction)) == expected


def test_from_a_job_its_own_datasets_on_that_side_come_first() -> None:
    get = after(*CHAIN)
    assert nodes(get("lineage", nodeId="job:demo:report", direction="upstream", depth=0)) == {
        "report",
        "clean",
        "rates",
    }
    assert nodes(get("lineage", nodeId="job:demo:report", direction="downstream", depth=1)) == {
        "report",
        "daily",
        "publish",
        "board",
    }


def test_without_a_direction_the_siblings_are_there_as_in_marquez() -> None:
    assert "findings" in nodes(after(*CHAIN)("lineage", nodeId=f"dataset:{LAKE}:daily"))


def test_depth_counts_jobs() -> None:
    get = after(*CHAIN)
    drawn = [nodes(get("lineage", nodeId=f"dataset:{LAKE}:board", direction="upstream", depth=d)) for d in (0, 1, 2)]
    assert drawn == [
        {"board"},
        {"board", "publish", "daily"},
        {"board", "publish", "daily", "report", "clean", "rates"},
    ]


def test_a_cycle_ends() -> None:
    get = after(ran("there", "a", "b", run=1), ran("back", "b", "a", run=2))
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:a", direction="both")) == {
        ("a", "there"),
        ("there", "b"),
        ("b", "back"),
        ("back", "a"),
    }


MOVED = (ran("load", "old", "clean", run=1, seconds=0), ran("load", "new", "clean", run=2, seconds=100))


def test_the_current_view_has_the_newest_run_and_ever_has_all() -> None:
    get = after(*MOVED)
    node = {"nodeId": f"dataset:{LAKE}:clean", "direction": "upstream"}
    assert nodes(get("lineage", **node)) == {"clean", "load", "new"}
    assert nodes(get("lineage", view="ever", **node)) == {"clean", "load", "new", "old"}
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:old", view="ever")) == {"clean", "load", "new", "old"}


@pytest.mark.parametrize(
    ("seconds", "expected"), [(-1, {"clean"}), (50, {"clean", "load", "old"}), (200, {"clean", "load", "new"})]
)
def test_as_of_a_time_is_what_was_current_then(seconds: float, expected: set[str]) -> None:
    answer = after(*MOVED)("lineage", nodeId=f"dataset:{LAKE}:clean", direction="upstream", asOf=factory.at(seconds))
    assert nodes(answer) == expected


def test_as_of_a_time_a_dataset_has_the_schema_of_then() -> None:
    outputs = [factory.dataset("clean", schema=factory.schema(f"id:{kind}")) for kind in ("long", "string")]
    get = after(
        ran("load", "raw", "", run=1, seconds=0, outputs=[outputs[0]]),
        ran("load", "raw", "", run=2, seconds=100, outputs=[outputs[1]]),
    )

    def kind(**query: str) -> str:
        graph = get("lineage", nodeId=f"dataset:{LAKE}:clean", **query)["graph"]
        return next(node["data"]["fields"][0]["type"] for node in graph if node["data"]["name"] == "clean")  # type: ignore[no-any-return]

    assert (kind(), kind(asOf=factory.at(50)), kind(asOf="9999-01-01T00:00:00Z")) == ("string", "long", "string")


@pytest.mark.parametrize("query", [{"asOf": "yesterday"}, {"direction": "sideways"}, {"view": "x"}, {"cursor": "x"}])
def test_a_wrong_value_is_named(query: dict[str, str]) -> None:
    answer = after(*CHAIN)("lineage", nodeId=f"dataset:{LAKE}:daily", **query)
    assert (answer["code"], answer["faults"][0].split(":")[0]) == (400, *query)


@pytest.mark.parametrize("bound", [{"depth": 10**9}, {"limit": 10**9}, {"offset": 10**9}])
def test_parameters_beyond_their_bounds_are_cut(bound: dict[str, int]) -> None:
    assert "graph" in after(*CHAIN)("lineage", nodeId=f"dataset:{LAKE}:daily", **bound)


def test_pages_by_cursor_are_the_whole_graph_once_nearest_first() -> None:
    get = after(*CHAIN)
    query: dict[str, Any] = {"nodeId": f"dataset:{LAKE}:raw", "direction": "downstream"}
    whole = get("lineage", **query)
    pages = [get("lineage", limit=3, **query)]
    while "cursor" in pages[-1]:
        pages.append(get("lineage", limit=3, cursor=pages[-1]["cursor"], **query))
    ids = [node["id"] for page in pages for node in page["graph"]]
    assert sorted(ids) == [node["id"] for node in whole["graph"]]
    assert nodes(pages[0]) >= {"raw", "load"}
    assert [page.get("truncated", False) for page in pages] == [True] * (len(pages) - 1) + [False]


BULK = factory.facet(entries=[factory.made_of("c", "a"), factory.made_of("d", "b")])


def test_explicit_lineage_invents_no_cartesian_product() -> None:
    get = after(ran("bulk", "a b", "c d", run=1, job_facets={"lineage": BULK}))
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:c", direction="upstream")) == {"c", "bulk", "a"}
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:b", direction="downstream")) == {"b", "bulk", "d"}


def test_explicit_lineage_knows_datasets_that_the_event_does_not_list_and_generators() -> None:
    entries = [factory.made_of("c", "a"), factory.made_of("generated")]
    get = after(ran("bulk", "x", "", run=1, job_facets={"lineage": factory.facet(entries=entries)}))
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:c", direction="upstream")) == {"c", "bulk", "a"}
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:generated", direction="upstream")) == {"generated", "bulk"}


def test_a_view_without_a_job_hangs_on_its_tables() -> None:
    view = factory.dataset("view", lineage=factory.facet(**factory.made_of("view", "a", "b")))
    get = after(factory.dataset_event(view), ran("load", "raw", "a", run=1))
    answer = get("lineage", nodeId=f"dataset:{LAKE}:view", direction="upstream")
    assert edges(answer) == {("a", "view"), ("b", "view"), ("load", "a"), ("raw", "load")}
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:raw")) >= {"view", "b"}


PATH = factory.dataset("wh/orders", symlinks=factory.symlinks("sales.orders", namespace="hive://h:9083"))


@pytest.mark.parametrize("order", [1, -1])
def test_a_symlink_makes_one_of_two_graphs_whenever_it_arrives(order: int) -> None:
    events = [ran("load", "raw", "", run=1, outputs=[PATH]), ran("report", "", "daily", run=2, inputs=[TABLE])]
    get = after(*events[::order])
    expected = {"raw", "load", "wh/orders", "report", "daily"}
    for node in (
        f"dataset:{LAKE}:daily",
        f"dataset:{LAKE}:wh/orders",
        "dataset:hive://h:9083:sales.orders",
        "job:demo:load",
    ):
        assert nodes(get("lineage", nodeId=node)) == expected
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:raw", direction="downstream")) == expected
    aliases = get("namespaces/hive%3A%2F%2Fh%3A9083/datasets/sales.orders")
    assert (aliases["name"], aliases["aliases"]) == (
        "wh/orders",
        [{"namespace": "hive://h:9083", "name": "sales.orders"}],
    )


def test_an_unused_symlink_answers_too() -> None:
    get = after(ran("load", "raw", "", run=1, outputs=[PATH]))
    assert nodes(get("lineage", nodeId="dataset:hive://h:9083:sales.orders")) == {"raw", "load", "wh/orders"}
    assert get("namespaces/hive%3A%2F%2Fh%3A9083/datasets/sales.orders")["name"] == "wh/orders"


@pytest.mark.parametrize("name", ["s3://lake:wh/orders", "s3a://lake:wh/orders", "s3n://lake:/wh/orders/"])
def test_every_spelling_answers(name: str) -> None:
    spelled = [factory.dataset("wh/orders", "s3a://lake"), factory.dataset("/wh/orders/day=1/part-00000-x.parquet")]
    get = after(
        ran("load", "raw", "", run=1, outputs=spelled[:1]), ran("report", "", "daily", run=2, inputs=spelled[1:])
    )
    assert len(get("lineage", nodeId=f"dataset:{name}")["graph"]) == 5


def test_an_application_that_ended_well_tells_of_the_action_that_failed() -> None:
    get = after(*APPLICATION)
    run = get(f"jobs/runs/{factory.run_id(9)}")
    failed = [{"runId": factory.run_id(2), "job": {"namespace": "demo", "name": "app.action2"}}]
    assert (run["state"], run["failedChildren"]) == ("COMPLETED", failed)
    children = get(f"jobs/runs/{factory.run_id(9)}/children")
    assert {run["id"]: run["state"] for run in children["runs"]} == {
        factory.run_id(1): "COMPLETED",
        factory.run_id(2): "FAILED",
    }


def test_a_parent_that_never_spoke_is_known_by_its_children() -> None:
    job = after(*APPLICATION[:2])("namespaces/demo/jobs/app")
    assert (job["latestRun"]["id"], job["latestRun"]["state"]) == (factory.run_id(9), "NEW")


def test_a_version_is_how_it_was_then() -> None:
    get = after(*MOVED)
    for run, source in ((1, "old"), (2, "new")):
        answer = get("lineage", nodeId=f"dataset:{LAKE}:clean#{factory.run_id(run)}", direction="upstream")
        assert nodes(answer) == {"clean", "load", source}


def test_the_source_of_a_merge_is_an_input_though_the_event_names_the_target_alone() -> None:
    target = factory.dataset("t", columnLineage=factory.columns(y=(LAKE, "updates", "x")))
    get = after(ran("merge", "t", "", run=1, outputs=[target]))
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:t", direction="upstream")) == {"t", "merge", "updates"}


def test_a_walk_one_way_ends_at_what_was_deleted() -> None:
    gone = factory.dataset("x", headwater_deleted={"through": "2026-11-21T00:00:00.000000000Z"})
    get = after(ran("j", "a", "x", run=1), ran("k", "x", "y", run=2), factory.dataset_event(gone, seconds=9))
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:a", direction="downstream")) == {"a", "j"}


@pytest.mark.parametrize("direction", [None, "downstream", "both"])
def test_a_walk_that_ends_at_a_deleted_dataset_says_so(direction: str | None) -> None:
    gone = {**factory.dataset("clean"), "facets": {"headwater_deleted": factory.facet(through=factory.at(10))}}
    steps = [ran("load", "raw", "clean", run=1), ran("sum", "clean", "sums", run=2)]
    query = {"nodeId": f"dataset:{LAKE}:raw"} | ({"direction": direction} if direction else {})
    whole, cut = (
        after(*steps, *deletions)("lineage", **query) for deletions in ([], [factory.dataset_event(gone, seconds=20)])
    )
    assert "deleted" not in whole
    assert cut["deleted"] == [{"namespace": LAKE, "name": "clean"}]
    assert nodes(cut) == {"raw", "load"}
    assert "nothing is shown beyond: clean" in render({**cut, "nodeId": query["nodeId"]}, Display(100))
