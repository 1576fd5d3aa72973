"""A column that a model of dbt makes no more goes, whatever it is documented as, and one alert tells it."""

import itertools
import random
from typing import Any

import pytest

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest
from tests import factory
from tests.alerts.stream import World, changes
from tests.factory import Document
from tests.producer_records import recorded

SHOP = "duckdb:///srv/shop/shop.duckdb"
GONE = ["shop.main.paid_orders -ordered_at", "shop.main.top_customers -email"]


def of_dbt(*scenarios: str) -> list[Document]:
    return [event for scenario in scenarios for event in recorded("dbt", f"columns_gone/{scenario}")]


def columns(world: World, table: str = "orders", namespace: str = "s3://lake") -> list[str]:
    dataset = dataset_id(Name(namespace, table))
    return [field["name"] for field in fields_of(Reader(world.store, Naming()).datasets([dataset])[dataset].schema)]


def of_shop(world: World) -> dict[str, list[str]]:
    return {table: columns(world, f"shop.main.{table}", SHOP) for table in ("paid_orders", "top_customers")}


NOW = {
    "paid_orders": ["order_id", "customer_id", "country", "amount"],
    "top_customers": ["customer_id", "name", "spent"],
}


@pytest.mark.parametrize("last", ["run", "run_with_stale_catalog", "run_with_catalog"])
@pytest.mark.parametrize("first", ["before", "before_with_catalog"])
def test_columns_that_a_project_of_dbt_loses_go_and_are_told_once(first: str, last: str) -> None:
    world = World()
    assert world.alerts_one_by_one(of_dbt(first)) == []
    alerts = world.alerts_one_by_one(of_dbt(last))
    assert changes(alerts) == GONE
    assert [alert["job"]["name"] for alert in alerts] == ["model.shop.paid_orders", "model.shop.top_customers"]
    assert [alert["run"]["startedAt"][:16] for alert in alerts] == [of_dbt(last)[0]["eventTime"][:16]] * 2
    assert of_shop(world) == NOW
    assert world.alerts_one_by_one(of_dbt("run_with_catalog", "run", "structured_logs_run", "run")) == []
    assert of_shop(world) == NOW


def test_structured_logs_have_no_sql_and_leave_the_columns_as_they_are() -> None:
    world = World()
    assert world.alerts_one_by_one(of_dbt("before", "structured_logs_run")) == []
    assert of_shop(world)["top_customers"] == ["customer_id", "name", "email", "spent"]


def test_two_runs_in_one_batch_raise_the_alerts_of_runs_one_after_the_other() -> None:
    assert changes(World().alerts_of_batch(*of_dbt("before", "run", "run"))) == GONE


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_the_same_in_any_order_of_events(seed: int) -> None:
    events, chance, world = (
        of_dbt("before", "run_with_catalog", "run", "structured_logs_run"),
        random.Random(seed),
        World(),
    )
    events += chance.sample(events, 20)
    chance.shuffle(events)
    while events:
        size = chance.randint(1, 9)
        world.fold(factory.received(*events[:size]))
        events = events[size:]
    assert of_shop(world) == NOW


def model(number: int, query: str, *documented: str, name: str = "orders", **config: Any) -> Document:
    described = [{"name": column, "description": ""} for column in documented]
    facets: dict[str, Any] = {
        "dbt_model": factory.facet(config={"materialized": "table", **config}),
        **({"schema": factory.facet(fields=described)} if described else {}),
    }
    return factory.run_event(
        "COMPLETE",
        run=number,
        seconds=number,
        job=name,
        outputs=[factory.dataset("orders", **facets)],
        job_facets={
            "jobType": factory.facet(integration="DBT", jobType="MODEL"),
            "sql": factory.facet(query=query),
            "dbt_node": factory.facet(unique_id=f"model.shop.{name}"),
        },
    )


def reader(number: int, *names: str) -> Document:
    event = model(number, "select 1 as one", *names, name="report")
    return {**event, "inputs": event["outputs"], "outputs": []}


