"""The topics that subjects describe, by the naming strategies of Confluent's serialisers and of Glue."""

from tests.sources.registry.conftest import World, record

ORDER, REFUND = record("id:long", "total:double"), record("id:string", "reason:string", name="Refund")


def test_a_subject_of_a_topic_and_a_record_is_one_of_the_topics_records(world: World) -> None:
    """TopicRecordNameStrategy: the records of a topic have different columns."""
    world.registry.register("orders-com.acme.Order", ORDER)
    world.registry.register("orders-com.acme.Refund", REFUND)
    world.poll()
    assert world.columns("orders") == {"id": "long|string", "total": "double", "reason": "string"}
    assert [subject["record"] for subject in world.told("orders")["subjects"]] == ["com.acme.Order", "com.acme.Refund"]


def test_a_subject_of_a_record_alone_needs_its_topics_from_the_settings(world: World) -> None:
    """RecordNameStrategy."""
    world.registry.register("com.acme.Order", ORDER)
    result = world.poll()
    assert (result.unplaced, result.sent) == (["com.acme.Order"], 0)
    world.topics = {"com.acme.Order": ["orders", "returns"]}
    assert world.poll().sent == 2
    assert world.columns("orders") == world.columns("returns") == {"id": "long", "total": "double"}


def test_a_topic_with_hyphens_and_a_record_of_protobuf(world: World) -> None:
    text = 'syntax = "proto3"; package com.acme; message Order { int64 id = 1; }'
    world.registry.register("shop-orders-com.acme.Order", text, "PROTOBUF")
    world.poll()
    assert world.columns("shop-orders") == {"id": "long"}


def test_a_subject_whose_name_needs_escapes(world: World) -> None:
    world.registry.register("orders eu/west-value", ORDER)
    world.poll()
    assert world.topics_told() == ["orders eu/west"]


def test_a_schema_names_types_of_other_subjects(world: World) -> None:
    world.registry.register("zip", record("code:string", name="Zip"))
    reference = {"name": "com.acme.Zip", "subject": "zip", "version": 1}
    world.registry.register("address", record("zip:com.acme.Zip", name="Address"), references=[reference])
    reference = {"name": "com.acme.Address", "subject": "address", "version": 1}
    world.registry.register("customers-value", record("home:Address"), references=[reference])
    assert world.poll().sent == 1
    (home,) = world.dataset("customers")["fields"]
    schema = world.sent[0]["dataset"]["facets"]["schema"]
    assert home["type"] == "struct"
    assert schema["fields"][0]["fields"][0]["fields"] == [{"name": "code", "type": "string"}]


def test_a_long_chain_of_references_costs_no_other_subject(world: World) -> None:
    world.registry.register("link0", record("code:string", name="Link0"))
    for number in range(1, 1_100):
        reference = {"name": f"com.acme.Link{number - 1}", "subject": f"link{number - 1}", "version": 1}
        schema = record(f"next:com.acme.Link{number - 1}", name=f"Link{number}")
        world.registry.register(f"link{number}", schema, references=[reference])
    reference = {"name": "com.acme.Link1099", "subject": "link1099", "version": 1}
    world.registry.register("chained-value", record("first:com.acme.Link1099"), references=[reference])
    world.registry.register("orders-value", ORDER)
    assert "refers to more than 200 schemas" in world.poll().skipped["chained"]
    assert world.topics_told() == ["orders"]
