"""A person says that a run was good, and takes it back."""

from typing import Any

import pytest

from headwater.access.admission import admitted_event
from headwater.access.principal import Principal
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.nameless import NamedDatasets
from headwater.openlineage.wire import read_event
from tests import factory
from tests.curate.conftest import Api
from tests.fold.test_law import folded

RUN = f"jobs/runs/{factory.run_id(1)}"
JOB = "namespaces/demo/jobs/load"


def without_judgement(document: Any) -> Any:
    return {name: value for name, value in document.items() if name != "judgement"}


@pytest.fixture
def ran(api: Api) -> Api:
    outputs = [factory.dataset("orders", schema=factory.schema("id:int"))]
    api.fold_events(
        factory.run_event("START", run=1, job="load", outputs=outputs),
        factory.run_event("COMPLETE", run=1, job="load", seconds=9, outputs=outputs),
    )
    return api


def test_a_run_is_called_good_by_somebody_with_a_note_and_nothing_else_of_it_changes(ran: Api) -> None:
    before, job = ran.get(RUN).body, ran.get(JOB).body
    said = ran.put(f"{RUN}/good", {"note": "compared with the till"})
    judgement = said.body["judgement"]
    assert (said.status, judgement["good"], judgement["note"]) == (200, True, "compared with the till")
    assert judgement["by"] == ran.caller.key_id
    assert without_judgement(said.body) == before == without_judgement(ran.get(RUN).body)
    after = ran.get(JOB).body
    assert [without_judgement(after.pop("latestRun"))] == [job.pop("latestRun")]
    assert list(map(without_judgement, after.pop("latestRuns"))) == job.pop("latestRuns")
    assert after == job


def test_it_is_taken_back_and_said_again(ran: Api) -> None:
    ran.put(f"{RUN}/good")
    assert "judgement" not in ran.delete(f"{RUN}/good").body
    assert ran.put(f"{RUN}/good").body["judgement"]["good"]
    events = ran.queued_events()
    assert len(events) == 3
    assert folded([ran.folded_events, events]) == folded([events[::-1], ran.folded_events[::-1]])


def test_the_run_may_end_after_it_was_called_good(api: Api) -> None:
    api.fold_events(factory.run_event("START", run=7, job="stream"))
    path = f"jobs/runs/{factory.run_id(7)}"
    assert api.put(f"{path}/good").body["state"] == "RUNNING"
    api.fold_events(factory.run_event("COMPLETE", run=7, job="stream", seconds=5))
    run = api.get(path).body
    assert (run["state"], run["updatedAt"], run["judgement"]["good"]) == ("COMPLETED", factory.at(5), True)


def test_a_run_that_failed_is_not_good(api: Api) -> None:
    api.fold_events(factory.run_event("FAIL", run=8, job="load"))
    refused = api.put(f"jobs/runs/{factory.run_id(8)}/good")
    assert (refused.status, refused.body["message"].split(" ", 2)[2]) == (
        409,
        "is FAILED; only a run that went well can be called good.",
    )
    assert api.put(f"jobs/runs/{factory.run_id(99)}/good").status == 404
    assert not api.queue.sent


def test_the_last_runs_that_were_judged_are_kept_in_any_order() -> None:
    api = Api()
    for number in range(1, 31):
        api.fold_events(factory.run_event("COMPLETE", run=number, job="load", seconds=number))
        api.put(f"jobs/runs/{factory.run_id(number)}/good")
    events = [*api.folded_events, *api.queued_events()]
    assert folded([[event] for event in events]) == folded([events[::-1]])
    api.fold_events(factory.run_event("COMPLETE", run=40, job="load", seconds=50))
    cause = api.get("rootcause", nodeId="job:demo:load").body
    assert (cause["lastGood"]["id"], cause["lastGood"]["confirmed"]) == (factory.run_id(30), True)


def test_a_producer_cannot_call_its_run_good(ran: Api) -> None:
    event = factory.run_event("OTHER", run=1, job="load", run_facets={"headwater_judgement": factory.facet(good=True)})
    producer = Principal("etl", frozenset({"ingest"}), ("demo",))
    with pytest.raises(InvalidRequest, match="headwater_judgement"):
        admitted_event(NamedDatasets(event, ()), read_event(event), producer, ran.naming)


@pytest.mark.parametrize("end", ["COMPLETE", "FAIL"])
def test_a_run_that_never_reported_is_good_with_those_that_it_started_unless_one_failed(api: Api, end: str) -> None:
    """A DAG's run that only its tasks name as their parent."""
    api.fold_events(factory.run_event(end, run=21, job="dag.task", run_facets={"parent": factory.parent(20, "dag")}))
    path = f"jobs/runs/{factory.run_id(20)}"
    before = api.get(path).body
    said = api.put(f"{path}/good")
    if end == "FAIL":
        assert (said.status, "is FAILED" in said.body["message"]) == (409, True)
        return
    assert (said.status, said.body["judgement"]["good"]) == (200, True)
    assert without_judgement(said.body) == before == without_judgement(api.get(path).body)
    assert "judgement" not in api.delete(f"{path}/good").body


def test_a_run_that_has_not_begun_is_not_good(ran: Api) -> None:
    ran.post(f"{JOB}/runs", {"id": factory.run_id(30)})
    refused = ran.put(f"jobs/runs/{factory.run_id(30)}/good")
    assert (refused.status, "is NEW" in refused.body["message"]) == (409, True)
