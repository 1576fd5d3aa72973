"""The Glue table of a dataset, for each way in which producers name the dataset."""

import json

import pytest

from tests import factory
from tests.catalog.conftest import ARN, World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document

WAREHOUSE = "s3://lake/warehouse"


@pytest.fixture
def glue() -> GlueService:
    service = GlueService()
    service.add_table("shop.orders", StorageDescriptor=storage("s3://elsewhere/orders"))
    service.add_table("shop.no_place", Parameters={})
    for number in range(5):
        service.add_table(f"other.table_{number}", StorageDescriptor=storage(f"s3://other/{number}"))
    service.add_table("lake.refunds", StorageDescriptor=storage("s3a://lake/refunds//"))
    return service


def symlink(namespace: str, name: str) -> Document:
    return factory.symlinks(name, namespace=namespace)


def written(named: Document) -> Document:
    return factory.run_event("COMPLETE", inputs=[factory.dataset("raw", "s3://in")], outputs=[named])


@pytest.mark.parametrize("namespace", [ARN, f"{ARN}/"])
@pytest.mark.parametrize("name", ["table/shop/orders", "/table/shop/orders/", "shop.orders", "table/Shop/Orders"])
def test_a_glue_arn_names_the_table(world: World, namespace: str, name: str) -> None:
    world.window(written(factory.dataset(name, namespace)))
    assert json.loads(world.headwater_parameters("shop.orders")["upstream"]) == ["s3://in/raw"]


@pytest.mark.parametrize("namespace", [ARN, f"{ARN}/"])
@pytest.mark.parametrize("name", ["table/shop/orders", "shop.orders"])
def test_a_symlink_names_the_table(world: World, namespace: str, name: str) -> None:
    world.window(written(factory.dataset("some/path", symlinks=symlink(namespace, name))))
    assert world.headwater_parameters("shop.orders")["upstream"]


def test_a_symlink_names_the_table_if_it_arrives_later(world: World) -> None:
    world.window(written(factory.dataset("some/path")))
    assert not world.headwater_parameters("shop.orders")
    world.window(
        factory.dataset_event(factory.dataset("some/path", symlinks=symlink(ARN, "table/shop/orders")), seconds=5)
    )
    assert world.headwater_parameters("shop.orders")["upstream"]


@pytest.mark.parametrize("namespace", ["hive://ip-10-0-0-7:9083", "hive://metastore:9083"])
def test_a_hive_metastore_that_is_an_alias_of_glue_names_the_table(glue: GlueService, namespace: str) -> None:
    world = World(glue, aliases={"hive://ip-10-*": ARN, "hive://metastore:9083": f"{ARN}/"})
    world.window(written(factory.dataset("shop.orders", namespace)))
    assert world.headwater_parameters("shop.orders")["upstream"]


def test_so_does_a_symlink_to_such_a_metastore(glue: GlueService) -> None:
    world = World(glue, aliases={"hive://ip-10-*": ARN})
    world.window(written(factory.dataset("path", symlinks=symlink("hive://ip-10-0-0-7:9083", "shop.orders"))))
    assert world.headwater_parameters("shop.orders")["upstream"]


@pytest.mark.parametrize("namespace", ["s3://lake", "s3a://lake", "s3n://lake/"])
@pytest.mark.parametrize("name", ["refunds", "/refunds/", "refunds/day=2026-11-20"])
def test_a_table_is_found_by_its_location(world: World, namespace: str, name: str) -> None:
    world.window(written(factory.dataset(name, namespace)))
    assert world.headwater_parameters("lake.refunds")["upstream"]


def test_all_tables_are_listed_once_for_many_datasets(world: World) -> None:
    world.window(*(written(factory.dataset(f"path/{number}")) for number in range(50)))
    world.window(*(written(factory.dataset(f"path/{number}")) for number in range(50, 100)))
    assert (world.glue.calls["GetDatabases", ""], world.glue.calls["GetTables", "other"]) == (1, 3)


@pytest.mark.parametrize("namespace", [WAREHOUSE, "hive://metastore:9083"])
@pytest.mark.parametrize("name", ["shop.no_place", "glue_catalog.shop.no_place"])
def test_a_name_in_another_catalogue_means_the_table_unless_its_location_differs(
    world: World, namespace: str, name: str
) -> None:
    world.window(written(factory.dataset("warehouse/shop/no_place", symlinks=symlink(namespace, name))))
    assert world.headwater_parameters("shop.no_place")["upstream"]


@pytest.mark.parametrize("namespace", [WAREHOUSE, "hive://metastore:9083"])
def test_a_table_of_that_name_whose_data_is_elsewhere_is_another(world: World, namespace: str) -> None:
    world.window(written(factory.dataset("warehouse/shop/orders", symlinks=symlink(namespace, "shop.orders"))))
    assert not world.headwater_parameters("shop.orders")


@pytest.mark.parametrize(
    "namespace", ["arn:aws:glue:us-east-1:999999999999", "arn:aws:glue:eu-west-1:123456789012", "hive://metastore:9083"]
)
def test_a_table_of_another_account_region_or_metastore_is_left_alone(world: World, namespace: str) -> None:
    name = "shop.orders" if namespace.startswith("hive") else "table/shop/orders"
    outcome = world.window(written(factory.dataset(name, namespace)))
    assert world.glue.writes() == {}
    assert outcome.failed == set()


@pytest.mark.parametrize(
    "members",
    [
        {"TargetTable": {"CatalogId": "999999999999", "DatabaseName": "theirs", "Name": "orders"}},
        {"FederatedTable": {"Identifier": "x", "DatabaseIdentifier": "y", "ConnectionName": "z"}},
    ],
)
def test_links_to_tables_of_others_are_left_alone(world: World, members: Document) -> None:
    world.glue.tables_by_name["shop.orders"] |= members
    world.window(written(factory.dataset("table/shop/orders", ARN)))
    assert world.glue.writes() == {}


def test_two_tables_over_the_same_data_both_say_so(world: World) -> None:
    world.glue.add_table("lake.refunds_too", StorageDescriptor=storage("s3://lake/refunds"))
    world.window(written(factory.dataset("refunds")))
    assert world.headwater_parameters("lake.refunds") == world.headwater_parameters("lake.refunds_too") != {}


def test_a_database_that_may_not_be_listed_hides_no_other(world: World) -> None:
    world.glue.fail("GetTables", "other", *["AccessDeniedException"] * 9)
    world.window(written(factory.dataset("refunds")))
    assert world.headwater_parameters("lake.refunds")["upstream"]
    assert "the tables of other could not be listed" in world.logged[0]


def test_tables_that_cannot_be_listed_for_now_are_found_once_they_can(world: World) -> None:
    world.fold(written(factory.dataset("refunds")))
    records = world.records()
    world.glue.fail("GetTables", "lake", *["ThrottlingException"] * 10)
    assert world.deliver(records).failed
    assert world.deliver(records).failed == set()
    assert world.headwater_parameters("lake.refunds")["upstream"]


def test_without_permission_to_list_databases_tables_are_found_by_name(world: World) -> None:
    world.glue.fail("GetDatabases", "", *["AccessDeniedException"] * 9)
    outcome = world.window(written(factory.dataset("table/shop/orders", ARN)), written(factory.dataset("refunds")))
    assert world.headwater_parameters("shop.orders")["upstream"]
    assert outcome.failed == set()
