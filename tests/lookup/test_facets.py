"""Facets that mean something: what a producer says in them is in the answers, and nothing else comes of it."""

from typing import Any
from urllib.parse import quote

import pytest

from headwater.lookup.text import impact as impact_text
from headwater.lookup.text import lineage as lineage_text
from headwater.lookup.text.display import Display
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of
from tests.traversal.impact import column, column_lineage, ran, table

WIDE = Display(1_000)
DASHBOARD = {
    "unique_id": "exposure.shop.weekly_report",
    "name": "weekly_report",
    "type": "dashboard",
    "url": "https://bi.example.com/1",
    "owner": {"name": "finance", "email": "finance@example.com"},
}


def job_after(*documents: Document, job: str = "load") -> Any:
    return after(*documents)(f"namespaces/demo/jobs/{job}")


def with_run(document: Document, **facets: Any) -> Document:
    return {**document, "run": {**document["run"], "facets": facets}}


def with_job(document: Document, **facets: Any) -> Document:
    return {**document, "job": {**document["job"], "facets": facets}}


def before(name: str, **more: Any) -> Document:
    return {"job": {"namespace": "sched", "name": name}, **more}


DEPENDENCIES = factory.facet(
    upstream=[before("extract", run={"runId": factory.run_id(7)}, dependency_type="DIRECT_INVOCATION"), {"job": {}}, 3],
    downstream=[before("publish", status_trigger_rule="EXECUTE_ON_SUCCESS")],
    trigger_rule="ALL_SUCCESS",
)


def test_the_jobs_before_and_after_a_job_are_told_apart_from_its_data() -> None:
    get = after(with_run(ran("load", "raw", "clean", run=1), jobDependencies=DEPENDENCIES))
    assert get("namespaces/demo/jobs/load")["jobDependencies"] == {
        "upstream": [
            {"namespace": "sched", "name": "extract", "runId": factory.run_id(7), "dependencyType": "DIRECT_INVOCATION"}
        ],
        "downstream": [{"namespace": "sched", "name": "publish", "statusTriggerRule": "EXECUTE_ON_SUCCESS"}],
        "triggerRule": "ALL_SUCCESS",
    }
    graph = get("lineage", nodeId="job:demo:load", direction="both")
    assert {node["id"] for node in graph["graph"]} == {"job:demo:load", table("raw"), table("clean")}
    assert "extract" not in str([node["inEdges"] + node["outEdges"] for node in graph["graph"]])
    text = lineage_text.render({**graph, "nodeId": "job:demo:load"}, WIDE, "both")
    assert "By its scheduler, it runs after extract." in text
    assert "By its scheduler, it runs before publish." in text
    assert "publish" not in str(get("impact", nodeId=table("raw")))


@pytest.mark.parametrize("facet", [None, 7, {}, {"upstream": []}, {"upstream": "x", "downstream": [{"job": "y"}]}])
def test_a_facet_without_other_jobs_says_nothing(facet: Any) -> None:
    assert "jobDependencies" not in job_after(with_run(ran("load", "raw", "clean", run=1), jobDependencies=facet))


def test_the_newest_run_that_tells_its_dependencies_counts_in_any_order() -> None:
    old = with_run(ran("load", "raw", "clean", run=1), jobDependencies=DEPENDENCIES)
    only = factory.facet(upstream=[before("other")])
    new = {**with_run(ran("load", "raw", "clean", run=2), jobDependencies=only), "eventTime": factory.at(60)}
    silent = {**ran("load", "raw", "clean", run=3), "eventTime": factory.at(90)}
    for events in ((old, new, silent), (silent, new, old), (new, old, new, silent)):
        flow = job_after(*events)["jobDependencies"]
        assert [job["name"] for job in flow["upstream"] + flow["downstream"]] == ["other"]


