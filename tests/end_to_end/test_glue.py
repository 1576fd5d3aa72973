"""Events over HTTP update the parameters of Glue tables, and owners of Glue tables reach their datasets."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.emulator.account import ACCOUNT_ID, REGION
from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api

pytestmark = [
    pytest.mark.emulator,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="the emulator makes its certificate with openssl"),
]

ARN = f"arn:aws:glue:{REGION}:{ACCOUNT_ID}"
SYNC_SECONDS = 60
FOREIGN = {"classification": "parquet", "owner": "team:finance", "projection.enabled": "false"}
ICEBERG = {"table_type": "ICEBERG", "metadata_location": "s3://glue-lake/revenue/metadata/00001.metadata.json"}

Table = dict[str, Any]


@pytest.fixture(scope="module")
def synced_stack() -> Iterator[Stack]:
    """With the roles enforced, since the emulator knows Glue's actions too."""
    parameters = {"CatalogSync": "ON", "CatalogWindowSeconds": "1", "CreateMissingTables": "ON"}
    with embedded_stack("glue", iam=True, **parameters) as running:
        yield running


@pytest.fixture(scope="module")
def deployed(synced_stack: Stack) -> Deployed:
    return Deployed(synced_stack.deployment)


@pytest.fixture(scope="module")
def api(synced_stack: Stack) -> Api:
    return Api.of(synced_stack.url, synced_stack.key)


@pytest.fixture(scope="module")
def by_hand(deployed: Deployed) -> dict[str, Table]:
    deployed.glue.create_database(DatabaseInput={"Name": "shop"})
    columns = [{"Name": "id", "Type": "bigint", "Comment": "as the till counts them"}]
    for name, more in (("orders", FOREIGN), ("revenue", FOREIGN | ICEBERG)):
        storage = {"Columns": columns, "Location": f"s3://glue-lake/{name}/", "SerdeInfo": {"Name": "parquet"}}
        definition: Table = {"Name": name, "Description": f"{name} of the shop", "StorageDescriptor": storage}
        keys = [{"Name": "day", "Type": "date", "Comment": "of the sale"}]
        definition |= {"Parameters": more, "PartitionKeys": keys, "TableType": "EXTERNAL_TABLE"}
        deployed.glue.create_table(DatabaseName="shop", TableInput=definition)
    return {name: table(deployed, name) for name in ("orders", "revenue")}


def table(deployed: Deployed, name: str) -> Table:
    glue_table: Table = deployed.glue.get_table(DatabaseName="shop", Name=name)["Table"]
    return glue_table


def run(number: int) -> list[factory.Document]:
    """A run that reads a table by its path and writes another by its Glue name, a partition of it."""
    orders = factory.dataset("orders", "s3://glue-lake")
    symlinks = factory.symlinks("table/shop/revenue", namespace=ARN)
    schema = factory.schema("total:double")
    revenue = factory.dataset("revenue/day=2026-11-20", "s3://glue-lake", symlinks=symlinks, schema=schema)
    report = factory.dataset("report", "s3://glue-lake", schema=schema)
    known, begin, end = 0x61E00 + number, 60 * number, 60 * number + 30
    return [
        factory.run_event("START", run=known, seconds=begin, job="sum", inputs=[orders]),
        factory.run_event("COMPLETE", run=known, seconds=end, job="sum", inputs=[orders], outputs=[revenue, report]),
    ]


def post(api: Api, deployed: Deployed, number: int) -> None:
    for event in run(number):
        assert api.post_event(event).status == 201
    deployed.wait_for_ingestion()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SYNC_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "the catalogue did not follow in time"
        time.sleep(0.2)


def headwater_parameters(glue_table: Table) -> dict[str, str]:
    return {name: value for name, value in glue_table["Parameters"].items() if name.startswith("headwater.")}


