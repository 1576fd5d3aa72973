"""Lists of jobs, whose runs are kept as JSON: each list shows what is stored now, and what its caller may see."""

from typing import Any

from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, RETENTION, LookupClient, after, key_of

ORDERS = factory.dataset("orders")
FACETS = {"inputStatistics": factory.facet(rowCount=7)}
READ = factory.run_event("COMPLETE", job="report", run=9, seconds=100, inputs=[{**ORDERS, "inputFacets": FACETS}])


def wrote(run: int, seconds: float) -> Document:
    return factory.run_event("COMPLETE", run=run, seconds=seconds, outputs=[ORDERS])


def report(get: LookupClient) -> Any:
    """The newest run of the job `report`, as a list of jobs shows it."""
    return {job["name"]: job["latestRun"] for job in get("jobs")["jobs"]}["report"]


def test_a_list_names_the_version_of_an_input_that_was_written_since_the_list_before() -> None:
    get = after(wrote(1, 10), READ)
    for run, seconds in ((1, 10), (2, 20), (3, 30)):
        fold(factory.received(wrote(run, seconds)), GraphStore(get.table, RETENTION))
        (version,) = report(get)["inputDatasetVersions"]
        assert version["datasetVersionId"]["version"] == factory.run_id(run)


def test_a_list_shows_a_run_as_its_last_event_left_it() -> None:
    get = after(factory.run_event("START", job="report", run=9))
    assert report(get)["state"] == "RUNNING"
    for kind in ("COMPLETE", "FAIL"):
        fold(
            factory.received(factory.run_event(kind, job="report", run=9, seconds=1)), GraphStore(get.table, RETENTION)
        )
        assert report(get)["state"] == {"COMPLETE": "COMPLETED", "FAIL": "FAILED"}[kind]


def test_each_caller_has_the_runs_of_a_list_as_the_caller_sees_them() -> None:
    everyone = after(wrote(1, 10), READ)
    narrow = LookupClient(everyone.table, key_of("demo"))
    alone = LookupClient(everyone.table, key_of("demo", LAKE))
    seen = [report(get) for get in (everyone, narrow, everyone, alone, narrow)]
    assert seen[0] == seen[2] == seen[3]
    assert seen[1] == seen[4] != seen[0]
    assert seen[0] == everyone("namespaces/demo/jobs/report")["latestRun"]
    assert seen[1] == narrow("namespaces/demo/jobs/report")["latestRun"]
