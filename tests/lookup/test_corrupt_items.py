"""A corrupt item: the lookup of its node fails with 503; all other lookups go on, and say `truncated`."""

import json
from typing import Any

import pytest

from headwater.graph.names.identity import JobRunId, dataset_id, job_id
from headwater.graph.names.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphReader
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from tests import factory
from tests.fakes import damage
from tests.lookup.requests import ANYONE, LAKE, NOON, as_read, table_after

LOAD, REPORT = keys.job_head(job_id(Name("demo", "load"))), keys.job_head(job_id(Name("demo", "report")))
RUN = keys.run(JobRunId(job_id(Name("demo", "report")), factory.run_id(2)))
ORDERS = keys.dataset_head(dataset_id(Name(LAKE, "orders")))

JOB_PATH, DATASET_PATH = "namespaces/demo/jobs/report", "namespaces/s3://lake/datasets/orders"
RUN_PATH = f"jobs/runs/{factory.run_id(2)}"
REQUESTS: list[tuple[str, dict[str, str]]] = [
    ("namespaces", {}),
    ("namespaces/demo", {}),
    ("namespaces/demo/jobs", {}),
    (f"namespaces/{LAKE}/datasets", {}),
    ("jobs", {}),
    (JOB_PATH, {}),
    (f"{JOB_PATH}/runs", {}),
    (f"{JOB_PATH}/versions", {}),
    (DATASET_PATH, {}),
    (f"{DATASET_PATH}/versions", {}),
    (f"{DATASET_PATH}/versions/{factory.run_id(1)}", {}),
    (f"{DATASET_PATH}/quality", {}),
    (RUN_PATH, {}),
    (f"{RUN_PATH}/children", {}),
    (f"{RUN_PATH}/facets", {"type": "run"}),
    ("lineage", {"nodeId": "job:demo:report"}),
    ("lineage", {"nodeId": f"dataset:{LAKE}:orders"}),
    ("lineage", {"nodeId": f"dataset:{LAKE}:orders", "asOf": factory.at(100)}),
    ("column-lineage", {"nodeId": f"dataset:{LAKE}:sums"}),
    ("export", {"nodeId": "job:demo:report"}),
    ("impact", {"nodeId": f"dataset:{LAKE}:orders"}),
    ("rootcause", {"nodeId": f"dataset:{LAKE}:sums"}),
    ("runlineage/upstream", {"runId": factory.run_id(2)}),
    ("events/lineage", {}),
    ("search", {"q": "o"}),
    ("api/v2beta/search/jobs", {"q": "o"}),
    ("api/v2beta/search/datasets", {"q": "o"}),
    ("stats/jobs", {"period": "DAY"}),
    ("stats/datasets", {"period": "DAY"}),
    ("stats/sources", {"period": "DAY"}),
    ("stats/lineage-events", {"period": "DAY"}),
    ("sources", {}),
    ("tags", {}),
    ("aliases", {"nodeId": f"dataset:{LAKE}:orders"}),
]
ids = [f"{path.replace('/api', 'api')}?{'&'.join(query)}" for path, query in REQUESTS]


def graph() -> MemoryTable:
    """A job that writes `orders`, with what it found out about the data, and one that makes `sums` of them."""
    checked = factory.dataset(
        "orders", schema=factory.schema("id:int"), dataSource=factory.facet(name="lake", uri="s3://lake")
    )
    assertions = {"assertions": [{"assertion": "not_null", "success": True}]}
    checked["inputFacets"] = {"dataQualityAssertions": factory.facet(**assertions)}
    columns = factory.columns(id=(LAKE, "orders", "id"))
    return table_after(
        factory.run_event("COMPLETE", seconds=1, run=1, job="load", outputs=[checked]),
        factory.run_event(
            "COMPLETE",
            seconds=5,
            run=2,
            job="report",
            inputs=[checked],
            outputs=[factory.dataset("sums", schema=factory.schema("id:int"), columnLineage=columns)],
        ),
        one_by_one=True,
    )


def damaged(key: Key) -> MemoryTable:
    table = graph()
    damage(table, key)
    return table


class LoggingClient:
    """Asks a table; `faults` are those that were logged."""

    def __init__(self, table: MemoryTable) -> None:
        self.table = table
        self.faults: list[CorruptItem] = []

    def __call__(self, path: str, query: dict[str, str]) -> ApiResponse:
        url = f"/{path}" if path.startswith("api/") else f"/api/v1/{path}"
        request = ApiRequest(ANYONE, "GET", url, query, received_at=NOON)
        lookups = Lookups(GraphReader(self.table), Naming(), self._log)
        return as_read(response_or_error(lambda: respond(lookups, request), self._fail))

    def _log(self, message: str, error: BaseException, *, run: str | None = None) -> None:
        assert isinstance(error, CorruptItem)
        self.faults.append(error)

    def _fail(self, message: str, error: BaseException) -> None:
        raise AssertionError(message) from error


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "lookup")


def says_truncated(body: Any) -> bool:
    return (
        all(entry.get("truncated", False) for entry in body) if isinstance(body, list) else body.get("truncated", False)
    )


@pytest.mark.parametrize(
    ("key", "alone", "around"),
    [
        (REPORT, [JOB_PATH, f"{JOB_PATH}/runs"], ["namespaces/demo/jobs", DATASET_PATH]),
        (ORDERS, [DATASET_PATH, f"{DATASET_PATH}/versions"], [f"namespaces/{LAKE}/datasets"]),
        (RUN, [RUN_PATH], [JOB_PATH, f"{JOB_PATH}/runs"]),
    ],
    ids=["job", "dataset", "run"],
)
def test_a_node_that_cannot_be_read_is_503_and_the_lists_around_it_are_truncated(
    key: Key, alone: list[str], around: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    get = LoggingClient(damaged(key))
    for path in alone:
        response = get(path, {})
        assert (response.status, response.headers) == (503, {"retry-after": "1"})
    for path in around:
        response = get(path, {})
        assert (response.status, response.body["truncated"]) == (200, True)
    assert {fault.key for fault in get.faults} == {key}
    counted = [json.loads(line)["CorruptItems"] for line in capsys.readouterr().out.splitlines()]
    assert counted == [[1.0]] * len(alone + around)


@pytest.mark.parametrize("key", [LOAD, ORDERS], ids=["job", "dataset"])
def test_a_graph_goes_on_without_a_node_that_cannot_be_read(key: Key) -> None:
    get = LoggingClient(damaged(key))
    response = get("lineage", {"nodeId": f"dataset:{LAKE}:sums"})
    nodes = {node["id"] for node in response.body["graph"]}
    assert {f"dataset:{LAKE}:sums", "job:demo:report"} <= nodes
    assert nodes.isdisjoint({"job:demo:load"} if key == LOAD else {f"dataset:{LAKE}:orders"})
    assert response.body["truncated"] is True
    assert get("export", {"nodeId": f"dataset:{LAKE}:sums", "format": "json"}).body["truncated"] is True


def test_an_unknown_node_is_404_although_other_items_are_corrupt() -> None:
    get = LoggingClient(damaged(REPORT))
    assert get("namespaces/demo/jobs/nothing", {}).status == 404
    assert get.faults == []


@pytest.mark.parametrize("request_", REQUESTS, ids=ids)
def test_whatever_item_is_damaged_an_answer_is_whole_truncated_or_503(request_: tuple[str, dict[str, str]]) -> None:
    for key in graph().items:
        get = LoggingClient(damaged(key))
        response = get(*request_)
        assert response.status in (200, 503), (key, response.body)
        assert (response.status == 503 or says_truncated(response.body)) == bool(get.faults), (key, response.body)
