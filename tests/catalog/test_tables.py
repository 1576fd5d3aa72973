"""Parameters of a table name its upstream and downstream; everything else of the table stays."""

import copy
import json

import pytest

from headwater.graph.names.identity import version_of_schema
from tests import factory
from tests.catalog.conftest import ARN, URL, World, storage, without_parameters
from tests.catalog.glue_service import GlueService
from tests.factory import Document

FOREIGN = {"owner": "team:sales", "classification": "parquet", "projection.enabled": "false", "headwaters": "not ours"}
ICEBERG = {
    "table_type": "ICEBERG",
    "metadata_location": "s3://lake/revenue/metadata/00002.metadata.json",
    "previous_metadata_location": "s3://lake/revenue/metadata/00001.metadata.json",
}


def run(number: int = 1, kind: str = "COMPLETE", *, seconds: float = 60, **changes: list[Document]) -> Document:
    inputs = changes.get("inputs", [factory.dataset("orders")])
    outputs = changes.get("outputs", [factory.dataset("revenue", schema=factory.schema("total:double"))])
    return factory.run_event(kind, seconds=seconds * number, run=number, job="sum", inputs=inputs, outputs=outputs)


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    glue.add_table("shop.orders", StorageDescriptor=storage("s3://lake/orders/"), Parameters=FOREIGN)
    glue.add_table(
        "shop.revenue",
        Description="What came in",
        Owner="hadoop",
        Retention=7,
        TableType="EXTERNAL_TABLE",
        StorageDescriptor=storage("s3://lake/revenue", total="double"),
        PartitionKeys=[{"Name": "day", "Type": "date", "Comment": "of the sale"}],
        Parameters=FOREIGN | ICEBERG,
    )


def test_parameters_name_upstream_and_downstream(world: World) -> None:
    world.window(run())
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]
    assert json.loads(world.headwater_parameters("shop.orders")["downstream"]) == ["shop.revenue"]


def test_parameters_name_the_last_run_the_schema_version_and_a_link(world: World) -> None:
    world.window(run())
    parameters = world.headwater_parameters("shop.revenue")
    digest = world.dataset("revenue").schema_digest
    assert digest
    assert parameters["schema-version"] == version_of_schema(digest)
    assert parameters["last-run"] == factory.run_id(1)
    assert parameters["lookup-url"] == f"{URL}/api/v1/lineage?nodeId=dataset%3As3%3A%2F%2Flake%3Arevenue"
    assert parameters.keys() == {"upstream", "last-run", "schema-version", "lookup-url"}


def test_a_dataset_that_is_no_table_is_named_by_its_path(world: World) -> None:
    world.window(run(inputs=[factory.dataset("raw/orders")]))
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["s3://lake/raw/orders"]


def test_only_parameters_of_headwater_change(world: World) -> None:
    before = copy.deepcopy(world.glue.tables_by_name)
    world.window(run())
    for table, definition in world.glue.tables_by_name.items():
        assert without_parameters(definition) == without_parameters(before[table])
        kept = {name: value for name, value in definition["Parameters"].items() if not name.startswith("headwater.")}
        assert kept == before[table]["Parameters"]


def test_no_version_of_a_table_is_archived(world: World) -> None:
    world.window(run())
    assert world.glue.writes()
    assert world.glue.archived == 0


def test_a_table_is_written_once_a_window_however_many_jobs_write_it(world: World) -> None:
    outcome = world.window(
        *(factory.run_event("COMPLETE", run=n, job=f"job-{n}", outputs=[factory.dataset("revenue")]) for n in range(9)),
        run(20),
        run(21, outputs=[factory.dataset("revenue", schema=factory.schema("total:double", "tax:double"))]),
    )
    assert world.glue.writes() == {("UpdateTable", "shop.revenue"): 1, ("UpdateTable", "shop.orders"): 1}
    assert world.glue.calls["GetTable", "shop.revenue"] == 1
    assert (outcome.updated, outcome.failed) == (2, set())


