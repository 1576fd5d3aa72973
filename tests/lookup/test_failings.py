"""Complaints of users about Marquez, each as a scenario that Headwater solves.

The numbers are those of the list of complaints. Faulty requests over HTTP are in end_to_end/bad_requests.py, names with
any characters in end_to_end/test_names.py, and the cost of lookups in test_cost.py.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.http.request import ApiRequest
from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.wire import read_event
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import RETENTION, Document
from tests.lookup.requests import ANYONE, response_to, table_after

LAKE = "s3://lake"
RAW, CLEAN, OTHER = (factory.dataset(name) for name in ("raw", "clean", "other"))

Get = Callable[..., Any]


def lookups_of(table: MemoryTable) -> Get:
    def get(path: str, **query: Any) -> Any:
        request = ApiRequest(ANYONE, "GET", f"/api/v1/{path}", {name: str(value) for name, value in query.items()})
        answer = response_to(table, request)
        return exact_json.loads(answer.content()[1].decode()) if answer.status == 200 else answer.status

    return get


def after(*documents: Document) -> Get:
    """Sends lookups to a table that has folded these events one by one."""
    return lookups_of(table_after(*documents, one_by_one=True))


def edges(get: Get, job: str = "load", **query: str) -> tuple[list[str], list[str]]:
    graph = get("lineage", nodeId=f"job:demo:{job}", depth=0, **query)["graph"]
    data = next(node["data"] for node in graph if node["type"] == "JOB")
    return [dataset["name"] for dataset in data["inputs"]], [dataset["name"] for dataset in data["outputs"]]


def test_1_a_start_without_datasets_wipes_nothing_even_if_the_run_then_fails() -> None:
    get = after(
        factory.run_event("COMPLETE", run=1, seconds=0, inputs=[RAW], outputs=[CLEAN]),
        factory.run_event("START", run=2, seconds=10),
        factory.run_event("FAIL", run=2, seconds=20),
    )
    assert edges(get) == (["raw"], ["clean"])


def test_2_the_latest_event_counts_and_not_the_last_received() -> None:
    get = after(
        factory.run_event("COMPLETE", seconds=20),
        factory.run_event("RUNNING", seconds=10),
        factory.run_event("START", seconds=0),
    )
    run = get(f"jobs/runs/{factory.run_id(1)}")
    assert (run["state"], run["startedAt"], run["endedAt"]) == ("COMPLETED", factory.at(0), factory.at(20))


def test_3_a_job_that_still_runs_has_lineage() -> None:
    assert edges(after(factory.run_event("START", inputs=[RAW], outputs=[CLEAN]))) == (["raw"], ["clean"])


@pytest.mark.parametrize(
    "changes",
    [{"job": {"namespace": "with a space", "name": "load"}}, {"eventType": None}, {"eventType": "OTHER"}],
    ids=["a space in the namespace", "no type", "another type"],
)
def test_4_an_accepted_event_is_stored_whole(changes: Document) -> None:
    get = after({**factory.run_event(None, inputs=[RAW], outputs=[factory.dataset("b", "a namespace")]), **changes})
    run = get(f"jobs/runs/{factory.run_id(1)}")
    assert [version["datasetVersionId"]["namespace"] for version in run["outputDatasetVersions"]] == ["a namespace"]
    assert get("namespaces/a namespace/datasets")["totalCount"] == 1


def test_7_a_table_of_a_thousand_columns_is_a_handful_of_items() -> None:
    names = [f"column_{number}" for number in range(1_000)]
    lineage = factory.columns(**{name: (LAKE, "raw", name) for name in names})
    wide = factory.dataset("wide", schema=factory.schema(*(f"{name}:long" for name in names)), columnLineage=lineage)
    table = MemoryTable()
    fold(factory.received(factory.run_event("COMPLETE", inputs=[RAW], outputs=[wide])), GraphStore(table, RETENTION))
    terms = [key for key in table.items if key.pk.startswith("T#")]  # by which the search finds each column
    assert len(table.items) - len(terms) < 20
    assert len(terms) < 4 * len(names)
    assert len(lookups_of(table)("column-lineage", nodeId=f"dataset:{LAKE}:wide")["graph"]) == 2_000


def test_8_a_duplicate_is_stored_once() -> None:
    table, event = MemoryTable(), factory.run_event("COMPLETE", inputs=[RAW], outputs=[CLEAN])
    fold(factory.received(event), GraphStore(table, RETENTION))
    before = dict(table.items)
    fold(factory.received(event, event), GraphStore(table, RETENTION))
    assert table.items == before


def test_9_a_child_keeps_its_name_and_its_parent_its_namespace() -> None:
    parent = factory.parent(9, "nightly")
    parent["job"]["namespace"] = "airflow"
    get = after(factory.run_event("COMPLETE", job="task", run_facets={"parent": parent}))
    job = get("namespaces/demo/jobs/task")
    assert (job["name"], job["parentJobName"]) == ("task", "nightly")
    assert get("namespaces/airflow/jobs/nightly")["latestRun"]["id"] == factory.run_id(9)


def test_10_of_two_runs_at_once_neither_is_forgotten() -> None:
    get = after(
        factory.run_event("START", run=1, seconds=0, inputs=[RAW], outputs=[CLEAN]),
        factory.run_event("START", run=2, seconds=1, inputs=[OTHER], outputs=[CLEAN]),
        factory.run_event("COMPLETE", run=2, seconds=2),
        factory.run_event("COMPLETE", run=1, seconds=3),
    )
    assert edges(get) == (["other"], ["clean"])
    assert edges(get, view="ever") == (["other", "raw"], ["clean"])
    assert [len(run["inputDatasetVersions"]) for run in get("namespaces/demo/jobs/load/runs")["runs"]] == [1, 1]


@pytest.mark.parametrize("namespace", ["a:b", "a b", "a#b", "ü", "a\nb", "a/jobs/b"])
def test_11_a_namespace_is_kept_as_it_is_and_its_nodes_are_found(namespace: str) -> None:
    named = factory.dataset("x\ny", namespace)
    event = {**factory.run_event("COMPLETE", outputs=[named]), "job": {"namespace": namespace, "name": "x\ny"}}
    for kind in ("job", "dataset"):
        graph = after(event)("lineage", nodeId=f"{kind}:{namespace}:x\ny")["graph"]
        assert {node["data"]["namespace"] for node in graph} == {namespace}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"eventTime": "2999-01-01T00:00:00Z"}, "eventTime"),
        ({"eventType": "BOGUS"}, "eventType"),
        ({"run": {"runId": ""}}, "run.runId"),
        ({"run": {"runId": factory.run_id(1), "facets": "none"}}, "run.facets"),
    ],
)
def test_12_each_fault_of_a_request_is_named(changes: Document, place: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_event({**factory.run_event(), **changes}, now=datetime(2026, 11, 20, tzinfo=UTC))
    assert [fault.path for fault in refused.value.faults] == [place]


def test_12_a_facet_of_any_form_is_kept() -> None:
    get = after(factory.run_event(run_facets={"odd": "a text", "bare": {"x": 1}}))
    assert get(f"jobs/runs/{factory.run_id(1)}")["facets"] == {"odd": "a text", "bare": {"x": 1}}


def test_13_nested_fields_and_every_transformation_are_shown() -> None:
    nested = factory.facet(fields=[{"name": "who", "type": "struct", "fields": [{"name": "city", "type": "string"}]}])
    steps = [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}, {"type": "INDIRECT", "subtype": "SORT"}]
    source = {"namespace": LAKE, "name": "raw", "field": "who"}
    lineage = factory.facet(
        fields={"who": {"inputFields": [{**source, "transformations": steps}]}},
        dataset=[{**source, "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
    )
    clean = factory.dataset("clean", schema=nested, columnLineage=lineage)
    get = after(factory.run_event("COMPLETE", inputs=[RAW], outputs=[clean]))
    (field,) = get("namespaces/s3%3A%2F%2Flake/datasets/clean")["fields"]
    assert [(subfield["name"], subfield["type"]) for subfield in field["fields"]] == [("city", "string")]
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}:clean:who")
    sources = answer["graph"][0]["data"]["inputFields"] or answer["graph"][1]["data"]["inputFields"]
    assert [(step["subtype"], step["masking"]) for step in sources[0]["transformations"]] == [
        ("TRANSFORMATION", True),
        ("SORT", None),
    ]
    assert [flow["inputField"]["transformations"][0]["subtype"] for flow in answer["indirect"]] == ["FILTER"]
