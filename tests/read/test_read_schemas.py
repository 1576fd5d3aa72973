"""The columns of a dataset whose readers claim another schema than its writers."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, after

TABLE = "wh/crm/customers"
ICEBERG = {"framework": "iceberg", "type": "hadoop", "name": "lake"}
WIDE = factory.schema("id:long", "name:string", "tier:string")


def wrote(schema: Document, *, run: int = 1) -> Document:
    return factory.run_event(
        "COMPLETE", job="load", run=run, seconds=60 * run, outputs=[factory.dataset(TABLE, schema=schema)]
    )


def read(schema: Document, *, run: int = 2, **facets: Any) -> Document:
    inputs = [factory.dataset(TABLE, schema=schema, **facets)]
    return factory.run_event("COMPLETE", job="report", run=run, seconds=60 * run, inputs=inputs)


def columns(*documents: Document) -> list[str]:
    """The columns that the dataset is shown with: by itself, in a list, and in a graph."""
    get = after(*documents)
    of_lake = "namespaces/s3%3A%2F%2Flake/datasets"
    (listed,) = get(of_lake)["datasets"]
    graph = get("lineage", nodeId=f"dataset:{LAKE}:{TABLE}")["graph"]
    shown = [
        get(f"{of_lake}/wh%2Fcrm%2Fcustomers"),
        listed,
        *(node["data"] for node in graph if node["type"] == "DATASET"),
    ]
    names = [[field["name"] for field in dataset["fields"]] for dataset in shown]
    assert names == names[:1] * 3
    return names[0]


@pytest.mark.parametrize("fewer", [("id:long", "name:string"), ("tier:string", "id:long", "_file:string")])
def test_a_reader_of_some_columns_or_of_an_older_snapshot_removes_none(fewer: tuple[str, ...]) -> None:
    assert columns(wrote(WIDE), read(factory.schema(*fewer))) == ["id", "name", "tier"]


def test_a_reader_with_more_columns_than_were_written_adds_the_columns_of_an_unknown_writer() -> None:
    assert columns(wrote(WIDE), read(factory.schema("id:long", "mail:string"))) == ["id", "mail"]


def test_a_writer_with_fewer_columns_removes_the_others() -> None:
    assert columns(wrote(WIDE), wrote(factory.schema("id:long"), run=3)) == ["id"]


def snapshots_of(table: str) -> Document:
    """A read of an Iceberg table's snapshots, as the Spark listener tells of it."""
    schema = factory.schema("committed_at:timestamp", "snapshot_id:long")
    names = factory.symlinks(f"{table}.snapshots", namespace=f"{LAKE}/wh")
    return read(schema, catalog=factory.facet(**ICEBERG), symlinks=names)


def test_a_metadata_table_is_not_its_table() -> None:
    assert columns(wrote(WIDE), snapshots_of("crm.customers")) == ["id", "name", "tier"]
    assert columns(snapshots_of("crm.customers")) == []


def test_a_table_that_is_called_like_a_metadata_table_is_one() -> None:
    assert columns(snapshots_of("crm")) == ["committed_at", "snapshot_id"]


def test_a_reader_of_files_as_text_does_not_change_their_columns() -> None:
    assert columns(wrote(WIDE), read(factory.schema("value:string"))) == ["id", "name", "tier"]
    assert columns(read(factory.schema("value:string", "id:long"))) == ["value", "id"]


def test_a_models_files_have_columns_and_the_model_has_none() -> None:
    inner = factory.dataset("models/churn/stages/1_LogisticRegression_3e19a3d2e346/data", schema=WIDE)
    train = factory.run_event("COMPLETE", job="train", outputs=[inner])
    (model,) = after(train)("namespaces/s3%3A%2F%2Flake/datasets")["datasets"]
    assert (model["name"], model["fields"]) == ("models/churn", [])


def test_a_table_in_a_nested_namespace_may_be_called_like_a_metadata_table() -> None:
    names = factory.symlinks("crm.docs.files", namespace=f"{LAKE}/wh")
    table = factory.dataset("wh/crm/docs/files", schema=WIDE, symlinks=names, catalog=factory.facet(**ICEBERG))
    get = after(factory.run_event("COMPLETE", job="report", inputs=[table]))
    dataset = get("namespaces/s3%3A%2F%2Flake/datasets/wh%2Fcrm%2Fdocs%2Ffiles")
    assert [field["name"] for field in dataset["fields"]] == ["id", "name", "tier"]
    by_name = get("lineage", nodeId=f"dataset:{LAKE}/wh:crm.docs.files")["graph"]
    assert {node["data"]["name"] for node in by_name} == {"wh/crm/docs/files", "report"}


def test_a_table_of_one_column_is_no_text() -> None:
    names = factory.symlinks("crm.notes", namespace=f"{LAKE}/wh")
    assert columns(read(factory.schema("value:string"), symlinks=names)) == ["value"]


LOG = factory.schema("add:struct", "metaData:struct", "protocol:struct")


@pytest.mark.parametrize(
    "inner",
    ["_delta_log", "_delta_log/00000000000000000010.json", "_spark_metadata", ".hoodie/metadata", "_temporary/0"],
)
def test_the_log_of_a_table_gives_the_table_no_columns(inner: str) -> None:
    of_log = factory.run_event(
        "COMPLETE", job="vacuum", run=3, seconds=300, inputs=[factory.dataset(f"{TABLE}/{inner}", schema=LOG)]
    )
    assert columns(wrote(WIDE), of_log) == ["id", "name", "tier"]
    assert columns(of_log, wrote(WIDE)) == ["id", "name", "tier"]
    assert columns(of_log) == []


def test_a_job_that_writes_the_log_changes_no_schema() -> None:
    of_log = factory.run_event(
        "COMPLETE", job="vacuum", run=3, seconds=300, outputs=[factory.dataset(f"{TABLE}/_delta_log", schema=LOG)]
    )
    assert columns(wrote(WIDE), of_log) == ["id", "name", "tier"]
