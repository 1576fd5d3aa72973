"""GET /diff without a node: what differs in namespaces between two times, by planted changes and near misses."""

from typing import Any
from zlib import crc32

import pytest

from headwater.graph.states.stored_states import Severity, StoredAlert
from headwater.openlineage.instant import parse_instant
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, RETENTION, LookupClient, after, key_of, table_after
from tests.lookup.test_cost import body_and_calls, table_of
from tests.traversal.test_renames import renamed

HOUR = 3_600
BEGIN, END = 10 * HOUR, 30 * HOUR


def ran(
    job: str, reads: str, writes: str, hour: float, *columns: str, version: str = "", app: int = 0, **facets: Any
) -> Document:
    """A run of a job, which ends at an hour, and writes tables with some columns."""
    schema: dict[str, Any] = {"schema": factory.schema(*columns)} if columns else {}
    location = {"sourceCodeLocation": factory.facet(type="git", url="https://git/x", version=version)}
    return factory.run_event(
        facets.pop("kind", "COMPLETE"),
        job=job,
        run=crc32(f"{job} {hour}".encode()),
        seconds=hour * HOUR,
        inputs=[factory.dataset(name) for name in reads.split()],
        outputs=[factory.dataset(name, **schema, **facets) for name in writes.split()],
        job_facets=location if version else {},
        run_facets={"parent": factory.parent(app, "app")} if app else {},
    )


def deleted(name: str, hour: float, through: float) -> Document:
    facet = factory.facet(through=parse_instant(factory.at(through * HOUR)), by="k")
    return factory.dataset_event(factory.dataset(name, headwater_deleted=facet), seconds=hour * HOUR)


def diff(*events: Document, begin: float = BEGIN, end: float = END, **query: str) -> Any:
    """The answer, which is the same in any order of the events."""
    times = {"from": factory.at(begin), "to": factory.at(end)}
    answer = after(*events)("diff", **times, **query)
    assert answer == after(*events[::-1])("diff", **times, **query)
    return answer


def told(answer: Any) -> dict[str, set[str]]:
    """The short names of the nodes by what became of them."""
    return {section: {node["name"] for node in nodes} for section, nodes in answer["nodes"].items() if nodes}


def edges(answer: Any) -> dict[str, set[tuple[str, str]]]:
    def short(node: str) -> str:
        return node.rpartition(":")[2]

    sides = answer["edges"].items()
    return {side: {(short(e["origin"]), short(e["destination"])) for e in found} for side, found in sides if found}


def columns_of(answer: Any, name: str) -> Any:
    return next(node["columns"] for node in answer["nodes"]["changed"] if node["name"] == name)


OLD = ran("load", "raw", "orders", 1, "id:int", "fare:double", version="aaa")


def test_without_an_event_since_nothing_differs() -> None:
    assert told(diff(OLD)) == {}
    assert diff(OLD)["frontier"]["unseen"] == []


def test_what_differs_since_the_first_day_of_the_calendar_is_all_there_is() -> None:
    answer = after(OLD)("diff", **{"from": "0001-01-01T00:00:00Z", "to": factory.at(END)})
    assert told(answer) == {"added": {"load", "raw", "orders"}}


def test_a_run_like_the_one_before_changes_nothing() -> None:
    answer = diff(OLD, ran("load", "raw", "orders", 20, "id:int", "fare:double", version="aaa"))
    assert (told(answer), edges(answer)) == ({}, {})
    assert answer["frontier"]["seen"] == {"jobs": 1, "datasets": 2}


def test_new_nodes_are_added() -> None:
    assert told(diff(OLD, ran("new_job", "orders", "report", 20, "id:int"))) == {"added": {"new_job", "report"}}


def test_canaries_and_looks_of_spark_are_no_news() -> None:
    canary = ran("canary", "canary/source", "canary/target", 20, datasetType=factory.facet(datasetType="CANARY"))
    canary["inputs"] = canary["outputs"]
    canary["job"]["facets"]["jobType"] = factory.facet(integration="HEADWATER", jobType="CANARY")
    look = ran("app.map_partitions", "raw", "", 20, app=1)
    look["job"]["facets"]["jobType"] = factory.facet(integration="SPARK", jobType="RDD_JOB")
    assert told(diff(OLD, canary, look)) == {"added": {"app"}}


