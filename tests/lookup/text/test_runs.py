"""Runs and root causes as text."""

from typing import Any

import pytest

from headwater.lookup.text import root_cause, runs
from headwater.lookup.text.amounts import duration, moment
from headwater.lookup.text.display import Display, Role

JOB = {"namespace": "prod", "name": "daily_orders"}


def run(number: int, state: str = "COMPLETED", **members: Any) -> dict[str, Any]:
    started = f"2026-11-20T08:0{number}:00.000Z"
    return {"id": f"run-{number}", "state": state, "startedAt": started, "durationMs": 12_345, **members}


def test_the_runs_of_a_job_are_a_table_with_their_ids() -> None:
    failed = run(2, "FAILED", message="no such table: orders")
    running = run(3, "RUNNING", durationMs=None)
    assert runs.render({"runs": [running, failed, run(1)], "totalCount": 10}, Display()) == (
        "STATE      STARTED            TOOK  RUN\n"
        "RUNNING    2026-11-20 08:03Z        run-3\n"
        "FAILED     2026-11-20 08:02Z  12 s  run-2\n"
        "    no such table: orders\n"
        "COMPLETED  2026-11-20 08:01Z  12 s  run-1\n"
        "\n"
        "and 7 earlier runs\n"
    )


def test_the_runs_of_many_jobs_have_their_jobs() -> None:
    child = {"runId": "x", "job": {"namespace": "prod", "name": "daily_orders.write"}}
    other = {"namespace": "dev", "name": "load"}
    listed = [run(1, job=JOB, failedChildren=[child]), run(0, job=JOB), run(2, job=other)]
    assert runs.render({"runs": listed}, Display()) == (
        "(jobs in prod)\n"
        "STATE      STARTED            TOOK  JOB\n"
        "COMPLETED  2026-11-20 08:01Z  12 s  daily_orders\n"
        "    failed in it: daily_orders.write\n"
        "COMPLETED  2026-11-20 08:00Z  12 s  daily_orders\n"
        "COMPLETED  2026-11-20 08:02Z  12 s  load  dev\n"
    )


def test_a_run_is_told_with_its_outcome_and_the_parent_that_it_stands_for() -> None:
    failed = run(1, outcome="FAILED", message="disk full", parent={"runId": "x", "job": JOB})
    assert runs.render({"runs": [failed, run(0, "NEW", outcome="NOT_REPORTED", durationMs=None)]}, Display()) == (
        "STATE         STARTED            TOOK  RUN\n"
        "FAILED        2026-11-20 08:01Z  12 s  run-1\n"
        "    disk full\n"
        "    started by daily_orders, which has not reported\n"
        "NOT REPORTED  2026-11-20 08:00Z        run-0\n"
    )


def test_of_where_a_run_ran_what_is_known_is_told() -> None:
    by_trino = run(1, query={"id": "20261120_1", "source": "TRINO"})
    text = runs.render({"runs": [by_trino, run(2, environment={"cluster": "j-1"})]}, Display())
    assert "20261120_1 of TRINO" in text
    assert "on j-1" in text


def test_of_a_run_without_contact_it_is_told_since_when() -> None:
    silent = run(1, "RUNNING", durationMs=None, noContactSince="2026-11-20T08:10:00Z")
    assert runs.render({"runs": [silent]}, Display()) == (
        "STATE    STARTED            TOOK  RUN\n"
        "RUNNING  2026-11-20 08:01Z        run-1\n"
        "    no contact since 2026-11-20 08:10Z\n"
    )


def test_of_a_run_of_a_service_it_is_told_where_it_ran() -> None:
    place = {"cluster": "j-VC0KIOO5V5LS", "release": "emr-7.1.0", "application": "application_17_0001", "user": "etl"}
    step = {"id": "s-07767992IY7VC5NVV854", "source": "EMR"}
    on_emr, local = run(1, query=step, environment=place), run(1, environment={"application": "local-1", "user": "etl"})
    text = runs.render({"runs": [on_emr]}, Display())
    assert "    on j-VC0KIOO5V5LS, emr-7.1.0, s-07767992IY7VC5NVV854 of EMR, by etl\n" in text
    assert runs.render({"runs": [local]}, Display()) == runs.render({"runs": [run(1)]}, Display())


