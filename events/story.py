"""The OpenLineage events and bodies of the samples: a shop cleans its orders, then sums up the revenue of each day."""

from typing import Any

Document = dict[str, Any]

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"
SPEC = "https://openlineage.io/spec"
JOBS, LAKE = "shop", "s3://shop-lake"
CLEAN_ORDERS, REVENUE_DAILY = "clean_orders", "revenue_daily"
CLEAN_RUN = "01a1f7f8-3000-7000-8000-000000000001"
CLEAN_VERSION = "83e71576-6dac-5291-a2ba-e9cca057ae68"
"""The version of a job follows from its inputs and outputs."""
REVENUE_RUN = "01a1f7fd-6020-7000-8000-000000000002"


def facet(version: str, kind: str, /, **members: Any) -> Document:
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/facets/{version}/{kind}.json#/$defs/{kind}", **members}


def schema(**types: str) -> Document:
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    return facet("1-1-1", "SchemaDatasetFacet", fields=fields)


def made_from(source: str, **columns: tuple[str, str]) -> Document:
    """A columnLineage facet: each column is made of a column of `source`, by a DIRECT transformation of a subtype."""
    fields = {
        name: {"inputFields": [{"namespace": LAKE, "name": source, "field": field, "transformations": [step(how)]}]}
        for name, (field, how) in columns.items()
    }
    return facet("1-2-0", "ColumnLineageDatasetFacet", fields=fields)


def step(subtype: str) -> Document:
    return {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}


def dataset(name: str, **facets: Document) -> Document:
    return {"namespace": LAKE, "name": name, "facets": facets}


def event(kind: str, time: str, **members: Any) -> Document:
    schema_url = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/{kind}"
    return {"eventTime": f"2026-11-20T{time}Z", "producer": PRODUCER, "schemaURL": schema_url, **members}


def run_event(transition: str, time: str, run: str, job: str, **datasets: list[Document]) -> Document:
    engine = facet("1-1-1", "ProcessingEngineRunFacet", name="spark", version="3.5.9")
    kind = facet("2-0-4", "JobTypeJobFacet", processingType="BATCH", integration="SPARK", jobType="SQL_JOB")
    return event(
        "RunEvent",
        time,
        eventType=transition,
        run={"runId": run, "facets": {"processing_engine": engine}},
        job={"namespace": JOBS, "name": job, "facets": {"jobType": kind}},
        **datasets,
    )


RAW_ORDERS = dataset(
    "raw/orders",
    schema=schema(order_id="long", quantity="int", unit_price="decimal(10,2)"),
    dataSource=facet("1-0-1", "DatasourceDatasetFacet", name=LAKE, uri=LAKE),
)
ORDERS_CLEAN = dataset(
    "orders_clean",
    schema=schema(order_id="long", order_total="decimal(12,2)"),
    columnLineage=made_from(
        "raw/orders", order_id=("order_id", "IDENTITY"), order_total=("unit_price", "TRANSFORMATION")
    ),
)
REVENUE = dataset(
    "revenue_daily",
    schema=schema(total_revenue="decimal(22,2)"),
    columnLineage=made_from("orders_clean", total_revenue=("order_total", "AGGREGATION")),
)

CHECKED = dataset("orders_clean") | {
    "inputFacets": {
        "dataQualityAssertions": facet(
            "1-0-2",
            "DataQualityAssertionsDatasetFacet",
            assertions=[{"assertion": "not_null", "success": True, "column": "order_id"}],
        )
    }
}

CLEAN_START = run_event("START", "08:00:00", CLEAN_RUN, CLEAN_ORDERS, inputs=[RAW_ORDERS], outputs=[])
CLEAN_COMPLETE = run_event("COMPLETE", "08:00:31.5", CLEAN_RUN, CLEAN_ORDERS, inputs=[], outputs=[ORDERS_CLEAN])
REVENUE_COMPLETE = run_event("COMPLETE", "08:06:02.25", REVENUE_RUN, REVENUE_DAILY, inputs=[CHECKED], outputs=[REVENUE])
JOB_EVENT = event(
    "JobEvent",
    "07:00:00",
    job={
        "namespace": JOBS,
        "name": REVENUE_DAILY,
        "facets": {"documentation": facet("1-1-0", "DocumentationJobFacet", description="Revenue of each day")},
    },
    inputs=[dataset("orders_clean")],
    outputs=[dataset("revenue_daily")],
)
DATASET_EVENT = event(
    "DatasetEvent",
    "06:30:00",
    dataset=dataset(
        "raw/orders",
        documentation=facet("1-1-0", "DocumentationDatasetFacet", description="Orders as the shop exports them"),
    ),
)
COUNT_RUN = "01a1f8f0-1000-7000-8000-000000000003"
SETTINGS = {
    "expectations": [
        {"dataset": "revenue_daily", "namespace": "s3://shop-lake", "due": "07:00 Europe/Berlin", "rows": "20%"}
    ]
}
SHOP_DB = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db.example.com:5432/shop"}
RETURNS = {
    "type": "DB_TABLE",
    "physicalName": "desk.returns",
    "sourceName": "shop-db",
    "fields": [{"name": "order_id", "type": "long"}, {"name": "customer", "type": "string"}],
    "description": "What came back",
}
COUNT_RETURNS = {"type": "BATCH", "inputs": [{"namespace": "s3://shop-desk", "name": "raw/returns"}], "outputs": []}
"""Bodies of requests to curate."""
WITHOUT_A_JOB_NAME = {**CLEAN_START, "job": {"namespace": JOBS}}
