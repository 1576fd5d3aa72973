"""GET /impact: the nodes that a change of a dataset breaks, with distance, path and owners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.traversal.impact import Reach, impact
from tests import factory, strategies
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after
from tests.traversal.impact import (
    CHAIN,
    after,
    column,
    column_lineage,
    distances,
    items,
    owned_by,
    path,
    ran,
    reader_after,
    short_id,
    table,
)


def test_the_nodes_downstream_of_a_dataset_are_at_risk_nearest_first_each_with_its_path() -> None:
    answer = after(*CHAIN)(table("raw"))
    expected = {"job:load": 1, "clean": 1, "job:report": 2, "daily": 2, "job:audit": 2, "job:publish": 3, "board": 3}
    assert distances(answer) == expected
    assert answer["totalCount"] == len(expected)
    assert "truncated" not in answer
    assert list(distances(answer).values()) == sorted(expected.values())
    assert path(answer, "board") == ["raw", "job:load", "clean", "job:report", "daily", "job:publish", "board"]
    assert {item["by"] for item in items(answer).values()} == {"dataset"}


def test_depth_bounds_it() -> None:
    get = after(*CHAIN)
    assert set(distances(get(table("raw"), depth=1))) == {"job:load", "clean"}
    unwalked = get(table("raw"), depth=0)
    assert [unseen["kind"] for unseen in unwalked.pop("frontier")["unseen"]] == ["BEYOND_THE_BOUNDS"]
    assert unwalked.pop("breaks")["sentence"] == ""
    assert unwalked == {"nodeId": table("raw"), "totalCount": 0, "owners": []}


def test_of_two_ways_the_shorter_counts() -> None:
    get = after(ran("far", "a", "b", run=1), ran("further", "b", "c", run=2), ran("near", "a", "c", run=3))
    answer = get(table("a"))
    assert (distances(answer)["c"], path(answer, "c")) == (1, ["a", "job:near", "c"])
    assert distances(answer)["job:further"] == 2


def test_a_circle_comes_to_an_end_and_what_changed_is_not_at_risk_by_itself() -> None:
    get = after(ran("there", "a", "b", run=1), ran("back", "b", "a", run=2), ran("merge", "a", "a", run=3))
    assert distances(get(table("a"))) == {"job:there": 1, "b": 1, "job:merge": 1, "job:back": 2}


def test_items_are_grouped_by_owner_of_the_dataset_else_of_its_job_without_an_owner_last() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, owner="team-a"),
        ran("report", "clean", "daily", run=2, owner="team-a", ownership=owned_by("team-z", "team-b")),
        ran("publish", "daily", "board", run=3),
    )
    answer = get(table("raw"))
    groups = {group["owner"]: [short_id(item["nodeId"]) for item in group["items"]] for group in answer["owners"]}
    assert list(groups) == ["team-a", "team-b", "team-z", None]
    assert groups == {
        "team-a": ["clean", "job:load", "job:report"],
        "team-b": ["daily"],
        "team-z": ["daily"],
        None: ["board", "job:publish"],
    }
    assert answer["totalCount"] == 6


BULK = {"lineage": factory.facet(entries=[factory.made_of("c", "a"), factory.made_of("d", "b")])}


def test_explicit_lineage_puts_nothing_at_risk_that_is_not_made_of_it() -> None:
    inputs, outputs = [factory.dataset("a"), factory.dataset("b")], [factory.dataset("c")]
    event = factory.run_event("COMPLETE", job="bulk", inputs=inputs, outputs=outputs, job_facets=BULK)
    later = ran("circle", "c", "b", run=2)
    assert distances(after(event)(table("a"))) == {"job:bulk": 1, "c": 1}
    assert distances(after(event, later)(table("a"))) == {"job:bulk": 1, "c": 1, "job:circle": 2, "b": 2, "d": 3}


def test_a_view_is_at_risk_without_a_job_on_the_way() -> None:
    view = factory.dataset("view", lineage=factory.facet(**factory.made_of("view", "clean")))
    get = after(ran("load", "raw", "clean", run=1), factory.dataset_event(view), ran("report", "view", "daily", run=2))
    answer = get(table("raw"))
    assert distances(answer) == {"job:load": 1, "clean": 1, "view": 2, "job:report": 3, "daily": 3}
    assert path(answer, "view") == ["raw", "job:load", "clean", "view"]


def deleted(name: str, seconds: int) -> Document:
    through: Document = {"headwater_deleted": {"through": f"2026-11-20T08:00:{seconds:02d}.000000000Z"}}
    return factory.dataset_event(factory.dataset(name, **through), seconds=seconds)


def test_a_deleted_node_is_not_at_risk_and_ends_the_walk() -> None:
    get = after(*CHAIN, deleted("clean", 30))
    assert distances(get(table("raw"))) == {"job:load": 1}
    assert get(table("clean"))["code"] == 404


def test_as_of_a_time_it_is_what_would_have_broken_then() -> None:
    get = after(
        ran("load", "raw", "old", run=1, columnLineage=column_lineage("raw.id > id")),
        ran("load", "raw", "new", run=2, seconds=100, columnLineage=column_lineage("raw.id > id")),
        ran("silent", "raw", "old", run=3, seconds=50),
    )
    then, now = factory.at(60), factory.at(200)
    assert distances(get(table("raw"), asOf=then)) == {"job:load": 1, "old": 1, "job:silent": 1}
    assert set(distances(get(column("raw.id"), asOf=then))) == {"job:load", "old:id", "job:silent", "old"}
    assert set(distances(get(column("raw.id"), asOf=now))) == {"job:load", "new:id", "job:silent", "old"}
    assert get(table("raw"), asOf=factory.at(-9))["totalCount"] == 0


def test_pages_are_the_whole_once_nearest_first() -> None:
    get = after(*CHAIN)
    whole = get(table("raw"))
    pages = [get(table("raw"), limit=2)]
    while "cursor" in pages[-1]:
        pages.append(get(table("raw"), limit=2, cursor=pages[-1]["cursor"]))
    assert [name for page in pages for name in distances(page)] == list(distances(whole))
    assert {page["totalCount"] for page in pages} == {7}


def test_an_impact_beyond_the_bound_is_truncated() -> None:
    readers = [ran(f"reader {number}", "raw", f"out {number}", run=number) for number in range(20)]
    result = impact(reader_after(*readers), dataset_id(Name(LAKE, "raw")), reach=Reach(most=10))
    assert (len(result.at_risk), result.is_truncated) == (10, True)
    assert not impact(reader_after(*readers), dataset_id(Name(LAKE, "raw"))).is_truncated


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"nodeId": ""}, "nodeId"),
        ({"nodeId": "job:demo:load"}, "nodeId"),
        ({"nodeId": "x"}, "nodeId"),
        ({"depth": "x"}, "depth"),
        ({"limit": "-1"}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"asOf": "yesterday"}, "asOf"),
    ],
)
def test_a_wrong_value_is_named(query: dict[str, str], field: str) -> None:
    parameters = {"node": query.pop("nodeId", table("raw")), **query}
    answer = after(*CHAIN)(parameters.pop("node"), **parameters)
    assert (answer["code"], answer["faults"][0].split(":")[0]) == (400, field)


def test_an_unknown_node_is_not_found() -> None:
    get = after(*CHAIN, factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int"))))
    assert get(table("nope"))["code"] == 404
    assert get(column("raw.nope"))["code"] == 404
    assert "code" not in get(column("raw.id"))


@given(st.lists(strategies.events, max_size=8))
def test_after_any_events_the_impact_is_the_downstream_and_every_path_is_a_walk(documents: list[Document]) -> None:
    client = LookupClient(table_after(*documents))
    for name in strategies.DATASETS:
        status, answer = client.answer("impact", nodeId=table(name))
        if status == 404:
            continue
        graph = client("lineage", nodeId=table(name), direction="downstream")
        edges = {(edge["origin"], edge["destination"]) for node in graph["graph"] for edge in node["outEdges"]}
        ends = ("FAIL", "ABORT", "OTHER")  # OTHER of a node of dbt is an ABORT, and what has no type is OTHER
        runs = [each for each in documents if "run" in each]
        failed = {job_node(each) for each in runs if each.get("eventType", "OTHER") in ends}
        of_others = {edge for edge in edges if edge[0] not in failed}  # beside a good writer, what failed counts not
        found = {item["nodeId"] for item in items(answer).values()}
        assert _beyond(answer["nodeId"], of_others) <= found <= _beyond(answer["nodeId"], edges)
        for item in items(answer).values():
            assert set(zip(item["path"], item["path"][1:], strict=False)) <= edges
            assert (item["path"][0], item["path"][-1]) == (answer["nodeId"], item["nodeId"])
        assert client.answer("impact", nodeId=column(f"{name}.id"))[0] in (200, 404)


def job_node(event: Document) -> str:
    return f"job:{event['job']['namespace']}:{event['job']['name']}"


def _beyond(start: str, edges: set[tuple[str, str]]) -> set[str]:
    reached: set[str] = set()
    frontier = {start}
    while frontier := {after for before, after in edges if before in frontier} - reached:
        reached |= frontier
    return reached - {start}
