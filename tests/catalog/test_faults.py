"""A fault of Glue on one table: retries, then a report, and no delay for other tables."""

import pytest

from tests import factory
from tests.catalog.conftest import ARN, World
from tests.catalog.glue_service import GlueService
from tests.factory import Document

TABLES = ("orders", "revenue", "refunds")


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    for name in TABLES:
        glue.add_table(f"shop.{name}", Parameters={"written": "by hand"})


def run(job: str, table: str) -> Document:
    return factory.run_event("COMPLETE", job=job, outputs=[factory.dataset(f"table/shop/{table}", ARN)])


def all_runs() -> list[Document]:
    return [run(f"load {name}", name) for name in TABLES]


def updated(world: World) -> set[str]:
    return {name for name in TABLES if world.headwater_parameters(f"shop.{name}")}


def test_a_table_that_was_written_meanwhile_is_read_again(world: World) -> None:
    rivals = iter(["theirs", "theirs again"])

    def rival(operation: str, table: str) -> None:
        name = next(rivals, None) if (operation, table) == ("UpdateTable", "shop.orders") else None
        if name:
            current = world.glue.tables_by_name[table]
            current["Parameters"] = {**current["Parameters"], name: "x"}
            current["VersionId"] = str(int(current["VersionId"]) + 1)

    world.glue.before = rival
    outcome = world.window(run("load", "orders"))
    assert world.parameters("shop.orders").keys() >= {"written", "theirs", "theirs again", "headwater.last-run"}
    assert (outcome.updated, outcome.failed) == (1, set())
    assert world.glue.calls["GetTable", "shop.orders"] == 3


def test_a_table_that_others_always_write_first_is_left_for_later(world: World) -> None:
    world.glue.fail("UpdateTable", "shop.orders", *["ConcurrentModificationException"] * 99)
    outcome = world.window(*all_runs())
    assert updated(world) == {"revenue", "refunds"}
    assert (outcome.postponed, len(outcome.failed)) == (1, 2)


@pytest.mark.parametrize("operation", ["GetTable", "UpdateTable"])
def test_a_table_that_lake_formation_refuses_is_reported_and_not_delivered_again(world: World, operation: str) -> None:
    world.glue.fail(operation, "shop.orders", *["AccessDeniedException"] * 99)
    outcome = world.window(*all_runs())
    assert updated(world) == {"revenue", "refunds"}
    assert (outcome.refused, outcome.updated, outcome.failed) == (1, 2, set())
    assert world.glue.calls[operation, "shop.orders"] == 2
    assert any("AccessDeniedException" in line for line in world.logged)


def test_a_refusal_that_passes_is_not_noticed(world: World) -> None:
    world.glue.fail("UpdateTable", "shop.orders", "AccessDeniedException")
    outcome = world.window(*all_runs())
    assert updated(world) == set(TABLES)
    assert outcome.refused == 0


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServiceException", "OperationTimeoutException"])
def test_the_pause_after_throttling_grows(world: World, code: str) -> None:
    world.glue.fail("UpdateTable", "shop.orders", *[code] * 4)
    outcome = world.window(*all_runs())
    assert updated(world) == set(TABLES)
    assert outcome.failed == set()
    assert len(world.slept) == 4
    assert 0.2 <= world.slept[0] <= 0.4
    assert 1.6 <= world.slept[3] <= 3.2


def test_a_table_that_stays_throttled_comes_again_and_holds_up_no_other(world: World) -> None:
    world.fold(*all_runs())
    records = world.records()
    world.glue.fail("UpdateTable", "shop.revenue", *["ThrottlingException"] * 5)
    outcome = world.deliver(records)
    assert updated(world) == {"orders", "refunds"}
    assert outcome.postponed == 1
    again = [record for record in records if record["dynamodb"]["SequenceNumber"] in outcome.failed]
    assert 0 < len(again) < len(records)
    world.glue.calls.clear()
    assert world.deliver(again).failed == set()
    assert world.glue.writes() == {("UpdateTable", "shop.revenue"): 1}


def test_a_table_that_is_missing_is_passed_over(world: World) -> None:
    outcome = world.window(run("load", "no_such_table"), *all_runs())
    assert updated(world) == set(TABLES)
    assert (outcome.refused, outcome.postponed, outcome.created, outcome.failed) == (0, 0, 0, set())


def test_a_table_that_is_dropped_while_it_is_looked_at_is_passed_over(world: World) -> None:
    world.glue.fail("UpdateTable", "shop.orders", "EntityNotFoundException")
    outcome = world.window(*all_runs())
    assert updated(world) == {"revenue", "refunds"}
    assert outcome.failed == set()


def test_tables_without_time_left_are_delivered_again(world: World) -> None:
    outcome = world.window(*all_runs(), has_time=lambda: False)
    assert updated(world) == set()
    assert outcome.postponed == 3
    assert len(outcome.failed) == 6
