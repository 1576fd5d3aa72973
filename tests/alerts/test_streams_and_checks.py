"""The alerts of the recorded events of Airflow, Flink and Great Expectations: those that a person expects, no other."""

import pytest

from headwater.openlineage.nameless import with_named_datasets
from tests.alerts.stream import Detail, World
from tests.producer_records import recorded, scenarios

CLEAR_PAYMENTS_FAILED = ["Run Failed: clear_payments failed"]
CHECK = "expect_column_values_to_be_in_set of country"
COUNTRY_FAILED = [f"Data Quality Assertion Failed: shop.public.customers: 1 assertion failed: {CHECK}"]
EXPECTED = {
    ("airflow", "sql_fails"): ["Run Failed: shop.paid_orders failed"],
    ("airflow", "python_fails"): ["Run Failed: shop_python.price_orders failed"],
    ("flink", "datastream_failed"): CLEAR_PAYMENTS_FAILED,
    ("flink", "datastream_fails_at_once"): CLEAR_PAYMENTS_FAILED,
    ("flink", "datastream_restarts_and_fails"): CLEAR_PAYMENTS_FAILED,
    ("great-expectations", "failed"): COUNTRY_FAILED,
    ("great-expectations", "failed_with_driver_in_uri"): COUNTRY_FAILED,
}
SQL_OF_AIRFLOW = ("sql", "sql_again", "sql_fails", "sql_column_removed")
ALL = [
    *(("airflow", scenario) for scenario in (*SQL_OF_AIRFLOW, "python_fails", "python_tried_again")),
    *((engine, scenario) for engine in ("flink", "great-expectations") for scenario in scenarios(engine)),
]


def alerts_of(world: World, engine: str, scenario: str) -> list[Detail]:
    return world.alerts_one_by_one([with_named_datasets(event).document for event in recorded(engine, scenario)])


@pytest.mark.parametrize(("engine", "scenario"), ALL)
def test_a_pipeline_raises_the_alerts_that_a_person_expects(engine: str, scenario: str) -> None:
    told = [f"{alert['alert']}: {alert['title']}" for alert in alerts_of(World(), engine, scenario)]
    assert told == EXPECTED.get((engine, scenario), [])


def test_of_all_runs_of_airflow_one_changes_a_schema() -> None:
    world = World()
    for scenario in SQL_OF_AIRFLOW[:-1]:
        alerts_of(world, "airflow", scenario)
    (alert,) = alerts_of(world, "airflow", SQL_OF_AIRFLOW[-1])
    assert (alert["name"], [column["field"] for column in alert["removed"]]) == ("shop.public.paid_orders", ["country"])


def test_the_message_of_a_failed_task_is_that_of_the_database() -> None:
    (alert,) = alerts_of(World(), "airflow", "sql_fails")
    assert alert["message"].startswith("column o.net_amount does not exist")


def test_a_task_is_told_once_no_try_is_left_and_not_its_queries() -> None:
    """The recorded task has two retries. With none, its first failure is its last."""
    failed, world = recorded("airflow", "python_tried_again")[:10], World()
    for event in failed:
        if "airflow" in event["run"]["facets"]:
            event["run"]["facets"]["airflow"]["task"]["retries"] = 0
    (alert,) = world.alerts_one_by_one(failed)
    assert (alert["title"], alert["message"]) == ("freight.flaky failed", "customs office does not answer")


def test_a_task_that_gives_up_with_tries_left_is_told_by_its_dag() -> None:
    events = recorded("airflow", "python_tried_again")
    failed, dag = events[:10], {**events[-1], "eventType": "FAIL"}
    (alert,) = World().alerts_one_by_one([*failed, dag])
    assert alert["title"] == "freight failed"


def test_a_table_that_airflow_writes_and_great_expectations_checks_is_one_dataset() -> None:
    world = World()
    for engine, scenario in (
        ("airflow", "sql"),
        *(("great-expectations", each) for each in scenarios("great-expectations")),
    ):
        alerts_of(world, engine, scenario)
    names = [item.labels["name"] for item in world.table.items.values() if item.labels["kind"] == "dataset"]
    assert sorted(name for name in names if "customers" in name) == ["shop.public.customers"]
