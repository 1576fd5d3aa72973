"""Parameters of a partition name the run that first wrote the partition; missing partitions are created."""

import pytest

from tests import factory
from tests.catalog.conftest import World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document

KEYS = [{"Name": "day", "Type": "date"}, {"Name": "shop", "Type": "string"}]


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    glue.add_table("lake.sales", StorageDescriptor=storage("s3://lake/sales/", id="bigint"), PartitionKeys=KEYS)


def wrote(*paths: str, number: int = 1, job: str = "load") -> Document:
    return factory.run_event(
        "COMPLETE", run=number, seconds=number, job=job, outputs=[factory.dataset(path) for path in paths]
    )


def partitions(world: World, table: str = "lake.sales") -> dict[tuple[str, ...], Document]:
    return world.glue.partitions_by_table.get(table, {})


def add_partition(world: World, *values: str, **members: Document) -> None:
    given = {"Values": list(values), "StorageDescriptor": storage("s3://lake/sales/odd/place"), **members}
    world.glue.batch_create_partition(DatabaseName="lake", TableName="sales", PartitionInputList=[given])
    world.glue.calls.clear()


def test_a_partition_that_was_written_is_created_where_it_is(world: World) -> None:
    outcome = world.window(wrote("sales/day=2026-11-20/shop=Bern"))
    created = partitions(world)["2026-11-20", "Bern"]
    assert created["Parameters"] == {"headwater.job": "demo/load", "headwater.first-run": factory.run_id(1)}
    assert created["StorageDescriptor"] == storage("s3://lake/sales/day=2026-11-20/shop=Bern", id="bigint")
    assert outcome.partitions == 1


def test_a_partition_that_is_there_keeps_all_but_our_parameters(world: World) -> None:
    add_partition(world, "2026-11-20", "Bern", Parameters={"rows": "12"})
    world.window(wrote("sales/day=2026-11-20/shop=Bern"))
    kept = partitions(world)["2026-11-20", "Bern"]
    assert kept["Parameters"].keys() == {"rows", "headwater.job", "headwater.first-run"}
    assert kept["StorageDescriptor"]["Location"] == "s3://lake/sales/odd/place"


def test_a_partition_that_is_written_again_is_not_touched(world: World) -> None:
    world.window(wrote("sales/day=2026-11-20/shop=Bern"))
    world.glue.calls.clear()
    world.window(wrote("sales/day=2026-11-20/shop=Bern", number=2))
    assert world.glue.writes() == {}


def test_a_partition_that_is_only_read_is_not_created_until_it_is_written(world: World) -> None:
    path = "sales/day=2026-11-20/shop=Bern"
    world.window(factory.run_event("COMPLETE", job="report", inputs=[factory.dataset(path)]))
    assert partitions(world) == {}
    world.window(wrote(path, number=2))
    assert partitions(world)["2026-11-20", "Bern"]["Parameters"]["headwater.first-run"] == factory.run_id(2)


def test_partitions_are_written_in_hundreds(world: World) -> None:
    for number in range(150):
        add_partition(world, f"day {number}", "Bern")
    outcome = world.window(wrote(*(f"sales/day=day {number}/shop=Bern" for number in range(400))))
    assert len(partitions(world)) == 400
    assert world.glue.calls["BatchUpdatePartition", "lake.sales"] == 2
    assert world.glue.calls["BatchCreatePartition", "lake.sales"] == 3
    assert outcome.partitions == 400


def test_a_partition_that_another_writer_created_meanwhile_is_no_error(world: World) -> None:
    def rival(operation: str, table: str) -> None:
        if operation == "BatchCreatePartition":
            world.glue.partitions_by_table[table] = {("2026-11-20", "Bern"): {"Values": ["2026-11-20", "Bern"]}}

    world.glue.before = rival
    outcome = world.window(wrote("sales/day=2026-11-20/shop=Bern", "sales/day=2026-11-21/shop=Bern"))
    assert (outcome.partitions, outcome.failed) == (1, set())


@pytest.mark.parametrize(
    "path",
    [
        "sales/day=2026-11-20",
        "sales/shop=Bern/hour=7",
        "sales/_temporary/0/day=2026-11-20/shop=Bern",
        "sales/day=2026-11-20/shop=Bern/_temporary/0",
    ],
)
def test_a_path_that_is_no_partition_of_the_table_creates_none(world: World, path: str) -> None:
    world.window(wrote(path))
    assert partitions(world) == {}


def test_values_are_as_hive_escapes_them_and_keys_in_any_case(world: World) -> None:
    world.window(wrote("sales/Day=2026-11-20/Shop=Bern%3A1"))
    assert set(partitions(world)) == {("2026-11-20", "Bern:1")}


def test_athena_computes_projected_partitions_so_none_is_created(world: World) -> None:
    world.glue.tables_by_name["lake.sales"]["Parameters"] = {"projection.enabled": "TRUE"}
    world.window(wrote("sales/day=2026-11-20/shop=Bern"))
    assert partitions(world) == {}


def test_of_two_runs_the_one_that_wrote_first_counts_in_whatever_order_they_come(world: World) -> None:
    world.fold(wrote("sales/day=1/shop=Bern", number=5, job="late"))
    world.fold(wrote("sales/day=1/shop=Bern", number=2, job="early"))
    world.deliver(world.records())
    assert partitions(world)["1", "Bern"]["Parameters"]["headwater.job"] == "demo/early"