def test_a_dataset_tells_where_it_belongs() -> None:
    levels = [{"type": "DATABASE", "name": "shop"}, {"type": "SCHEMA", "name": "sales"}, {"type": "TABLE", "name": "o"}]
    catalog = factory.facet(framework="iceberg", type="glue", name="ice", warehouseUri="s3://lake/ice")
    orders = factory.dataset("orders", hierarchy=factory.facet(hierarchy=levels), catalog=catalog)
    get = after(factory.run_event("COMPLETE", outputs=[orders, factory.dataset("plain", hierarchy=[], catalog={})]))
    told = {"catalog": "ice", "warehouse": "s3://lake/ice", "database": "shop", "schema": "sales", "table": "o"}
    listed = {dataset["name"]: dataset for dataset in get(f"namespaces/{LAKE}/datasets")["datasets"]}
    assert listed["orders"]["place"] == get(f"namespaces/{LAKE}/datasets/orders")["place"] == told
    assert "place" not in listed["plain"]


def exposing(name: str, *exposures: Any) -> Document:
    return factory.dataset(name, dbt_exposures=factory.facet(exposures=list(exposures)))


def shop() -> list[Document]:
    """raw > clean > mart, and the dashboard reads the mart."""
    return [
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id")),
        factory.run_event(
            "COMPLETE", job="model", run=2, inputs=[factory.dataset("clean")], outputs=[exposing("mart", DASHBOARD)]
        ),
    ]


EXPOSURE = f"exposure:{LAKE}:exposure.shop.weekly_report"


def test_a_change_reaches_the_dashboard_that_dbt_declares() -> None:
    get = after(*shop())
    answer = get("impact", nodeId=column("raw.id"))
    (items,) = [owner["items"] for owner in answer["owners"] if owner["owner"] == "finance"]
    assert items == [
        {
            "nodeId": EXPOSURE,
            "type": "EXPOSURE",
            "distance": 3,
            "by": "dataset",
            "indirect": False,
            "possible": True,
            "path": [column("raw.id"), "job:demo:load", column("clean.id"), "job:demo:model", table("mart"), EXPOSURE],
            "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}],
            "exposure": {
                "id": "exposure.shop.weekly_report",
                "name": "weekly_report",
                "type": "dashboard",
                "url": "https://bi.example.com/1",
                "owner": "finance",
            },
        }
    ]
    assert (answer["breaks"]["exposures"], answer["breaks"]["possible"]["exposures"]) == (1, 1)
    assert "1 exposure" in answer["breaks"]["sentence"]
    assert answer["displayNames"] == {EXPOSURE: "weekly_report"}
    text = impact_text.render(answer, WIDE)
    assert "dashboard weekly_report  (IDENTITY)  https://bi.example.com/1  columns unknown" in text
    assert get(f"namespaces/{LAKE}/datasets/mart")["exposures"][0]["name"] == "weekly_report"


def test_a_dashboard_reads_the_changed_table_itself_as_a_job_does() -> None:
    answer = after(factory.dataset_event(exposing("mart", DASHBOARD)))("impact", nodeId=table("mart"))
    (item,) = [item for owner in answer["owners"] for item in owner["items"]]
    assert (item["distance"], item["path"]) == (1, [table("mart"), EXPOSURE])
    assert answer["breaks"]["sentence"] == "By table lineage, it may break 1 exposure."


def test_a_dashboard_of_two_tables_is_one_node_by_its_shortest_way() -> None:
    get = after(*shop(), factory.dataset_event(exposing("clean", DASHBOARD)))
    answer = get("impact", nodeId=table("raw"))
    assert [item["path"][-2] for owner in answer["owners"] for item in owner["items"] if "exposure" in item] == [
        table("clean")
    ]
    graph = get("lineage", nodeId=table("raw"), direction="downstream")["graph"]
    (node,) = [node for node in graph if node["type"] == "EXPOSURE"]
    assert {edge["origin"] for edge in node["inEdges"]} == {table("clean"), table("mart")}


def exposures_in(graph: Document) -> list[str]:
    return [node["id"] for node in graph["graph"] if node["type"] == "EXPOSURE"]


