"""GET /rootcause: the failures and changes upstream since the last good run, each as a sentence."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.traversal import root_cause
from tests import factory, strategies
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after
from tests.traversal.root_cause import DAY, DRIFT, KAFKA, after, findings, kinds, ran, table


def test_the_schema_drift_of_orders_is_found_newest_first_from_the_dashboard_back_to_the_topic() -> None:
    answer = after(*DRIFT)(table("board"))
    assert findings(answer) == [
        ("RUN_FAILED", "rate", 3),
        ("ASSERTION_FAILED", "orders", 2),
        ("SCHEMA_CHANGED", "orders", 2),
        ("SCHEMA_CHANGED", "orders", 3),
    ]
    assert [finding["summary"] for finding in answer["findings"]] == [
        "rate failed: no route to rates.example.com",
        "orders: 1 assertion failed: not_null of amount; 1 held",
        "orders: amount is string now, was long (incompatible), since ingest wrote it",
        "orders: amount is string now, was long (incompatible)",
    ]
    assert (answer["suspect"]["id"], answer["suspect"]["job"]["name"]) == (factory.run_id(24), "dashboard")
    assert (answer["lastGood"]["id"], answer["lastGood"]["state"]) == (factory.run_id(14), "COMPLETED")
    assert (answer["nodeId"], answer["asOf"]) == (table("board"), None)
    assert "truncated" not in answer


def test_findings_have_their_details() -> None:
    failed, assertion, schema, of_topic = after(*DRIFT)(table("board"))["findings"]
    assert failed == {
        "kind": "RUN_FAILED",
        "at": factory.at(2 * DAY + 210),
        "distance": 3,
        "nodeId": "job:demo:rate",
        "runId": factory.run_id(22),
        "summary": "rate failed: no route to rates.example.com",
        "message": "no route to rates.example.com\nTraceback",
    }
    assert assertion["assertions"] == [{"assertion": "not_null", "column": "amount", "success": False}]
    assert (assertion["runId"], schema["runId"], schema["at"]) == (
        factory.run_id(21),
        factory.run_id(20),
        factory.at(2 * DAY),
    )
    assert (schema["retyped"], schema["added"], schema["removed"]) == (
        [{"field": "amount", "before": "long", "after": "string", "change": "incompatible"}],
        [],
        [],
    )
    assert (of_topic["nodeId"], "runId" in of_topic) == (f"dataset:{KAFKA}:orders", False)


def test_good_runs_are_counted_and_are_no_findings() -> None:
    assert after(*DRIFT)(table("board"))["successfulRuns"] == [
        {"nodeId": "job:demo:dashboard", "count": 2},
        {"nodeId": "job:demo:report", "count": 1},
        {"nodeId": "job:demo:ingest", "count": 1},
    ]


def test_before_the_drift_nothing_was_wrong() -> None:
    get = after(*DRIFT)
    answer = get(table("board"), asOf=factory.at(DAY + 500))
    assert (answer["findings"], answer["asOf"]) == ([], factory.at(DAY + 500))
    assert (answer["suspect"]["id"], answer["lastGood"]["id"]) == (factory.run_id(14), factory.run_id(4))
    early = get(table("board"), asOf=factory.at(-DAY))
    assert (early["suspect"], early["lastGood"], early["findings"]) == (None, None, [])


def test_of_a_version_it_is_what_had_happened_when_that_was_written() -> None:
    get = after(*DRIFT)
    answer = get(f"{table('orders')}#{factory.run_id(10)}")
    assert (answer["findings"], answer["suspect"]["id"]) == ([], factory.run_id(10))
    assert findings(get(f"{table('orders')}#{factory.run_id(20)}"))[-1] == ("SCHEMA_CHANGED", "orders", 1)


def test_depth_and_limit_bound_it() -> None:
    get = after(*DRIFT)
    assert findings(get(table("board"), depth=2)) == [
        ("ASSERTION_FAILED", "orders", 2),
        ("SCHEMA_CHANGED", "orders", 2),
    ]
    limited = get(table("board"), limit=1)
    assert (findings(limited), limited["truncated"]) == ([("RUN_FAILED", "rate", 3)], True)


def test_of_a_job_it_is_what_happened_to_the_job_and_to_what_it_reads() -> None:
    answer = after(*DRIFT)("job:demo:report")
    assert (answer["suspect"]["id"], answer["lastGood"]["id"]) == (factory.run_id(23), factory.run_id(13))
    assert findings(answer) == [
        ("RUN_FAILED", "rate", 1),
        ("ASSERTION_FAILED", "orders", 0),
        ("SCHEMA_CHANGED", "orders", 0),
        ("SCHEMA_CHANGED", "orders", 1),
    ]


def test_explicit_lineage_leaves_out_other_inputs() -> None:
    entries = {"lineage": factory.facet(entries=[factory.made_of("c", "a"), factory.made_of("d", "b")])}
    get = after(
        *ran("make a", "", "a", run=1, seconds=0, ended="FAIL"),
        *ran("make b", "", "b", run=2, seconds=0, ended="FAIL"),
        *ran("bulk", "a b", "c d", run=3, seconds=50, job_facets=entries),
    )
    assert findings(get(table("c"))) == [("RUN_FAILED", "make a", 2)]


def test_the_distance_of_a_finding_counts_the_jobs_between() -> None:
    entries = {"lineage": factory.facet(entries=[factory.made_of("c", "a"), factory.made_of("d", "b")])}
    get = after(
        *ran("make b", "", "b", run=1, seconds=0, ended="FAIL"),
        *ran("bulk", "a b", "c d", run=2, seconds=50, job_facets=entries),
        *ran("back", "d", "a", run=3, seconds=60),
    )
    assert findings(get(table("c"))) == [("RUN_FAILED", "make b", 4)]


def test_a_diamond_is_one_finding_with_its_shortest_path_and_a_cycle_ends() -> None:
    get = after(
        *ran("load", "raw back", "a", run=1, seconds=0, ended="FAIL"),
        *ran("far", "a", "b", run=2, seconds=10),
        *ran("join", "a b", "c", run=3, seconds=20),
        *ran("circle", "c", "back", run=4, seconds=30),
    )
    assert findings(get(table("c"))) == [("RUN_FAILED", "load", 2)]


def test_of_very_many_nodes_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root_cause, "MAX_NODES", 4)
    assert after(*DRIFT)(table("board"))["truncated"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"nodeId": ""}, "nodeId"),
        ({"nodeId": "x"}, "nodeId"),
        ({"depth": "x"}, "depth"),
        ({"limit": "-1"}, "limit"),
        ({"asOf": "yesterday"}, "asOf"),
    ],
)
def test_a_wrong_value_is_named(query: dict[str, str], field: str) -> None:
    parameters = {"node": table("board"), **query}
    node = parameters.pop("nodeId", parameters.pop("node"))
    parameters.pop("node", None)
    answer = after(*DRIFT)(node, **parameters)
    assert (answer["code"], answer["faults"][0].split(":")[0]) == (400, field)


@pytest.mark.parametrize("node", ["job:demo:nope", table("nope")])
def test_an_unknown_node_is_not_found(node: str) -> None:
    assert after(*DRIFT)(node)["code"] == 404


@pytest.mark.parametrize(
    "odd", [None, 3, "q", [], {}, {"assertions": 3}, {"assertions": [None, {}, {"success": None}]}]
)
def test_no_facet_keeps_it_from_being_answered(odd: Any) -> None:
    facets: Document = {"errorMessage": odd}
    output = {**factory.dataset("t", schema=odd), "outputFacets": {"dataQualityAssertions": odd}}
    get = after(
        *ran("load", "raw", run=1, seconds=0, outputs=[factory.dataset("t", schema=factory.schema("id:int"))]),
        *ran("load", "raw", run=2, seconds=100, ended="FAIL", outputs=[output], run_facets=facets),
    )
    assert "RUN_FAILED" in kinds(get(table("t")))


@given(st.lists(strategies.events, max_size=8))
def test_whatever_happened_it_is_answered_newest_first(documents: list[Document]) -> None:
    client = LookupClient(table_after(*documents))
    for node in [*map(table, strategies.DATASETS), *(f"job:demo:{job}" for job in strategies.JOBS)]:
        for query in ({}, {"asOf": factory.at(3)}):
            status, answer = client.answer("rootcause", nodeId=node, **query)
            assert status in (200, 404)
            if status == 200:
                times = [finding["at"] for finding in answer["findings"]]
                assert times == sorted(times, reverse=True)
                assert all(time <= query.get("asOf", "9") for time in times)
