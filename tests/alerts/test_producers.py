"""The alerts that a person expects of the events of real producers, and no other: a false alarm is worse than none.

Each folder of tests/fixtures/producers has a page with what ran.
"""

import pytest

from tests.alerts.stream import Detail, World
from tests.factory import Document
from tests.producer_records import recorded, scenarios

PAID_ORDERS_FAILED = "Run Failed: model.shop.paid_orders failed"
COUNTRY_FAILED = "Data Quality Assertion Failed: shop.main.paid_orders: 1 assertion failed: accepted_values of country"
EXPECTED = {
    ("dbt", "run_failing_model"): [PAID_ORDERS_FAILED],
    ("dbt", "build_failing_model"): [PAID_ORDERS_FAILED],
    ("dbt", "structured_logs_run_failing_model"): [f"{PAID_ORDERS_FAILED} while writing shop.main.paid_orders"],
    ("dbt", "test_failing"): [COUNTRY_FAILED],
    ("dbt", "build_failing_test"): [COUNTRY_FAILED],
    ("dbt", "structured_logs_build_failing_test"): [COUNTRY_FAILED],
    ("trino", "fails_while_running"): ["Run Failed: insert memory.shop.revenue 315cae16 failed"],
    ("trino", "create_table_as_fails_while_running"): ["Run Failed: create lake.shop.broken 2dec2ce6 failed"],
    ("trino", "fails_in_analysis"): ["Run Failed: insert lake.shop.audit 5e9f1a4d failed"],
}
TRINO_IN_ORDER = (
    *("create_schema", "create_table", "create_table_as", "create_view", "insert", "insert_with_columns"),
    *("insert_values", "same_insert_three_times", "update", "delete", "merge"),
)
ALL = [(engine, scenario) for engine in ("dbt", "trino") for scenario in scenarios(engine)]


def told(alerts: list[Detail]) -> list[str]:
    return [f"{alert['alert']}: {alert['title']}" for alert in alerts]


@pytest.mark.parametrize(("engine", "scenario"), ALL)
def test_a_pipeline_raises_the_alerts_that_a_person_expects(engine: str, scenario: str) -> None:
    events, expected = recorded(engine, scenario), EXPECTED.get((engine, scenario), [])
    assert told(World().alerts_one_by_one(events)) == expected
    assert told(World().alerts_of_batch(*events)) == expected
    assert told(World().alerts_one_by_one([event for event in events for _ in range(2)])) == expected


@pytest.mark.parametrize("scenario", scenarios("dbt"))
def test_no_mode_of_dbt_changes_a_schema_after_another(scenario: str) -> None:
    world = World()
    for before in ("run_with_catalog", "run", "structured_logs_build"):
        assert world.alerts_one_by_one(recorded("dbt", before)) == []
    assert told(world.alerts_one_by_one(recorded("dbt", scenario))) == EXPECTED.get(("dbt", scenario), [])


def test_of_all_statements_of_trino_one_changes_a_schema() -> None:
    world = World()
    for scenario in TRINO_IN_ORDER:
        assert told(world.alerts_one_by_one(recorded("trino", scenario))) == [], scenario
    (alert,) = world.alerts_one_by_one(recorded("trino", "create_or_replace_drops_a_column"))
    assert (alert["name"], [column["field"] for column in alert["removed"]]) == ("lake.shop.customers", ["segment"])
    broken = {node["nodeId"] for node in alert["breaks"]["items"]}
    assert "datasetField:trino://trino.shop:8080:memory.shop.revenue:segment" in broken


def test_the_message_of_a_model_is_its_cause_and_not_its_heading() -> None:
    (alert,) = World().alerts_one_by_one(recorded("dbt", "structured_logs_run_failing_model"))
    assert alert["message"] == 'Binder Error: Values list "o" does not have a column named "net_price"'
    assert alert["outputs"] == ["dataset:duckdb:///srv/shop/shop.duckdb:shop.main.paid_orders"]
    assert alert["owners"] == ["orders"]


def queries(events: list[Document]) -> set[str]:
    return {event["job"]["name"] for event in events}


def test_one_statement_of_trino_is_one_job_however_often_it_runs() -> None:
    events, world = recorded("trino", "same_insert_three_times"), World()
    world.alerts_one_by_one(events)
    heads = {item.labels["name"] for item in world.table.items.values() if item.labels.get("kind") == "job"}
    assert len(queries(events)) == 3
    assert len(heads) == 1
