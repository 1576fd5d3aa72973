"""With CreateMissingTables, datasets without a table get one."""

import json

import pytest

from headwater.catalog.hive_types import columns, hive_type, of_text
from tests import factory
from tests.catalog.conftest import ARN, World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document

SCHEMA = factory.schema("id:long", "Total:decimal(12,2)")


@pytest.fixture
def world(glue: GlueService) -> World:
    return World(glue, database="headwater")


def written(named: Document, number: int = 1) -> Document:
    return factory.run_event("COMPLETE", seconds=number, run=number, inputs=[factory.dataset("raw")], outputs=[named])


def created(world: World) -> dict[str, Document]:
    return {name: table for name, table in world.glue.tables_by_name.items() if name.startswith("headwater.")}


def test_a_dataset_without_a_table_gets_one_in_a_database_of_its_own(world: World) -> None:
    outcome = world.window(written(factory.dataset("Sales 2026/orders", schema=SCHEMA)))
    ((name, table),) = created(world).items()
    assert name.startswith("headwater.sales_2026_orders_")
    assert table["StorageDescriptor"]["Location"] == "s3://lake/Sales 2026/orders"
    assert [(column["Name"], column["Type"]) for column in table["StorageDescriptor"]["Columns"]] == [
        ("id", "bigint"),
        ("total", "decimal(12,2)"),
    ]
    assert json.loads(world.headwater_parameters(name)["upstream"]) == ["s3://lake/raw"]
    assert outcome.created == 1
    assert world.glue.database_names == ["headwater"]


def test_a_created_table_is_kept_in_step_from_then_on(world: World) -> None:
    world.window(written(factory.dataset("orders", schema=SCHEMA)))
    world.glue.calls.clear()
    world.window(written(factory.dataset("orders", schema=SCHEMA), 2))
    assert world.glue.writes() == {}
    world.window(factory.run_event("COMPLETE", job="sum", inputs=[factory.dataset("orders")], run=9))
    (name,) = created(world)
    world.window(
        factory.run_event(
            "COMPLETE",
            job="sum",
            run=10,
            seconds=10,
            inputs=[factory.dataset("orders")],
            outputs=[factory.dataset("sums")],
        )
    )
    assert json.loads(world.headwater_parameters(name)["downstream"]) == ["s3://lake/sums"]
    assert world.headwater_parameters(name)["created"] == "true"


def test_a_glue_table_that_is_missing_is_not_created_where_it_is_missing(world: World) -> None:
    world.glue.add_table("shop.others")
    world.window(written(factory.dataset("table/shop/orders", ARN, schema=SCHEMA)))
    assert [name.partition("_")[0] for name in created(world)] == ["headwater.shop"]
    assert "shop.orders" not in world.glue.tables_by_name


def test_names_that_look_alike_get_tables_of_their_own(world: World) -> None:
    world.window(written(factory.dataset("a b", schema=SCHEMA)), written(factory.dataset("a/b", schema=SCHEMA)))
    assert len(created(world)) == 2


@pytest.mark.parametrize(
    "named",
    [
        factory.dataset("orders"),
        factory.dataset("orders", "kafka://broker:9092", schema=SCHEMA),
        factory.dataset("db.orders", "postgres://db:5432", schema=SCHEMA),
        factory.dataset("table/shop/orders", "arn:aws:glue:us-east-1:999999999999", schema=SCHEMA),
    ],
)
def test_a_dataset_without_a_schema_or_files_gets_no_table(world: World, named: Document) -> None:
    assert world.window(written(named)).created == 0
    assert created(world) == {}


def test_a_dataset_that_has_a_table_gets_no_other(world: World) -> None:
    world.glue.add_table("shop.orders", StorageDescriptor=storage("s3://lake/orders"))
    world.window(written(factory.dataset("orders", schema=SCHEMA)))
    assert created(world) == {}


def test_no_table_is_created_unless_configured(glue: GlueService) -> None:
    World(glue).window(written(factory.dataset("orders", schema=SCHEMA)))
    assert glue.writes() == {}


def test_a_table_that_may_not_be_created_is_reported(world: World) -> None:
    world.glue.fail("CreateDatabase", "headwater", *["AccessDeniedException"] * 9)
    outcome = world.window(written(factory.dataset("orders", schema=SCHEMA)))
    assert (outcome.created, outcome.refused, outcome.failed) == (0, 1, set())


@pytest.mark.parametrize(
    ("spark", "hive"),
    [
        ("byte", "tinyint"),
        ("short", "smallint"),
        ("integer", "int"),
        ("long", "bigint"),
        ("float", "float"),
        ("double", "double"),
        ("string", "string"),
        ("boolean", "boolean"),
        ("binary", "binary"),
        ("date", "date"),
        ("timestamp", "timestamp"),
        ("timestamp_ntz", "timestamp"),
        ("decimal(38,18)", "decimal(38,18)"),
        ("decimal(9)", "decimal(9,0)"),
        ("decimal", "decimal(10,0)"),
        ("varchar(20)", "varchar(20)"),
        ("char(2)", "char(2)"),
        ("uuid", "string"),
        ("void", "string"),
        ("", "string"),
        ("interval day to second", "string"),
        ("BIGINT", "bigint"),
        ("array<int>", "array<int>"),
        ("map<string,array<long>>", "map<string,array<bigint>>"),
        ("struct<a:int,b:array<string>>", "struct<a:int,b:array<string>>"),
        ("struct<id: long, at: timestamp_ntz>", "struct<id:bigint,at:timestamp>"),
        ("struct<paid: decimal(10, 2), by: string>", "struct<paid:decimal(10,2),by:string>"),
        ("array<struct<Who:string,tags:map<string,boolean>>>", "array<struct<Who:string,tags:map<string,boolean>>>"),
        ("struct<>", "string"),
        ("array<int,int>", "string"),
    ],
)
def test_a_type_as_text(spark: str, hive: str) -> None:
    assert of_text(spark) == hive


def test_nested_fields_as_the_listener_sends_them() -> None:
    element: Document = {"name": "_element", "type": "struct", "fields": [{"name": "sku", "type": "string"}]}
    values: Document = {"name": "_value", "type": "array", "fields": [{"name": "_element", "type": "long"}]}
    fields: list[Document] = [
        {"name": "items", "type": "array", "fields": [element]},
        {"name": "counts", "type": "map", "fields": [{"name": "_key", "type": "string"}, values]},
        {"name": "who", "type": "struct", "fields": [{"name": "age", "type": "integer"}]},
    ]
    assert [hive_type(field) for field in fields] == [
        "array<struct<sku:string>>",
        "map<string,array<bigint>>",
        "struct<age:int>",
    ]


def test_a_type_without_an_end_is_cut_and_does_no_harm() -> None:
    assert of_text("array<" * 5_000 + "int" + ">" * 5_000).startswith("array<array<")
    assert of_text("struct<" * 5_000)


def test_columns_keep_their_order_and_their_descriptions() -> None:
    fields = [{"name": "Id", "type": "long", "description": "of the order"}, {"name": "id", "type": "int"}]
    assert columns({"fields": fields}) == [{"Name": "id", "Type": "bigint", "Comment": "of the order"}]