def test_columns_that_are_added_removed_and_retyped_are_told() -> None:
    answer = diff(OLD, ran("load", "raw", "orders", 20, "fare:string", "tip:int", version="aaa"))
    assert told(answer) == {"changed": {"orders"}}
    assert columns_of(answer, "orders") == {
        "added": [{"field": "tip", "type": "int"}],
        "removed": [{"field": "id", "type": "int"}],
        "retyped": [{"field": "fare", "before": "double", "after": "string", "change": "incompatible"}],
    }


def test_a_job_tells_other_inputs_outputs_and_code() -> None:
    answer = diff(OLD, ran("load", "raw2", "orders extra", 20, "id:int", "fare:double", version="bbb"))
    assert told(answer) == {"added": {"raw2", "extra"}, "changed": {"load"}}
    assert edges(answer) == {"added": {("raw2", "load"), ("load", "extra")}, "removed": {("raw", "load")}}
    assert answer["nodes"]["changed"][0]["code"] == {"before": {"version": "aaa"}, "after": {"version": "bbb"}}


@pytest.mark.parametrize("kind", ["START", "FAIL", "ABORT"])
def test_what_an_open_or_failed_run_does_not_name_is_no_difference(kind: str) -> None:
    answer = diff(OLD, ran("load", "raw", "", 20, kind=kind, version="aaa"))
    assert (told(answer), edges(answer)) == ({}, {})
    assert edges(diff(OLD, ran("load", "raw2", "", 20, kind=kind))) == {"added": {("raw2", "load")}}


@pytest.mark.parametrize("kind", ["START", "FAIL"])
def test_a_run_that_was_open_or_failed_at_the_first_time_makes_no_difference(kind: str) -> None:
    cut = ran("load", "raw", "", 9, kind=kind, version="aaa")
    answer = diff(OLD, cut, ran("load", "raw", "orders", 20, "id:int", "fare:double", version="aaa"))
    assert (told(answer), edges(answer)) == ({}, {})


def test_a_stream_has_other_inputs_from_its_first_event_on() -> None:
    kind = {"jobType": factory.facet(processingType="STREAMING", integration="SPARK")}
    events = [{**ran("load", name, "orders", hour, kind="START")} for name, hour in (("raw", 1), ("raw2", 20))]
    stream = [{**event, "job": {**event["job"], "facets": kind}} for event in events]
    assert edges(diff(*stream)) == {"added": {("raw2", "load")}, "removed": {("raw", "load")}}


def application(run: int, begin: float, *shops: str, end: float | None = None) -> list[Document]:
    """A Spark application that appends shop after shop to a table: a loop, by runs of one job."""
    app = [factory.run_event("START", job="app", run=run, seconds=begin * HOUR)]
    loop = [ran("append", shop, "all", begin + 0.1 * number, app=run) for number, shop in enumerate(shops, start=1)]
    ended = [factory.run_event("COMPLETE", job="app", run=run, seconds=end * HOUR)] if end else []
    return [*app, *loop, *ended]


def test_a_loop_that_runs_for_the_second_time_has_lost_no_input() -> None:
    yesterday = application(901, 1, "shop0", "shop1", "shop2", end=2)
    assert edges(diff(*yesterday, *application(902, 20, "shop0"))) == {}
    assert edges(diff(*yesterday, *application(902, 20, "shop0", "shop3"))) == {"added": {("shop3", "append")}}
    ended = application(902, 20, "shop0", "shop1", end=21)
    assert edges(diff(*yesterday, *ended)) == {"removed": {("shop2", "append")}}


def test_a_renamed_table_is_one_dataset_with_another_name() -> None:
    read = ran("report", "orders", "out", 2)
    answer = diff(OLD, read, renamed("orders", "sales", seconds=20 * HOUR), ran("report", "sales", "out", 21))
    assert told(answer) == {"changed": {"sales"}, "added": {"app.rename"}}
    (sales,) = answer["nodes"]["changed"]
    assert sales["renamedFrom"] == {"namespace": LAKE, "name": "orders"}
    assert edges(answer) == {}