def test_a_graph_downstream_ends_at_the_dashboard() -> None:
    get = after(*shop())
    graph = get("lineage", nodeId=table("raw"), direction="downstream")
    (node,) = [node for node in graph["graph"] if node["type"] == "EXPOSURE"]
    assert node == {
        "id": EXPOSURE,
        "type": "EXPOSURE",
        "data": {
            "namespace": LAKE,
            "name": "exposure.shop.weekly_report",
            "displayName": "weekly_report",
            "type": "dashboard",
            "url": "https://bi.example.com/1",
            "owners": ["finance"],
        },
        "inEdges": [{"origin": table("mart"), "destination": EXPOSURE}],
        "outEdges": [],
    }
    assert EXPOSURE not in str([other["outEdges"] for other in graph["graph"]]), "Marquez's page draws outEdges"
    text = lineage_text.render({**graph, "nodeId": table("raw")}, WIDE, "downstream")
    assert "2 jobs, 2 datasets, 1 exposure" in text
    assert "dashboard weekly_report  of finance  https://bi.example.com/1" in text
    exported = get("export", nodeId=table("raw"), direction="downstream", format="json")
    assert {"from": table("mart"), "to": EXPOSURE} in exported["edges"]
    assert exposures_in(get("lineage", nodeId=table("raw"))) == [EXPOSURE]
    assert exposures_in(get("lineage", nodeId="job:demo:load", direction="both")) == [EXPOSURE]


def test_a_graph_upstream_has_no_dashboard_nor_has_one_both_ways_those_of_what_is_upstream() -> None:
    get = after(*shop(), factory.dataset_event(exposing("raw", {**DASHBOARD, "unique_id": "exposure.shop.other"})))
    assert exposures_in(get("lineage", nodeId=table("mart"), direction="upstream")) == []
    assert exposures_in(get("lineage", nodeId=table("clean"), direction="both")) == [EXPOSURE]


def test_pages_of_a_graph_have_the_dashboard_once_and_last() -> None:
    get = after(*shop())
    graph: list[Document] = []
    page = get("lineage", nodeId=table("raw"), direction="downstream", limit=2)
    while True:
        graph += page["graph"]
        if "cursor" not in page:
            break
        page = get("lineage", nodeId=table("raw"), direction="downstream", limit=2, cursor=page["cursor"])
    assert len({node["id"] for node in graph}) == len(graph) == 6
    assert graph[-1]["id"] == EXPOSURE


def test_a_key_sees_the_dashboards_of_tables_that_it_may_read() -> None:
    elsewhere = LookupClient(after(*shop()).table, key_of("demo"))
    for answer in (
        elsewhere("lineage", nodeId="job:demo:model", direction="downstream"),
        elsewhere("lineage", nodeId="job:demo:model"),
    ):
        assert "weekly_report" not in str(answer)
    assert elsewhere.answer("impact", nodeId=table("raw"))[0] in (403, 404)


def test_no_lookup_begins_at_a_dashboard() -> None:
    get = after(*shop())
    assert [get.refusal(path, nodeId=EXPOSURE) for path in ("lineage", "impact", "rootcause")] == ["nodeId"] * 3


def test_a_change_does_not_reach_the_dashboard_of_what_is_upstream_or_beside() -> None:
    get = after(
        ran("load", "raw", "clean", run=1),
        factory.dataset_event(exposing("raw", DASHBOARD)),
        factory.dataset_event(exposing("other", {**DASHBOARD, "unique_id": "exposure.shop.other"})),
        factory.dataset_event(exposing("clean", {"name": "nameless"}, 7, {"unique_id": "", "name": "x"})),
    )
    answer = get("impact", nodeId=table("clean"))
    assert (answer["totalCount"], answer["owners"]) == (0, [])
    assert "exposures" not in answer["breaks"]


def entry(kind: str, name: str | None, *inputs: Document) -> Document:
    named = {"namespace": "demo" if kind == "JOB" else LAKE, "name": name} if name else {}
    return {"type": kind, **named, "inputs": list(inputs)}


def source(kind: str, name: str | None = None) -> Document:
    return {member: value for member, value in entry(kind, name).items() if member != "inputs"}


