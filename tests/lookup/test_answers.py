"""Responses after events of real producers, and after facets of unusual forms."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import after

LAKE = "s3://lake"


def writes(
    *names: str, seconds: float, run: int, lineage: bool = True, inputs: tuple[str, ...] = ("source",)
) -> Document:
    facets: Document = {"columnLineage": factory.columns(id=(LAKE, inputs[0], "id"))} if lineage else {}
    return factory.run_event(
        "COMPLETE",
        seconds=seconds,
        run=run,
        inputs=[factory.dataset(name) for name in inputs],
        outputs=[factory.dataset(name, **facets) for name in names],
    )


def columns(graph: dict[str, Any]) -> set[str]:
    return {node["id"].removeprefix(f"datasetField:{LAKE}:") for node in graph["graph"]}


def test_column_lineage_stays_when_the_job_writes_another_table_next() -> None:
    get = after(writes("one", seconds=0, run=1), writes("two", seconds=60, run=2))
    for table in ("one", "two"):
        assert columns(get("column-lineage", nodeId=f"dataset:{LAKE}:{table}")) == {f"{table}:id", "source:id"}
        assert "columnLineage" in get(f"namespaces/{LAKE}/datasets/{table}")["facets"]


def test_column_lineage_is_that_of_the_job_s_newest_event() -> None:
    get = after(
        writes("one", seconds=0, run=1, inputs=("old",)),
        writes("one", seconds=60, run=2, inputs=("new",)),
        writes("one", seconds=90, run=3, inputs=("new",), lineage=False),
    )
    assert columns(get("column-lineage", nodeId=f"dataset:{LAKE}:one")) == {"one:id", "new:id"}


def test_a_dataset_event_gives_column_lineage_too() -> None:
    view = factory.dataset("view", columnLineage=factory.columns(id=(LAKE, "table", "id")))
    get = after(factory.dataset_event(view))
    assert columns(get("column-lineage", nodeId=f"dataset:{LAKE}:view")) == {"view:id", "table:id"}
    assert get(f"namespaces/{LAKE}/datasets/view")["facets"]["columnLineage"] == view["facets"]["columnLineage"]


def test_depth_bounds_columns_and_what_bears_on_them_alike() -> None:
    filtered = {
        "namespace": LAKE,
        "name": "a",
        "field": "f",
        "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
    }
    lineage = factory.columns(id=(LAKE, "a", "id")) | {"dataset": [filtered]}
    get = after(
        factory.run_event("COMPLETE", job="one", outputs=[factory.dataset("b", columnLineage=lineage)]),
        factory.run_event(
            "COMPLETE", job="two", outputs=[factory.dataset("c", columnLineage=factory.columns(id=(LAKE, "b", "id")))]
        ),
    )
    near = get("column-lineage", nodeId=f"dataset:{LAKE}:c", depth=1)
    far = get("column-lineage", nodeId=f"dataset:{LAKE}:c", depth=2)
    assert (columns(near), near["indirect"]) == ({"c:id", "b:id"}, [])
    assert columns(far) == {"c:id", "b:id", "a:id"}
    assert [(flow["dataset"], flow["inputField"]["field"]) for flow in far["indirect"]] == [("b", "f")]


def test_downstream_is_walked_apart_from_upstream() -> None:
    both = factory.facet(
        fields={"x": {"inputFields": [{"namespace": LAKE, "name": name, "field": "id"} for name in ("a", "other")]}}
    )
    get = after(
        factory.run_event("COMPLETE", inputs=[factory.dataset("a")], outputs=[factory.dataset("b", columnLineage=both)])
    )
    assert columns(get("column-lineage", nodeId=f"datasetField:{LAKE}:a:id", withDownstream="true")) == {"a:id", "b:x"}


def test_of_several_transformations_a_direct_one_is_the_first() -> None:
    steps = [
        {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False},
        {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False},
    ]
    source = {"namespace": LAKE, "name": "a", "field": "id", "transformations": steps}
    lineage = factory.facet(fields={"id": {"inputFields": [source]}})
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("b", columnLineage=lineage)]))
    (shown,) = get(f"namespaces/{LAKE}/datasets/b")["columnLineage"][0]["inputFields"]
    assert (shown["transformationType"], shown["transformations"]) == ("IDENTITY", steps)


@pytest.mark.parametrize(
    ("namespace", "facets", "expected"),
    [
        ("kafka://broker:9092", {}, "STREAM"),
        (LAKE, {}, "DB_TABLE"),
        (LAKE, {"datasetType": factory.facet(datasetType="TOPIC")}, "STREAM"),
        ("kafka://broker:9092", {"datasetType": factory.facet(datasetType="TABLE")}, "DB_TABLE"),
    ],
)
def test_a_topic_is_a_stream(namespace: str, facets: dict[str, Any], expected: str) -> None:
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("orders", namespace, **facets)]))
    assert get(f"namespaces/{namespace}/datasets/orders")["type"] == expected


@pytest.mark.parametrize(("old", "masked"), [("IDENTITY", False), ("MASKED", True)])
def test_the_deprecated_form_of_column_lineage_is_shown_in_the_current_form(old: str, masked: bool) -> None:
    field = {"namespace": LAKE, "name": "a", "field": "id"}
    lineage = factory.facet(fields={"id": {"inputFields": [field], "transformationType": old}})
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("b", columnLineage=lineage)]))
    (source,) = get(f"namespaces/{LAKE}/datasets/b")["columnLineage"][0]["inputFields"]
    assert source["transformationType"] == old
    assert source["transformations"] == [{"type": "DIRECT", "subtype": old, "description": None, "masking": masked}]


ODD: list[Any] = [None, 3, "q", [], {}, [1, "x", [2], None, {}], {"a": None}, {"a": 3}, {"a": {"inputFields": "q"}}]
ODD += [{"fields": odd} for odd in list(ODD)]
ODD += [{"fields": {"c": {"inputFields": odd}}} for odd in list(ODD)]
ODD += [
    {
        "fields": {
            "c": {"inputFields": [{**factory.dataset("odd 0"), "field": "x", "transformations": [{"description": 3}]}]}
        }
    }
]
ODD += [{"dataset": "q"}, {"dataset": [None, 1]}, {"fields": {"c": {"inputFields": [], "transformationType": [1]}}}]
NAMED = ["columnLineage", "schema", "dataSource", "documentation", "datasetType", "lifecycleStateChange", "version"]


@pytest.mark.parametrize("facet", NAMED)
def test_no_facet_keeps_a_dataset_or_its_list_from_being_shown(facet: str) -> None:
    odd_facets: list[Document] = [{facet: odd} for odd in ODD]
    outputs = [factory.dataset(f"odd {number}", **odd) for number, odd in enumerate(odd_facets)]
    get = after(factory.run_event("COMPLETE", outputs=outputs))
    assert get(f"namespaces/{LAKE}/datasets")["totalCount"] == len(ODD)
    for number, odd in enumerate(ODD):
        shown = get(f"namespaces/{LAKE}/datasets/odd {number}")
        if odd is not None and facet != "columnLineage":
            assert shown["facets"][facet] == odd
        get("column-lineage", nodeId=f"dataset:{LAKE}:odd {number}", withDownstream="true")
    assert len(get("lineage", nodeId="job:demo:load")["graph"]) == len(ODD) + 1


@pytest.mark.parametrize("facet", ["parent", "nominalTime", "jobType", "sourceCodeLocation", "documentation"])
def test_no_facet_keeps_a_job_or_a_run_from_being_shown(facet: str) -> None:
    events = [
        factory.run_event("COMPLETE", run=number, job=f"odd {number}", run_facets={facet: odd}, job_facets={facet: odd})
        for number, odd in enumerate(ODD)
    ]
    get = after(*events)
    assert get("namespaces/demo/jobs")["totalCount"] == len(ODD)
    for number in range(len(ODD)):
        get(f"namespaces/demo/jobs/odd {number}")
        get(f"jobs/runs/{factory.run_id(number)}")
        get("lineage", nodeId=f"job:demo:odd {number}")


def test_fields_are_shown_as_clients_expect_them() -> None:
    fields = [{"name": "a", "type": "int"}, {}, "x", {"name": "b", "type": {}, "fields": [{"name": "c"}]}, {"name": 5}]
    get = after(factory.dataset_event(factory.dataset("d", schema=factory.facet(fields=fields))))
    shown = get(f"namespaces/{LAKE}/datasets/d")
    bare: Document = {"type": None, "description": None, "tags": []}
    nested = {**bare, "name": "b", "fields": [{**bare, "name": "c"}]}
    assert shown["fields"] == [{**bare, "name": "a", "type": "int"}, nested]
    assert shown["facets"]["schema"]["fields"] == fields


def test_a_dataset_is_as_new_as_the_last_event_that_names_it() -> None:
    get = after(
        writes("one", seconds=0, run=1),
        factory.run_event("RUNNING", seconds=500, run=1),
        writes("two", seconds=60, run=2),
        factory.run_event("COMPLETE", seconds=90, run=3, job="check", inputs=[factory.dataset("one")]),
    )
    assert get(f"namespaces/{LAKE}/datasets/one")["updatedAt"] == "2026-11-20T08:01:30Z"
    assert get(f"namespaces/{LAKE}/datasets/source")["updatedAt"] == "2026-11-20T08:01:00Z"


def dropped(change: str = "DROP", **members: Any) -> dict[str, Any]:
    facet = factory.facet(lifecycleStateChange=change)
    return factory.run_event(job="drop", outputs=[factory.dataset("a", lifecycleStateChange=facet)], **members)


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ([], True),
        ([factory.run_event("COMPLETE", run=2, seconds=9, job="drop", outputs=[factory.dataset("a")])], True),
        ([factory.run_event(run=3, seconds=9, job="load", outputs=[factory.dataset("a")])], False),
        ([factory.run_event(run=3, seconds=9, job="read", inputs=[factory.dataset("a")])], False),
        ([dropped("CREATE", run=3, seconds=9)], False),
        ([factory.run_event(run=3, seconds=1, job="load", outputs=[factory.dataset("a")])], True),
    ],
    ids=["nothing", "its end", "a write", "a read", "a CREATE", "an earlier write that comes late"],
)
def test_a_dataset_is_deleted_after_a_drop_until_another_job_uses_it(later: list[Any], expected: bool) -> None:
    get = after(dropped(run=2, seconds=5), *later)
    assert get("namespaces/s3://lake/datasets/a")["deleted"] is expected
    assert get("namespaces/s3://lake/datasets")["datasets"][0]["deleted"] is expected


def test_a_column_that_is_not_known_is_not_found() -> None:
    get = after(factory.dataset_event(factory.dataset("d", schema=factory.schema("id:int"))))
    for field, status in (("id", 200), ("nope", 404)):
        assert get.answer("column-lineage", nodeId=f"datasetField:{LAKE}:d:{field}")[0] == status


def test_a_node_id_of_very_many_colons_is_answered_at_once() -> None:
    assert after().answer("column-lineage", nodeId="datasetField" + ":a" * 5_000)[0] == 404
