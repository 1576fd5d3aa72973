"""Records with a corrupt item are delivered again; an item that was only upgraded changes no table."""

import json

import pytest

from headwater.catalog.affected_tables import KINDS
from headwater.graph.facets.members import owners_of
from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.snapshot import Snapshot
from tests import factory
from tests.catalog.conftest import World, storage
from tests.catalog.glue_service import GlueService
from tests.factory import Document
from tests.fakes import damage
from tests.store import golden

REVENUE = keys.dataset_head(dataset_id(Name("s3://lake", "revenue")))


@pytest.fixture(autouse=True)
def tables(glue: GlueService) -> None:
    for name in ("orders", "revenue"):
        glue.add_table(f"shop.{name}", StorageDescriptor=storage(f"s3://lake/{name}"), Owner="team:sales")


def run(number: int = 1) -> Document:
    inputs, outputs = [factory.dataset("orders")], [factory.dataset("revenue")]
    return factory.run_event("COMPLETE", seconds=number, run=number, job="sum", inputs=inputs, outputs=outputs)


def keys_of(record: Document) -> keys.Key:
    return keys.Key(*(record["dynamodb"]["Keys"][name]["S"] for name in ("PK", "SK")))


def damaged(record: Document) -> Document:
    images = record["dynamodb"]
    return {**record, "dynamodb": {**images, "NewImage": {**images["NewImage"], "doc": {"B": "ZGFtYWdlZA=="}}}}


def test_from_a_record_that_cannot_be_decoded_on_the_window_comes_again(world: World) -> None:
    world.fold(run())
    first, *others = sorted(world.records(), key=lambda record: keys_of(record) != REVENUE)
    second = others[0]
    outcome = world.deliver([first, damaged(second), *others[1:]])
    assert outcome.failed == {second["dynamodb"]["SequenceNumber"]}
    assert (outcome.corrupt, outcome.updated) == (1, 2), "what came before is written"
    assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == ["shop.orders"]
    assert world.deliver(others).failed == set()


def test_no_table_is_written_for_a_window_that_begins_with_a_corrupt_record(world: World) -> None:
    world.fold(run())
    first, *others = world.records()
    outcome = world.deliver([damaged(first), *others])
    assert (outcome.failed, outcome.corrupt) == ({first["dynamodb"]["SequenceNumber"]}, 1)
    assert not world.glue.calls


def test_a_window_of_which_the_graph_cannot_be_read_comes_again(world: World) -> None:
    world.fold(run())
    records, sound = world.records(), world.table.items[REVENUE]
    damage(world.table, REVENUE)
    outcome = world.deliver(records)
    affecting = [
        record for record in records if record["dynamodb"]["NewImage"]["kind"]["S"] != "neighbours"
    ]  # no links
    assert (outcome.failed, outcome.corrupt) == ({record["dynamodb"]["SequenceNumber"] for record in affecting}, 1)
    assert world.glue.writes() == {}
    world.table.items[REVENUE] = sound
    assert world.deliver(records).updated == 2


@pytest.mark.parametrize("release", golden.RELEASES)
def test_items_that_were_only_upgraded_make_no_call(world: World, release: str) -> None:
    world.table.items |= golden.table_of(release).items
    states = golden.states_of(release, KINDS)
    world.store.put(states, Snapshot())
    records = world.records()
    kinds = {record["dynamodb"]["NewImage"]["kind"]["S"] for record in records}
    assert (len(records), kinds) == (len(states), set(KINDS))
    outcome = world.deliver(records)
    assert (outcome.failed, outcome.updated) == (set(), 0)
    assert not world.glue.calls


def test_tables_of_which_the_graph_cannot_be_read_hide_no_other(world: World) -> None:
    world.glue.add_table("zoo.animals", StorageDescriptor=storage("s3://lake/animals"), Owner="keeper")
    world.fold(run(), factory.run_event("COMPLETE", run=2, outputs=[factory.dataset("animals")]))
    sound = world.table.items[REVENUE]
    damage(world.table, REVENUE)
    assert world.read().corrupt == 1
    assert owners_of(world.dataset("animals").facets) == ["keeper"]
    world.table.items[REVENUE] = sound
    assert world.read().corrupt == 0
    assert owners_of(world.dataset("revenue").facets) == ["team:sales"]


def test_a_table_that_a_job_only_may_use_says_so(world: World) -> None:
    doubtful = run(2)
    doubtful["run"]["facets"]["headwater_inputs"] = factory.facet(areCandidates=True)
    for event, end in ((run(1), ""), (doubtful, " (possibly)"), (run(3), "")):
        world.fold(event)
        world.deliver(world.records())
        assert json.loads(world.headwater_parameters("shop.revenue")["upstream"]) == [f"shop.orders{end}"]
        assert json.loads(world.headwater_parameters("shop.orders")["downstream"]) == [f"shop.revenue{end}"]