def test_a_table_renamed_back_and_forth_does_not_differ() -> None:
    back = [renamed("orders", "tmp", seconds=20 * HOUR), renamed("tmp", "orders", seconds=21 * HOUR)]
    assert told(diff(OLD, *back)) == {"added": {"app.rename"}}


def test_a_new_table_under_the_old_name_of_another_is_added() -> None:
    anew = ran("anew", "raw", "orders", 21, "x:int")
    answer = diff(OLD, renamed("orders", "sales", seconds=20 * HOUR), anew)
    assert told(answer) == {"changed": {"sales"}, "added": {"orders", "anew", "app.rename"}}


DROP = factory.facet(lifecycleStateChange="DROP")


def test_a_dropped_table_is_removed_and_comes_back() -> None:
    drop = ran("drop", "", "orders", 20, lifecycleStateChange=DROP)
    assert told(diff(OLD, drop)) == {"removed": {"orders"}, "added": {"drop"}}
    again = ran("load", "raw", "orders", 40, "id:int", version="aaa")
    assert told(diff(OLD, drop, again, begin=25 * HOUR, end=50 * HOUR)) == {"added": {"orders"}}
    assert columns_of(diff(OLD, drop, again, end=50 * HOUR), "orders")["removed"] == [
        {"field": "fare", "type": "double"}
    ]


def test_a_drop_that_failed_removes_nothing() -> None:
    drop = ran("drop", "", "orders", 20, kind="FAIL", lifecycleStateChange=DROP)
    assert told(diff(OLD, drop)) == {"added": {"drop"}}


def test_a_deleted_dataset_is_removed_unless_it_came_and_went() -> None:
    assert told(diff(OLD, deleted("orders", 20, 1))) == {"removed": {"orders"}}
    assert told(diff(OLD, deleted("orders", 5, 1))) == {}
    assert told(diff(OLD, ran("load", "raw", "tmp", 15), deleted("tmp", 20, 15)))["changedBack"] == {"tmp"}
    assert "orders" in told(diff(OLD, deleted("orders", 5, 1), ran("load", "raw", "orders", 20)))["added"]


def test_a_deleted_job_is_removed() -> None:
    facet = factory.facet(through=parse_instant(factory.at(HOUR)), by="k")
    gone = factory.job_event(seconds=20 * HOUR, facets={"headwater_deleted": facet})
    assert told(diff(OLD, gone)) == {"removed": {"load"}}


def test_a_dataset_that_an_event_without_a_run_describes_is_found() -> None:
    def described(*columns: str, hour: float) -> Document:
        return factory.dataset_event(factory.dataset("topic", schema=factory.schema(*columns)), seconds=hour * HOUR)

    assert told(diff(OLD, described("a:int", hour=20))) == {"added": {"topic"}}
    answer = diff(described("a:int", hour=1), described("b:int", hour=20))
    assert columns_of(answer, "topic")["added"] == [{"field": "b", "type": "int"}]


def test_a_failed_write_changes_no_columns() -> None:
    assert told(diff(OLD, ran("load", "raw", "orders", 20, "id:int", kind="FAIL", version="aaa"))) == {}


def test_a_long_run_that_began_before_the_first_time_is_looked_at() -> None:
    begun = ran("load", "raw", "", 9, kind="START", version="aaa")
    ended = {**ran("load", "raw", "orders", 11, "id:int", version="aaa"), "run": begun["run"]}
    assert columns_of(diff(OLD, begun, ended), "orders")["removed"] == [{"field": "fare", "type": "double"}]


def test_the_same_dataset_under_another_of_its_names_is_no_other() -> None:
    linked = ran("load", "raw", "orders", 2, symlinks=factory.symlinks("orders_by_path"))
    answer = diff(OLD, linked, ran("report", "orders_by_path", "out", 3), ran("report", "orders", "out", 20))
    assert (told(answer), edges(answer)) == ({}, {})


