"""A record with a corrupt item is delivered again; an item that was only upgraded raises no alert."""

from typing import Any

import pytest

from headwater.alerts.announce import BY_KIND
from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.snapshot import Snapshot
from headwater.store.stream_records import run_of
from tests import factory
from tests.alerts.stream import Record, World, drift, folded
from tests.fakes import damage
from tests.store import golden

DATASET = dataset_id(Name("s3://lake", "a"))


DRIFT = [drift(1, "long"), drift(2, "string"), drift(3, "date")]


def records_with_alerts(world: World) -> list[Record]:
    """The records of which each tells something by itself."""
    return [record for record in world.table.stream if world.alerts_of_records([record])]


def damaged(record: Record, image: str) -> Record:
    images: dict[str, Any] = record["dynamodb"]
    return {**record, "dynamodb": {**images, image: {**images[image], "doc": {"B": "ZGFtYWdlZA=="}}}}


@pytest.mark.parametrize("image", ["OldImage", "NewImage"])
def test_from_a_record_that_cannot_be_decoded_on_the_batch_comes_again(image: str) -> None:
    world = folded(*DRIFT)
    first, second = records_with_alerts(world)
    outcome = world.announce([first, damaged(second, image)])
    assert (outcome.failed, outcome.corrupt, outcome.quarantined) == (second["dynamodb"]["SequenceNumber"], 1, 0)
    assert outcome.alerts == 1, "what came before is announced, also about the same dataset"
    assert world.bucket.objects == {}
    assert world.announce([second]).alerts == 1


def test_no_record_behind_one_that_cannot_be_decoded_is_announced() -> None:
    world = folded(*DRIFT)
    first, second = records_with_alerts(world)
    outcome = world.announce([damaged(first, "NewImage"), second])
    assert (outcome.failed, outcome.corrupt, outcome.alerts) == (first["dynamodb"]["SequenceNumber"], 1, 0)


def test_a_record_of_which_the_graph_cannot_be_read_comes_again() -> None:
    world = folded(*DRIFT[:2])
    (record,) = records_with_alerts(world)
    for schema in world.store.schemas_of(DATASET):
        damage(world.table, keys.schema(schema))
    outcome = world.announce([record])
    assert (outcome.failed, outcome.corrupt, outcome.quarantined) == (record["dynamodb"]["SequenceNumber"], 1, 0)


@pytest.mark.parametrize("release", golden.RELEASES)
def test_items_that_were_only_upgraded_raise_no_alert(release: str) -> None:
    world = World()
    world.table.items |= golden.table_of(release).items
    states = golden.states_of(release, BY_KIND)
    world.store.put(states, Snapshot())
    if release == "0.1.0":  # each of its items has an older form, and is written anew
        kinds = {record["dynamodb"]["NewImage"]["kind"]["S"] for record in world.table.stream}
        assert (len(world.table.stream), kinds) == (len(states), BY_KIND.keys() - {"rhythm"})  # later than 0.1.0
    assert world.alerts_of_records(world.table.stream) == []


def test_the_log_names_the_run_whose_state_a_record_changes() -> None:
    (run,) = {run_of(record) for record in folded(factory.run_event("FAIL", run=7)).table.stream} - {None}
    assert run == factory.run_id(7)
    assert run_of({"eventID": "1"}) is None
