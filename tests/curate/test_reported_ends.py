"""Runs that end because EMR, EMR Serverless or Glue say so, by EventBridge. The events are those of AWS's guides."""

from itertools import permutations
from typing import Any

import pytest

from events.envelopes import step_ended
from headwater.curate.curator import Curator
from headwater.curate.run_lifecycle import UnknownRun, end_as_reported
from tests import factory
from tests.curate.conftest import Api, folded

STEP, APPLICATION = "s-36ZWOFMZ19IUZ", factory.run_id(21)
SERVERLESS = {
    "jobRunId": "00f1cbn5g4bb0c01",
    "applicationId": "00f1982r1uukb925",
    "arn": "arn:aws:emr-serverless:us-east-1:123456789012:/applications/00f1982r1uukb925/jobruns/00f1cbn5g4bb0c01",
    "releaseLabel": "emr-6.6.0",
    "previousState": "RUNNING",
}
GLUE = {"jobName": "MyJob", "severity": "ERROR", "jobRunId": "jr_abcdef01", "message": "An error occurred"}


def notice(state: str, detail: dict[str, Any] | None = None, *, hours: int = 1) -> dict[str, Any]:
    sent = step_ended()
    return {**sent, "time": factory.at(hours * 3600), "detail": {**(detail or sent["detail"]), "state": state}}


def event(kind: str, seconds: float, run: int = 21, known_as: str | None = STEP) -> factory.Document:
    query = {"externalQueryId": known_as, "source": "EMR", "_producer": "https://p", "_schemaURL": "https://s"}
    facets = {"externalQuery": query} if known_as else {}
    return factory.run_event(kind, seconds=seconds, run=run, job="etl", run_facets=facets)


def told(api: Api, said: dict[str, Any]) -> str | None:
    return end_as_reported(Curator(api.store, api.queue, api.bucket, api.naming), said, api.now)


def is_known(api: Api, said: dict[str, Any]) -> bool:
    try:
        told(api, said)
    except UnknownRun:
        return False
    return True


def state(api: Api, run_id: str = APPLICATION) -> str:
    found: str = api.get(f"jobs/runs/{run_id}").body["state"]
    return found


@pytest.mark.parametrize(
    ("said", "known_as", "becomes"),
    [
        (notice("FAILED"), STEP, "FAILED"),
        (notice("CANCELLED"), STEP, "ABORTED"),
        (notice("COMPLETED"), STEP, "COMPLETED"),
        (notice("SUCCESS", SERVERLESS), "00f1cbn5g4bb0c01", "COMPLETED"),
        (notice("FAILED", SERVERLESS), "00f1cbn5g4bb0c01", "FAILED"),
        (notice("TIMEOUT", GLUE), "jr_abcdef01", "FAILED"),
        (notice("STOPPED", GLUE), "jr_abcdef01", "ABORTED"),
        (notice("SUCCEEDED", GLUE), "jr_abcdef01", "COMPLETED"),
        (notice("RUNNING"), STEP, "RUNNING"),
        (notice("INTERRUPTED"), STEP, "RUNNING"),
    ],
)
def test_an_open_run_ends_as_the_service_says(
    api: Api, said: dict[str, Any], known_as: str | None, becomes: str
) -> None:
    api.fold_events(event("START", 20, known_as=known_as))
    ended = told(api, said)
    assert (state(api), ended) == (becomes, APPLICATION if becomes != "RUNNING" else None)


@pytest.mark.parametrize("known_as", ["s-36ZWOFMZ19IU", STEP.lower(), None])
def test_a_run_with_another_id_does_not_end(api: Api, known_as: str | None) -> None:
    api.fold_events(event("START", 20, known_as=known_as))
    with pytest.raises(UnknownRun):
        told(api, notice("FAILED"))
    assert state(api) == "RUNNING"


@pytest.mark.parametrize(
    ("said", "becomes"), [("FAILED", "FAILED"), ("CANCELLED", "ABORTED"), ("COMPLETED", "COMPLETED")]
)
@pytest.mark.parametrize("order", [*permutations(["START", "COMPLETE", "end"])])
def test_an_end_counts_in_whatever_order_it_comes(api: Api, order: tuple[str, ...], said: str, becomes: str) -> None:
    """What is not known yet is told again after the next event, as by the queue."""
    sent = {"START": event("START", 20), "COMPLETE": event("COMPLETE", 30, known_as=None)}
    waits = False
    for each in order:
        if each == "end":
            waits = True
        else:
            api.fold_events(sent[each])
        waits = waits and not is_known(api, notice(said))
    assert (waits, state(api)) == (False, becomes)


def test_the_run_ended_when_the_service_says_and_tells_why(api: Api) -> None:
    api.fold_events(event("START", 20))
    told(api, notice("FAILED"))
    run = api.get(f"jobs/runs/{APPLICATION}").body
    assert run["endedAt"] == factory.at(3600)
    assert run["message"].startswith(f"Step {STEP} (revenue)")


def test_an_end_is_told_once(api: Api) -> None:
    api.fold_events(event("START", 20))
    assert [told(api, notice("FAILED")) for _ in range(2)] == [APPLICATION, None]
    assert len(api.queue.sent) == 1


def test_a_failure_stands_beside_the_complete_that_the_listener_sends_in_any_order(api: Api) -> None:
    api.fold_events(event("START", 20), event("COMPLETE", 30))
    assert told(api, notice("FAILED")) == APPLICATION
    assert state(api) == "FAILED"
    tables = [folded(events) for events in permutations([*api.folded_events[2:], *api.queued_events()])]
    assert all(table == tables[0] for table in tables)


def test_a_success_adds_nothing_to_a_run_that_has_ended(api: Api) -> None:
    for kind, becomes in (("COMPLETE", "COMPLETED"), ("FAIL", "FAILED")):
        api.fold_events(event("START", 20), event(kind, 30))
        assert told(api, notice("COMPLETED")) is None
        assert state(api) == becomes


def test_only_the_newest_application_of_a_step_may_have_failed_with_it(api: Api) -> None:
    api.fold_events(event("START", 20), event("COMPLETE", 30), event("START", 40, run=22))
    assert told(api, notice("FAILED")) == factory.run_id(22)
    assert (state(api), state(api, factory.run_id(22))) == ("COMPLETED", "FAILED")


def test_a_step_that_fails_after_its_applications_fails_none_of_them(api: Api) -> None:
    for run, seconds in ((21, 20), (22, 40)):
        api.fold_events(event("START", seconds, run), event("COMPLETE", seconds + 5, run))
    assert told(api, notice("FAILED")) is None


def test_a_run_never_ends_before_its_newest_event(api: Api) -> None:
    api.fold_events(event("START", 20))
    assert told(api, notice("CANCELLED", hours=0)) == APPLICATION
    assert api.get(f"jobs/runs/{APPLICATION}").body["endedAt"] == factory.at(20.000001)


def test_an_open_query_ends_with_its_application(api: Api) -> None:
    spark = {"jobType": {"processingType": "BATCH", "integration": "SPARK", "jobType": "SQL_JOB"}}
    above = {"parent": factory.parent(21, "etl")}
    query = factory.run_event("START", seconds=25, run=23, job="etl.write", run_facets=above, job_facets=spark)
    api.fold_events(event("START", 20), query)
    assert state(api, factory.run_id(23)) == "RUNNING"
    told(api, notice("FAILED"))
    assert state(api, factory.run_id(23)) == "FAILED"
