"""Runs that are created, started and ended through the API."""

from collections.abc import Collection
from typing import Any

import pytest

from headwater.store.keys import Key
from tests import factory
from tests.curate.conftest import Api

RUNS = "namespaces/demo/jobs/report/runs"
ANNOUNCED = {"nominalStartTime": "2026-11-20T08:00:00Z", "args": {"a": "b"}}


def announced(api: Api) -> str:
    run_id: str = api.post(RUNS, ANNOUNCED).body["id"]
    return f"jobs/runs/{run_id}"


def test_a_run_is_announced(api: Api) -> None:
    created = api.post(RUNS, ANNOUNCED)
    assert created.status == 201
    run = created.body
    assert (run["state"], run["startedAt"], run["endedAt"]) == ("NEW", None, None)
    assert (run["nominalStartTime"], run["nominalEndTime"], run["args"]["a"]) == ("2026-11-20T08:00:00Z", None, "b")
    assert api.get(f"jobs/runs/{run['id']}").body == run
    assert run.pop("job") == {"namespace": "demo", "name": "report"}
    assert api.get(RUNS).body["runs"][0] == run
    assert api.get("namespaces/demo/jobs/report").body["latestRun"] == run


def test_a_run_needs_no_body(api: Api) -> None:
    assert api.post(RUNS).status == 201
    assert api.post(RUNS, {}).status == 201
    assert len(api.get(RUNS).body["runs"]) == 3


def test_an_announced_run_leaves_the_jobs_lineage_as_it_is(api: Api) -> None:
    before = api.get("namespaces/demo/jobs/report").body
    path = announced(api)
    for transition in ("start", "complete"):
        api.post(f"{path}/{transition}")
        after = api.get("namespaces/demo/jobs/report").body
        assert (after["inputs"], after["outputs"]) == (before["inputs"], before["outputs"])


def test_a_run_that_completes_leaves_versions_of_what_its_job_was_declared_to_write(api: Api) -> None:
    job, sums = "namespaces/demo/jobs/declared", "namespaces/s3://lake/datasets/sums"
    inputs, outputs = ([{"namespace": "s3://lake", "name": name}] for name in ("orders", "sums"))
    api.put(job, {"type": "BATCH", "inputs": inputs, "outputs": outputs})
    for transition, by_it in (("fail", False), ("complete", True)):
        run_id = api.post(f"{job}/runs").body["id"]
        assert bool(api.post(f"jobs/runs/{run_id}/{transition}").body["jobVersion"]) is by_it
        assert (run_id in [version["version"] for version in api.get(f"{sums}/versions").body["versions"]]) is by_it
    assert (api.get(job).body["inputs"], api.get(job).body["outputs"]) == (inputs, outputs)


def test_a_run_that_names_an_output_has_the_inputs_that_its_job_was_declared_with(api: Api) -> None:
    job, sums = "namespaces/demo/jobs/declared", "namespaces/s3://lake/datasets/sums"
    (inputs, outputs, others) = ([{"namespace": "s3://lake", "name": name}] for name in ("orders", "sums", "others"))
    api.put(
        "namespaces/s3://lake/datasets/others", {"type": "DB_TABLE", "physicalName": "o", "sourceName": "s3://lake"}
    )
    api.put(job, {"type": "BATCH", "inputs": inputs, "outputs": others})
    run_id = api.post(f"{job}/runs").body["id"]
    api.put(sums, {"type": "DB_TABLE", "physicalName": "sums", "sourceName": "s3://lake", "runId": run_id})
    ended = api.post(f"jobs/runs/{run_id}/complete").body
    version = api.get(f"{job}/versions/{ended['jobVersion']['version']}").body
    assert (version["inputs"], version["outputs"], version["latestRun"]["id"]) == (inputs, outputs, run_id)


def test_a_run_has_the_id_that_it_is_given(api: Api) -> None:
    given = {"id": factory.run_id(77).upper()}
    created = api.post(RUNS, given)
    assert created.body["id"] == factory.run_id(77)
    assert api.post(RUNS, given) == created
    assert len(api.queue.sent) == 1