def test_an_entry_of_the_jobs_own_names_what_it_reads() -> None:
    lineage = factory.facet(entries=[entry("JOB", None, source("DATASET", "raw"), source("JOB", "feeder"))])
    job = job_after(with_job(factory.run_event("COMPLETE"), lineage=lineage))
    assert [read["name"] for read in job["inputs"]] == ["raw"]
    assert job["jobLineage"] == {"upstream": [{"namespace": "demo", "name": "feeder"}], "downstream": []}


def test_an_entry_of_another_job_is_no_input_of_this_one() -> None:
    lineage = factory.facet(
        entries=[entry("JOB", "other", source("DATASET", "secret")), entry("DATASET", "clean", source("JOB"))]
    )
    job = job_after(with_job(factory.run_event("COMPLETE"), lineage=lineage))
    assert (job["inputs"], [made["name"] for made in job["outputs"]]) == ([], ["clean"])
    assert job["jobLineage"] == {"upstream": [], "downstream": [{"namespace": "demo", "name": "other"}]}


def every_facet() -> Document:
    """A run event with each facet of OpenLineage's specification, filled as its schema says."""
    run = {
        "nominalTime": {"nominalStartTime": factory.at(0), "nominalEndTime": factory.at(60)},
        "parent": factory.parent(9, "dag", (8, "root")),
        "errorMessage": {"message": "boom", "programmingLanguage": "PYTHON", "stackTrace": "at x"},
        "externalQuery": {"externalQueryId": "q-1", "source": "athena"},
        "extractionError": {"totalTasks": 2, "failedTasks": 1, "errors": [{"errorMessage": "no", "taskNumber": 1}]},
        "processing_engine": {"version": "3.5", "name": "spark", "openlineageAdapterVersion": "1.53.0"},
        "environmentVariables": {"environmentVariables": [{"name": "TZ", "value": "UTC"}]},
        "executionParameters": {"parameters": [{"key": "day", "value": "2026-11-20"}]},
        "jobDependencies": DEPENDENCIES,
        "tags": {"tags": [{"key": "tier", "value": "one", "source": "USER"}]},
        "test": {"tests": [{"name": "not_null", "status": "pass", "severity": "error", "type": "not_null"}]},
    }
    job = {
        "jobType": {"processingType": "BATCH", "integration": "SPARK", "jobType": "JOB"},
        "documentation": {"description": "cleans", "contentType": "text/plain"},
        "ownership": {"owners": [{"name": "team", "type": "MAINTAINER"}]},
        "sourceCode": {"language": "python", "sourceCode": "print()"},
        "sourceCodeLocation": {"type": "git", "url": "https://github.com/shop/jobs", "version": "abc"},
        "sql": {"query": "SELECT wares FROM raw", "dialect": "spark"},
        "tags": {"tags": [{"key": "nightly", "value": "true", "source": "AIRFLOW"}]},
        "lineage": {"entries": [factory.made_of("clean", "raw"), entry("JOB", None, source("JOB", "feeder"))]},
    }
    dataset = {
        "schema": {"fields": [{"name": "id", "type": "int", "ordinal_position": 1, "description": "the key"}]},
        "symlinks": {"identifiers": [{"namespace": "glue://eu", "name": "table/db/t", "type": "TABLE"}]},
        "catalog": {"framework": "iceberg", "type": "glue", "name": "ice", "warehouseUri": "s3://lake"},
        "dataSource": {"name": "lake", "uri": "s3://lake"},
        "storage": {"storageLayer": "iceberg", "fileFormat": "parquet"},
        "version": {"datasetVersion": "42"},
        "lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"},
        "datasetType": {"datasetType": "TABLE", "subType": "VIEW"},
        "hierarchy": {"hierarchy": [{"type": "DATABASE", "name": "db"}, {"type": "TABLE", "name": "t"}]},
        "documentation": {"description": "all wares"},
        "ownership": {"owners": [{"name": "team"}]},
        "tags": {"tags": [{"key": "pii", "value": "high", "source": "GLUE", "field": "id"}]},
        "dataQualityMetrics": {"rowCount": 3, "columnMetrics": {"id": {"nullCount": 0}}},
        "columnLineage": column_lineage("raw.id > id"),
    }
    read = {
        "inputStatistics": {"rowCount": 3, "size": 9, "fileCount": 1},
        "dataQualityAssertions": {"assertions": [{"assertion": "not_null", "success": True, "column": "id"}]},
        "dataQualityMetrics": {"rowCount": 3, "columnMetrics": {}},
        "subset": {"inputCondition": {"type": "location", "locations": ["s3://lake/raw/1"]}},
    }
    written = {
        "outputStatistics": {"rowCount": 3, "size": 9, "fileCount": 1},
        "subset": {"outputCondition": {"type": "partition", "partitions": [{"identifier": "day=1"}]}},
    }

    def whole(facets: Document) -> Document:
        return {name: factory.facet(**facet) for name, facet in facets.items()}

    inputs = [{**factory.dataset("raw", **whole({"version": {"datasetVersion": "41"}})), "inputFacets": whole(read)}]
    outputs = [{**factory.dataset("clean", **whole(dataset)), "outputFacets": whole(written)}]
    event = factory.run_event("COMPLETE", inputs=inputs, outputs=outputs)
    event = with_job(with_run(event, **whole(run)), **whole(job))
    facets = [*run, *job, *dataset, *{**read, **written}]
    assert len(facets) == 38
    return event


