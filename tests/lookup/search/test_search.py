"""GET /search, and the search box of Marquez's web UI."""

from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.lookup.search import search
from headwater.lookup.search.search_v2beta import highlighted
from headwater.store.graph_store import GraphStore
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, RETENTION, LookupClient, after, key_of, table_after
from tests.lookup.test_cost import CountedTable

DAY = 24 * 3600


def ran(job: str, *outputs: str, seconds: float = 0, run: int = 1, namespace: str = "demo") -> Document:
    event = factory.run_event("COMPLETE", run=run, seconds=seconds, outputs=[factory.dataset(name) for name in outputs])
    return {**event, "job": {"namespace": namespace, "name": job, "facets": {}}}


def names(answer: Any) -> list[str]:
    return [result["name"] for result in answer["results"]]


def test_jobs_and_datasets_are_found_by_any_part_of_their_names_whatever_its_case() -> None:
    get = after(ran("load ORDERS", "wh/orders"), ran("other", "wh/Straße", run=2))
    assert get("search", q="Ord")["results"] == [
        {
            "type": "JOB",
            "name": "load ORDERS",
            "updatedAt": factory.at(0),
            "namespace": "demo",
            "nodeId": "job:demo:load ORDERS",
        },
        {
            "type": "DATASET",
            "name": "wh/orders",
            "updatedAt": factory.at(0),
            "namespace": LAKE,
            "nodeId": f"dataset:{LAKE}:wh/orders",
        },
    ]
    assert names(get("search", q="STRASSE")) == ["wh/Straße"]
    assert get("search", q="%") == {"results": [], "totalCount": 0}
    assert names(get("search/", q="other")) == ["other"]


def test_a_filter_leaves_one_kind() -> None:
    get = after(ran("orders", "orders"))
    for kind in ("JOB", "DATASET"):
        assert [result["type"] for result in get("search", q="orders", filter=kind)["results"]] == [kind]
        assert get("search", q="orders", filter=kind.lower())["totalCount"] == 1


def test_results_are_sorted_by_name_or_by_time_the_newest_first() -> None:
    get = after(ran("b x", "D x", seconds=30), ran("a x", "c x", seconds=20, run=2), ran("E x", seconds=10, run=3))
    assert (
        names(get("search", q="x")) == names(get("search", q="x", sort="NAME")) == ["a x", "b x", "c x", "D x", "E x"]
    )
    assert names(get("search", q="x", sort="UPDATE_AT", filter="JOB")) == ["b x", "a x", "E x"]
    assert names(get("search", q="x", sort="UPDATE_AT", filter="DATASET")) == ["D x", "c x"]
    times = [result["updatedAt"] for result in get("search", q="x", sort="UPDATE_AT")["results"]]
    assert times == sorted(times, reverse=True)


def test_the_time_of_a_dataset_is_its_last_use_in_search_and_lookup() -> None:
    get = after(
        ran("one", "t"),
        ran("one", "other", seconds=50, run=2),
        factory.run_event("COMPLETE", run=3, seconds=40, inputs=[factory.dataset("t")]),
    )
    (result,) = get("search", q="t", filter="DATASET", namespace=LAKE, before="2026-11-21")["results"][1:]
    assert result["updatedAt"] == get(f"namespaces/{LAKE}/datasets/t")["updatedAt"] == factory.at(40)


def test_days_bound_the_time_of_the_last_use() -> None:
    get = after(*(ran(f"j{n}", f"t{n}", seconds=n * DAY, run=n) for n in range(4)))
    for text in ("j", "t"):
        assert names(get("search", q=text, after="2026-11-22")) == [f"{text}2", f"{text}3"]
        assert names(get("search", q=text, before="2026-11-22")) == [f"{text}0", f"{text}1"]
        answer = get("search", q=text, after="2026-11-21", before="2026-11-22")
        assert (names(answer), answer["totalCount"]) == ([f"{text}1"], 1)


def test_a_namespace_may_be_asked_for_and_names_of_ours_are_none() -> None:
    source = factory.dataset("orders", dataSource=factory.facet(name="orders", uri="s3://orders"))
    get = after(ran("orders", "orders"), ran("orders", namespace="other", run=2), factory.dataset_event(source))
    assert [result["namespace"] for result in get("search", q="orders")["results"]].count("other") == 1
    assert [result["namespace"] for result in get("search", q="orders", namespace="other")["results"]] == ["other"]
    assert get("search", q="orders", namespace="nobody's")["results"] == []
    assert get("search", q="orders", namespace="headwater:sources")["totalCount"] == 0
    assert get("search", q="orders")["totalCount"] == 3


def test_a_key_finds_nodes_of_its_namespaces() -> None:
    get = LookupClient(table_after(ran("orders", "orders"), ran("orders", namespace="other", run=2)), key_of("demo"))
    assert [result["nodeId"] for result in get("search", q="orders")["results"]] == ["job:demo:orders"]
    assert get("search", q="orders")["totalCount"] == 1
    assert get.answer("search", q="orders", namespace="other")[0] == 403
    for kind, count in (("jobs", 1), ("datasets", 0)):
        assert len(get(f"/api/v2beta/search/{kind}", q="orders")["hits"]) == count