def test_a_run_of_another_job_cannot_be_announced(api: Api) -> None:
    answer = api.post(RUNS, {"id": factory.run_id(1)})
    assert answer.status == 409
    assert answer.body["message"] == f"Run '{factory.run_id(1)}' already exists for another job; send another id."


@pytest.mark.parametrize(("transition", "state"), [("complete", "COMPLETED"), ("fail", "FAILED"), ("abort", "ABORTED")])
def test_a_run_starts_and_ends(api: Api, transition: str, state: str) -> None:
    path = announced(api)
    started = api.post(f"{path}/start")
    assert (started.status, started.body["state"]) == (200, "RUNNING")
    assert started.body["startedAt"]
    ended = api.post(f"{path}/{transition}")
    assert (ended.status, ended.body["state"], ended.body["durationMs"]) == (200, state, 1000)
    assert api.get(path) == ended


def test_a_run_starts_and_ends_at_the_times_that_are_named(api: Api) -> None:
    path = announced(api)
    api.post(f"{path}/start", at="2026-11-20T10:00:00+01:00")
    ended = api.post(f"{path}/complete", at="2026-11-20T09:30:00.5Z").body
    assert (ended["startedAt"], ended["endedAt"]) == ("2026-11-20T09:00:00Z", "2026-11-20T09:30:00.500Z")


def test_a_run_of_events_is_moved_on_too(api: Api) -> None:
    api.fold_events(factory.run_event("START", seconds=20, run=30, job="load"))
    assert api.post(f"jobs/runs/{factory.run_id(30)}/fail").body["state"] == "FAILED"


def test_a_created_run_is_no_longer_new_after_its_first_event(api: Api) -> None:
    given = {"id": factory.run_id(78)}
    api.post(RUNS, given)
    api.fold_events(factory.run_event("RUNNING", seconds=7200, run=78, job="report"))
    assert api.get(f"jobs/runs/{factory.run_id(78)}").body["state"] == "RUNNING"
    assert api.post(RUNS, given).body["state"] == "RUNNING"


def test_a_run_is_found_before_the_index_has_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Collection[Key] = []
    monkeypatch.setattr(api.table, "runs", lambda _: nothing)
    path = announced(api)
    assert api.post(f"{path}/start").body["state"] == "RUNNING"
    assert api.get(path).body["state"] == "RUNNING"
    assert api.get(f"jobs/runs/{factory.run_id(99)}").status == 404


WRONG: list[tuple[str, Any, int, str]] = [
    (RUNS, "[]", 400, "body: expected a JSON object"),
    (RUNS, {"id": "x"}, 400, "id: not a UUID"),
    (RUNS, {"nominalStartTime": "soon"}, 400, "nominalStartTime: not an ISO 8601 time"),
    (RUNS, {"args": []}, 400, "args: expected an object"),
    ("namespaces/demo/jobs/nothing/runs", {}, 404, "Job 'nothing' not found."),
    (f"jobs/runs/{factory.run_id(99)}/start", None, 404, f"Run '{factory.run_id(99)}' not found."),
    ("jobs/runs/x/start", None, 404, "Not Found"),
    (f"jobs/runs/{factory.run_id(1)}/begin", None, 404, "Not Found"),
]


@pytest.mark.parametrize(("path", "body", "status", "message"), WRONG)
def test_each_fault_is_named(api: Api, path: str, body: Any, status: int, message: str) -> None:
    answer = api.post(path, body)
    assert answer.status == status
    assert message in answer.body["message"]
    assert api.queue.sent == []


@pytest.mark.parametrize(
    ("at", "message"), [("now", "at: not an ISO 8601 time"), ("2999-01-01T00:00:00Z", "at: more than 366 days")]
)
def test_a_time_that_is_none_is_named(api: Api, at: str, message: str) -> None:
    answer = api.post(f"jobs/runs/{factory.run_id(1)}/start", at=at)
    assert answer.status == 400
    assert message in answer.body["message"]
    assert api.queue.sent == []