@pytest.fixture(scope="module")
def synced(api: Api, deployed: Deployed, by_hand: dict[str, Table]) -> dict[str, Table]:
    """The tables once a run has been heard of, to its end."""
    post(api, deployed, 1)

    def is_complete() -> bool:
        orders, revenue = (headwater_parameters(table(deployed, name)) for name in ("orders", "revenue"))
        both = sorted(["s3://glue-lake/report", "shop.revenue"])
        return "headwater.upstream" in revenue and json.loads(orders.get("headwater.downstream", "[]")) == both

    wait_until(is_complete)
    return {name: table(deployed, name) for name in by_hand}


def test_tables_say_where_their_data_comes_from_and_goes_to(synced: dict[str, Table], api: Api) -> None:
    assert json.loads(headwater_parameters(synced["revenue"])["headwater.upstream"]) == ["shop.orders"]
    assert "shop.revenue" in json.loads(headwater_parameters(synced["orders"])["headwater.downstream"])
    assert headwater_parameters(synced["revenue"])["headwater.last-run"] == factory.run_id(0x61E01)
    path = headwater_parameters(synced["revenue"])["headwater.lookup-url"].partition("/api/v1/")[2]
    assert api.request("GET", f"/api/v1/{path}").status == 200


def test_parameters_of_others_stay(synced: dict[str, Table], by_hand: dict[str, Table]) -> None:
    changing = {"Parameters", "UpdateTime", "VersionId"}
    for name, before in by_hand.items():
        after = synced[name]
        others = {
            parameter: value
            for parameter, value in after["Parameters"].items()
            if parameter not in headwater_parameters(after)
        }
        assert others == before["Parameters"]
        assert {key: after[key] for key in after.keys() - changing} == {
            key: before[key] for key in before.keys() - changing
        }


@pytest.mark.usefixtures("synced")
def test_a_written_partition_is_in_the_catalogue(deployed: Deployed) -> None:
    def partitions() -> list[Table]:
        partitions: list[Table] = deployed.glue.get_partitions(DatabaseName="shop", TableName="revenue")["Partitions"]
        return partitions

    wait_until(lambda: bool(partitions()))
    (partition,) = partitions()
    assert partition["Values"] == ["2026-11-20"]
    assert partition["Parameters"]["headwater.first-run"] == factory.run_id(0x61E01)


@pytest.mark.usefixtures("synced")
def test_a_dataset_without_a_table_gets_one_in_a_database_of_its_own(deployed: Deployed) -> None:
    def created() -> list[Table]:
        if "headwater_dev" not in {database["Name"] for database in deployed.glue.get_databases()["DatabaseList"]}:
            return []
        tables: list[Table] = deployed.glue.get_tables(DatabaseName="headwater_dev")["TableList"]
        return tables

    wait_until(lambda: any(table["Name"].startswith("report_") for table in created()))


def test_a_second_run_like_the_first_writes_nothing(api: Api, deployed: Deployed, synced: dict[str, Table]) -> None:
    post(api, deployed, 2)
    time.sleep(5)
    assert {name: table(deployed, name) for name in synced} == synced


@pytest.mark.usefixtures("synced")
def test_an_owner_in_glue_reaches_the_dataset(api: Api, deployed: Deployed, synced_stack: Stack) -> None:
    for owned in (2, 0):
        assert invoke_glue_import(deployed, synced_stack)["told"] == owned
        deployed.wait_for_ingestion()
    dataset = api.get("namespaces", "s3://glue-lake", "datasets", "revenue").json
    assert [owner["name"] for owner in dataset["facets"]["ownership"]["owners"]] == ["team:finance"]
    assert (dataset["description"], dataset["tags"]) == ("revenue of the shop", ["parquet"])


def invoke_glue_import(deployed: Deployed, running: Stack) -> dict[str, int]:
    (name,) = (name for name in running.deployment.resources["AWS::Lambda::Function"] if "GlueImportFunction" in name)
    answer = deployed.lambda_.invoke(FunctionName=name, Payload=b"{}")
    counts: dict[str, int] = json.loads(answer["Payload"].read())
    return counts
