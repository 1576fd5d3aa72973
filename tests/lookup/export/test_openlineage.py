"""GET /export as openlineage: an instance that has folded the events has the same graph."""

import json
from typing import Any

import pytest
from openlineage.client.generated import (
    column_lineage_dataset,
    dataset_type_dataset,
    datasource_dataset,
    documentation_dataset,
    documentation_job,
    job_type_job,
    lifecycle_state_change_dataset,
    schema_dataset,
    source_code_location_job,
    tags_dataset,
)
from openlineage.client.generated import lineage as lineage_facet

from tests import factory
from tests.factory import Document
from tests.lookup.export.graphs import FIXTURES, LAKE, NAMESPACE, Get, any_name, export, of_any_name
from tests.lookup.requests import after


def essence(graph: Any) -> Any:
    """Nodes and edges of a graph, without the members that differ by run, version or time."""
    of_their_own = {"createdAt", "latestRun", "currentRunUuid", "simpleName", "parentJobName", "parentJobUuid"}
    of_their_own |= {"fieldType", "datasetVersion", "frontier", "lastWrittenAt"}

    def without_varying(value: Any) -> Any:
        if isinstance(value, list):
            return [without_varying(element) for element in value]
        if isinstance(value, dict):
            return {name: without_varying(member) for name, member in value.items() if name not in of_their_own}
        return value

    return without_varying(graph)


def again(answer: Any) -> Get:
    """Sends lookups to a table that has folded the export of this response and nothing else."""
    return after(*json.loads(json.dumps(export("openlineage", answer))))


def spark() -> Get:
    lines = (FIXTURES / "spark-3.5" / "orders.jsonl").read_text().splitlines()
    return after(*map(json.loads, lines))


@any_name
def test_the_events_give_the_same_graph_for_any_name(name: str) -> None:
    get = of_any_name(name)
    lineage = get("lineage", nodeId=f"job:demo:{name}")
    assert essence(again(lineage)("lineage", nodeId=f"job:demo:{name}")) == essence(lineage)
    columns = get("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}")
    assert len(columns["graph"]) == 2
    assert essence(again(columns)("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}")) == essence(columns)


@pytest.mark.parametrize("node", ["dataset:file:/data/revenue_daily", "dataset:file:/data/raw/orders"])
def test_the_events_give_the_same_graph_of_a_real_pipeline(node: str) -> None:
    lineage = spark()("lineage", nodeId=node)
    assert len(lineage["graph"]) == 6
    assert essence(again(lineage)("lineage", nodeId=node)) == essence(lineage)


def test_the_events_give_the_same_columns_of_a_real_pipeline() -> None:
    node = "dataset:file:/data/revenue_daily"
    columns = spark()("column-lineage", nodeId=node)
    assert (len(columns["graph"]) > 10, len(columns["indirect"]) > 2) == (True, True)
    assert essence(again(columns)("column-lineage", nodeId=node)) == essence(columns)


def test_the_events_tell_what_the_graph_tells_of_its_nodes() -> None:
    nested = factory.facet(
        fields=[
            {"name": "id", "type": "long", "description": "the key"},
            {"name": "who", "type": "struct", "fields": [{"name": "first"}, {"name": "last", "type": "string"}]},
        ]
    )
    get = after(
        factory.run_event(
            "COMPLETE",
            inputs=[
                factory.dataset("topic", datasetType=factory.facet(datasetType="TOPIC")),
                factory.dataset("model", datasetType=factory.facet(datasetType="MODEL")),
            ],
            outputs=[
                factory.dataset(
                    "table",
                    schema=nested,
                    documentation=factory.facet(description="Who ordered"),
                    dataSource=factory.facet(name="the lake", uri=LAKE),
                    lifecycleStateChange=factory.facet(lifecycleStateChange="OVERWRITE"),
                )
            ],
            job_facets={
                "jobType": factory.facet(processingType="STREAMING", integration="SPARK"),
                "documentation": factory.facet(description="Loads"),
                "sourceCodeLocation": factory.facet(type="git", url="https://example.com/repo"),
            },
        )
    )
    lineage = get("lineage", nodeId="job:demo:load")
    types = {node["data"].get("datasetType") for node in lineage["graph"] if node["type"] == "DATASET"}
    assert types == {"TOPIC", "MODEL", None}
    assert essence(again(lineage)("lineage", nodeId="job:demo:load")) == essence(lineage)


def test_a_dataset_that_no_job_uses_is_an_event_of_its_own() -> None:
    get = after(factory.dataset_event(factory.dataset("lone", schema=factory.schema("id:int")), seconds=7))
    node = f"dataset:{LAKE}:lone"
    lineage = get("lineage", nodeId=node)
    (event,) = export("openlineage", lineage)
    assert (event["eventTime"], event["dataset"]["name"]) == (factory.at(7), "lone")
    assert essence(again(lineage)("lineage", nodeId=node)) == essence(lineage)


