"""GET /rootcause: findings at jobs: failed and open runs, and changes of inputs and outputs."""

import pytest

from headwater.read import window
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE
from tests.traversal.root_cause import after, findings, kinds, ran, table


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


@pytest.mark.parametrize(("before", "ended"), [("raw", "FAIL"), ("old", "COMPLETE")])
def test_a_failure_or_a_change_of_a_job_before_the_last_good_run_is_no_finding(before: str, ended: str) -> None:
    get = after(
        *ran("load", before, "clean", run=1, seconds=0, ended=ended),
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
        *ran("load", "raw old", "clean", run=1, seconds=0), *ran("load", "raw new", "clean", run=2, seconds=100)
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
