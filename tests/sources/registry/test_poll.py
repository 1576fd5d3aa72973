"""The subjects of a registry become the schemas of their topics; what has not changed is not sent again."""

import pytest

from tests.sources.registry.conftest import World, record
from tests.sources.registry.fake_registry import run_registry


def test_the_newest_version_is_the_schema_of_the_topic(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.registry.register("orders-value", record("id:long", "email:string?"))
    assert world.poll().sent == 1
    assert world.columns("orders") == {"id": "long", "email": "string"}
    assert world.dataset("orders")["type"] == "STREAM"
    assert world.told("orders")["registry"] == "shop"
    (subject,) = world.told("orders")["subjects"]
    assert subject == {
        "subject": "orders-value",
        "role": "value",
        "format": "AVRO",
        "record": "com.acme.Order",
        "version": 2,
        "id": 2,
        "versions": [1, 2],
        "compatibility": "BACKWARD",
        "promised": "BACKWARD",
    }


def test_a_key_is_one_column_beside_those_of_the_value(world: World) -> None:
    world.registry.register("orders-key", '"string"')
    world.registry.register("orders-value", record("id:long"))
    world.registry.register("carts-key", record("region:string", "id:long"))
    world.registry.register("carts-value", record("id:long"))
    world.poll()
    assert world.columns("orders") == {"_key": "string", "id": "long"}
    assert world.columns("carts") == {"_key": "struct", "id": "long"}


def test_a_topic_of_which_only_the_key_is_registered_has_no_schema_yet(world: World) -> None:
    world.registry.register("orders-key", '"string"')
    world.poll()
    assert world.columns("orders") == {}
    assert world.poll().sent == 0


@pytest.mark.parametrize("change", ["nothing", "another topic"])
def test_what_has_not_changed_is_not_sent_again(world: World, change: str) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    if change == "another topic":
        world.registry.register("carts-value", record("id:long"))
    world.poll()
    assert world.topics_told() == (["carts"] if change == "another topic" else [])
    assert world.alerts == []


def test_a_poll_whose_events_are_still_on_their_way_is_repeated_without_an_alert(world: World) -> None:
    world.registry.register("orders-value", record("id:long", "email:string?"))
    world.poll()
    world.registry.register("orders-value", record("id:long"))
    world.poll(folds=False)
    late = world.sent
    assert world.poll().sent == 1
    assert len(world.alerts) == 1
    assert world.fold(*late) == []


def test_each_version_since_the_last_poll_is_told(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    world.registry.register("orders-value", record("id:long", "email:string?"))
    world.registry.register("orders-value", record("id:long", "email:string?", "phone:string?"))
    assert world.poll().sent == 2
    assert [alert["added"] for alert in world.alerts] == [
        [{"field": "email", "type": "string"}],
        [{"field": "phone", "type": "string"}],
    ]
    assert world.told("orders")["subjects"][0]["versions"] == [1, 2, 3]


def test_another_level_is_told_without_a_new_version_of_the_dataset(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    world.registry.levels["orders-value"] = "NONE"
    assert (world.poll().sent, world.alerts) == (1, [])
    assert "schema" not in world.sent[0]["dataset"]["facets"]
    (subject,) = world.told("orders")["subjects"]
    assert (subject["compatibility"], subject["promised"]) == ("NONE", "BACKWARD")
    assert world.columns("orders") == {"id": "long"}
    assert world.poll().sent == 0


def test_a_subject_that_was_deleted_is_told_once_and_its_schema_stays(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    del world.registry.subjects["orders-value"]
    assert (world.poll().sent, world.alerts) == (1, [])
    assert world.told("orders")["subjects"][0]["deleted"] is True
    assert world.columns("orders") == {"id": "long"}
    assert world.poll().sent == 0
    world.registry.register("orders-value", record("id:long"))
    assert (world.poll().sent, world.alerts) == (1, [])
    assert "deleted" not in world.told("orders")["subjects"][0]


def test_a_version_that_was_taken_back_is_a_change_and_no_breach(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.registry.register("orders-value", record("id:long", "email:string?"))
    world.poll()
    del world.registry.subjects["orders-value"][2]
    world.registry.incompatible["orders-value"] = ["never asked"]
    world.poll()
    assert world.columns("orders") == {"id": "long"}
    assert world.types() == ["Dataset Schema Changed"]


def test_a_schema_that_cannot_be_read_leaves_its_topic_as_it_is(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.registry.register("carts-value", record("id:long"))
    world.poll()
    world.registry.register("orders-value", record("id:com.acme.Unknown"))
    world.registry.register("carts-value", record("id:long", "email:string?"))
    result = world.poll()
    assert world.topics_told() == ["carts"]
    assert result.skipped == {
        "orders": "version 2 of orders-value cannot be read: the type com.acme.Unknown is not defined"
    }


def test_two_registries_of_one_kafka_cluster_delete_nothing_of_each_other(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    world.name = "other"
    with run_registry() as other:
        other.register("carts-value", record("id:long"))
        world.poll(source=other.source())
        assert world.topics_told() == ["carts"]
    world.name = "shop"
    assert world.poll().sent == 0


def test_a_registry_of_another_name_goes_on_where_the_first_was(world: World) -> None:
    """The command is followed by the function of a deployment."""
    world.registry.register("orders-value", record("id:long"))
    world.poll()
    world.name = "other"
    assert world.poll().sent == 0
    world.registry.register("orders-value", record("id:long", "email:string?"))
    assert (world.poll().sent, world.types()) == (1, ["Dataset Schema Changed"])
    assert world.told("orders")["registry"] == "other"
