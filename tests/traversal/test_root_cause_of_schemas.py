"""GET /rootcause: findings at datasets: changes of schemas."""

import pytest

from tests import factory
from tests.traversal.root_cause import after, error, findings, ran, table, wrote


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
    assert ("runId" in finding, finding["summary"]) == (False, "t: id is string now, was long (incompatible)")


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
    answer = after(factory.dataset_event(view), *wrote(1, 0, "id:long"), *wrote(2, 100, "id:string"))(table("view"))
    assert (answer["suspect"], findings(answer)) == (None, [("SCHEMA_CHANGED", "t", 1)])


@pytest.mark.parametrize(("message", "columns"), [("KeyError: 'old'", ["old"]), ("OutOfMemoryError", None)])
def test_a_failure_that_names_a_changed_column_follows_from_the_change_and_asks_for_its_impact(
    message: str, columns: list[str] | None
) -> None:
    get = after(
        *wrote(1, 0, "id:long", "old:int"),
        *ran("report", "t", "daily", run=2, seconds=50),
        *wrote(3, 100, "id:long"),
        *ran("report", "t", "daily", run=4, seconds=150, ended="FAIL", run_facets=error(message)),
    )
    answer = get(table("daily"))
    failed, _ = answer["findings"]
    assert findings(answer) == [("RUN_FAILED", "report", 1), ("SCHEMA_CHANGED", "t", 1)]
    assert failed.get("causes", []) == ([{"nodeId": table("t"), "columns": columns}] if columns else [])
    assert failed["summary"].endswith("; it follows from the change of t (old)") == bool(columns)
    assert answer["affected"] == table("t" if columns else "daily")


def test_a_failure_after_the_job_ran_well_with_the_changed_schema_does_not_follow_from_it() -> None:
    get = after(
        *wrote(1, 0, "id:long", "old:int"),
        *ran("report", "t", "daily", run=2, seconds=50),
        *wrote(3, 100, "id:long"),
        *ran("report", "t", "daily", run=4, seconds=150),
        *ran("report", "t", "daily", run=5, seconds=250, ended="FAIL", run_facets=error("KeyError: 'old'")),
    )
    assert [finding.get("causes") for finding in get(table("daily"))["findings"]] == [None, None]