@pytest.mark.parametrize("sort", ["NAME", "UPDATE_AT"])
@pytest.mark.parametrize("limit", [1, 3, 7, 50])
def test_pages_by_cursor_and_by_offset_hold_every_result_once(sort: str, limit: int) -> None:
    get = after(*(ran(f"{'x' * 210}{n % 5}", f"X{n}", seconds=n % 3, run=n, namespace=f"n{n % 2}") for n in range(10)))
    whole = get("search", q="x", limit=100, sort=sort)
    assert len({result["nodeId"] for result in whole["results"]}) == whole["totalCount"] == 20
    assert get.by_cursor("search", "results", limit, q="x", sort=sort) == whole["results"]
    assert get.by_offset("search", "results", limit, q="x", sort=sort) == whole["results"]
    assert len(get("search", q="x")["results"]) == 10


def test_so_many_matches_are_found_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    get = after(*(ran(f"x{n}", run=n) for n in range(8)))
    monkeypatch.setattr(search, "MAX_MATCHES", 5)
    answer = get("search", q="x", limit=3)
    assert (len(answer["results"]), answer["totalCount"], answer["truncated"]) == (3, 5, True)
    monkeypatch.setattr(search, "MAX_SECONDS", -1)
    assert get("search", q="x")["truncated"]


def test_a_search_by_name_costs_three_calls_a_namespace_and_a_few_for_what_it_shows() -> None:
    table = CountedTable()
    events = [ran(f"job {n}", f"orders {n}", run=n, namespace=f"team {n % 3}") for n in range(60)]
    fold(factory.received(*events), GraphStore(table, RETENTION))
    table.calls = 0
    assert LookupClient(table)("search", q="orders", limit=10)["totalCount"] == 60
    # the jobs of a namespace are in two lists, its datasets in one; one list has the names in symlinks
    assert table.calls <= 3 * 4 + 8


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"q": ""}, "q"),
        ({"q": "  "}, "q"),
        ({}, "q"),
        ({"q": "x", "filter": "FOO"}, "filter"),
        ({"q": "x", "sort": "FOO"}, "sort"),
        ({"q": "x", "before": "tomorrow"}, "before"),
        ({"q": "x", "after": "2026-02-30"}, "after"),
        ({"q": "x", "limit": "many"}, "limit"),
    ],
)
def test_a_question_that_is_none_is_refused(query: dict[str, Any], parameter: str) -> None:
    assert after(ran("x")).refusal("search", **query) == parameter


def test_the_search_box_shows_a_job_with_its_newest_run() -> None:
    engine, code = factory.facet(name="spark", version="3.5"), factory.facet(language="python", sourceCode="x")
    event = factory.run_event(
        "FAIL", job="load orders", run_facets={"processing_engine": engine, "plan": {}}, job_facets={"sourceCode": code}
    )
    answer = after(event)("/api/v2beta/search/jobs", q="Orders")
    assert answer["hits"] == [
        {
            "run_id": factory.run_id(1),
            "name": "load orders",
            "namespace": "demo",
            "eventType": "FAIL",
            "type": "BATCH",
            "facets": {"sourceCode": code},
            "runFacets": {"processing_engine": engine},
        }
    ]
    assert (answer["highlights"], answer["totalCount"]) == ([{"name": ["load <em>orders</em>"]}], 1)


def test_the_search_box_shows_a_dataset_with_its_columns() -> None:
    schema = factory.schema("id:long")
    tag: Document = {"headwater_tag:3:PII": {"tag": "PII"}}
    answer = after(factory.dataset_event(factory.dataset("orders", schema=schema, **tag)))(
        "/api/v2beta/search/datasets", q="o"
    )
    (hit,) = answer["hits"]
    assert (hit["namespace"], hit["name"], hit["facets"]) == (LAKE, "orders", {"schema": schema})


@pytest.mark.parametrize(
    "odd", [None, 3, [], {}, {"name": 3}, {"language": {}}, {"fields": "x"}, {"fields": [{"name": 3}]}]
)
def test_no_facet_keeps_the_search_box_from_showing_a_hit(odd: Any) -> None:
    facets = {"processing_engine": odd, "sourceCode": odd}
    outputs = [factory.dataset("orders", schema=odd)]
    get = after(factory.run_event("COMPLETE", job="orders", run_facets=facets, job_facets=facets, outputs=outputs))
    (job,) = get("/api/v2beta/search/jobs", q="orders")["hits"]
    (dataset,) = get("/api/v2beta/search/datasets", q="orders")["hits"]
    assert (job["facets"], job["runFacets"], dataset["facets"]) == ({}, {}, {})


def test_the_search_box_is_bounded_and_refuses_nothing_to_search_for() -> None:
    get = after(*(ran(f"x{n}", run=n) for n in range(15)))
    assert len(get("/api/v2beta/search/jobs", q="x")["hits"]) == 10
    assert len(get.by_cursor("/api/v2beta/search/jobs", "hits", 4, q="x")) == 15
    assert get.refusal("/api/v2beta/search/jobs", q="") == "q"


def test_matches_are_marked() -> None:
    assert highlighted("a.b.A", "A") == "<em>a</em>.b.<em>A</em>"
    assert highlighted("a.b", ".*") == "a.b"
