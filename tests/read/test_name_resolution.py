"""Names with any characters are found, percent-encoded in the path or not."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import RETENTION
from tests.lookup.requests import response_to

NAMES = [
    "plain",
    "with space",
    "slashes/in/it",
    "co:lons::",
    "ha#sh",
    f"ends#{factory.run_id(3)}",
    f"ends#{factory.run_id(3)}#{factory.run_id(4)}",
    "per%cent",
    "per%25cent",
    "pct%2Fencoded",
    "new\nline",
    "🚀",
    "x" * 5000,
    "tail/",
    "//double",
    "q?x=1&y",
    "a/datasets/b",
    "a/jobs/b",
    "a/runs",
    "+plus",
    "..",
    "jobs",
    "datasets",
]
NAMESPACE = "kafka://host:9092/ü:#"
HANDED_OVER: dict[bool, Callable[[str], str]] = {True: lambda name: quote(name, safe=""), False: lambda name: name}

Get = Callable[..., ApiResponse]


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    table = MemoryTable()
    events = [
        factory.run_event("COMPLETE", run=number, job=name, outputs=[factory.dataset(name, NAMESPACE)])
        for number, name in enumerate(NAMES)
    ]
    fold(factory.received(*events), GraphStore(table, RETENTION))
    return table


@pytest.fixture
def get(table: MemoryTable) -> Get:
    def get(
        path: str, *, method: str = "GET", namespaces: tuple[str, ...] = ("*",), is_encoded: bool = False, **query: str
    ) -> ApiResponse:
        principal = Principal("test", frozenset({"read"}), namespaces)
        return response_to(table, ApiRequest(principal, method, path, query, is_encoded=is_encoded))

    return get


@pytest.mark.parametrize("is_encoded", HANDED_OVER, ids=["as sent", "by API Gateway"])
@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
def test_a_node_is_found_by_its_path(get: Get, name: str, *, is_encoded: bool) -> None:
    spelled = HANDED_OVER[is_encoded]
    job = get(f"/api/v1/namespaces/demo/jobs/{spelled(name)}", is_encoded=is_encoded)
    dataset = get(f"/api/v1/namespaces/{spelled(NAMESPACE)}/datasets/{spelled(name)}", is_encoded=is_encoded)
    assert (job.status, job.body.get("name")) == (200, name)
    assert (dataset.status, dataset.body.get("name"), dataset.body.get("namespace")) == (200, name, NAMESPACE)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
def test_a_node_is_found_by_its_node_id(get: Get, name: str) -> None:
    answer = get("/api/v1/lineage", nodeId=f"dataset:{NAMESPACE}:{name}", depth="0")
    assert [node["type"] for node in answer.body["graph"]] == ["DATASET", "JOB"]
    encoded = get("/api/v1/lineage", nodeId=f"dataset:{quote(NAMESPACE, safe='')}:{quote(name, safe='')}", depth="0")
    assert encoded == answer


@pytest.mark.parametrize("name", ["plain", "ha#sh", f"ends#{factory.run_id(3)}"])
def test_a_version_follows_any_name(get: Get, name: str) -> None:
    whole = get("/api/v1/lineage", nodeId=f"dataset:{NAMESPACE}:{name}", depth="0")
    version = get("/api/v1/lineage", nodeId=f"dataset:{NAMESPACE}:{name}#{factory.run_id(999)}", depth="0")
    assert (version.status, version.body["graph"]) == (200, whole.body["graph"])


@pytest.mark.parametrize("segment", ["a/jobs/", "a/jobs/runs/", "a/jobs/b/versions/", "a/datasets/b/versions/"])
def test_the_time_to_read_a_path_does_not_grow_with_its_square(get: Get, segment: str) -> None:
    """With its square, a path of 500 kB would take minutes."""
    start = time.process_time()
    assert get("/api/v1/namespaces/" + segment * (500_000 // len(segment)) + "x").status == 404
    assert time.process_time() - start < 20


@pytest.mark.parametrize("name", ["plain", "tail/", "a/jobs/b"])
def test_the_runs_of_a_job_are_found_by_its_path(get: Get, name: str) -> None:
    assert get(f"/api/v1/namespaces/demo/jobs/{name}/runs").body["totalCount"] == 1


@pytest.mark.parametrize(
    ("path", "query", "status", "message"),
    [
        ("/api/v1/nope", {}, 404, "HTTP 404 Not Found"),
        ("/", {}, 404, "HTTP 404 Not Found"),
        ("/api/v1/namespaces/demo/jobs/nope", {}, 404, "Job 'nope' not found."),
        ("/api/v1/jobs/runs/no-uuid", {}, 404, "HTTP 404 Not Found"),
        ("/api/v1/lineage", {}, 400, "nodeId: missing"),
        ("/api/v1/lineage", {"nodeId": "foo"}, 400, "nodeId: expected"),
        ("/api/v1/lineage", {"nodeId": "job:demo"}, 400, "nodeId: has too few parts"),
        ("/api/v1/lineage", {"nodeId": "job:demo:nope"}, 404, "Job 'nope' not found."),
        ("/api/v1/lineage", {"nodeId": "job:demo:plain", "depth": "-2"}, 400, "depth: must be"),
        ("/api/v1/lineage", {"nodeId": "job:demo:plain", "depth": "1e9"}, 400, "depth: expected a whole number"),
        (
            "/api/v1/column-lineage",
            {"nodeId": "job:demo:plain", "withDownstream": "x"},
            400,
            "withDownstream: expected",
        ),
        ("/api/v1/namespaces", {"limit": "-1"}, 400, "limit: must be greater"),
        ("/api/v1/namespaces", {"limit": "9" * 30}, 400, "limit: expected a whole number"),
    ],
)
def test_a_bad_question_is_the_client_s_fault(
    get: Get, path: str, query: dict[str, Any], status: int, message: str
) -> None:
    answer = get(path, **query)
    assert answer.status == status
    assert answer.body["message"].startswith(message)


def test_a_depth_beyond_all_bounds_is_bounded(get: Get) -> None:
    assert get("/api/v1/lineage", nodeId="job:demo:plain", depth="1000000000").status == 200


def test_a_slash_at_the_end_of_a_list_does_no_harm(get: Get) -> None:
    assert get("/api/v1/namespaces/").body == get("/api/v1/namespaces").body


def test_only_reading_is_done_here(get: Get) -> None:
    assert get("/api/v1/namespaces", method="DELETE").status == 405
    assert get("/api/v1/nope", method="POST").status == 404


def test_a_key_reads_its_own_namespaces_alone(get: Get) -> None:
    mine = {"namespaces": ("kafka*",)}
    assert [namespace["name"] for namespace in get("/api/v1/namespaces", **mine).body["namespaces"]] == [NAMESPACE]
    assert get("/api/v1/namespaces/demo/jobs", **mine).status == 403
    assert get("/api/v1/namespaces/demo/jobs/plain", **mine).status == 403
    assert get("/api/v1/lineage", nodeId="job:demo:plain", **mine).status == 403
    assert get(f"/api/v1/jobs/runs/{factory.run_id(0)}", **mine).status == 404  # as one that is not there
    assert get("/api/v1/jobs", **mine).body == {"totalCount": 0, "jobs": []}