def told(*events: Document) -> tuple[list[str], list[str]]:
    """The changes that events raise one after the other, and the columns after them."""
    world = World()
    return changes(world.alerts_one_by_one(events)), columns(world)


WHOLE, LESS = model(1, "select id, total from x"), model(2, "select id from x")
ALL = ["id", "total"]


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(model(2, "select id from x", "total"), id="documented"),
        pytest.param(model(2, "select * from x"), id="all columns of a table"),
        pytest.param(model(2, "select id from x", materialized="incremental"), id="the table keeps the column"),
        pytest.param({**LESS, "eventType": "ABORT"}, id="ended early"),
        pytest.param({**LESS, "eventTime": "2020-01-01T00:00:00Z"}, id="older"),
    ],
)
def test_a_column_stays_where_nothing_proves_that_it_is_gone(later: Document) -> None:
    assert told(WHOLE, later) == ([], ALL)


def test_a_select_that_lacks_a_column_of_the_column_lineage_was_not_understood() -> None:
    lineage = factory.facet(fields={"tax": {"inputFields": [{"namespace": "s3://lake", "name": "x", "field": "tax"}]}})
    later = model(2, "select id from x")
    later["outputs"][0]["facets"]["columnLineage"] = lineage
    assert told(WHOLE, later) == ([], [*ALL, "tax"])


def test_an_incremental_model_that_drops_columns_loses_them() -> None:
    incremental: dict[str, Any] = {
        "materialized": "incremental",
        "incremental": {"on_schema_change": "sync_all_columns"},
    }
    assert told(WHOLE, model(2, "select id from x", **incremental)) == (["orders -total"], ["id"])


def test_another_spelling_is_the_same_column() -> None:
    assert told(WHOLE, model(2, "select ID, TOTAL from x")) == ([], ["ID", "TOTAL"])


def test_a_column_that_only_readers_name_stays() -> None:
    """A hook may have added it."""
    assert told(WHOLE, reader(2, "id", "added_by"), model(3, "select id, total from x")) == ([], [*ALL, "added_by"])


def test_a_reader_does_not_bring_a_column_back_and_its_writer_does() -> None:
    assert told(WHOLE, LESS, reader(3, "id", "total"), model(4, "select id from x")) == (["orders -total"], ["id"])
    assert told(WHOLE, LESS, reader(3, "total"), model(4, "select id, total from x")) == (["orders -total"], ALL)


def test_a_column_that_comes_back_and_goes_again_is_told_twice() -> None:
    back, again = model(3, "select id, total from x"), model(4, "select id from x")
    assert told(WHOLE, LESS, back, again) == (["orders -total"] * 2, ["id"])


def test_a_model_with_another_name_takes_the_table_over_with_its_columns() -> None:
    renamed = model(3, "select id, total from x", name="orders_v2")
    assert told(WHOLE, LESS, renamed) == (["orders -total"], ALL)
    assert told(WHOLE, renamed, LESS)[1] == ALL


def test_a_name_that_was_only_documented_goes_without_an_alert() -> None:
    """A typing error in schema.yml, which dbt does not compare with the table."""
    wrong, mended = (
        model(1, "select id, total from x", "id", "totl"),
        model(2, "select id, total from x", "id", "total"),
    )
    assert told(wrong, mended) == ([], ALL)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_what_is_gone_is_the_same_in_any_order(order: tuple[int, ...]) -> None:
    events = [model(1, "select a, b from x"), model(2, "select c from x"), model(3, "select a, b from x")]
    heads = []
    for folded in (events, [events[place] for place in order]):
        world = World()
        for event in folded:
            world.fold(factory.received(event))
        key = dataset_id(Name("s3://lake", "orders"))
        head = world.store.read(ReadRequest(datasets=[key])).datasets.get(key)
        assert head
        heads.append((head.gone, [field["name"] for field in fields_of(head.schema)]))
    assert heads[0] == heads[1] == (("c",), ["a", "b"])
