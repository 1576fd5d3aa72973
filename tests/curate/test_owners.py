"""Owners that are set are in the next lookup of their dataset or job, in place of those that producers send."""

import pytest

from tests import factory
from tests.curate.conftest import LAKE, Api

ORDERS, REPORT = f"namespaces/{LAKE}/datasets/orders", "namespaces/demo/jobs/report"
LOAD = "namespaces/demo/jobs/load"


def owners(api: Api, path: str) -> list[str]:
    return [owner["name"] for owner in api.get(path).body["facets"].get("ownership", {}).get("owners", [])]


@pytest.mark.parametrize("path", [ORDERS, REPORT])
def test_owners_are_set_replaced_and_removed(api: Api, path: str) -> None:
    before = api.get(path)
    put = api.put(f"{path}/owners", {"owners": ["finance", "data", "finance"]})
    assert (put.status, put) == (200, api.get(path))
    assert owners(api, path) == ["finance", "data"]
    api.put(f"{path}/owners", {"owners": ["sales"]})
    assert owners(api, path) == ["sales"]
    assert api.put(f"{path}/owners", {"owners": []}) == before


@pytest.mark.parametrize("path", [ORDERS, REPORT])
def test_owners_are_no_use_of_the_node(api: Api, path: str) -> None:
    before = api.get(path).body
    after = api.put(f"{path}/owners", {"owners": ["finance"]}).body
    assert after.pop("facets").pop("ownership")
    before.pop("facets")
    assert after == before


def test_a_job_keeps_its_inputs_and_outputs(api: Api) -> None:
    before = api.get(REPORT).body
    after = api.put(f"{REPORT}/owners", {"owners": ["finance"]}).body
    assert (after["inputs"], after["outputs"]) == (before["inputs"], before["outputs"])


@pytest.mark.parametrize("path", [ORDERS, LOAD])
def test_a_later_event_of_a_producer_does_not_replace_them(api: Api, path: str) -> None:
    api.put(f"{path}/owners", {"owners": ["finance"]})
    ownership = factory.facet(owners=[{"name": "airflow"}])
    written, later = factory.dataset("orders", ownership=ownership), {"ownership": ownership}
    api.fold_events(
        factory.run_event("COMPLETE", seconds=9_000, run=90, job="load", outputs=[written], job_facets=later)
    )
    assert owners(api, path) == ["finance"]
    api.now += factory.EPOCH.resolution * 9_000_000_000
    api.put(f"{path}/owners", {"owners": []})
    assert owners(api, path) == ["airflow"]


def test_a_dataset_without_owners_has_those_set_on_the_job_that_writes_it(api: Api) -> None:
    api.put(f"{LOAD}/owners", {"owners": ["finance"]})
    ownership = api.get(ORDERS).body["facets"]["ownership"]
    assert ownership["owners"] == [{"name": "finance"}]
    assert ownership["headwater_derivedFrom"] == {"namespace": "demo", "name": "load"}


def test_owners_are_found_by_search_and_told_by_impact(api: Api) -> None:
    api.put(f"{REPORT}/owners", {"owners": ["finance"]})
    assert "finance" in str(api.get("impact", nodeId=f"dataset:{LAKE}:orders").body)
    assert "finance" in str(api.get("search/groups", q="finance").body)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, "owners: missing"),
        ({"owners": "finance"}, "owners: expected an array"),
        ({"owners": [""]}, "owners[0]: empty"),
        ({"owners": [{"name": "finance"}]}, "owners[0]: expected a string"),
    ],
)
def test_a_wrong_body_is_refused_with_the_path_of_its_fault(api: Api, body: factory.Document, fault: str) -> None:
    refused = api.put(f"{ORDERS}/owners", body)
    assert (refused.status, refused.body["faults"]) == (400, [fault])
    assert api.queue.sent == []


def test_an_unknown_dataset_named_so_is_declared() -> None:
    """The path of the owners of `a` is that of a dataset `a/owners`, if there is no dataset `a`."""
    api = Api()
    declared = {"type": "DB_TABLE", "physicalName": "a/owners", "sourceName": LAKE}
    assert api.put(f"namespaces/{LAKE}/datasets/a%2Fowners", declared).body["name"] == "a/owners"