@pytest.fixture(scope="module")
def get() -> LookupClient:
    return after(every_facet())


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("namespaces", {}),
        (f"namespaces/{quote(LAKE, safe='')}/datasets", {"withUsage": "true", "tag": "pii"}),
        (f"namespaces/{quote(LAKE, safe='')}/datasets/clean", {}),
        (f"namespaces/{quote(LAKE, safe='')}/datasets/clean/versions", {}),
        (f"namespaces/{quote(LAKE, safe='')}/datasets/raw/quality", {}),
        ("namespaces/demo/jobs", {"tag": "nightly"}),
        ("namespaces/demo/jobs/load", {}),
        ("namespaces/demo/jobs/load/runs", {"tag": "tier=one"}),
        ("namespaces/demo/jobs/load/versions", {}),
        ("jobs", {}),
        ("runs", {}),
        (f"jobs/runs/{factory.run_id(1)}", {}),
        (f"jobs/runs/{factory.run_id(1)}/facets", {"type": "run"}),
        (f"jobs/runs/{factory.run_id(1)}/facets", {"type": "job"}),
        (f"jobs/runs/{factory.run_id(1)}/children", {}),
        (f"jobs/runs/{factory.run_id(1)}/events", {}),
        *(
            ("lineage", {"nodeId": node, "rollup": roll})
            for node in ("job:demo:load", table("clean"))
            for roll in ("parent", "none")
        ),
        ("column-lineage", {"nodeId": column("clean.id"), "direction": "both"}),
        ("impact", {"nodeId": column("raw.id")}),
        ("rootcause", {"nodeId": table("clean")}),
        ("diff", {"nodeId": table("clean"), "from": factory.at(-60)}),
        ("runlineage/upstream", {"runId": factory.run_id(1)}),
        ("events/lineage", {}),
        *(("export", {"nodeId": table("clean"), "format": form}) for form in ("json", "openlineage")),
        *(("search", {"q": text}) for text in ("wares", "high", "tier", "q-1", "key", "clean")),
        *(("search/groups", {"q": text}) for text in ("wares", "high", "tier", "q-1", "key", "clean")),
        ("sources", {}),
        ("tags", {}),
        ("aliases", {"nodeId": table("clean")}),
    ],
)
def test_an_event_with_every_facet_breaks_no_lookup(get: LookupClient, path: str, query: dict[str, str]) -> None:
    status, body = get.answer(path, **query)
    assert status == 200, body
    if path.startswith("search"):
        assert body["results"]