def test_states_are_painted_by_the_caller() -> None:
    painted = runs.render({"runs": [run(1, "FAILED")]}, Display(paint=lambda role, text: f"<{role}>{text}</>"))
    assert f"<{Role.BAD}>FAILED</>" in painted


def test_no_runs_are_no_table() -> None:
    assert runs.render({"runs": []}, Display()) == "no run\n"


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0 ms"), (850, "850 ms"), (12_345, "12 s"), (200_000, "3 min 20 s"), (7_500_000, "2 h 5 min"), (None, "")],
)
def test_durations_are_in_two_units_at_most(milliseconds: int | None, words: str) -> None:
    assert duration(milliseconds) == words


def test_a_time_is_shown_to_the_minute_and_any_other_text_as_it_is() -> None:
    assert moment("2026-11-20T08:00:59.123456Z") == "2026-11-20 08:00Z"
    assert (moment("yester\nday"), moment(None)) == ("yester␊day", "")


def test_a_root_cause_has_its_runs_its_findings_and_what_went_well() -> None:
    finding = {
        "kind": "RUN_FAILED",
        "at": "2026-11-20T09:00:00Z",
        "distance": 2,
        "summary": "clean failed: " + "x " * 60,
    }
    answer = {
        "nodeId": "dataset:s3://lake:orders",
        "asOf": "2026-11-20T10:00:00Z",
        "suspect": run(2, job=JOB),
        "lastGood": run(1, job=JOB, startedAt="2026-11-20T07:59:59Z", endedAt="2026-11-20T08:01:01Z"),
        "findings": [finding, {**finding, "kind": "SCHEMA_CHANGED", "distance": 0, "summary": "orders: x was added"}],
        "successfulRuns": [{"nodeId": "job:prod:daily_orders", "count": 3}],
        "truncated": True,
    }
    assert root_cause.render(answer, Display()) == (
        "what may explain a wrong number in orders: 2 findings\n"
        "(in s3://lake, as of 2026-11-20 10:00Z)\n"
        "\n"
        "newest run  COMPLETED 2026-11-20 08:02Z, 12 s  job daily_orders\n"
        "last good   COMPLETED 2026-11-20 08:01Z, 12 s  job daily_orders\n"
        "\n"
        "2026-11-20 09:00Z  RUN_FAILED  2 hops upstream\n"
        "    clean failed: x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x\n"
        "    x x x x x x x x x x x x x x x x x x x x x x x x x x x x x\n"
        "2026-11-20 09:00Z  SCHEMA_CHANGED  here\n"
        "    orders: x was added\n"
        "\n"
        "runs without a failure meanwhile\n"
        "    3 runs    job daily_orders\n"
        "\n"
        "truncated: the graph goes on beyond this\n"
    )


def test_a_node_without_findings_and_without_runs_says_so() -> None:
    empty: dict[str, Any] = {
        "nodeId": "dataset:a:b",
        "suspect": None,
        "lastGood": None,
        "findings": [],
        "successfulRuns": [],
    }
    text = root_cause.render(empty, Display())
    assert "newest run  no run is known to have written the dataset" in text
    assert "no failure and no change of the node or upstream of the node, in all stored runs" in text


def test_what_the_tasks_of_a_run_took_is_a_line() -> None:
    took = {"executorSeconds": 200.4, "bytesRead": 43_000_000_000, "bytesShuffled": 1_500, "bytesSpilled": 0}
    amounts = {**took, "peakMemoryBytes": 0, "tasks": 1_200, "failedTasks": 3, "stages": []}
    shown = runs.render({"runs": [run(1, runtime=amounts)]}, Display())
    assert "\n    tasks 3 min 20 s, read 43 GB, shuffled 1.5 KB, 3 of 1,200 failed\n" in shown


def test_how_far_a_stream_is_is_a_line() -> None:
    shown = [
        runs.render({"runs": [run(1, progress={"batches": 7, "rows": 1_200} | lag)]}, Display())
        for lag in ({}, {"lag": 34})
    ]
    assert "\n    1,200 rows by batch 7\n" in shown[0]
    assert "\n    1,200 rows by batch 7, 34 behind\n" in shown[1]
