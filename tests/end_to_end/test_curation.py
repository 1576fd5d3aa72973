"""A change of the graph over HTTP shows in the next lookup, and is an event in the archive."""

import gzip
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests import factory
from tests.embedded import Deployed
from tests.end_to_end.api import Answer, Api

pytestmark = pytest.mark.emulator

JOBS, LAKE = "curation://of jobs", "s3://curation"
TABLE = {"type": "DB_TABLE", "physicalName": "orders", "sourceName": "s3://curation", "fields": [{"name": "id"}]}


@pytest.fixture(scope="module")
def curation_api(api: Api, deployed: Deployed) -> Api:
    """The API with a job that wrote a dataset."""
    api.post_event(event(run=0xC0, seconds=0))
    deployed.wait_for_ingestion()
    return api


@pytest.fixture
def curated(curation_api: Api, deployed: Deployed) -> Iterator[Api]:
    """The API while normalise is paused, so that lookups show the writes of curate alone."""
    with deployed.queue_paused():
        yield curation_api


def event(run: int, seconds: float) -> factory.Document:
    orders = factory.dataset("raw/orders", LAKE, schema=factory.schema("id:int"))
    return factory.run_event("COMPLETE", run=run, seconds=seconds, outputs=[orders]) | {
        "job": {"namespace": JOBS, "name": "load/orders"}
    }


def request(api: Api, method: str, *parts: str, body: Any = None, **query: str) -> Answer:
    """A request to write, each part of its path percent-encoded."""
    path = "/".join(["/api/v1", *(quote(part, safe="") for part in parts)])
    text = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
    sent = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if sent else {}
    return api.request(method, f"{path}?{text}" if text else path, sent, headers)


ORDERS = ("namespaces", LAKE, "datasets", "raw/orders")
LOAD = ("namespaces", JOBS, "jobs", "load/orders")


def test_tags_come_and_go(curated: Api) -> None:
    assert request(curated, "POST", *ORDERS, "tags", "very good").json["tags"] == ["very good"]
    assert curated.get(*ORDERS).json["tags"] == ["very good"]
    assert request(curated, "POST", *ORDERS, "fields", "id", "tags", "key/1").json["fields"][0]["tags"] == ["KEY/1"]
    assert request(curated, "POST", *LOAD, "tags", "100%").json["tags"] == ["100%"]
    assert request(curated, "DELETE", *ORDERS, "fields", "id", "tags", "key/1").json["fields"][0]["tags"] == []
    assert request(curated, "DELETE", *ORDERS, "tags", "very good").json["tags"] == []
    assert curated.get(*LOAD).json["tags"] == ["100%"]


def test_descriptions_and_declarations_are_in_the_next_lookup(curated: Api) -> None:
    described = request(curated, "PUT", "namespaces", "curation", body={"ownerName": "me", "description": "d"})
    assert (described.status, described.json) == (200, curated.get("namespaces", "curation").json)
    declared = request(curated, "PUT", "namespaces", "curation", "datasets", "a/b", body=TABLE)
    assert (declared.status, declared.json["id"]) == (200, {"namespace": "curation", "name": "a/b"})
    job = {"type": "BATCH", "outputs": [{"namespace": "curation", "name": "a/b"}]}
    assert request(curated, "PUT", "namespaces", "curation", "jobs", "c/d", body=job).json["outputs"] == job["outputs"]
    graph = curated.get("lineage", nodeId="dataset:curation:a/b").json["graph"]
    assert {node["id"] for node in graph} == {"dataset:curation:a/b", "job:curation:c/d"}


def test_a_run_is_announced_started_and_ended(curated: Api) -> None:
    created = request(curated, "POST", *LOAD, "runs", body={"args": {"a": "b"}})
    assert (created.status, created.json["state"]) == (201, "NEW")
    run = ("jobs", "runs", created.json["id"])
    assert created.headers["location"] == "/api/v1/" + "/".join(run)
    assert request(curated, "POST", *run, "start", at="2026-11-20T09:00:00+01:00").json["state"] == "RUNNING"
    assert request(curated, "POST", *run, "complete").json["state"] == "COMPLETED"
    assert curated.get(*run).json["startedAt"] == "2026-11-20T08:00:00Z"


def test_a_deleted_node_is_gone_until_a_newer_event(curated: Api) -> None:
    for path in (ORDERS, LOAD):
        before = curated.get(*path)
        deleted = request(curated, "DELETE", *path)
        assert (deleted.status, deleted.json) == (200, before.json)
        assert curated.get(*path).status == 404
    assert curated.get("namespaces", JOBS, "jobs").json["jobs"] == []
    later = request(curated, "PUT", *LOAD, body={"type": "BATCH"})
    assert (later.status, curated.get(*LOAD).status, curated.get(*ORDERS).status) == (200, 200, 404)


def test_events_and_questions_go_their_own_ways(curated: Api) -> None:
    assert curated.post_event(event(run=0xC1, seconds=1), "/lineage").status == 201
    assert curated.post_event([event(run=0xC2, seconds=2)], "/api/v1/lineage/batch").status == 200
    assert curated.request("GET", "/namespaces").status == 200
    assert curated.request("DELETE", "/namespaces/nowhere").status == 404


def test_normalise_folds_the_same_again_and_archives_it(curation_api: Api, deployed: Deployed) -> None:
    """The queue also holds events later than the deletion, which undelete the dataset."""
    deployed.wait_for_ingestion()
    assert curation_api.get(*ORDERS).status == curation_api.get(*LOAD).status == 200
    assert curation_api.get("namespaces", "curation").json["ownerName"] == "me"
    assert b"".join(map(gzip.decompress, deployed.objects("events/").values())).count(b"/headwater/curate") > 10