def test_a_table_with_the_same_parameters_is_not_written(world: World) -> None:
    world.window(run())
    records = world.records()
    world.glue.calls.clear()
    world.window(run(2), run(3))
    world.deliver(records)
    assert world.glue.writes() == {}


def test_a_window_may_end_between_a_job_and_a_dataset_that_the_job_is_first_to_use(world: World) -> None:
    """The fold stores a dataset's head after that of the job."""
    world.fold(run())
    records = world.records()
    heads = {key: item for key, item in world.table.items.items() if key.pk.startswith("D#") and key.sk == "META"}
    for key in heads:
        del world.table.items[key]
    world.deliver([record for record in records if record["dynamodb"]["Keys"]["PK"]["S"].startswith("J#")])
    for key, item in heads.items():
        world.table.items[key] = item
        world.deliver([record for record in records if record["dynamodb"]["Keys"]["PK"]["S"] == key.pk])
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]
    assert json.loads(world.headwater_parameters("shop.orders")["downstream"]) == ["shop.revenue"]


def test_repeated_records_write_nothing(world: World) -> None:
    world.fold(run())
    records = world.records()
    world.deliver(records)
    world.glue.calls.clear()
    world.deliver(records)
    assert world.glue.writes() == {}


def test_a_former_input_of_a_job_is_no_longer_upstream(world: World) -> None:
    world.window(run())
    world.window(run(2, inputs=[factory.dataset("raw/orders")]))
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["s3://lake/raw/orders"]
    assert "downstream" not in world.headwater_parameters("shop.orders")


def test_a_new_schema_is_a_new_schema_version(world: World) -> None:
    world.window(run())
    before = world.headwater_parameters("shop.revenue")
    world.window(run(2, outputs=[factory.dataset("revenue", schema=factory.schema("total:decimal(10,2)"))]))
    after = world.headwater_parameters("shop.revenue")
    assert after["schema-version"] != before["schema-version"]
    assert after["last-run"] == factory.run_id(2)


def test_a_running_or_failed_run_without_outputs_removes_nothing(world: World) -> None:
    world.window(run())
    world.glue.calls.clear()
    world.window(run(2, "START", outputs=[]))
    assert not world.glue.calls
    world.window(run(2, "FAIL", seconds=70, outputs=[]))
    world.window(run(3, outputs=[factory.dataset("revenue", schema=factory.schema("total:double", "n:int"))]))
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]


def test_a_stream_that_never_ends_is_shown_from_its_start_on(world: World) -> None:
    world.window(run(1, "START"))
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]


def test_a_table_that_lost_our_parameters_gets_them_back_with_the_next_run(world: World) -> None:
    world.window(run())
    world.glue.tables_by_name["shop.revenue"]["Parameters"] = FOREIGN
    world.window(run(2, "START"))
    world.window(run(2, seconds=65))
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]


def test_a_deleted_dataset_s_table_keeps_none_of_our_parameters(world: World) -> None:
    world.window(run())
    deleted = factory.facet(through="2030-01-01T00:00:00.000000000Z")
    world.window(factory.dataset_event(factory.dataset("revenue", headwater_deleted=deleted), seconds=500))
    assert world.parameters("shop.revenue") == FOREIGN | ICEBERG


def test_a_parameter_names_at_most_a_hundred_tables_and_their_number(world: World) -> None:
    world.window(run(inputs=[factory.dataset(f"raw/{n:03}") for n in range(130)]))
    parameters = world.headwater_parameters("shop.revenue")
    assert len(json.loads(parameters["upstream"])) == 100
    assert parameters["upstream-count"] == "130"


def test_two_unlinked_names_of_one_table_are_shown_together(world: World) -> None:
    world.window(
        run(),
        factory.run_event(
            "COMPLETE",
            run=7,
            job="load",
            inputs=[factory.dataset("extra")],
            outputs=[factory.dataset("table/shop/revenue", ARN)],
        ),
    )
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["s3://lake/extra", "shop.orders"]
    world.glue.calls.clear()
    world.window(run(2))
    assert world.glue.writes() == {}
