"""GET /rootcause: the failures and changes upstream since the last good run, each as a sentence."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.read import window
from headwater.traversal import root_cause
from tests import factory, strategies
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after

Get = Callable[..., Any]
DAY = 86_400
KAFKA = "kafka://broker:9092"


def after(*documents: Document) -> Get:
    """Sends /rootcause requests to a table that has folded these events."""
    client = LookupClient(table_after(*documents))
    return lambda node, **query: client.answer("rootcause", nodeId=node, **query)[1]


def table(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


def ran(
    job: str, reads: str = "", writes: str = "", *, run: int, seconds: float, ended: str = "COMPLETE", **changes: Any
) -> list[Document]:
    """A run of ten seconds, with the names of its datasets a word each; without an end for `ended=""`."""
    sides = {"inputs": reads.split(), "outputs": writes.split()}
    datasets = {side: [factory.dataset(name) for name in names] for side, names in sides.items()}
    kinds = [("START", 0), *([(ended, 10)] if ended else [])]
    return [
        factory.run_event(kind, job=job, run=run, seconds=seconds + more, **{**datasets, **changes})
        for kind, more in kinds
    ]


def error(message: str) -> Document:
    return {"errorMessage": factory.facet(message=message, programmingLanguage="python")}


def checked(name: str, *assertions: Document) -> Document:
    return {**factory.dataset(name), "inputFacets": {"dataQualityAssertions": factory.facet(assertions=assertions)}}


def findings(answer: Any) -> list[tuple[str, str, int]]:
    return [
        (finding["kind"], finding["nodeId"].rpartition(":")[2], finding["distance"]) for finding in answer["findings"]
    ]


def kinds(answer: Any) -> list[str]:
    return [finding["kind"] for finding in answer["findings"]]


def a_day(number: int, amount: str, *, failed: bool) -> list[Document]:
    """Every night the topic becomes a table, which is checked, and with the rates becomes what the dashboard shows."""
    night, run = number * DAY, 10 * number
    topic = factory.dataset("orders", KAFKA, schema=factory.schema("id:long", f"amount:{amount}"))
    orders = factory.dataset("orders", schema=factory.schema("id:long", f"amount:{amount}"))
    assertions = [
        {"assertion": "not_null", "column": "amount", "success": not failed},
        {"assertion": "unique", "column": "id", "success": True},
    ]
    rates = {"run_facets": error("no route to rates.example.com\nTraceback")} if failed else {}
    return [
        *ran("ingest", run=run, seconds=night, inputs=[topic], outputs=[orders]),
        *ran("check", run=run + 1, seconds=night + 100, inputs=[checked("orders", *assertions)]),
        *ran("rate", "", "rates", run=run + 2, seconds=night + 200, ended="FAIL" if failed else "COMPLETE", **rates),
        *ran("report", "orders rates", "daily", run=run + 3, seconds=night + 300),
        *ran("dashboard", "daily", "board", run=run + 4, seconds=night + 400),
    ]


DRIFT = [*a_day(0, "long", failed=False), *a_day(1, "long", failed=False), *a_day(2, "string", failed=True)]


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
        "orders: 1 of 2 assertions failed: not_null of amount",
        "orders: amount is string now, was long, since ingest wrote it",
        "orders: amount is string now, was long",
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
        [{"field": "amount", "before": "long", "after": "string"}],
        [],
        [],
    )
    assert (of_topic["nodeId"], "runId" in of_topic) == (f"dataset:{KAFKA}:orders", False)


def test_good_runs_are_counted_and_are_no_findings() -> None:
    answer = after(*DRIFT)(table("board"))
    assert answer["successfulRuns"] == [
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


def test_a_suspect_that_failed_is_a_finding_and_the_last_good_run_is_the_one_that_completed() -> None:
    get = after(
        *ran("load", "raw", "clean", run=1, seconds=0),
        *ran("load", "raw", "clean", run=2, seconds=100, ended="ABORT"),
        *ran("load", "raw", "clean", run=3, seconds=200, ended="FAIL"),
    )
    answer = get(table("clean"))
    assert (answer["suspect"]["id"], answer["lastGood"]["id"]) == (factory.run_id(3), factory.run_id(1))
    assert [(finding["kind"], finding["summary"]) for finding in answer["findings"]] == [
        ("RUN_FAILED", "load failed"),
        ("RUN_ABORTED", "load was aborted"),
    ]


def test_without_a_last_good_run_all_that_is_known_counts() -> None:
    get = after(
        *ran("load", "raw", "clean", run=1, seconds=0, ended="FAIL"),
        *ran("report", "clean", "daily", run=2, seconds=100),
    )
    answer = get(table("daily"))
    assert (answer["lastGood"], findings(answer)) == (None, [("RUN_FAILED", "load", 2)])


def test_a_failure_before_the_last_good_run_is_no_finding() -> None:
    get = after(
        *ran("load", "raw", "clean", run=1, seconds=0, ended="FAIL"),
        *ran("load", "raw", "clean", run=2, seconds=50),
        *ran("report", "clean", "daily", run=3, seconds=100),
        *ran("report", "clean", "daily", run=4, seconds=200),
    )
    assert get(table("daily"))["findings"] == []


def test_a_run_that_began_before_the_last_good_one_and_failed_after_it_counts_and_one_that_still_runs() -> None:
    slow = ran("load", "raw", "clean", run=1, seconds=0, ended="")
    failed = factory.run_event("FAIL", job="load", run=1, seconds=150)
    others = [
        *ran("report", "clean", "daily", run=2, seconds=100),
        *ran("report", "clean", "daily", run=3, seconds=200),
    ]
    assert findings(after(*slow, failed, *others)(table("daily"))) == [("RUN_FAILED", "load", 2)]
    running = after(*slow, *others)(table("daily"))["findings"]
    assert [(finding["kind"], finding["summary"]) for finding in running] == [
        ("RUN_RUNNING", "load is running since 2026-11-20T08:00:00Z")
    ]


def test_as_of_a_time_a_run_that_ended_later_was_running() -> None:
    get = after(*ran("load", "raw", "clean", run=1, seconds=0), *ran("load", "raw", "clean", run=2, seconds=100))
    answer = get(table("clean"), asOf=factory.at(105))
    assert (kinds(answer), answer["lastGood"]["id"]) == (["RUN_RUNNING"], factory.run_id(1))
    assert get(table("clean"), asOf=factory.at(5))["lastGood"] is None


def test_an_application_that_completed_over_the_failure_of_an_action_is_not_good() -> None:
    def application(run: int, seconds: float, action: str) -> list[Document]:
        above = {"parent": factory.parent(run, "app")}
        return [
            *ran("app.insert", run=run + 1, seconds=seconds, ended=action, run_facets=above),
            *ran("app", "raw", "clean", run=run, seconds=seconds),
        ]

    get = after(*application(1, 0, "COMPLETE"), *application(11, 100, "FAIL"), *application(21, 200, "COMPLETE"))
    answer = get(table("clean"))
    assert answer["lastGood"]["id"] == factory.run_id(1)
    (finding,) = answer["findings"]
    assert (finding["kind"], finding["summary"]) == (
        "CHILD_FAILED",
        "app completed, but runs that it started failed: app.insert",
    )
    assert finding["failedChildren"] == [
        {"runId": factory.run_id(12), "job": {"namespace": "demo", "name": "app.insert"}}
    ]


def test_a_job_with_other_datasets_is_a_finding() -> None:
    get = after(
        *ran("load", "raw old", "clean", run=1, seconds=0),
        *ran("load", "raw new", "clean", run=2, seconds=100),
    )
    (finding,) = get(table("clean"))["findings"]
    assert finding == {
        "kind": "JOB_CHANGED",
        "at": factory.at(100),
        "distance": 1,
        "nodeId": "job:demo:load",
        "runId": factory.run_id(2),
        "summary": f"load now reads {LAKE}:new, no longer reads {LAKE}:old",
        "inputsAdded": [table("new")],
        "inputsRemoved": [table("old")],
    }


def test_a_change_of_a_job_before_the_window_is_no_finding() -> None:
    get = after(
        *ran("load", "old", "clean", run=1, seconds=0),
        *ran("load", "new", "clean", run=2, seconds=50),
        *ran("report", "clean", "daily", run=3, seconds=100),
        *ran("report", "clean", "daily", run=4, seconds=200),
    )
    assert get(table("daily"))["findings"] == []


def test_a_run_that_was_only_named_by_its_children_is_not_known_to_run() -> None:
    above = {"parent": factory.parent(9, "app")}
    get = after(
        *ran("app", "raw", "clean", run=1, seconds=0), *ran("app.insert", run=10, seconds=100, run_facets=above)
    )
    assert get(table("clean"))["findings"] == []
    assert get("job:demo:app")["suspect"]["id"] == factory.run_id(9)


@pytest.mark.parametrize("ended", ["", "FAIL"])
def test_a_run_that_did_not_complete_may_not_have_named_all_that_it_uses(ended: str) -> None:
    get = after(
        *ran("load", "raw rates", "clean", run=1, seconds=0),
        *ran("load", "raw", "clean", run=2, seconds=9, ended=ended),
    )
    assert "JOB_CHANGED" not in kinds(get(table("clean")))


def wrote(run: int, seconds: float, *fields: str) -> list[Document]:
    return ran("load", "raw", run=run, seconds=seconds, outputs=[factory.dataset("t", schema=factory.schema(*fields))])


def test_each_change_of_a_schema_since_the_window_is_a_finding() -> None:
    get = after(
        *wrote(1, 0, "id:long", "old:int"),
        *ran("report", "t", "daily", run=2, seconds=50),
        *wrote(3, 100, "id:long", "new:int"),
        *wrote(4, 200, "id:long", "new:int"),
        *wrote(5, 300, "id:long", "old:int"),
        *ran("report", "t", "daily", run=6, seconds=400),
    )
    changes = [(finding["removed"], finding["added"], finding["runId"]) for finding in get(table("daily"))["findings"]]
    assert changes == [(["new"], ["old"], factory.run_id(5)), (["old"], ["new"], factory.run_id(3))]


def test_a_schema_that_a_dataset_event_declares_is_a_change_without_a_run() -> None:
    declared = factory.dataset("t", schema=factory.schema("id:string"))
    get = after(*wrote(1, 0, "id:long"), factory.dataset_event(declared, seconds=50), *wrote(2, 100, "id:string"))
    (finding,) = get(table("t"))["findings"]
    assert ("runId" in finding, finding["summary"]) == (False, "t: id is string now, was long")


def test_a_description_or_another_order_is_no_change_of_a_schema() -> None:
    fields = [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]
    described = factory.facet(fields=[{**fields[1], "description": "x"}, fields[0]])
    get = after(
        *wrote(1, 0, "a:int", "b:int"),
        *ran("load", "raw", run=2, seconds=100, outputs=[factory.dataset("t", schema=described)]),
    )
    assert get(table("t"))["findings"] == []


def test_the_findings_of_a_dataset_with_several_names_have_one_name() -> None:
    path = factory.dataset("wh/t", symlinks=factory.symlinks("db.t", namespace="hive://h:9083"))
    by_path = {**path, "facets": {**path["facets"], "schema": factory.schema("id:long")}}
    by_table = factory.dataset("db.t", "hive://h:9083", schema=factory.schema("id:string"))
    get = after(
        *ran("load", "raw", run=1, seconds=0, outputs=[by_path]),
        *ran("load", "raw", run=2, seconds=100, outputs=[by_table]),
    )
    answer = get(table("wh/t"))
    assert answer["suspect"]["id"] == factory.run_id(2)
    assert findings(answer) == [("SCHEMA_CHANGED", "wh/t", 0)]
    assert get("dataset:hive://h:9083:db.t")["findings"] == answer["findings"]


def test_the_findings_of_a_view_include_those_of_its_tables() -> None:
    view = factory.dataset("view", lineage=factory.facet(**factory.made_of("view", "t")))
    get = after(factory.dataset_event(view), *wrote(1, 0, "id:long"), *wrote(2, 100, "id:string"))
    answer = get(table("view"))
    assert (answer["suspect"], findings(answer)) == (None, [("SCHEMA_CHANGED", "t", 1)])


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


def test_of_very_many_runs_the_newest_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "MOST", 3)
    runs = [event for n in range(6) for event in ran("load", "raw", "t", run=n + 1, seconds=100 * n, ended="FAIL")]
    answer = after(*runs)(table("t"))
    assert [finding["runId"] for finding in answer["findings"]] == [
        factory.run_id(6),
        factory.run_id(5),
        factory.run_id(4),
    ]
    assert answer["truncated"]


def test_of_very_many_nodes_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root_cause, "MAX_NODES", 4)
    answer = after(*DRIFT)(table("board"))
    assert answer["truncated"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"nodeId": ""}, "nodeId"),
        ({"nodeId": f"datasetField:{LAKE}:board:x"}, "nodeId"),
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
    assert (answer["code"], answer["details"][0].split(":")[0]) == (400, field)


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
