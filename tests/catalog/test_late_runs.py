"""Runs that no longer use a table, and events of an older run that come while a newer run is open."""

import json

from tests import factory
from tests.catalog.conftest import ARN, World
from tests.catalog.glue_service import GlueService

ORDERS, CUSTOMERS = factory.dataset("table/shop/orders", ARN), factory.dataset("customers")


def test_an_older_run_that_ends_late_adds_what_the_table_is_made_of(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("COMPLETE", seconds=1, run=9, job="another", inputs=[CUSTOMERS]))
    world.window(factory.run_event("START", seconds=60, run=2, outputs=[ORDERS]))
    world.window(factory.run_event("COMPLETE", seconds=30, run=1, inputs=[CUSTOMERS], outputs=[ORDERS]))
    assert json.loads(world.headwater_parameters("shop.orders")["upstream"]) == ["s3://lake/customers"]


def test_a_table_that_the_last_complete_run_reads_no_longer_loses_what_was_made_of_it(
    world: World, glue: GlueService
) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("COMPLETE", seconds=1, run=1, inputs=[ORDERS], outputs=[CUSTOMERS]))
    assert json.loads(world.headwater_parameters("shop.orders")["downstream"]) == ["s3://lake/customers"]
    world.window(factory.run_event("START", seconds=60, run=2))
    assert "downstream" in world.headwater_parameters("shop.orders"), "a START removes nothing"
    world.window(factory.run_event("COMPLETE", seconds=90, run=2, outputs=[CUSTOMERS]))
    assert "downstream" not in world.headwater_parameters("shop.orders")


def test_what_a_failed_run_wrote_is_forgotten_with_the_next_run(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("FAIL", seconds=1, run=1, inputs=[CUSTOMERS], outputs=[ORDERS]))
    assert json.loads(world.headwater_parameters("shop.orders")["upstream"]) == ["s3://lake/customers"]
    world.window(factory.run_event("START", seconds=60, run=2, inputs=[CUSTOMERS]))
    assert "upstream" not in world.headwater_parameters("shop.orders")


def test_an_older_run_that_changes_no_head_is_now_the_last_complete_one(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("START", seconds=1, run=1, inputs=[CUSTOMERS], outputs=[ORDERS]))
    world.window(factory.run_event("START", seconds=60, run=2, inputs=[CUSTOMERS]))
    assert "upstream" not in world.headwater_parameters("shop.orders")
    world.window(factory.run_event("COMPLETE", seconds=30, run=1))
    assert json.loads(world.headwater_parameters("shop.orders")["upstream"]) == ["s3://lake/customers"]


def test_a_late_link_to_another_name_changes_the_table(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("COMPLETE", seconds=60, run=2, job="copy", inputs=[ORDERS], outputs=[CUSTOMERS]))
    world.window(factory.run_event("COMPLETE", seconds=70, run=3, job="load", outputs=[factory.dataset("raw")]))
    linked = factory.dataset("table/shop/orders", ARN, symlinks=factory.symlinks("customers"))
    world.window(factory.run_event("COMPLETE", seconds=1, run=1, job="load", outputs=[linked]))
    assert "downstream" not in world.headwater_parameters("shop.orders"), "it is made of itself"


def test_a_table_that_a_newer_run_has_not_written_yet_has_its_last_run(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("COMPLETE", seconds=1, run=1, inputs=[CUSTOMERS], outputs=[ORDERS]))
    world.window(factory.run_event("START", seconds=60, run=2, inputs=[CUSTOMERS]))
    world.window(factory.run_event("COMPLETE", seconds=70, run=3, job="copy", inputs=[ORDERS], outputs=[CUSTOMERS]))
    parameters = world.headwater_parameters("shop.orders")
    assert "downstream" in parameters
    assert parameters["last-run"] == factory.run_id(1)


def test_a_run_that_is_open_is_the_last_run_of_a_table_only_if_none_went_well(world: World, glue: GlueService) -> None:
    glue.add_table("shop.orders", Parameters={})
    world.window(factory.run_event("START", seconds=1, run=1, outputs=[ORDERS]))
    assert world.headwater_parameters("shop.orders")["last-run"] == factory.run_id(1)
    world.window(factory.run_event("COMPLETE", seconds=2, run=1))
    world.window(factory.run_event("START", seconds=60, run=2, inputs=[CUSTOMERS], outputs=[ORDERS]))
    parameters = world.headwater_parameters("shop.orders")
    assert json.loads(parameters["upstream"]) == ["s3://lake/customers"]
    assert parameters["last-run"] == factory.run_id(1)
