"""A write that fails in a later job: Spark's listener says COMPLETE, and the jar beside it says FAIL."""

from itertools import permutations
from typing import Any

import pytest

from headwater.lookup.text import root_cause
from headwater.lookup.text.display import Display
from tests.alerts.stream import World
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded_program

JOB = "fails.adaptive_spark_plan.o_later"
MESSAGE = """Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times
Traceback (most recent call last):
  File "late.py", line 9, in boom
ValueError: boom"""
EVENTS = recorded_program("fails")
OF_RUN = [event for event in EVENTS if event["job"]["name"] == JOB]


def failure() -> Document:
    """FAIL as the jar sends it: without datasets and parent, at the end of the query."""
    last = OF_RUN[-1]
    job_type = {"_producer": "a:b", "_schemaURL": "a:b", "processingType": "BATCH", "integration": "SPARK"}
    return {
        "eventTime": last["eventTime"],
        "producer": "https://github.com/headwater-lineage/headwater/agent/spark",
        "schemaURL": last["schemaURL"],
        "eventType": "FAIL",
        "run": {
            "runId": last["run"]["runId"],
            "facets": {"errorMessage": {"_producer": "a:b", "_schemaURL": "a:b", "message": MESSAGE}},
        },
        "job": {
            "namespace": last["job"]["namespace"],
            "name": JOB,
            "facets": {"jobType": {**job_type, "jobType": "SQL_JOB"}},
        },
    }


def state(get: LookupClient) -> Any:
    run = get(f"jobs/runs/{OF_RUN[-1]['run']['runId']}")
    return run["state"], run["message"], run["job"]["name"]


def test_the_listener_alone_says_that_all_went_well() -> None:
    assert state(LookupClient(table_after(*EVENTS)))[0] == "COMPLETED"


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_failure_counts_in_any_order(order: tuple[int, ...]) -> None:
    sent = [OF_RUN[0], OF_RUN[-1], failure()]
    get = LookupClient(table_after(*(sent[index] for index in order)))
    assert state(get) == ("FAILED", "ValueError: boom (late.py, line 9)", JOB)


def test_one_alert_tells_it_with_the_message_and_the_table() -> None:
    alerts = [
        alert
        for alert in World().alerts_one_by_one([*EVENTS, failure(), failure()])
        if alert["alert"] == "Run Failed" and alert["job"]["name"] == JOB
    ]
    assert len(alerts) == 1
    assert "ValueError: boom (late.py, line 9)" in "\n".join(alerts[0]["lines"])
    assert "It was writing 1 dataset, which may be stale: later." in alerts[0]["lines"]


def test_the_board_and_why_follow() -> None:
    get = LookupClient(table_after(*EVENTS, failure()))
    (application,) = [run for run in get("runs", limit=10)["runs"] if run["job"]["name"] == "fails"]
    assert application["state"] == "FAILED"
    assert JOB in {child["job"]["name"] for child in application["failedChildren"]}
    node = f"dataset:{OF_RUN[-1]['outputs'][0]['namespace']}:{OF_RUN[-1]['outputs'][0]['name']}"
    assert "boom" in root_cause.render({"nodeId": node, **get("rootcause", nodeId=node)}, Display(120))


def test_a_complete_under_a_new_run_id_after_an_abort_is_no_success_and_raises_no_alert() -> None:
    """SIGTERM: the listener has forgotten the run of the query that the jar aborted, and the jar names it."""
    start, complete = OF_RUN[0], OF_RUN[-1]
    abort = {**failure(), "eventType": "ABORT"}
    facets = {**complete["run"]["facets"], "headwater_failed": {"failed": True, "toldBy": start["run"]["runId"]}}
    phantom = {**complete, "run": {"runId": "01890000-0000-7000-8000-000000000001", "facets": facets}}
    assert World().alerts_one_by_one([start, abort, phantom]) == []
    runs = LookupClient(table_after(start, abort, phantom))(f"namespaces/{start['job']['namespace']}/jobs/{JOB}/runs")
    assert {run["id"]: run["state"] for run in runs["runs"]} == {
        start["run"]["runId"]: "ABORTED",
        phantom["run"]["runId"]: "FAILED",
    }
