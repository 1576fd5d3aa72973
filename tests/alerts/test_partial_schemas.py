"""A schema that has some of a dataset's columns adds to what is known, and is no change of the dataset."""

import random

import pytest

from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document

TRINO = {"jobType": factory.facet(integration="TRINO", jobType="QUERY")}


def query(number: int, sql: str, *fields: str) -> Document:
    return factory.run_event(
        "COMPLETE",
        run=number,
        seconds=number,
        job=f"query_{number}",
        outputs=[factory.dataset("orders", schema=factory.schema(*fields))],
        job_facets=TRINO | {"sql": factory.facet(query=sql)},
    )


def typed(*columns: str) -> list[str]:
    return [f"{column}:bigint" for column in columns]


CREATED = query(1, "CREATE TABLE orders AS SELECT ...", "id:bigint", "price:double", "total:double")
TOUCHED = [
    query(2, "UPDATE orders SET total = 0", "total:double"),
    query(3, "INSERT INTO orders (id, price) VALUES (1, 2)", "id:bigint", "price:double"),
    query(4, "DELETE FROM orders"),
]


def schema_of(world: World) -> tuple[list[str], bool]:
    """The columns of the dataset, and whether they are marked as partial."""
    head = Reader(world.store, Naming()).datasets([dataset_id(Name("s3://lake", "orders"))])
    (schema,) = [dataset.schema for dataset in head.values()]
    return [field["name"] for field in schema["fields"]], bool(schema.get("headwater_partial"))


@pytest.mark.parametrize("seed", range(6))
def test_queries_that_touch_some_columns_raise_no_alert_in_any_order(seed: int) -> None:
    events = [CREATED, *TOUCHED]
    random.Random(seed).shuffle(events)
    world = World()
    for event in events:
        world.fold(factory.received(event))
    assert world.alerts_of_records(world.table.stream) == []
    assert schema_of(world) == (["id", "price", "total"], False)


@pytest.mark.parametrize("seed", range(6))
def test_columns_have_the_order_of_the_longest_list_that_a_writer_sent(seed: int) -> None:
    reader = {**TOUCHED[0], "inputs": query(5, "", *typed("total", "price", "id"))["outputs"], "outputs": []}
    events = [reader, query(2, "UPDATE ...", *typed("price")), TOUCHED[1]]
    events += [query(1, "INSERT INTO ...", *typed("total", "id")), query(6, "UPDATE ...", *typed("zip", "id", "price"))]
    random.Random(seed).shuffle(events)
    world = World()
    for event in [*events, *events[:2]]:
        world.fold(factory.received(event))
    assert schema_of(world) == (["zip", "id", "price", "total"], True)


def test_columns_of_several_queries_add_up_and_are_marked_until_one_has_all() -> None:
    world = World()
    world.fold(factory.received(*TOUCHED[:1]))
    assert schema_of(world) == (["total"], True)
    world.fold(factory.received(*TOUCHED[1:]))
    assert schema_of(world) == (["id", "price", "total"], True)
    world.fold(factory.received(CREATED))
    assert schema_of(world) == (["id", "price", "total"], False)


def test_a_table_that_was_there_already_is_not_created_and_keeps_its_columns() -> None:
    """Trino does nothing then, and its analyser gives the output no columns: an empty schema, as for DELETE."""
    world = World()
    world.fold(factory.received(CREATED))
    nothing = query(5, "-- nightly\nCREATE TABLE IF NOT EXISTS orders AS SELECT ...")
    assert nothing["outputs"][0]["facets"]["schema"]["fields"] == []
    world.fold(factory.received(nothing))
    assert world.alerts_of_records(world.table.stream) == []
    assert schema_of(world) == (["id", "price", "total"], False)


def test_a_complete_schema_after_a_complete_schema_is_still_a_change() -> None:
    world = World()
    world.fold(factory.received(CREATED))
    world.fold(factory.received(*TOUCHED))
    world.fold(factory.received(query(9, "CREATE OR REPLACE TABLE orders AS SELECT ...", "id:bigint", "price:double")))
    (alert,) = world.alerts_of_records(world.table.stream)
    assert [column["field"] for column in alert["removed"]] == ["total"]
