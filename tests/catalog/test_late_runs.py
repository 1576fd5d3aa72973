"""Events of an older run that come while a newer run is open."""

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