def with_alert(*events: Document, hour: float, name: str = "orders") -> LookupClient:
    """A table in which an alert told a change of a dataset's columns."""
    table = table_after(*events)
    document = {"name": name, "details": {"change": "CHANGED"}}
    alert = StoredAlert("a" * 32, parse_instant(factory.at(hour * HOUR)), Severity.WARNING, LAKE, document)
    GraphStore(table, RETENTION).put([alert], Snapshot())
    return LookupClient(table)


def test_what_was_changed_and_changed_back_is_no_difference_but_told() -> None:
    there = ran("load", "raw", "orders", 15, "id:int", version="aaa")
    get = with_alert(OLD, there, ran("load", "raw", "orders", 20, "id:int", "fare:double", version="aaa"), hour=15)
    assert told(get("diff", **{"from": factory.at(BEGIN), "to": factory.at(END)})) == {"changedBack": {"orders"}}
    assert told(get("diff", **{"from": factory.at(16 * HOUR), "to": factory.at(END)})) == {"changed": {"orders"}}


def test_one_namespace_has_its_own_nodes_whichever_jobs_made_them() -> None:
    events = (OLD, ran("new_job", "orders", "report", 20))
    assert told(diff(*events, namespace=LAKE)) == {"added": {"report"}}
    assert told(diff(*events, namespace="s3a://lake")) == {"added": {"report"}}
    assert told(diff(*events, namespace="demo")) == {"added": {"new_job"}}
    assert after(OLD).answer("diff", namespace="nowhere", **{"from": factory.at(0)})[0] == 404


def test_a_caller_learns_of_no_node_of_others_and_that_others_are_not_seen() -> None:
    secret = ran("new_job", "orders", "report", 20)
    secret["job"]["namespace"] = "others"
    times = {"from": factory.at(BEGIN), "to": factory.at(END)}
    get = after(OLD, secret)
    assert told(get("diff", **times)) == {"added": {"new_job", "report"}}
    answer = LookupClient(get.table, key_of("demo", LAKE))("diff", **times)
    assert "new_job" not in str(answer)
    assert LookupClient(get.table, key_of(LAKE)).answer("diff", namespace="others", **times)[0] == 403
    assert [spot["kind"] for spot in answer["frontier"]["unseen"]] == ["JOBS_THAT_THE_KEY_MAY_NOT_READ"]


def test_a_job_whose_runs_are_not_known_is_no_difference_but_a_blind_spot() -> None:
    answer = diff(factory.run_event("COMPLETE", seconds=HOUR), ran("load", "raw", "orders", 20))
    assert edges(answer) == {}
    assert [spot["kind"] for spot in answer["frontier"]["unseen"]] == ["JOBS_WITHOUT_RUNS"]


def calls_for(running: int, resting: int, times: int) -> int:
    """The calls of a comparison in which some jobs of a table have run so often since."""
    old = [ran(f"job{number}", f"in{number}", f"out{number}", -40, "id:int") for number in range(running + resting)]
    since = [
        ran(f"job{number}", f"in{number}", f"out{number}", 11 + again / 10, "id:int")
        for number in range(running)
        for again in range(times)
    ]
    _, calls = body_and_calls(table_of(*old, *since), "diff", **{"from": factory.at(BEGIN)})
    return calls


def test_it_costs_what_ran_since_and_neither_the_table_nor_how_often() -> None:
    few = calls_for(running=4, resting=0, times=1)
    assert calls_for(running=4, resting=150, times=1) == few
    assert calls_for(running=4, resting=0, times=9) == few
    assert calls_for(running=8, resting=0, times=1) - few <= 3 * 4


@pytest.mark.parametrize("is_known", [True, False])
def test_a_folder_of_which_spark_only_infers_a_schema_is_not_added(*, is_known: bool) -> None:
    look = factory.run_event(
        job="app.map_partitions_file_scan",
        run=9,
        seconds=20 * HOUR,
        job_facets={"jobType": factory.facet(jobType="RDD_JOB", integration="SPARK", processingType="BATCH")},
        inputs=[factory.dataset("in")],
    )
    events = [look, ran("load", "in/a.csv", "t", 20), *([ran("other", "in", "u", 21)] if is_known else [])]
    added = told(diff(*events))["added"]
    assert ("in" in added, {"in/a.csv", "t"} <= added) == (is_known, True)
