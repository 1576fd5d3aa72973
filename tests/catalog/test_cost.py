"""The calls to Glue and the table for a batch of records: none for unchanged tables."""

import pytest

from tests import factory
from tests.catalog.conftest import ARN, World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document

RUNS = 1_000


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    glue.add_table("shop.orders", StorageDescriptor=storage("s3://lake/orders"))
    glue.add_table("shop.revenue")


def run(number: int) -> list[Document]:
    """The events of a run: START names the inputs, COMPLETE the outputs."""
    orders = factory.dataset("orders", schema=factory.schema("id:long"))
    revenue = factory.dataset(
        "table/shop/revenue",
        ARN,
        schema=factory.schema("total:double"),
        version=factory.facet(datasetVersion=str(number)),
    )
    return [
        factory.run_event("START", seconds=60 * number, run=number, inputs=[orders]),
        factory.run_event("COMPLETE", seconds=60 * number + 30, run=number, inputs=[orders], outputs=[revenue]),
    ]


def test_a_thousand_runs_that_change_nothing_write_nothing_to_glue(world: World) -> None:
    """Each event is folded by itself, and the window closes after every hundred runs."""
    for document in run(1):
        world.window(document)
    world.glue.calls.clear()
    world.seen = written = 0
    for number in range(2, RUNS + 2):
        for document in run(number):
            world.fold(document)
        written += len(world.table.written) if number % 100 == 1 else 0
        if number % 100 == 1:
            world.deliver(world.records())
    assert world.glue.writes() == {}
    assert 0 < world.seen <= written
    assert world.glue.calls["GetTable", "shop.revenue"] == RUNS // 100


def test_runs_without_changes_make_no_call_to_glue(world: World) -> None:
    """Events of a run that are folded in one batch leave a job's head with its inputs and outputs unchanged."""
    world.window(*run(1))
    world.glue.calls.clear()
    for number in range(2, 52):
        world.window(*run(number))
    assert not world.glue.calls