def test_a_job_s_event_is_dated_by_its_last_and_names_its_datasets_with_their_schemas(pipeline: Get) -> None:
    events = export("openlineage", pipeline("lineage", nodeId="job:demo:load"))
    assert [(event["job"]["name"], event["eventTime"]) for event in events] == [
        ("load", factory.at(0)),
        ("report", factory.at(60)),
    ]
    assert [dataset["name"] for dataset in events[1]["inputs"]] == ["orders", "rates"]
    assert events[0]["inputs"][0]["facets"]["schema"]["fields"] == [{"name": "amount", "type": "string"}]


def test_tags_of_datasets_and_columns_are_exported(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    (raw,) = [node for node in answer["graph"] if node["data"]["name"] == "raw"]
    raw["data"]["tags"], raw["data"]["fields"][0]["tags"] = ["gold"], ["pii"]
    assert export("openlineage", answer)[0]["inputs"][0]["facets"]["tags"]["tags"] == [
        {"key": "gold", "value": "true"},
        {"key": "pii", "value": "true", "field": "amount"},
    ]


def test_a_tag_with_a_value_and_a_source_comes_out_as_it_went_in() -> None:
    tags = [
        {"key": "retention", "value": "90 days=3 months", "source": "USER"},
        {"key": "classification", "value": "PII", "source": "GLUE", "field": "id"},
    ]
    sent = factory.dataset("raw", schema=factory.schema("id:int"), tags=factory.facet(tags=tags))
    get = after(factory.run_event("COMPLETE", inputs=[sent]))
    (event,) = export("openlineage", get("lineage", nodeId="job:demo:load"))
    assert event["inputs"][0]["facets"]["tags"]["tags"] == tags


def test_a_derivation_is_exported(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    by_name = {node["data"]["name"]: node for node in answer["graph"] if node["type"] == "DATASET"}
    edge = {"origin": by_name["report"]["id"], "destination": by_name["raw"]["id"]}
    by_name["report"]["outEdges"].append(edge)
    event = export("openlineage", answer)[-1]
    assert event["dataset"]["name"] == "raw"
    assert event["dataset"]["facets"]["lineage"]["inputs"] == [{"namespace": LAKE, "name": "report", "type": "DATASET"}]


CLASSES: dict[str, Any] = {
    facet._get_schema(): facet
    for facet in (
        column_lineage_dataset.ColumnLineageDatasetFacet,
        dataset_type_dataset.DatasetTypeDatasetFacet,
        datasource_dataset.DatasourceDatasetFacet,
        documentation_dataset.DocumentationDatasetFacet,
        documentation_job.DocumentationJobFacet,
        job_type_job.JobTypeJobFacet,
        lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet,
        lineage_facet.LineageDatasetFacet,
        schema_dataset.SchemaDatasetFacet,
        source_code_location_job.SourceCodeLocationJobFacet,
        tags_dataset.TagsDatasetFacet,
    )
}


def test_events_and_facets_are_of_the_forms_that_they_name() -> None:
    """The classes are those of OpenLineage's own client, which are generated from the spec."""
    data = {"namespace": "n", "name": "x", "updatedAt": factory.at(0), "description": "d"}
    job = {**data, "type": "STREAM", "location": "https://example.com"}
    dataset = {**job, "sourceName": "s", "lastLifecycleState": "DROP", "tags": ["t"], "fields": [{"name": "f"}]}
    dataset["datasetType"] = "TOPIC"
    made = {"origin": "dataset:n:x", "destination": "dataset:n:x"}
    nodes: list[Document] = [
        {"id": "dataset:n:x", "type": "DATASET", "data": dataset, "inEdges": [made], "outEdges": []},
        {"id": "job:n:x", "type": "JOB", "data": job, "inEdges": [], "outEdges": []},
    ]
    events = export("openlineage", {"graph": nodes})
    events += export("openlineage", of_any_name("x")("column-lineage", nodeId=f"dataset:{NAMESPACE}:x"))
    seen = set()
    for event in events:
        kind = "JobEvent" if "job" in event else "DatasetEvent"
        assert event["schemaURL"] == f"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/{kind}"
        for facet in event.get("job", event.get("dataset"))["facets"].values():
            members = {name: value for name, value in facet.items() if not name.startswith("_")}
            CLASSES[facet["_schemaURL"]](**members)
            seen.add(facet["_schemaURL"])
            assert facet["_producer"] == event["producer"]
    assert seen == set(CLASSES)
