"""The response to a batch is that of the OpenLineage API: counts, and failed events with reason and retriability."""

import gzip
import json
from typing import Any

import pytest

from tests import factory
from tests.embedded import Deployed
from tests.end_to_end.api import Answer, Api

pytestmark = pytest.mark.emulator

PATHS = ("/api/v1/lineage/batch", "/lineage/batch")
EVERY_KIND = [
    factory.run_event("START", run=0xBA7C0),
    factory.job_event(job="batched"),
    factory.dataset_event(factory.dataset("batched")),
]


def summary(received: int, failed: int = 0) -> dict[str, int]:
    counts = {"received": received, "successful": received - failed, "failed": failed}
    return {**counts, "retriable": 0, "non_retriable": failed}


def posted(api: Api, documents: list[Any], path: str = PATHS[0]) -> Answer:
    answer = api.post_event(documents, path)
    assert answer.status == 200, answer.body
    return answer


@pytest.mark.parametrize("path", PATHS)
def test_a_batch_of_every_kind_of_event_succeeds(api: Api, path: str) -> None:
    answer = posted(api, EVERY_KIND, path)
    assert answer.json == {"status": "success", "summary": summary(3), "failed_events": []}
    assert answer.headers["content-type"].startswith("application/json")


def test_a_batch_may_be_gzipped(api: Api) -> None:
    answer = api.post(gzip.compress(json.dumps(EVERY_KIND).encode()), PATHS[0], Content_Encoding="gzip")
    assert (answer.status, answer.json["summary"]) == (200, summary(3))


def test_an_empty_batch_succeeds(api: Api) -> None:
    assert posted(api, []).json == {"status": "success", "summary": summary(0), "failed_events": []}


def test_faulty_events_do_not_hold_up_the_others(api: Api, deployed: Deployed) -> None:
    good = [factory.run_event("COMPLETE", run=0xBA7C1 + number) for number in range(3)]
    bad = [{**good[0], "run": {"runId": "no"}}, "event", {**good[0], "job": {}, "producer": 5}]
    answer = posted(api, [good[0], bad[0], good[1], bad[1], bad[2], good[2]])
    assert answer.json["status"] == "partial_success"
    assert answer.json["summary"] == summary(6, failed=3)
    assert [(event["index"], event["retriable"]) for event in answer.json["failed_events"]] == [
        (1, False),
        (3, False),
        (4, False),
    ]
    reasons = [event["reason"] for event in answer.json["failed_events"]]
    assert reasons[0] == "run.runId: not a UUID"
    assert reasons[1] == "body: expected an object, one OpenLineage event, got a string"
    assert sorted(reasons[2].split("; ")) == [
        "job.name: missing",
        "job.namespace: missing",
        "producer: expected a string",
    ]
    deployed.wait_for_ingestion()
    states = [api.get("jobs", "runs", event["run"]["runId"]).json["state"] for event in good]
    assert states == ["COMPLETED"] * 3


def test_a_batch_of_faulty_events_is_a_partial_success_of_none(api: Api) -> None:
    answer = posted(api, [None, 1])
    assert (answer.json["status"], answer.json["summary"]) == ("partial_success", summary(2, failed=2))


def test_an_event_of_another_team_fails_alone(api: Api) -> None:
    own = factory.run_event(run=0xBA7C8) | {"job": {"namespace": "team-a", "name": "load"}}
    (failed,) = posted(Api.of(api.url, "for-a-team"), [own, factory.run_event(run=0xBA7C9)]).json["failed_events"]
    reason = "job.namespace: is not a namespace of this key; send a key for this namespace"
    assert failed == {"index": 1, "reason": reason, "retriable": False}


def test_a_batch_longer_than_the_queues_keeps_the_order_of_a_run(api: Api, deployed: Deployed) -> None:
    run = 0xBA7D0
    states = ["START", *["RUNNING"] * 40, "COMPLETE"]
    events = [factory.run_event(kind, run=run, seconds=second) for second, kind in enumerate(states)]
    assert posted(api, events).json["summary"] == summary(42)
    deployed.wait_for_ingestion()
    state = api.get("jobs", "runs", factory.run_id(run)).json
    assert (state["state"], state["durationMs"]) == ("COMPLETED", 41_000)
