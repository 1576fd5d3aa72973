"""Owners, descriptions and classifications of Glue tables become facets of their datasets."""

import pytest

from headwater.graph.facets.curation import tags
from headwater.graph.facets.members import facet_text, owners_of
from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from tests import factory
from tests.catalog.conftest import ARN, World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document

REVENUE = dataset_id(Name("s3://lake", "revenue"))
MEMBERS = {"Description": "What came in", "Owner": "hadoop"}
PARAMETERS = {"owner": "team:finance", "classification": "confidential"}


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    glue.add_table("shop.revenue", StorageDescriptor=storage("s3://lake/revenue/"), Parameters=PARAMETERS, **MEMBERS)
    for number in range(5):
        glue.add_table(f"unused.table_{number}", Owner="somebody")


def wrote(*outputs: Document, number: int = 1) -> Document:
    return factory.run_event("COMPLETE", seconds=number, run=number, outputs=list(outputs))


def test_owner_description_and_classification_reach_the_dataset_that_spark_writes(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue")))
    result = world.read()
    head = world.dataset("revenue")
    assert owners_of(head.facets) == ["team:finance"]
    assert facet_text(head.facets, "documentation", "description") == "What came in"
    assert tags(head.facets) == ["confidential"]
    assert (result.read, len(result.datasets), result.is_whole) == (6, 1, True)


@pytest.mark.parametrize("name", ["table/shop/revenue", "shop.revenue"])
def test_owners_and_descriptions_reach_a_dataset_by_its_glue_name(world: World, name: str) -> None:
    world.fold(wrote(factory.dataset(name, ARN)))
    world.read()
    assert owners_of(world.dataset(name, ARN).facets) == ["team:finance"]


def test_owners_and_descriptions_reach_a_dataset_by_its_symlink(world: World) -> None:
    world.fold(wrote(factory.dataset("odd/path", symlinks=factory.symlinks("table/shop/revenue", namespace=ARN))))
    world.read()
    assert owners_of(world.dataset("odd/path").facets) == ["team:finance"]


def test_no_event_is_sent_for_unchanged_tables(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue")))
    assert world.read().datasets == {Name("s3://lake", "revenue")}
    assert world.read().datasets == set()


def test_no_event_is_sent_for_tables_without_lineage(world: World) -> None:
    assert world.read().datasets == set()
    assert world.table.items == {}


def test_a_change_is_imported_and_a_removed_owner_disappears(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue")))
    world.read()
    table = world.glue.tables_by_name["shop.revenue"]
    table["Parameters"] = {"classification": "parquet"}
    table["Description"] = ""
    assert world.read().datasets == {Name("s3://lake", "revenue")}
    head = world.dataset("revenue")
    assert owners_of(head.facets) == ["hadoop"]
    assert "documentation" not in head.facets
    assert tags(head.facets) == ["parquet"]


def test_several_owners_are_separated_by_commas(world: World) -> None:
    world.glue.tables_by_name["shop.revenue"]["Parameters"] = {"owner": "team:finance, ann@example.com"}
    world.fold(wrote(factory.dataset("revenue")))
    world.read()
    assert owners_of(world.dataset("revenue").facets) == ["team:finance", "ann@example.com"]


def test_later_curation_stays(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue")))
    world.read()
    later = {
        **factory.dataset_event(factory.dataset("revenue", ownership=factory.facet(owners=[{"name": "team:new"}]))),
        "eventTime": "2199-01-01T00:00:00Z",
    }
    world.fold(later)
    assert world.read().datasets == set()
    assert owners_of(world.dataset("revenue").facets) == ["team:new"]


def test_the_tags_of_producers_stay(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue", tags=factory.facet(tags=[{"key": "pii", "value": "true"}]))))
    world.read()
    assert tags(world.dataset("revenue").facets) == ["confidential", "pii"]


def test_an_import_makes_no_version_and_revives_no_deleted_dataset(world: World) -> None:
    world.fold(wrote(factory.dataset("revenue")))
    before = list(world.store.writes_of(REVENUE).newest())
    assert before
    deleted = factory.dataset("revenue", headwater_deleted=factory.facet(through="2198-01-01T00:00:00.000000000Z"))
    world.read()
    world.fold({**factory.dataset_event(deleted), "eventTime": "2198-01-01T00:00:00Z"})
    world.glue.tables_by_name["shop.revenue"]["Description"] = "new"
    assert world.read().datasets == set()
    assert list(world.store.writes_of(REVENUE).newest()) == before


def test_two_tables_over_one_dataset_do_not_take_turns(world: World) -> None:
    world.glue.add_table("shop.revenue_too", StorageDescriptor=storage("s3://lake/revenue"), Owner="others")
    world.fold(wrote(factory.dataset("revenue")))
    world.read()
    assert world.read().datasets == set()
    assert owners_of(world.dataset("revenue").facets) == ["team:finance"]
    del world.glue.tables_by_name["shop.revenue"]
    world.read()
    assert owners_of(world.dataset("revenue").facets) == ["others"]


def test_a_reading_that_ran_out_of_time_goes_on_where_it_stopped(world: World) -> None:
    world.glue.add_table("zoo.animals", StorageDescriptor=storage("s3://lake/animals"), Owner="keeper")
    world.fold(wrote(factory.dataset("revenue"), factory.dataset("animals")))
    readings = [world.read(has_time=lambda: False) for _ in range(6)]
    assert [result.read for result in readings] == [1, 2, 2, 1, 1, 0]
    assert [result.is_whole for result in readings] == [False] * 5 + [True]
    assert owners_of(world.dataset("animals").facets) == ["keeper"]
    assert world.read().read == 7


def test_a_database_that_may_not_be_read_hides_no_other(world: World) -> None:
    world.glue.fail("GetTables", "shop", *["AccessDeniedException"] * 9)
    result = world.read()
    assert (result.read, result.refused, result.is_whole) == (5, 1, True)
